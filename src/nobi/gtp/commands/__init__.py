"""The commands of the engine, a file for each family: functions of (session, arguments) that return the answer."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from nobi.gtp.session import Session

Answer = Callable[[Session, list[str]], str]


class Entry(NamedTuple):
    """A command that the engine knows."""

    name: str
    arguments: str
    about: str
    games: str
    """`all`, `go`, or `other` for the games that are not Go."""
    answer: Answer


COMMANDS: dict[str, Entry] = {}
"""All commands by name; filled when `nobi.gtp.engine` is imported."""


def command(name: str, arguments: str, about: str, games: str = "all") -> Callable[[Answer], Answer]:
    """Makes a function the command of this name."""

    def register(answer: Answer) -> Answer:
        COMMANDS[name] = Entry(name, arguments, about, games, answer)
        return answer

    return register


def served(game: str) -> Iterable[Entry]:
    """The commands that are there when this game is played."""
    kind = "go" if game == "go" else "other"
    return (entry for entry in COMMANDS.values() if entry.games in ("all", kind))
