"""What a match shows."""

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
    """Why games were forfeited, and how many."""


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
    forfeits: dict[str, int] = {}
    for record in kept:
        if record.forfeited:
            forfeits[record.reason] = forfeits.get(record.reason, 0) + 1
    return MatchSummary(
        black=tally([record for record in kept if record.black == a], a),
        white=tally([record for record in kept if record.white == a], a),
        all=tally(kept, a),
        repeated=repeated,
        void=sum(record.winner == "void" for record in kept),
        forfeits=forfeits,
    )


def cross_table(records: list[GameRecord], players: int) -> NDArray[np.float64]:
    """[i, j] the points that player i has made against player j."""
    points = np.zeros((players, players))
    for record in records:
        made = record.points(record.black)
        if made is not None:
            points[record.black, record.white] += made
            points[record.white, record.black] += 1 - made
    return points
