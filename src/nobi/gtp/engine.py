"""The GTP engine: every command receives exactly one answer, even after an internal error.

`serve` runs it on two byte streams, such as standard input and output. A thread reads the input, so that an analysis or
pondering ends as soon as a line arrives.
"""

import queue
import threading
import traceback
from collections.abc import Callable
from typing import BinaryIO

from nobi.errors import NobiError, phrase
from nobi.games.go import Go
from nobi.gtp import analysis, commands, information, setup  # noqa: F401  (they register their commands)
from nobi.gtp.protocol import GtpCommand, GtpError, clean, failure, read_command, success
from nobi.gtp.session import Session, commands_for
from nobi.players.scoring import ownership
from nobi.workers import defer_interrupts


class GtpEngine:
    """Answers commands."""

    def __init__(
        self, session: Session, write: Callable[[str], None], log_error: Callable[[str], None] = lambda _: None
    ) -> None:
        """`write` receives the text of answers, `log_error` the tracebacks of internal errors."""
        self.session = session
        self._write = write
        self._log_error = log_error

    def answer(self, line: str) -> GtpCommand | None:
        """Answer a line if it contains a command; return the command."""
        command = read_command(line)
        if command is None:
            return None
        begun = False

        def begin() -> None:
            """Write the first line of an answer that is completed later, such as an analysis."""
            nonlocal begun
            if not begun:
                self._write(f"={command.id}\n")
            begun = True

        def write_line(text: str) -> None:
            begin()
            self._write(clean(text) + "\n")

        self.session.begin, self.session.write = begin, write_line
        try:
            reply = success(command.id, self._execute(command))
        except (GtpError, NobiError) as error:
            reply = failure(command.id, phrase(error))
        except Exception as error:
            self._log_error(traceback.format_exc())
            reply = failure(command.id, f"internal error: {type(error).__name__}")
        self._write("\n" if begun else reply)
        return command

    def _execute(self, command: GtpCommand) -> str:
        for entry in commands_for(self.session.variant.game.name):
            if entry.name == command.name:
                return entry.answer(self.session, command.arguments)
        raise GtpError("unknown command")


def warm_up(session: Session) -> None:
    """Compile everything that commands call, before the first command arrives and before a clock runs.

    Numba compiles for types: other board sizes and rules need no further compilation.
    """
    game = session.game
    session.bot.warm_up(game)
    session.bot.policy(game)
    copy = game.copy()
    moves = copy.legal_moves()
    copy.why_illegal(moves[0])
    copy.play(moves[0])
    copy.undo()
    copy.set_up([(moves[0], copy.to_move)], copy.to_move)
    if isinstance(copy, Go):
        ownership(copy, 2)
        copy.score()
        copy.owners(moves[:1])


_PONDERS_AFTER = ("genmove", "lz-genmove_analyze", "kata-genmove_analyze", "gomill-genmove_ex")
_INTERRUPT = b"# interrupt"
"""The comment line by which GoGui ends the choice of a move."""


def serve(
    session: Session,
    lines: BinaryIO,
    answers: BinaryIO,
    *,
    ponder: bool = False,
    log: Callable[[str], None] = lambda _: None,
) -> None:
    """Answer commands until `quit` or the end of the input.

    Args:
        session: the engine's game and player.
        lines: the input.
        answers: the output; nothing but answers is written to it.
        ponder: whether the player searches during the opponent's turn.
        log: receives every line in and out, and the tracebacks of internal errors.
    """
    waiting: queue.Queue[bytes] = queue.Queue()
    arrival = threading.Lock()

    def append(line: bytes) -> None:
        with arrival:  # otherwise a line could be answered first, and then stop the analysis that it has started
            waiting.put(line)
            session.stop.set()
            if line.strip() == _INTERRUPT:
                session.interrupt.set()

    def read() -> None:
        for line in iter(lines.readline, b""):
            append(line)
        append(b"")

    def write(text: str) -> None:
        answers.write(text.encode("utf-8", "surrogateescape"))
        answers.flush()
        log("< " + text.rstrip("\n"))

    engine = GtpEngine(session, write, log)
    threading.Thread(target=read, daemon=True).start()
    try:
        while not session.is_over:
            raw = waiting.get()
            if not raw:
                return
            with arrival:
                if waiting.empty():
                    session.stop.clear()
                if raw.strip() == _INTERRUPT:  # the command before it has been answered
                    session.interrupt.clear()
            line = raw.decode("utf-8", "surrogateescape").rstrip("\n")
            log("> " + line)
            command = engine.answer(line)
            if ponder and command and command.name in _PONDERS_AFTER and waiting.empty():
                session.bot.ponder(session.game, session.stop)
    except BrokenPipeError:
        pass  # the client has closed the output
    finally:
        with defer_interrupts():
            session.close()
