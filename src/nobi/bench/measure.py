"""Measurement of a speed: the median of several repeats."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

Work = Callable[[int], int]
"""`work(n)` does about n units of work and returns the exact number."""
REPEATS = 5


@dataclass(frozen=True)
class Measurement:
    """One measured value."""

    what: str
    unit: str
    value: float
    """The median of the repeats."""
    best: float
    at_least: float | None = None
    """The required value: a minimum for rates, a maximum for times."""
    aim: float | None = None
    peer: str = ""
    """The value of another program and its source, or another note."""
    lower_is_better: bool = False

    @property
    def reached(self) -> bool | None:
        """Whether the median reaches the required value; None if there is none."""
        if self.at_least is None:
            return None
        return self.value <= self.at_least if self.lower_is_better else self.value >= self.at_least


Case = Callable[[float], Measurement]
"""A function that measures one speed; its argument is the seconds per repeat."""


def rate_measurement(
    what: str,
    unit: str,
    found: list[float],
    *,
    at_least: float | None = None,
    aim: float | None = None,
    peer: str = "",
) -> Measurement:
    """Return the measurement of repeated rates; higher is better."""
    return Measurement(what, unit, statistics.median(found), max(found), at_least, aim, peer)


def time_measurement(
    what: str, unit: str, found: list[float], *, at_most: float | None = None, peer: str = ""
) -> Measurement:
    """Return the measurement of repeated times; lower is better."""
    return Measurement(what, unit, statistics.median(found), min(found), at_most, peer=peer, lower_is_better=True)


def rates(work: Work, seconds: float, repeats: int = REPEATS) -> list[float]:
    """Measure the units of work per second, in several repeats of about `seconds` each."""
    amount = _amount_for(work, seconds)
    return [_rate(work, amount) for _ in range(repeats)]


def rate_ratios(work: Work, other: Work, seconds: float, repeats: int = 11) -> list[float]:
    """Measure the speed of `other` relative to `work`, in pairs of consecutive measurements.

    The speed of a shared machine changes with time; only measurements close in time are compared.
    """
    amount, other_amount = _amount_for(work, seconds), _amount_for(other, seconds)
    pairs = [(_rate(work, amount), _rate(other, other_amount)) for _ in range(repeats)]
    return [second / first for first, second in pairs]


def _amount_for(work: Work, seconds: float) -> int:
    """Return the amount of work that takes about this time."""
    amount, spent = 1, 0.0
    work(1)
    while spent < seconds / 10:  # find an amount that takes long enough to be timed
        amount *= 2
        start = time.perf_counter()
        work(amount)
        spent = time.perf_counter() - start
    return max(1, int(amount * seconds / spent))


def _rate(work: Work, amount: int) -> float:
    start = time.perf_counter()
    done = work(amount)
    return done / (time.perf_counter() - start)
