"""How well a network predicts experts' moves, with 95 % intervals.

The positions of a game resemble each other, so games, not positions, are what varies independently: standard errors are
those of a ratio of sums over games (cluster-robust), which are larger than if positions were independent.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from nobi.arena.summary import CONFIDENCE, Interval, share_interval
from nobi.imitate.verdicts import Verdicts

MOVES_A_GROUP = 10
"""So many moves of a game are a group of the accuracy by move number."""
FEWEST_GAMES = 10
"""Of a group that is worth showing in a figure."""
MOST_GUESSES = 50
"""How far the curve of guesses goes (C14 figure 8)."""


@dataclass(frozen=True)
class Quality:
    """How well moves are predicted in some positions."""

    positions: int
    games: int
    accuracy: Interval
    """The share of experts' moves that the network likes best. Of k moves it likes equally, each counts as 1/k."""
    rank: Interval
    """The mean place of the expert's move in the network's order, the first being 1."""
    probability: Interval
    """The mean probability of the expert's move."""
    loss: Interval
    """The mean negative log likelihood of the expert's move."""


@dataclass(frozen=True)
class Prediction:
    """How well a network predicts, in all and in parts."""

    all: Quality
    top: list[Interval]
    """top[n − 1]: how often the expert's move is among the network's n best."""
    by_move: dict[int, Quality]
    """By how many moves were made before; the key is the first of MOVES_A_GROUP."""
    by_rank: dict[int, Quality]
    """By the rank of the player to move: kyu below 0, 1 to 9 dan, professionals 10, unknown 0 at the end."""
    by_size: dict[int, Quality]


def within(verdicts: Verdicts, guesses: int) -> NDArray[np.float64]:
    """[i] the chance that the expert's move is among so many guesses, equal moves being guessed in random order."""
    found: NDArray[np.float64] = np.clip((guesses - verdicts.better) / verdicts.equal, 0.0, 1.0)
    return found


def quality_of(verdicts: Verdicts) -> Quality:
    """The quality in all these positions."""
    clusters = _Clusters(verdicts.game)
    return Quality(
        len(verdicts),
        clusters.count,
        clusters.share(within(verdicts, 1)),
        clusters.mean(1.0 + verdicts.better + (verdicts.equal - 1) / 2, 1.0),
        clusters.mean(np.exp(verdicts.log_probability), 0.0, 1.0),
        clusters.mean(-verdicts.log_probability, 0.0),
    )


def gain_of(one: Verdicts, other: Verdicts) -> Quality:
    """How much one network is ahead of another on the same positions: every figure is the mean difference.

    Positions that are hard for one network are so for the other, so the difference is known better than either.
    """
    clusters = _clusters_of_all(one, other)

    def gain(value: Callable[[Verdicts], NDArray[np.float64]]) -> Interval:
        return clusters.mean(value(one) - value(other))

    return Quality(
        len(one),
        clusters.count,
        gain(lambda v: within(v, 1)),
        gain(lambda v: 1.0 + v.better + (v.equal - 1) / 2),
        gain(lambda v: np.exp(v.log_probability)),
        gain(lambda v: -v.log_probability),
    )


def guesses_gain(one: Verdicts, guesses: int, other: Verdicts, its_guesses: int) -> Interval:
    """How much more often the expert's move is among so many guesses of one than among those of another network.

    The positions must be the same; the networks may be, too.
    """
    return _clusters_of_all(one, other).mean(within(one, guesses) - within(other, its_guesses))


def gains_apart(one: tuple[Verdicts, Verdicts], other: tuple[Verdicts, Verdicts]) -> Interval:
    """How much more accuracy the first of one pair of networks gains on the second than in another pair.

    All four have to be shown the same positions.
    """
    clusters = _clusters_of_all(*one, *other)
    first, second = (within(ahead, 1) - within(behind, 1) for ahead, behind in (one, other))
    return clusters.mean(first - second)


def _clusters_of_all(first: Verdicts, *others: Verdicts) -> "_Clusters":
    for other in others:
        if not (np.array_equal(first.game, other.game) and np.array_equal(first.ply, other.ply)):
            raise ValueError("the positions are not the same")
    return _Clusters(first.game)


def prediction_of(verdicts: Verdicts) -> Prediction:
    """The quality in all and in parts."""
    clusters = _Clusters(verdicts.game)
    most = min(MOST_GUESSES, int(verdicts.size.max(initial=1)) ** 2)
    return Prediction(
        quality_of(verdicts),
        [clusters.share(within(verdicts, n)) for n in range(1, most + 1)],
        dict(_parts(verdicts, verdicts.ply // MOVES_A_GROUP * MOVES_A_GROUP)),
        dict(sorted(_parts(verdicts, verdicts.rank), key=lambda part: part[0] or math.inf)),
        dict(_parts(verdicts, verdicts.size)),
    )


def large_enough(groups: dict[int, Quality]) -> dict[int, Quality]:
    """The groups of FEWEST_GAMES games or more; all if there are none."""
    return {key: one for key, one in groups.items() if one.games >= FEWEST_GAMES} or groups


def _parts(verdicts: Verdicts, key: NDArray[np.int64]) -> Iterator[tuple[int, Quality]]:
    for value in np.unique(key).tolist():
        yield value, quality_of(verdicts.select(key == value))


class _Clusters:
    """Positions by game."""

    def __init__(self, game: NDArray[np.int64]) -> None:
        games, self._index = np.unique(game, return_inverse=True)
        self.count = len(games)
        self._sizes = np.bincount(self._index, minlength=self.count)

    def mean(self, values: NDArray[np.float64], least: float = -math.inf, most: float = math.inf) -> Interval:
        """The mean of values between two bounds, with Student's interval over games."""
        mean, error = self._estimate(values)
        spread = self._quantile * error
        return Interval(mean, max(least, mean - spread), min(most, mean + spread))

    def share(self, hits: NDArray[np.float64]) -> Interval:
        """The share of hits, with Wilson's interval for as many independent trials as would be as uncertain.

        A few games may agree by chance; the error is never taken for less than that of independent positions.
        """
        share, error = self._estimate(hits)
        if not 0 < share < 1 or self.count == 1:
            return share_interval(share * self.count, self.count)  # all the same: no more trials than games
        variance = share * (1 - share)
        spread = self._quantile * max(error, math.sqrt(variance / len(hits)))
        trials = variance * (float(ndtri((1 + CONFIDENCE) / 2)) / spread) ** 2
        return share_interval(share * trials, trials)

    @property
    def _quantile(self) -> float:
        """Student's, for as many degrees of freedom as there are games but one."""
        return float(stdtrit(self.count - 1, (1 + CONFIDENCE) / 2)) if self.count > 1 else math.inf

    def _estimate(self, values: NDArray[np.float64]) -> tuple[float, float]:
        """The mean over positions and its standard error: the spread over games of sum minus mean times positions."""
        total = len(values)
        if total == 0:
            return math.nan, math.inf
        mean = float(values.mean())
        if self.count == 1:
            return mean, math.inf
        residuals = np.bincount(self._index, values, self.count) - mean * self._sizes
        error = math.sqrt(self.count / (self.count - 1) * float(residuals @ residuals)) / total
        return mean, error
