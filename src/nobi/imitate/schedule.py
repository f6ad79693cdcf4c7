"""How the rate of learning changes in the course of a run: a function of the share of the run that is done.

Schedules are stretched over the run: C14's seven epochs at 0.05, two at 0.01 and one at 0.005 are seven tenths, two
tenths and one tenth of a run of any length.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

from nobi.errors import NobiError
from nobi.words import choices, settings_from, split_word

HIGHEST_RATE = 1e38
"""About what a 32-bit weight can hold; training has diverged long before."""


class Schedule(ABC):
    """A rate for every moment of a run."""

    @abstractmethod
    def at(self, done: float) -> float:
        """The rate when this share of the run, 0 to 1, is done."""


@dataclass(frozen=True)
class Pieces(Schedule):
    """Constant rates one after the other; by default C14's (section 4.2)."""

    rates: str = "0.05/0.01/0.005"
    """The rates, between strokes."""
    lengths: str = "7/2/1"
    """How long each lasts, relative to the others."""

    def __post_init__(self) -> None:
        if len(self._rates) != len(self._lengths):
            raise ValueError(f"there are {len(self._rates)} rates but {len(self._lengths)} lengths")

    @cached_property
    def _rates(self) -> list[float]:
        rates = _numbers(self.rates, "rates")
        for rate in rates:
            _check_rate(rate)
        return rates

    @cached_property
    def _lengths(self) -> list[float]:
        return _numbers(self.lengths, "lengths")

    def at(self, done: float) -> float:
        """The rate of the piece that is under way."""
        left = done * sum(self._lengths)
        for rate, length in zip(self._rates, self._lengths, strict=True):
            if left < length:
                return rate
            left -= length
        return self._rates[-1]


@dataclass(frozen=True)
class M15Pieces(Pieces):
    """M15 section 4: 25 epochs at 0.128, then three that begin at half of it and halve again.

    The paper normalises its rate by the size of the batch, so it is a rate for the mean over the batch, as here.
    """

    rates: str = "0.128/0.064/0.032/0.016"
    lengths: str = "25/1/1/1"


@dataclass(frozen=True)
class Constant(Schedule):
    """One rate."""

    rate: float = 0.05

    def __post_init__(self) -> None:
        _check_rate(self.rate)

    def at(self, done: float) -> float:  # noqa: ARG002
        """Always the same."""
        return self.rate


@dataclass(frozen=True)
class Cosine(Schedule):
    """Warm-up in a straight line from 0, then half a cosine down (Loshchilov and Hutter, "SGDR", 2017)."""

    rate: float = 0.05
    """The highest rate."""
    warmup: float = 0.02
    """The share of the run that warms up."""
    floor: float = 0.0
    """The rate at the end, as a share of the highest."""

    def __post_init__(self) -> None:
        _check_rate(self.rate)
        if not 0 <= self.warmup < 1:
            raise ValueError(f"warmup must be 0 or more and below 1, not {self.warmup:g}")
        if not 0 <= self.floor <= 1:
            raise ValueError(f"floor must be 0 to 1, not {self.floor:g}")

    def at(self, done: float) -> float:
        """Up, then down."""
        if done < self.warmup:
            return self.rate * done / self.warmup
        fallen = min(1.0, (done - self.warmup) / (1 - self.warmup))
        return self.rate * (self.floor + (1 - self.floor) * (1 + math.cos(math.pi * fallen)) / 2)


@dataclass(frozen=True)
class WarmupStableDecay(Schedule):
    """Warm-up in a straight line, a constant rate, and a straight line to 0 (Hu et al., "MiniCPM", 2024).

    The constant part can be of any length: a run whose `decay` is 0 can be stopped at any time, and a short run with
    `decay=1` that starts from its folder makes the weights useful.
    """

    rate: float = 0.01
    """The highest rate."""
    warmup: float = 0.01
    """The share of the run that warms up."""
    decay: float = 0.2
    """The share of the run at its end in which the rate falls to 0."""

    def __post_init__(self) -> None:
        _check_rate(self.rate)
        if not (self.warmup >= 0 and self.decay >= 0 and self.warmup + self.decay <= 1):
            raise ValueError(f"warmup and decay are shares of the run, not {self.warmup:g} and {self.decay:g}")

    def at(self, done: float) -> float:
        """Up, level, down."""
        if done < self.warmup:
            return self.rate * done / self.warmup
        return self.rate * min(1.0, (1.0 - done) / self.decay) if self.decay else self.rate


SCHEDULES: dict[str, type[Schedule]] = {
    "c14": Pieces,
    "m15": M15Pieces,
    "pieces": Pieces,
    "constant": Constant,
    "cosine": Cosine,
    "wsd": WarmupStableDecay,
}


def make_schedule(word: str) -> Schedule:
    """The schedule that a word such as `cosine:rate=0.1,warmup=0.05` stands for."""
    name, given = split_word(word)
    if name not in SCHEDULES:
        raise NobiError(f"There is no schedule {name!r}; {choices(SCHEDULES)}.")
    return settings_from(SCHEDULES[name], given, word)


def _numbers(text: str, name: str) -> list[float]:
    try:
        numbers = [float(part) for part in text.split("/")]
    except ValueError:
        raise ValueError(f"{name} are numbers between strokes, as in 0.05/0.01, not {text!r}") from None
    if not all(math.isfinite(number) and number > 0 for number in numbers):
        raise ValueError(f"{name} must be above 0, not {text!r}")
    return numbers


def _check_rate(rate: float) -> None:
    if not 0 < rate <= HIGHEST_RATE:
        raise ValueError(f"rate must be above 0 and at most {HIGHEST_RATE:g}, not {rate:g}")
