"""Standard input and output of commands that speak a protocol: only the protocol is written to standard output."""

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from nobi.workers import handle_interrupts

_GRACE_SECONDS = 0.7
"""How long an engine may take to stop its searches after a signal, or after its output was closed."""
_WRITE_SECONDS = 0.1
_INTERRUPTED = 130


@contextmanager
def protocol_streams() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The input and the output of the protocol; a client that closes the output ends the block without an error.

    All other output, of this process or of a C library, goes to standard error. After SIGINT, SIGTERM or a closed
    output the process ends within a second, even if a search does not stop or the client does not read.
    """
    protocol = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    # unbuffered: at the end a thread still waits for a line, and Python cannot exit while it holds a buffer's lock
    lines = open(0, "rb", buffering=0, closefd=False)  # noqa: SIM115
    closed = threading.Event()
    threading.Thread(target=_watch, args=(protocol.fileno(), closed), daemon=True).start()
    limits: list[threading.Timer] = []

    def interrupt(_: int) -> None:
        limit = threading.Timer(_GRACE_SECONDS, os._exit, (0 if closed.is_set() else _INTERRUPTED,))
        limit.daemon = True
        limit.start()
        limits.append(limit)
        raise KeyboardInterrupt

    try:
        with handle_interrupts(interrupt):
            yield lines, protocol
    except (BrokenPipeError, KeyboardInterrupt) as error:
        if isinstance(error, KeyboardInterrupt) and not closed.is_set():
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), protocol.fileno())  # Python must not write at exit
    finally:
        for limit in limits:
            limit.cancel()


def _watch(output: int, closed: threading.Event) -> None:
    """Interrupt the program when the reader of a pipe has closed it, even while nothing is written."""
    if not hasattr(select, "poll"):  # Windows, where only a write fails
        return
    poll = select.poll()
    poll.register(output, 0)
    for _, event in poll.poll():
        if event & (select.POLLERR | select.POLLHUP):
            closed.set()
            time.sleep(_WRITE_SECONDS)  # what is writing finds out by itself, and need not be interrupted
            # to the main thread, which may be reading; not SIGINT, which programs started in the background ignore
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
