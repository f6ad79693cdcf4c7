"""Metrics of the prediction of experts' moves, with 95 % intervals; PyTorch is not needed here.

The positions of a game are correlated, so games are the independent units: standard errors are those of a ratio of sums
over games (cluster-robust), which are larger than if positions were independent.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from nobi.frames import frame_of
from nobi.statistics import CONFIDENCE, Interval, share_interval

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class MoveRankings:
    """The ranks of experts' moves by a network's values, [i] each."""

    game: NDArray[np.int64]
    """The number of the game, over all sources."""
    ply: NDArray[np.int64]
    """Number of earlier moves."""
    size: NDArray[np.int64]
    rank: NDArray[np.int64]
    """The rank of the player to move, as in `Collection`."""
    better: NDArray[np.int64]
    """Number of moves with higher values than the expert's."""
    equal: NDArray[np.int64]
    """Number of moves with the same value, including the expert's: symmetric networks give symmetric moves one value.
    """
    log_probability: NDArray[np.float64]
    """The logarithm of the probability of the expert's move."""

    def __len__(self) -> int:
        return len(self.game)

    def select(self, chosen: NDArray[np.bool_]) -> "MoveRankings":
        """Return the positions with chosen[i]."""
        return MoveRankings(*(getattr(self, field.name)[chosen] for field in fields(self)))


MOVES_A_GROUP = 10
"""Number of moves of a group, for the accuracy by move number."""

FEWEST_GAMES = 10
"""Minimum number of games of a group that is shown in a figure."""

MAX_GUESSES = 50
"""Maximum n of top-n accuracy (C14 figure 8)."""


@dataclass(frozen=True)
class PredictionMetrics:
    """Metrics of the predicted moves in some positions."""

    positions: int
    games: int
    accuracy: Interval
    """The share of experts' moves with the highest value; if k moves have this value, the expert's counts 1/k."""
    rank: Interval
    """The mean rank of the expert's move, from 1."""
    probability: Interval
    """The mean probability of the expert's move."""
    loss: Interval
    """The mean negative log likelihood of the expert's move."""


@dataclass(frozen=True, repr=False)
class Prediction:
    """Metrics of a network's predictions, in total and by groups."""

    all: PredictionMetrics
    top: list[Interval]
    """top[n − 1]: the share of positions in which the expert's move is among the network's n best."""
    by_move: dict[int, PredictionMetrics]
    """By the number of earlier moves; the key is the smallest number of a group of MOVES_A_GROUP."""
    by_rank: dict[int, PredictionMetrics]
    """By the rank of the player to move: kyu below 0, 1 to 9 dan, professionals 10, unknown 0 at the end."""
    by_size: dict[int, PredictionMetrics]

    def __repr__(self) -> str:
        return f"<Prediction of {self.all.positions:,} positions, accuracy {self.all.accuracy:.3f}>"

    def to_frame(self) -> "pandas.DataFrame":
        """Return a data frame with a row for all positions, and for each group by move number, rank and board size."""
        groups: dict[str, dict[Any, PredictionMetrics]]
        groups = {"all": {None: self.all}, "move": self.by_move, "rank": self.by_rank, "size": self.by_size}
        rows = (
            {"group": name, "key": key, **vars(one)} for name, parts in groups.items() for key, one in parts.items()
        )
        return frame_of(rows)


def within(rankings: MoveRankings, guesses: int) -> NDArray[np.float64]:
    """Return the probability, [i], that the expert's move is among the best `guesses`, with ties in random order."""
    found: NDArray[np.float64] = np.clip((guesses - rankings.better) / rankings.equal, 0.0, 1.0)
    return found


def metrics_of(rankings: MoveRankings) -> PredictionMetrics:
    """Return the metrics of these positions."""
    clusters = _Clusters(rankings.game)
    return PredictionMetrics(
        len(rankings),
        clusters.count,
        clusters.share(within(rankings, 1)),
        clusters.mean(1.0 + rankings.better + (rankings.equal - 1) / 2, 1.0),
        clusters.mean(np.exp(rankings.log_probability), 0.0, 1.0),
        clusters.mean(-rankings.log_probability, 0.0),
    )


