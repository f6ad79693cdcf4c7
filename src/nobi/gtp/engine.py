"""The engine: lines in, answers out; whatever happens, every command gets one answer.

`serve` runs it on two streams of bytes, such as standard input and output. A thread reads, so that an analysis, or
thinking in the opponent's time, ends as soon as anything comes in.
"""

import queue
import threading
import traceback
from collections.abc import Callable
from typing import BinaryIO

from nobi.errors import NobiError
from nobi.gtp import analysis, commands, setup  # noqa: F401  (they fill the table of commands)
from nobi.gtp.protocol import Command, GtpError, clean, failure, read_command, success
from nobi.gtp.session import Session, served


class Engine:
    """Answers one line after the other."""

    def __init__(
        self, session: Session, write: Callable[[str], None], complain: Callable[[str], None] = lambda _: None
    ) -> None:
        """`write` takes the text of answers, `complain` what went wrong inside."""
        self.session = session
        self._write = write
        self._complain = complain

    def answer(self, line: str) -> Command | None:
        """Answers a line, if it asks for anything; returns what it asked for."""
        asked = read_command(line)
        if asked is None:
            return None
        begun = False

        def write_line(text: str) -> None:
            """A line of an answer that takes its time, as those of an analysis."""
            nonlocal begun
            self._write(clean(text) + "\n" if begun else f"={asked.id}\n{clean(text)}\n")
            begun = True

        self.session.write = write_line
        try:
            text = self._do(asked)
        except GtpError as fault:
            reply = failure(asked.id, str(fault))
        except NobiError as fault:
            reply = failure(asked.id, str(fault).rstrip("."))
        except Exception as fault:
            self._complain(traceback.format_exc())
            reply = failure(asked.id, f"internal error: {type(fault).__name__}")
        else:
            reply = success(asked.id, text)
        self._write("\n" if begun else reply)
        return asked

    def _do(self, asked: Command) -> str:
        for entry in served(self.session.variant.game.name):
            if entry.name == asked.name:
                return entry.answer(self.session, asked.arguments)
        raise GtpError("unknown command")


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
