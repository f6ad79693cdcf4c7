"""What a match shows: shares and means with 95 % confidence intervals."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from nobi.arena.games import PlayedGames
from nobi.board.stones import BLACK, WHITE

CONFIDENCE = 0.95
_Z = 1.959963984540054
"""The normal quantile for 95 %."""


@dataclass(frozen=True)
class Interval:
    """An estimate and the bounds of its 95 % confidence interval."""

    value: float
    low: float
    high: float


def share_interval(successes: float, trials: float) -> Interval:
    """The share of successes, with Wilson's interval. Half successes, for draws, make it slightly too wide."""
    if trials == 0:
        return Interval(math.nan, 0.0, 1.0)
    share = successes / trials
    centre = (share + _Z**2 / (2 * trials)) / (1 + _Z**2 / trials)
    spread = _Z / (1 + _Z**2 / trials) * math.sqrt(share * (1 - share) / trials + (_Z / (2 * trials)) ** 2)
    # rounding must not put the share itself outside
    return Interval(share, max(0.0, min(share, centre - spread)), min(1.0, max(share, centre + spread)))


def mean_interval(values: NDArray[np.float64]) -> Interval:
    """The mean, with Student's interval."""
    if len(values) == 0:
        return Interval(math.nan, -math.inf, math.inf)
    mean = float(np.mean(values))
    if len(values) == 1:
        return Interval(mean, -math.inf, math.inf)
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    spread = float(stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2)) * error
    return Interval(mean, mean - spread, mean + spread)


def outcome_interval(points: NDArray[np.float64]) -> Interval:
    """The mean of outcomes 1, 0 and −1, with Wilson's interval, which has a width even if all are equal."""
    share = share_interval(float((points.sum() + len(points)) / 2), len(points))
    return Interval(2 * share.value - 1, 2 * share.low - 1, 2 * share.high - 1)


@dataclass(frozen=True)
class Summary:
    """The results of some games from the point of view of player A."""

    games: int
    wins: int
    draws: int
    losses: int
    win_rate: Interval
    """Draws count half."""
    score: Interval
    """S08's score, which rewards quick wins and slow losses."""
    length: Interval


def summarise(played: PlayedGames) -> dict[str, Summary]:
    """The results as black, as white, and in all; games from the first unfinished one on do not count."""
    played = played.finished()
    colour = played.colour_of_a
    return {
        "black": _summarise(played, colour == BLACK),
        "white": _summarise(played, colour == WHITE),
        "all": _summarise(played, np.ones(len(played), np.bool_)),
    }


def _summarise(played: PlayedGames, chosen: NDArray[np.bool_]) -> Summary:
    points = played.points_of_a[chosen]
    wins, draws = int((points > 0).sum()), int((points == 0).sum())
    return Summary(
        games=len(points),
        wins=wins,
        draws=draws,
        losses=len(points) - wins - draws,
        win_rate=share_interval(wins + draws / 2, len(points)),
        score=mean_interval(played.score_of_a[chosen]),
        length=mean_interval(played.length[chosen].astype(np.float64)),
    )
