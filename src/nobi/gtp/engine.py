"""The engine: lines in, answers out; whatever happens, every command gets one answer."""

import traceback
from collections.abc import Callable

from nobi.errors import NobiError
from nobi.gtp.commands import (
    administration,
    analysis,
    clocks,
    files,
    gogui,
    playing,
    rules,
    scoring,
    served,
)
from nobi.gtp.protocol import Command, GtpError, clean, failure, read_command, success
from nobi.gtp.session import Session

FAMILIES = (administration, playing, clocks, rules, scoring, files, analysis, gogui)
"""The files of the commands, in the order of the documentation."""


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
