"""What is kept of a game of a match: a line of games.jsonl.

MERGED matches/folder.py: A match in a folder, which can be left and taken up again at any moment.

config.json         the settings; to resume checks that they are the same
games.jsonl         a line for every game that is over, in the order in which they ended
game-0001.sgf …     the games

MERGED matches/statistics.py: What a match shows.
"""

import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, DRAW, RUNNING, WHITE
from nobi.errors import NobiError
from nobi.statistics import Interval, elo_difference, mean_interval, share_interval
from nobi.storage import atomic_write, holds_run, write_config

_WINNERS = {BLACK: "black", WHITE: "white", DRAW: "draw", RUNNING: "void"}


@dataclass(frozen=True)
class GameRecord:
    """A game between the entrants of these numbers."""

    game: int
    black: int
    white: int
    winner: str
    """`black`, `white`, `draw`, or `void` if the referee could not say."""
    result: str
    """As SGF writes it."""
    reason: str
    forfeited: bool
    opening: str
    moves: list[str]
    """All moves, those of the opening first."""
    stones: list[str]
    """The stones of the start position."""
    seconds: list[float]
    """How long black and white have thought."""

    def line(self) -> str:
        """The line that stands for it."""
        return json.dumps(asdict(self), ensure_ascii=False) + "\n"

    @property
    def fault(self) -> tuple[int, str] | None:
        """The number of the entrant who forfeited the game, and the words for what he did; None if nobody did."""
        if not self.forfeited:
            return None
        loser, colour = (self.white, "white") if self.winner == "black" else (self.black, "black")
        return loser, self.reason.removeprefix(f"{colour} ")

    def points(self, entrant: int) -> float | None:
        """1 for a win of this entrant, ½ for a draw, 0 for a loss; None for a game without result."""
        if self.winner == "void":
            return None
        if self.winner == "draw":
            return 0.5
        return 1.0 if (self.black if self.winner == "black" else self.white) == entrant else 0.0


def winner_name(outcome: int) -> str:
    """How a record calls the winner."""
    return _WINNERS[outcome]


def record_from(line: str) -> GameRecord:
    """The game of a line; ValueError if it is none."""
    try:
        values: dict[str, Any] = json.loads(line)
        return GameRecord(**values)
    except TypeError as fault:
        raise ValueError(str(fault)) from None


def without_repetitions(records: list[GameRecord]) -> tuple[list[GameRecord], int]:
    """The games that tell something new, in order of their numbers, and how many were left out.

    A game that went move for move like an earlier one of the same players with the same colours is left out. One that
    was forfeited is not: two crashes are two.
    """
    seen = set()
    kept = []
    for record in sorted(records, key=lambda one: one.game):
        key = (record.black, record.white, tuple(record.stones), tuple(record.moves))
        if record.forfeited or key not in seen:
            kept.append(record)
        if not record.forfeited:
            seen.add(key)
    return kept, len(records) - len(kept)


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
            atomic_write(self._games, "".join(lines[: len(records)]).encode())
        return records

    def save(self, record: GameRecord, sgf: bytes) -> None:
        """Keeps a game: first its SGF, then its line, which alone makes it count."""
        atomic_write(self.path / f"game-{record.game + 1:04d}.sgf", sgf)
        with self._games.open("ab") as file:
            file.write(record.line().encode())
            file.flush()
            os.fsync(file.fileno())


@dataclass(frozen=True)
class Tally:
    """The results of some games from the point of view of one player."""

    games: int
    wins: int
    draws: int
    losses: int
    win_rate: Interval
    """Draws count half."""
    length: Interval
    elo: Interval
    """How much stronger than the opponent."""


@dataclass(frozen=True)
class MatchSummary:
    """The results of a match from the point of view of player A, repeated games left out."""

    black: Tally
    white: Tally
    all: Tally
    repeated: int
    """Games that went move for move like an earlier one, and are left out."""
    void: int
    """Games without a result."""
    forfeits: dict[str, int]
    """Who forfeited games and why, as in `B overstepped the time`, and how many."""


def tally(records: list[GameRecord], player: int) -> Tally:
    """The results of the games, all of which this player has played."""
    points = [value for record in records if (value := record.points(player)) is not None]
    wins, draws = points.count(1.0), points.count(0.5)
    lengths = np.array([len(record.moves) for record in records if record.winner != "void"], np.float64)
    return Tally(
        games=len(points),
        wins=wins,
        draws=draws,
        losses=len(points) - wins - draws,
        win_rate=share_interval(sum(points), len(points)),
        length=mean_interval(lengths),
        elo=elo_difference(sum(points), len(points)),
    )


def summarise_match(records: list[GameRecord], a: int = 0) -> MatchSummary:
    """The results of player A, as black, as white, and in all."""
    kept, repeated = without_repetitions(records)
    return MatchSummary(
        black=tally([record for record in kept if record.black == a], a),
        white=tally([record for record in kept if record.white == a], a),
        all=tally(kept, a),
        repeated=repeated,
        void=void_reasons(kept).total(),
        forfeits=dict(forfeits(kept, "BA" if a else "AB")),
    )


def forfeits(records: list[GameRecord], names: Sequence[str]) -> Counter[str]:
    """Who forfeited games and why, and how many; `names` are those of the entrants."""
    faults = (record.fault for record in records)
    return Counter(f"{names[fault[0]]} {fault[1]}" for fault in faults if fault)


def void_reasons(records: list[GameRecord]) -> Counter[str]:
    """Why games have no result, and how many."""
    return Counter(record.reason for record in records if record.winner == "void")


def cross_table(records: list[GameRecord], players: int) -> NDArray[np.float64]:
    """[i, j] the points that player i has made against player j."""
    points = np.zeros((players, players))
    for record in records:
        made = record.points(record.black)
        if made is not None:
            points[record.black, record.white] += made
            points[record.white, record.black] += 1 - made
    return points
