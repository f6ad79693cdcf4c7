"""What a match shows."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nobi.arena.summary import Interval, mean_interval, share_interval
from nobi.matches.elo import elo_difference
from nobi.matches.records import GameRecord, without_repetitions


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
