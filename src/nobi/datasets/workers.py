"""A function over many things in several processes, the results in order."""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import connection
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")

_AHEAD = 4
"""Things handed out ahead for each process: enough to keep them busy, few enough to fit into memory."""


def ordered_map(function: Callable[[A], B], things: Iterable[A], workers: int) -> Iterator[B]:
    """function(thing) for each thing, in order. One worker is this process itself."""
    if workers <= 1:
        yield from map(function, things)
        return
    # Processes are spawned, not forked: a copy of a process that has threads may never wake up.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin_worker)
    waiting: deque[Future[B]] = deque()
    try:
        for thing in things:
            with _ctrl_c_held_back():
                waiting.append(pool.submit(function, thing))
            if len(waiting) > _AHEAD * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _ctrl_c_held_back() -> Iterator[None]:
    """Lets processes that are started here never hear of Ctrl-C, which is the first one's business, nor complain of it
    while they are being born; this process hears of it a moment later.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_worker() -> None:
    """Ends this process with the first one, even if that one is killed."""
    parent = multiprocessing.parent_process()

    def end_with_parent() -> None:
        if parent is not None:
            connection.wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
