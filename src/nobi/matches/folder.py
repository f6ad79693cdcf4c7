"""A match in a folder, which can be left and taken up again at any moment.

config.json         the settings; to resume checks that they are the same
games.jsonl         a line for every game that is over, in the order in which they ended
game-0001.sgf …     the games
"""

import json
import os
from pathlib import Path
from typing import Any

from nobi.errors import NobiError
from nobi.files import ready_folder, write_whole
from nobi.matches.records import GameRecord, record_from

_NAMES = {"a": "player A", "b": "player B", "players": "list of players", "piece": "piece"}
"""Settings that are no flags."""


class MatchFolder:
    """The folder of a match."""

    def __init__(self, path: Path, settings: dict[str, Any], *, resume: bool, extendable: str = "games") -> None:
        """`extendable` is the setting that may change when a match is resumed: how long it is."""
        self.path = ready_folder(path)
        config = path / "config.json"
        self._games = path / "games.jsonl"
        if config.exists():
            if not resume:
                raise NobiError(f"The folder {str(path)!r} holds a match already; add --resume or choose another.")
            self._compare(config, settings, extendable)
        elif any(path.glob("*.sgf")):
            raise NobiError(f"The folder {str(path)!r} holds games already; choose another for these.")
        write_whole(config, (json.dumps(settings, indent=2, ensure_ascii=False) + "\n").encode())

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

    def _compare(self, config: Path, settings: dict[str, Any], extendable: str) -> None:
        try:
            before = json.loads(config.read_bytes())
        except (OSError, ValueError) as fault:
            raise NobiError(f"{str(config)!r} cannot be read: {fault}.") from None
        if not isinstance(before, dict):
            raise NobiError(f"{str(config)!r} does not hold the settings of a match.")
        for key, value in settings.items():
            if before.get(key) != value and key not in (extendable, "nobi"):
                name = _NAMES.get(key) or f"--{key.replace('_', '-')}"
                raise NobiError(
                    f"The match in {str(self.path)!r} has another {name} ({before.get(key)!r}, not {value!r}); "
                    "resume it with the same."
                )
