"""Statistics: estimates with 95 % confidence intervals, Elo ratings, and comparisons of samples and runs.

Elo of two players: the share of points, draws counting half, with Wilson's interval; its bounds are converted by the
Elo formula d = 400·log₁₀(s / (1 − s)). The interval keeps its level for few games and for shares near 0 and 1 (where
the difference itself is infinite and one bound is finite), and is slightly too wide with draws.

Several players: the Bradley–Terry model, in which i beats j with the probability 1 / (1 + 10^((rⱼ − rᵢ)/400)), by
maximum likelihood (draws count half for each). The ratings have the mean 0; the intervals come from the inverse of the
information matrix. The maximum exists only if no group of players won every point against the others (Ford 1957);
otherwise half a draw is added for each pair that met, and `Ratings.added_draws` says so.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.special import stdtrit

CONFIDENCE = 0.95

_Z = 1.959963984540054
"""The normal quantile for 95 %."""
_ELO_SCALE = 400 / math.log(10)
RESAMPLES = 2000
"""Samples of a bootstrap."""

MOST_RUNS = 10
"""Maximum number of runs whose single values are shown in tables and figures."""

_ASYMMETRIC = 1.25
"""If one bound of an interval is this many times further away than the other, both are printed."""

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """An estimate and the bounds of its 95 % confidence interval.

    `a - b` is the difference of two independent estimates, or of an estimate and a number; `100 * a` and `-a` scale it.
    As text: `f"{a:.1f}"` is `0.7 [0.6, 0.8]`; see also `text`, `plus_minus` and `percent`.

    >>> rate = nobi.Interval(0.7, 0.6, 0.8)
    >>> print(f"{rate:.1f}", rate.excludes(0.5))
    0.7 [0.6, 0.8] True
    """

    value: float
    low: float
    high: float

    @property
    def is_positive(self) -> bool | None:
        """Whether the whole interval is above 0 (True), below 0 (False), or contains 0 (None)."""
        return True if self.low > 0 else False if self.high < 0 else None

    def excludes(self, value: float) -> bool:
        """Return whether a value lies outside the interval."""
        return not self.low <= value <= self.high

    def __neg__(self) -> "Interval":
        return Interval(-self.value, -self.high, -self.low)

    def __rmul__(self, factor: float) -> "Interval":
        low, high = sorted((factor * self.low, factor * self.high))
        return Interval(factor * self.value, low, high)

    def __sub__(self, other: "Interval | float") -> "Interval":
        if not isinstance(other, Interval):
            return Interval(self.value - other, self.low - other, self.high - other)
        # errors of independent estimates (Zou & Donner 2008; for shares, Newcombe 1998, method 10)
        value = self.value - other.value
        low = value - float(np.hypot(self.value - self.low, other.high - other.value))
        high = value + float(np.hypot(self.high - self.value, other.value - other.low))
        return Interval(value, low, high)

    def __format__(self, spec: str) -> str:
        if math.isnan(self.value):
            return "undefined"
        spec = spec or ".2f"
        low, high = (format(bound, spec) if math.isfinite(bound) else "?" for bound in (self.low, self.high))
        return f"{self.value:{spec}} [{low}, {high}]"

    def __str__(self) -> str:
        return format(self)

    def text(self, spec: str) -> str:
        """Return the value and its bounds as in `+35 (−10 to +81)`; a bound may be ∞, an undefined value is `?`.

        `spec` is that of a float, such as `+.0f`.
        """
        value, low, high = (_number_text(number, spec) for number in (self.value, self.low, self.high))
        return f"{value} ({low} to {high})"

    def plus_minus(self, digits: int, sign: str = "") -> str:
        """Return the value with these digits after the point and its error: `44.2 ± 0.7`.

        An asymmetric interval has both bounds, rounded: `5.0 (1–24)`. An infinite one, as of a single sample, is left
        out. With the sign `+` positive values have one.
        """
        value, below, above = f"{self.value:{sign}.{digits}f}", self.value - self.low, self.high - self.value
        if math.isinf(below) and math.isinf(above):
            return value
        if max(below, above) > _ASYMMETRIC * min(below, above):
            rough = max(0, digits - 2)
            return f"{value} ({self.low:.{rough}f}–{self.high:.{rough}f})"
        return f"{value} ± {max(below, above):.{digits}f}"

    def percent(self) -> str:
        """Return a share in percent: `70.0 % (39.7–89.2)`."""
        return f"{100 * self.value:.1f} % ({100 * self.low:.1f}–{100 * self.high:.1f})"


def _number_text(value: float, spec: str) -> str:
    return "?" if math.isnan(value) else format(value, spec).replace("-", "−").replace("inf", "∞")


def all_positive(intervals: Iterable[Interval]) -> bool | None:
    """Return True if all intervals are above 0, False if at least one is below 0, else None."""
    signs = [interval.is_positive for interval in intervals]
    return False if False in signs else None if None in signs else True


def most_positive(intervals: Sequence[Interval]) -> bool | None:
    """Return True if more than half of the intervals are above 0, False if more than half are below 0, else None."""
    signs = [interval.is_positive for interval in intervals]
    return True if signs.count(True) > len(signs) / 2 else False if signs.count(False) > len(signs) / 2 else None


def share_interval(successes: float, trials: float, quantile: float = _Z) -> Interval:
    """Return the share of successes, with Wilson's interval. Half successes, for draws, make it slightly too wide."""
    if trials == 0:
        return Interval(math.nan, 0.0, 1.0)
    share = successes / trials
    z = quantile
    centre = (share + z**2 / (2 * trials)) / (1 + z**2 / trials)
    spread = z / (1 + z**2 / trials) * math.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    # the interval must contain the share despite rounding
    return Interval(share, max(0.0, min(share, centre - spread)), min(1.0, max(share, centre + spread)))


