"""How a figure is measured and what stands beside it."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Measurement:
    """One measured figure."""

    what: str
    unit: str
    value: float
    """The median over repeats."""
    best: float
    at_least: float | None = None
    """What it has to reach (or, for times, not to exceed)."""
    aim: float | None = None
    peer: str = ""
    """A peer's figure for the same, and where it comes from."""
    lower_is_better: bool = False

    @property
    def reached(self) -> bool | None:
        """Whether the median reaches what it has to; None if nothing is asked."""
        if self.at_least is None:
            return None
        return self.value <= self.at_least if self.lower_is_better else self.value >= self.at_least


def rates(work: Callable[[int], int], seconds: float, repeats: int = 5) -> list[float]:
    """Units of work per second, in several repeats of about so many seconds each.

    `work(n)` does n units, or about as many, and returns how many.
    """
    amount = _amount_for(work, seconds)
    return [_rate(work, amount) for _ in range(repeats)]


def rate_ratios(
    work: Callable[[int], int], other: Callable[[int], int], seconds: float, repeats: int = 11
) -> list[float]:
    """How many times as fast the other does its work, in pairs of measurements that follow each other at once.

    The speed of a shared machine drifts; what lies close together in time is compared.
    """
    amount, other_amount = _amount_for(work, seconds), _amount_for(other, seconds)
    pairs = [(_rate(work, amount), _rate(other, other_amount)) for _ in range(repeats)]
    return [second / first for first, second in pairs]


def _amount_for(work: Callable[[int], int], seconds: float) -> int:
    """How much work takes about so long."""
    amount, spent = 1, 0.0
    work(1)
    while spent < seconds / 10:  # find an amount that takes long enough to be timed
        amount *= 2
        start = time.perf_counter()
        work(amount)
        spent = time.perf_counter() - start
    return max(1, int(amount * seconds / spent))


def _rate(work: Callable[[int], int], amount: int) -> float:
    start = time.perf_counter()
    done = work(amount)
    return done / (time.perf_counter() - start)


def rate_figure(
    what: str,
    unit: str,
    found: list[float],
    *,
    at_least: float | None = None,
    aim: float | None = None,
    peer: str = "",
) -> Measurement:
    """The figure of repeated measurements of a rate."""
    return Measurement(what, unit, statistics.median(found), max(found), at_least, aim, peer)
