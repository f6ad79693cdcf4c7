"""The statistics that studies need beyond those of `nobi.evolve.measures`."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from nobi.arena.summary import CONFIDENCE, Interval, share_interval
from nobi.evolve.measures import correlation

Values = NDArray[np.float64]
RESAMPLES = 2000


def difference(x: Values, y: Values) -> Interval:
    """The mean of x minus that of y, two independent samples, with Welch's interval."""
    value = float(x.mean() - y.mean())
    if len(x) < 2 or len(y) < 2:
        return Interval(value, -np.inf, np.inf)
    errors = np.array([x.var(ddof=1) / len(x), y.var(ddof=1) / len(y)])  # squared standard errors
    if errors.sum() == 0:
        return Interval(value, value, value)
    freedom = errors.sum() ** 2 / (errors**2 / np.array([len(x) - 1, len(y) - 1])).sum()
    spread = float(stdtrit(freedom, (1 + CONFIDENCE) / 2) * np.sqrt(errors.sum()))
    return Interval(value, value - spread, value + spread)


def over_runs(value: Callable[[NDArray[np.int64]], float], run: NDArray[np.int64], seed: int = 0) -> Interval:
    """A statistic of champions that come from several runs, with a bootstrap interval that draws whole runs.

    Champions of one run are relatives. An interval that took them for independent would be too narrow.

    Args:
        value: the statistic of the champions whose indices it is given.
        run: [champion] the run that each comes from.
        seed: decides the resampling.
    """
    groups = [np.flatnonzero(run == r) for r in np.unique(run)]
    whole = value(np.arange(len(run)))
    if len(groups) < 2:
        return Interval(whole, -np.inf, np.inf)
    chance = np.random.Generator(np.random.PCG64(seed))
    found = []
    for _ in range(RESAMPLES):
        drawn = chance.integers(0, len(groups), len(groups))
        found.append(value(np.concatenate([groups[g] for g in drawn])))
    tail = 50 * (1 - CONFIDENCE)
    sound = np.array(found)[~np.isnan(found)]
    if len(sound) == 0:
        return Interval(whole, -np.inf, np.inf)
    low, high = np.percentile(sound, [tail, 100 - tail])
    return Interval(whole, float(low), float(high))


def gain_over_runs(small: Values, large: Values, run: NDArray[np.int64]) -> Interval:
    """The mean gain of champions [champion] from one board to another."""
    return over_runs(lambda i: float((large[i] - small[i]).mean()), run)


def per_run(values: Values, run: NDArray[np.int64]) -> Values:
    """[run] the mean over each run's champions [champion]."""
    return np.array([values[run == r].mean() for r in np.unique(run)])


def last_tenth(curves: Values) -> Values:
    """[run] the mean over the last tenth of the generations of [run, generation]."""
    return curves[:, -max(1, curves.shape[1] // 10) :].mean(axis=1)


def correlation_over_runs(small: Values, large: Values, run: NDArray[np.int64]) -> Interval:
    """Pearson's correlation [champion] of fitness on two boards."""
    return over_runs(lambda i: correlation(small[i], large[i]).value, run)


def higher_over_runs(small: Values, large: Values, run: NDArray[np.int64]) -> Interval:
    """S08's p: the share of champions of higher fitness on the larger board."""
    return over_runs(lambda i: float(np.mean(large[i] > small[i])), run)


def gap_between(one: Interval, other: Interval) -> Interval:
    """An estimate minus an independent one, from the intervals of both (Zou & Donner 2008)."""
    value = one.value - other.value
    low = value - float(np.hypot(one.value - one.low, other.high - other.value))
    high = value + float(np.hypot(one.high - one.value, other.value - other.low))
    return Interval(value, low, high)


def difference_of_shares(points: float, games: int, other_points: float, other_games: int) -> Interval:
    """A share minus another of independent games, with Newcombe's interval from Wilson's (1998, method 10)."""
    return gap_between(share_interval(points, games), share_interval(other_points, other_games))
