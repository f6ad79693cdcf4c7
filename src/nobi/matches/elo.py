"""Elo ratings from results, with 95 % intervals.

Two players: the share of points, draws counting half, with Wilson's interval, each bound carried over by the Elo
formula d = 400·log₁₀(s / (1 − s)). The interval holds its level for few games and for shares near 0 and 1 (where the
difference itself is infinite and one bound is not), and is slightly too wide where there are draws.

Several players: the Bradley–Terry model, in which i beats j with the probability 1 / (1 + 10^((rⱼ − rᵢ)/400)), by
maximum likelihood (draws count half for each). The ratings have the mean 0; the intervals come from the inverse of the
information matrix. The maximum exists only if nobody beat all others without losing a point, however they are divided
into two camps (Ford 1957); else half a drawn game is added between every two players who met, and that is told.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from nobi.arena.summary import Interval, share_interval

_Z = 1.959963984540054
_SCALE = 400 / math.log(10)


def elo_of(share: float) -> float:
    """The difference in Elo that makes such a share of the points likely."""
    if math.isnan(share):
        return math.nan
    if share <= 0:
        return -math.inf
    return math.inf if share >= 1 else _SCALE * math.log(share / (1 - share))


def elo_difference(points: float, games: int) -> Interval:
    """How much stronger the player is who made these points in so many games."""
    share = share_interval(points, games)
    low = elo_of(share.low) if points > 0 else -math.inf  # not by way of a bound that is only nearly 0 or 1
    high = elo_of(share.high) if points < games or games == 0 else math.inf
    return Interval(elo_of(share.value), low, high)


@dataclass(frozen=True)
class Ratings:
    """The strengths of several players."""

    elo: list[Interval]
    """[player] relative to the mean of all."""
    added_draws: bool
    """Whether half a drawn game was added between every two who met, since the likelihood has no maximum without."""


def bradley_terry(points: NDArray[np.float64]) -> Ratings:
    """The ratings of players of whom i made points[i, j] against j: float64[n, n]."""
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
    elo = _SCALE * strength
    wide: NDArray[np.floating[Any]] = _Z * _SCALE * np.sqrt(np.maximum(0.0, np.diag(_covariance(strength, games))))
    together, labels = connected_components(games > 0, directed=False)
    if together > 1:  # those who never met, even through others, cannot be compared
        wide = np.where([np.sum(labels == label) < players for label in labels], np.inf, wide)
    return Ratings([Interval(float(e), float(e - w), float(e + w)) for e, w in zip(elo, wide, strict=True)], added)


def _maximise(points: NDArray[np.float64], games: NDArray[np.float64]) -> NDArray[np.floating[Any]]:
    """The log-strengths of greatest likelihood, with the mean 0, by Newton's method with steps of at most 1."""
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


def _covariance(strength: NDArray[np.floating[Any]], games: NDArray[np.float64]) -> NDArray[np.floating[Any]]:
    """The inverse of the information matrix among ratings whose mean is 0."""
    share = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    weight = games * share * (1 - share)
    information = np.diag(weight.sum(axis=1)) - weight
    return np.linalg.pinv(information, hermitian=True)
