"""What training came to: dominance, transfer between board sizes, percentiles (S08 sections V-A to V-E)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from nobi.arena.summary import CONFIDENCE, Interval, share_interval

Score = Callable[[int, int], float]
"""(i, j) → the score of champion i against champion j, −1 to 1; above 0 is a win."""


def dominance_tournament(score: Score, champions: int) -> list[int]:
    """The dominant champions: the first, and every later one who beats *all* dominant ones before it (S08 V-D).

    The length of the list is the dominance number. A champion plays the newest first and stops when it fails to win, so
    that few pairs are ever played.

    Args:
        score: the score of one champion against another.
        champions: how many there are, in the order of their generations.
    """
    dominant: list[int] = []
    for champion in range(champions):
        if all(score(champion, member) > 0 for member in reversed(dominant)):
            dominant.append(champion)
    return dominant


@dataclass(frozen=True)
class Transfer:
    """How the fitness of networks on a small board goes with that on a larger one: S08's tables I and III."""

    networks: int
    correlation: Interval
    """Pearson's; not a number where either fitness is constant or there are fewer than 3 networks."""
    higher: Interval
    """S08's p: the share of networks of higher fitness on the larger board. Equal is not higher."""


def transfer(small: NDArray[np.float64], large: NDArray[np.float64]) -> Transfer:
    """Compares the fitness of the same networks on two boards.

    Args:
        small: [network] the fitness on the smaller board.
        large: [network] the fitness on the larger.
    """
    if small.ndim != 1 or small.shape != large.shape:
        raise ValueError(f"both need one fitness for every network, not {list(small.shape)} and {list(large.shape)}")
    if not (np.isfinite(small).all() and np.isfinite(large).all()):
        raise ValueError("the fitness must be finite")
    return Transfer(len(small), correlation(small, large), share_interval(int((large > small).sum()), len(small)))


def correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> Interval:
    """Pearson's correlation of x [m] and y [m], with Fisher's interval: arctanh r is normal, of variance 1/(m − 3)."""
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Interval(math.nan, -1.0, 1.0)
    r = float(np.clip(np.corrcoef(x, y)[0, 1], -1, 1))
    if len(x) == 3:
        return Interval(r, -1.0, 1.0)
    if abs(r) == 1:
        return Interval(r, r, r)
    spread = float(ndtri((1 + CONFIDENCE) / 2)) / math.sqrt(len(x) - 3)
    return Interval(r, math.tanh(math.atanh(r) - spread), math.tanh(math.atanh(r) + spread))


def percentiles(fitness: NDArray[np.float64], at: Sequence[float]) -> list[Interval]:
    """The percentiles of some networks' fitness: S08's figures 3 and 4.

    The intervals hold for any distribution: how many of m values lie below the true percentile is binomial, so its
    quantiles say between which two of the sorted values it is. A bound that m values are too few for is infinite.

    Args:
        fitness: [network].
        at: the percentiles wanted, 0 to 100.
    """
    from scipy.stats import binom

    if len(fitness) == 0:
        return [Interval(math.nan, -math.inf, math.inf) for _ in at]
    ordered = np.concatenate([[-math.inf], np.sort(fitness), [math.inf]])  # [rank], the lowest value at rank 1
    tail = (1 - CONFIDENCE) / 2
    below = np.asarray(at, np.float64) / 100
    low, high = (np.asarray(binom.ppf(q, len(fitness), below), np.int64) for q in (tail, 1 - tail))
    low, high = np.maximum(0, low), high + 1
    found = np.percentile(fitness, at), ordered[low], ordered[high]
    return [Interval(*map(float, bounds)) for bounds in zip(*found, strict=True)]