def mean_interval(values: Values) -> Interval:
    """Return the mean, with Student's interval."""
    if len(values) == 0:
        return Interval(math.nan, -math.inf, math.inf)
    mean = float(np.mean(values))
    if len(values) == 1:
        return Interval(mean, -math.inf, math.inf)
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    spread = float(stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2)) * error
    return Interval(mean, mean - spread, mean + spread)


def bounded_mean(values: Values, low: float = -1.0, high: float = 1.0, quantile: float | None = None) -> Interval:
    """Return the mean of a bounded quantity, such as a fitness, over independent runs or networks.

    Student's interval may exceed the bounds, and it has no width if all values are equal. This is Wilson's interval
    with Student's quantile. The mean is treated as a share of the range, and the number of trials is the one that gives
    the observed standard error; it is at least the number of values, and equal to it if all values are equal.

    Args:
        values: [run] or [network].
        low: the lowest possible value.
        high: the highest possible value.
        quantile: replaces Student's quantile for this number of values.
    """
    count = len(values)
    if count == 0:
        return Interval(math.nan, low, high)
    share = float(np.clip((np.mean(values) - low) / (high - low), 0.0, 1.0))
    if count == 1:
        return Interval(low + (high - low) * share, low, high)
    squared_error = float(np.var(values, ddof=1)) / (high - low) ** 2 / count
    trials = max(float(count), share * (1 - share) / squared_error) if squared_error > 1e-12 else float(count)
    if quantile is None:
        quantile = float(stdtrit(count - 1, (1 + CONFIDENCE) / 2))
    found = share_interval(share * trials, trials, quantile)
    return Interval(*(low + (high - low) * bound for bound in (found.value, found.low, found.high)))


def mean_of_published(mean: float, deviation: float, count: int) -> Interval:
    """Return Student's interval of a mean, from the standard deviation and the number of values in a paper."""
    spread = float(stdtrit(count - 1, (1 + CONFIDENCE) / 2)) * deviation / math.sqrt(count)
    return Interval(mean, mean - spread, mean + spread)


def with_standard_error(value: float, error: float) -> Interval:
    """Return the normal interval of an estimate with a published standard error."""
    return Interval(value, value - _Z * error, value + _Z * error)


def outcome_interval(points: Values) -> Interval:
    """Return the mean of outcomes 1, 0 and −1, with Wilson's interval, whose width is never 0."""
    share = share_interval(float((points.sum() + len(points)) / 2), len(points))
    return Interval(2 * share.value - 1, 2 * share.low - 1, 2 * share.high - 1)


def elo_of(share: float) -> float:
    """Return the Elo difference with this expected share of the points."""
    if math.isnan(share):
        return math.nan
    if share <= 0:
        return -math.inf
    return math.inf if share >= 1 else _ELO_SCALE * math.log(share / (1 - share))


def elo_interval(share: Interval) -> Interval:
    """Return the Elo difference at which this share of the points is expected."""
    return Interval(elo_of(share.value), elo_of(share.low), elo_of(share.high))


def elo_difference(points: float, games: int) -> Interval:
    """Return the Elo difference to the opponent of a player with these points in this number of games."""
    share = share_interval(points, games)
    low = elo_of(share.low) if points > 0 else -math.inf  # the bound of the share is 0 only up to rounding
    high = elo_of(share.high) if points < games or games == 0 else math.inf
    return Interval(elo_of(share.value), low, high)


