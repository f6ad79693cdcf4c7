"""A match in a folder, which can be left and taken up again at any moment.

config.json         the settings; to resume checks that they are the same
games.jsonl         a line for every game that is over, in the order in which they ended
game-0001.sgf …     the games
"""

import os
from pathlib import Path
from typing import Any

from nobi.errors import NobiError
from nobi.files import write_whole
from nobi.matches.records import GameRecord, record_from
from nobi.runfolder import holds_run, write_config

_NAMES = {"a": "player A", "b": "player B", "players": "list of players", "piece": "piece"}
"""Settings that are no flags."""


class MatchFolder:
    """The folder of a match."""

    def __init__(self, path: Path, settings: dict[str, Any], *, resume: bool, extendable: str = "games") -> None:
        """`extendable` is the setting that may change when a match is resumed: how long it is."""
        self.path = path
        self._games = path / "games.jsonl"
        there = holds_run(path, settings, resume=resume, may_change=(extendable,), what="match", names=_NAMES)
        if not there and any(path.glob("*.sgf")):
            raise NobiError(f"The folder {str(path)!r} holds games already; choose another for these.")
        write_config(path, settings)

    def load(self) -> list[GameRecord]:
        """The games that are over; a line that was cut off by a crash is removed, and its game played again."""
        if not self._games.exists():
            return []
        # read by lines, not split: what an engine said may hold other ends of lines
        with self._games.open(encoding="utf-8", errors="replace", newline="\n") as file:
            lines = list(file)
        records = []
        for number, line in enumerate(lines, 1):
            try:
                if not line.endswith("\n"):
                    raise ValueError("it is cut off")
                records.append(record_from(line))
            except ValueError as fault:
                if number < len(lines):
                    raise NobiError(f"Line {number} of {str(self._games)!r} is damaged: {fault}.") from None
        if len(records) < len(lines):
            write_whole(self._games, "".join(lines[: len(records)]).encode())
        return records

    def save(self, record: GameRecord, sgf: bytes) -> None:
        """Keeps a game: first its SGF, then its line, which alone makes it count."""
        write_whole(self.path / f"game-{record.game + 1:04d}.sgf", sgf)
        with self._games.open("ab") as file:
            file.write(record.line().encode())
            file.flush()
            os.fsync(file.fileno())