def gain_of(one: MoveRankings, other: MoveRankings) -> PredictionMetrics:
    """Return the mean differences of the metrics of two networks on the same positions.

    Positions that are hard for one network are hard for the other, so the difference is more precise than either.
    """
    clusters = _clusters_of_all(one, other)

    def gain(value: Callable[[MoveRankings], NDArray[np.float64]]) -> Interval:
        return clusters.mean(value(one) - value(other))

    return PredictionMetrics(
        len(one),
        clusters.count,
        gain(lambda v: within(v, 1)),
        gain(lambda v: 1.0 + v.better + (v.equal - 1) / 2),
        gain(lambda v: np.exp(v.log_probability)),
        gain(lambda v: -v.log_probability),
    )


def guesses_gain(one: MoveRankings, guesses: int, other: MoveRankings, its_guesses: int) -> Interval:
    """Return the difference of top-n accuracies of two networks, or of one, on the same positions."""
    return _clusters_of_all(one, other).mean(within(one, guesses) - within(other, its_guesses))


def gains_apart(one: tuple[MoveRankings, MoveRankings], other: tuple[MoveRankings, MoveRankings]) -> Interval:
    """Return the difference of the accuracy differences of two pairs of networks, all on the same positions."""
    clusters = _clusters_of_all(*one, *other)
    first, second = (within(a, 1) - within(b, 1) for a, b in (one, other))
    return clusters.mean(first - second)


def _clusters_of_all(first: MoveRankings, *others: MoveRankings) -> "_Clusters":
    for other in others:
        if not (np.array_equal(first.game, other.game) and np.array_equal(first.ply, other.ply)):
            raise ValueError("the positions are not the same")
    return _Clusters(first.game)


def prediction_of(rankings: MoveRankings) -> Prediction:
    """Return the metrics in total and by groups."""
    clusters = _Clusters(rankings.game)
    most = min(MAX_GUESSES, int(rankings.size.max(initial=1)) ** 2)
    return Prediction(
        metrics_of(rankings),
        [clusters.share(within(rankings, n)) for n in range(1, most + 1)],
        dict(_parts(rankings, rankings.ply // MOVES_A_GROUP * MOVES_A_GROUP)),
        dict(sorted(_parts(rankings, rankings.rank), key=lambda part: part[0] or math.inf)),
        dict(_parts(rankings, rankings.size)),
    )


def large_enough(groups: dict[int, PredictionMetrics]) -> dict[int, PredictionMetrics]:
    """Return the groups with FEWEST_GAMES games or more; all if there are none."""
    return {key: one for key, one in groups.items() if one.games >= FEWEST_GAMES} or groups


def _parts(rankings: MoveRankings, key: NDArray[np.int64]) -> Iterator[tuple[int, PredictionMetrics]]:
    for value in np.unique(key).tolist():
        yield value, metrics_of(rankings.select(key == value))


class _Clusters:
    """Positions by game."""

    def __init__(self, game: NDArray[np.int64]) -> None:
        games, self._index = np.unique(game, return_inverse=True)
        self.count = len(games)
        self._sizes = np.bincount(self._index, minlength=self.count)

    def mean(self, values: NDArray[np.float64], least: float = -math.inf, most: float = math.inf) -> Interval:
        """Return the mean, with Student's interval over games, limited to the range of the values."""
        mean, error = self._estimate(values)
        spread = self._quantile * error
        return Interval(mean, max(least, mean - spread), min(most, mean + spread))

    def share(self, hits: NDArray[np.float64]) -> Interval:
        """Return the share of hits, with Wilson's interval for the effective number of independent trials.

        A few games may agree by chance; the standard error is at least that of independent positions.
        """
        share, error = self._estimate(hits)
        if not 0 < share < 1 or self.count == 1:
            return share_interval(share * self.count, self.count)  # all equal: one trial per game
        variance = share * (1 - share)
        spread = self._quantile * max(error, math.sqrt(variance / len(hits)))
        trials = variance * (float(ndtri((1 + CONFIDENCE) / 2)) / spread) ** 2
        return share_interval(share * trials, trials)

    @property
    def _quantile(self) -> float:
        """Return Student's quantile, with one degree of freedom less than games."""
        return float(stdtrit(self.count - 1, (1 + CONFIDENCE) / 2)) if self.count > 1 else math.inf

    def _estimate(self, values: NDArray[np.float64]) -> tuple[float, float]:
        """Return the mean over positions and its standard error, from the residuals of the games."""
        total = len(values)
        if total == 0:
            return math.nan, math.inf
        mean = float(values.mean())
        if self.count == 1:
            return mean, math.inf
        residuals = np.bincount(self._index, values, self.count) - mean * self._sizes
        error = math.sqrt(self.count / (self.count - 1) * float(residuals @ residuals)) / total
        return mean, error