def pair_elo(pairs: Values) -> Interval:
    """Return the Elo difference of a player with these mean points (0 to 1) of pairs of games with exchanged colours.

    The two games of a pair begin with the same opening and are not independent, so the interval is that of the mean
    over pairs.
    """
    if len(pairs) < 2 or np.ptp(pairs) == 0:
        return elo_difference(float(pairs.sum()), len(pairs))
    return elo_interval(mean_interval(pairs))


def expected_share(elo: float) -> float:
    """Return the expected share of the points at an Elo difference."""
    return 1 / (1 + math.exp(-elo / _ELO_SCALE))


@dataclass(frozen=True)
class Ratings:
    """The ratings of several players."""

    elo: list[Interval]
    """[player] relative to the mean of all, or to the reference player."""
    added_draws: bool
    """Whether half a draw was added for each pair that met, because the likelihood has no maximum otherwise."""


def bradley_terry(points: Values, reference: int | None = None) -> Ratings:
    """Return the ratings of players; points float64[n, n] holds the points of i against j.

    With a reference player, all ratings are relative to it; its own rating is 0 without an interval.
    """
    players = len(points)
    games = points + points.T
    if players < 2 or not games.any():
        return Ratings([Interval(0.0, -math.inf, math.inf)] * players, False)
    count, _ = connected_components(points > 0, directed=True, connection="strong")
    added = bool(count > 1)
    if added:
        points = points + 0.25 * (games > 0)
        games = points + points.T
    strength = _maximise(points, games)
    covariance = _covariance(strength, games)
    variance = np.diag(covariance)
    if reference is not None:
        strength = strength - strength[reference]
        variance = variance + variance[reference] - 2 * covariance[reference]
    elo = _ELO_SCALE * strength
    wide: NDArray[np.floating[Any]] = _Z * _ELO_SCALE * np.sqrt(np.maximum(0.0, variance))
    components, labels = connected_components(games > 0, directed=False)
    if components > 1:  # players that are not connected by games cannot be compared
        wide = np.where([np.sum(labels == label) < players for label in labels], np.inf, wide)
    return Ratings([Interval(float(e), float(e - w), float(e + w)) for e, w in zip(elo, wide, strict=True)], added)


def _maximise(points: Values, games: Values) -> NDArray[np.floating[Any]]:
    """Return the log-strengths of maximum likelihood, with mean 0, by Newton's method with steps of at most 1."""
    strength: NDArray[np.floating[Any]] = np.zeros(len(points))
    for _ in range(500):
        expected = games / (1 + np.exp(strength[None, :] - strength[:, None]))
        gradient = points.sum(axis=1) - expected.sum(axis=1)
        step = _covariance(strength, games) @ gradient
        step /= max(1.0, float(np.abs(step).max()))
        strength = strength + step
        strength -= strength.mean()
        if np.abs(step).max() < 1e-12:
            break
    return strength


def _covariance(strength: NDArray[np.floating[Any]], games: Values) -> NDArray[np.floating[Any]]:
    """Return the inverse of the information matrix for ratings with mean 0."""
    share = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    weight = games * share * (1 - share)
    information = np.diag(weight.sum(axis=1)) - weight
    return np.linalg.pinv(information, hermitian=True)


def difference(x: Values, y: Values) -> Interval:
    """Return the difference of the means of two independent samples without bounds, with Welch's interval.

    For fitnesses and shares see `bounded_difference`.
    """
    value = float(x.mean() - y.mean())
    if len(x) < 2 or len(y) < 2:
        return Interval(value, -np.inf, np.inf)
    errors, freedom = _welch(x, y)
    if errors == 0:
        return Interval(value, value, value)
    spread = float(stdtrit(freedom, (1 + CONFIDENCE) / 2)) * math.sqrt(errors)
    return Interval(value, value - spread, value + spread)


def bounded_difference(x: Values, y: Values) -> Interval:
    """Return the difference of the means of two independent samples of a quantity from −1 to 1, such as a fitness.

    Welch's interval may exceed the possible differences, and has no width if the values of each sample are equal. This
    interval combines those of both means (`bounded_mean`, with Welch's degrees of freedom) by the method of
    `Interval.__sub__`.
    """
    if len(x) < 2 or len(y) < 2:
        return bounded_mean(x) - bounded_mean(y)
    _, freedom = _welch(x, y)
    quantile = float(stdtrit(freedom, (1 + CONFIDENCE) / 2))
    return bounded_mean(x, quantile=quantile) - bounded_mean(y, quantile=quantile)


