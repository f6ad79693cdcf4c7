"""An engine on two streams of bytes, such as standard input and output.

A thread reads, so that an analysis, or thinking in the opponent's time, ends as soon as anything comes in.
"""

import queue
import threading
from collections.abc import Callable
from typing import BinaryIO

from nobi.gtp.engine import Engine
from nobi.gtp.session import Session

_PONDERS_AFTER = ("genmove", "lz-genmove_analyze", "kata-genmove_analyze")


def serve(
    session: Session,
    lines: BinaryIO,
    answers: BinaryIO,
    *,
    ponder: bool = False,
    log: Callable[[str], None] = lambda _: None,
) -> None:
    """Answers until `quit` or the end of the input.

    Args:
        session: the engine's game and player.
        lines: what comes in.
        answers: where answers go; nothing else is written there.
        ponder: whether the player thinks in the opponent's time.
        log: takes every line in and out, and what went wrong inside.
    """
    waiting: queue.Queue[bytes] = queue.Queue()

    coming_in = threading.Lock()

    def take(line: bytes) -> None:
        with coming_in:  # or a line could be answered first, and then end its own analysis
            waiting.put(line)
            session.stop.set()

    def read() -> None:
        for line in iter(lines.readline, b""):
            take(line)
        take(b"")

    def write(text: str) -> None:
        answers.write(text.encode("utf-8", "surrogateescape"))
        answers.flush()
        log("< " + text.rstrip("\n"))

    engine = Engine(session, write, log)
    threading.Thread(target=read, daemon=True).start()
    try:
        while not session.is_over:
            raw = waiting.get()
            if not raw:
                return
            with coming_in:
                if waiting.empty():
                    session.stop.clear()
            line = raw.decode("utf-8", "surrogateescape").rstrip("\n")
            log("> " + line)
            asked = engine.answer(line)
            if ponder and asked and asked.name in _PONDERS_AFTER and waiting.empty():
                session.bot.ponder(session.game, session.stop)
    except BrokenPipeError:
        pass  # nobody listens any more
    finally:
        session.close()