def _welch(x: Values, y: Values) -> tuple[float, float]:
    """Return (squared standard error of the difference of two means, Welch's degrees of freedom)."""
    errors = np.array([x.var(ddof=1) / len(x), y.var(ddof=1) / len(y)])
    if errors.sum() == 0:
        return 0.0, float(len(x) + len(y) - 2)
    freedom = errors.sum() ** 2 / (errors**2 / np.array([len(x) - 1, len(y) - 1])).sum()
    return float(errors.sum()), float(freedom)


def gain_over_runs(small: Values, large: Values, run: NDArray[np.int64]) -> Interval:
    """Return the mean gain in fitness [champion] from one board to another; Student's interval is over runs."""
    return mean_interval(per_run(large - small, run))


def per_run(values: Values, run: NDArray[np.int64]) -> Values:
    """Return the mean of the values [champion] of each run, [run]."""
    return np.array([values[run == r].mean() for r in np.unique(run)])


def single_runs(values: Values) -> tuple[float, ...]:
    """Return the values [run] to show in tables and figures; none if there are more than `MOST_RUNS`."""
    return tuple(values.tolist()) if len(values) <= MOST_RUNS else ()


def last_tenth(curves: Values) -> Values:
    """Return the mean over the last tenth of the generations, [run], of curves [run, generation]."""
    return curves[:, -max(1, curves.shape[1] // 10) :].mean(axis=1)


def higher_over_runs(small: Values, large: Values, run: NDArray[np.int64]) -> Interval:
    """Return S08's p, the share of champions with a higher fitness on the larger board; the interval is over runs."""
    return bounded_mean(per_run((large > small).astype(np.float64), run), 0.0, 1.0)


def correlation_of_networks(x: Values, y: Values, seed: int = 0) -> Interval:
    """Return Pearson's correlation of the fitness of networks on two boards, with a bootstrap interval over networks.

    Fitness is far from normal (many networks win or lose all games), so Fisher's interval does not apply.
    """
    count = len(x)
    if count < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Interval(math.nan, -1.0, 1.0)
    value = float(np.clip(np.corrcoef(x, y)[0, 1], -1, 1))
    rng = np.random.Generator(np.random.PCG64(seed))
    drawn = rng.integers(0, count, (RESAMPLES, count))
    a, b = x[drawn], y[drawn]
    a, b = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
    scale = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    found = ((a * b).sum(axis=1)[scale > 0]) / scale[scale > 0]
    if len(found) == 0:
        return Interval(value, -1.0, 1.0)
    tail = 50 * (1 - CONFIDENCE)
    low, high = np.clip(np.percentile(found, [tail, 100 - tail]), -1, 1)
    return Interval(value, min(value, float(low)), max(value, float(high)))


def published_correlation(r: float, count: int) -> Interval:
    """Return a published correlation over `count` networks, with Fisher's interval."""
    spread = _Z / math.sqrt(count - 3)
    return Interval(r, math.tanh(math.atanh(r) - spread), math.tanh(math.atanh(r) + spread))


def correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> Interval:
    """Return Pearson's correlation of x [m] and y [m], with Fisher's interval: var(arctanh r) = 1/(m − 3)."""
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Interval(math.nan, -1.0, 1.0)
    r = float(np.clip(np.corrcoef(x, y)[0, 1], -1, 1))
    if len(x) == 3:
        return Interval(r, -1.0, 1.0)
    return Interval(r, r, r) if abs(r) == 1 else published_correlation(r, len(x))


def percentiles(fitness: Values, at: Sequence[float]) -> list[Interval]:
    """Return percentiles of the fitness of networks: S08's figures 3 and 4.

    The intervals hold for any distribution: the number of values below the true percentile is binomial, and the
    quantiles of that number are the ranks of the bounds among the sorted values. With too few values a bound is
    infinite.

    Args:
        fitness: [network].
        at: the percentiles, 0 to 100.
    """
    from scipy.stats import binom

    if len(fitness) == 0:
        return [Interval(math.nan, -math.inf, math.inf) for _ in at]
    ordered = np.concatenate([[-math.inf], np.sort(fitness), [math.inf]])  # [rank], the lowest value at rank 1
    tail = (1 - CONFIDENCE) / 2
    below = np.asarray(at, np.float64) / 100
    low, high = (np.asarray(binom.ppf(q, len(fitness), below), np.int64) for q in (tail, 1 - tail))
    low, high = np.maximum(0, low), high + 1
    bounds = np.percentile(fitness, at), ordered[low], ordered[high]
    return [Interval(*map(float, each)) for each in zip(*bounds, strict=True)]
