"""Schedules of the learning rate and optimisers, made from specs; the state of an optimiser as plain tensors.

A schedule is a function of the finished share of the run: C14's seven epochs at 0.05, two at 0.01 and one at 0.005 are
seven tenths, two tenths and one tenth of a run of any length.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.optim import SGD, AdamW, Optimizer

from nobi.errors import NobiError
from nobi.imitation.muon import Muon
from nobi.spec import choices, parse_spec, settings_from

HIGHEST_RATE = 1e38
"""About the largest 32-bit float; training diverges long before."""


class Schedule(ABC):
    """Learning rate as a function of progress."""

    @abstractmethod
    def at(self, done: float) -> float:
        """Return the rate after this share of the run, 0 to 1."""


@dataclass(frozen=True)
class PiecewiseConstant(Schedule):
    """A sequence of constant rates; by default C14's (section 4.2)."""

    rates: str = "0.05/0.01/0.005"
    """The rates, separated by slashes."""
    lengths: str = "7/2/1"
    """Their durations, relative to each other."""

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
        left = done * sum(self._lengths)
        for rate, length in zip(self._rates, self._lengths, strict=True):
            if left < length:
                return rate
            left -= length
        return self._rates[-1]


@dataclass(frozen=True)
class M15Schedule(PiecewiseConstant):
    """M15 section 4: 25 epochs at 0.128, then three, each with half the rate of the one before.

    The paper divides its rate by the batch size: it is a rate for the mean over the batch, as here.
    """

    rates: str = "0.128/0.064/0.032/0.016"
    lengths: str = "25/1/1/1"


@dataclass(frozen=True)
class Constant(Schedule):
    """A constant rate."""

    rate: float = 0.05

    def __post_init__(self) -> None:
        _check_rate(self.rate)

    def at(self, done: float) -> float:  # noqa: ARG002
        return self.rate


@dataclass(frozen=True)
class Cosine(Schedule):
    """Linear warm-up from 0, then decay by half a cosine (Loshchilov and Hutter, "SGDR", 2017)."""

    rate: float = 0.05
    """The highest rate."""
    warmup: float = 0.02
    """The share of the run for the warm-up."""
    floor: float = 0.0
    """The rate at the end, as a share of the highest."""

    def __post_init__(self) -> None:
        _check_rate(self.rate)
        if not 0 <= self.warmup < 1:
            raise ValueError(f"warmup must be 0 or more and below 1, not {self.warmup:g}")
        if not 0 <= self.floor <= 1:
            raise ValueError(f"floor must be 0 to 1, not {self.floor:g}")

    def at(self, done: float) -> float:
        if done < self.warmup:
            return self.rate * done / self.warmup
        fallen = min(1.0, (done - self.warmup) / (1 - self.warmup))
        return self.rate * (self.floor + (1 - self.floor) * (1 + math.cos(math.pi * fallen)) / 2)


@dataclass(frozen=True)
class WarmupStableDecay(Schedule):
    """Linear warm-up, a constant rate, and linear decay to 0 (Hu et al., "MiniCPM", 2024).

    The constant part can have any length: a run with `decay=0` can be stopped at any time, and a short run with
    `decay=1` that starts from its folder finishes the training.
    """

    rate: float = 0.01
    """The highest rate."""
    warmup: float = 0.01
    """The share of the run for the warm-up."""
    decay: float = 0.2
    """The share of the run for the decay, at the end."""

    def __post_init__(self) -> None:
        _check_rate(self.rate)
        if not (self.warmup >= 0 and self.decay >= 0 and self.warmup + self.decay <= 1):
            raise ValueError(f"warmup and decay are shares of the run, not {self.warmup:g} and {self.decay:g}")

    def at(self, done: float) -> float:
        if done < self.warmup:
            return self.rate * done / self.warmup
        return self.rate * min(1.0, (1.0 - done) / self.decay) if self.decay else self.rate


SCHEDULES: dict[str, type[Schedule]] = {
    "c14": PiecewiseConstant,
    "m15": M15Schedule,
    "piecewise": PiecewiseConstant,
    "pieces": PiecewiseConstant,  # the former name
    "constant": Constant,
    "cosine": Cosine,
    "wsd": WarmupStableDecay,
}


def make_schedule(spec: str) -> Schedule:
    """Make a schedule from a spec such as `cosine:rate=0.1,warmup=0.05`."""
    name, given = parse_spec(spec)
    if name not in SCHEDULES:
        raise NobiError(f"There is no schedule {name!r}; {choices(SCHEDULES)}.")
    return settings_from(SCHEDULES[name], given, spec)


def _numbers(text: str, name: str) -> list[float]:
    try:
        numbers = [float(part) for part in text.split("/")]
    except ValueError:
        raise ValueError(f"{name} are numbers separated by slashes, as in 0.05/0.01, not {text!r}") from None
    if not all(math.isfinite(number) and number > 0 for number in numbers):
        raise ValueError(f"{name} must be above 0, not {text!r}")
    return numbers


def _check_rate(rate: float) -> None:
    if not 0 < rate <= HIGHEST_RATE:
        raise ValueError(f"rate must be above 0 and at most {HIGHEST_RATE:g}, not {rate:g}")


@dataclass(frozen=True)
class SgdSettings:
    """Stochastic gradient descent, as in both papers; with momentum it is Nesterov's."""

    momentum: float = 0.0
    decay: float = 0.0
    """Weight decay."""

    def __post_init__(self) -> None:
        if not 0 <= self.momentum < 1:
            raise ValueError(f"momentum must be 0 or more and below 1, not {self.momentum:g}")
        _check_decay(self.decay)

    def make(self, weights: Iterable[nn.Parameter]) -> Optimizer:
        """Return the optimiser; `set_rate` sets its rate before every step."""
        return SGD(weights, 1.0, self.momentum, weight_decay=self.decay, nesterov=self.momentum > 0)


@dataclass(frozen=True)
class NesterovSettings(SgdSettings):
    """Gradient descent with Nesterov's momentum."""

    momentum: float = 0.9


@dataclass(frozen=True)
class AdamWSettings:
    """AdamW (Loshchilov and Hutter, "Decoupled weight decay regularization", 2019)."""

    decay: float = 0.01
    beta1: float = 0.9
    beta2: float = 0.999

    def __post_init__(self) -> None:
        for name in ("beta1", "beta2"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} must be 0 or more and below 1, not {getattr(self, name):g}")
        _check_decay(self.decay)

    def make(self, weights: Iterable[nn.Parameter]) -> Optimizer:
        return AdamW(weights, 1.0, (self.beta1, self.beta2), weight_decay=self.decay)


@dataclass(frozen=True)
class MuonSettings(AdamWSettings):
    """Muon for filters, AdamW for all other weights (see `Muon`)."""

    beta2: float = 0.99
    momentum: float = 0.95
    """Momentum of Muon."""
    others: float = 0.5
    """The rate of AdamW relative to that of Muon."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.momentum < 1:
            raise ValueError(f"momentum must be 0 or more and below 1, not {self.momentum:g}")
        if not (math.isfinite(self.others) and self.others > 0):
            raise ValueError(f"others must be above 0, not {self.others:g}")

    def make(self, weights: Iterable[nn.Parameter]) -> Optimizer:
        return Muon(weights, self)


OPTIMISERS: dict[str, type[SgdSettings | AdamWSettings]] = {
    "sgd": SgdSettings,
    "nesterov": NesterovSettings,
    "adamw": AdamWSettings,
    "muon": MuonSettings,
}
SCHEDULE_OF = {"nesterov": "cosine:rate=0.05", "adamw": "cosine:rate=0.002", "muon": "cosine:rate=0.006,warmup=0.03"}
"""The default schedule of an optimiser; for sgd it is the schedule of the network's paper."""


def make_optimiser(spec: str, network: nn.Module) -> Optimizer:
    """Make the optimiser of a network's weights from a spec such as `adamw:decay=0.05`."""
    name, given = parse_spec(spec)
    if name not in OPTIMISERS:
        raise NobiError(f"There is no optimiser {name!r}; {choices(OPTIMISERS)}.")
    return settings_from(OPTIMISERS[name], given, spec).make(network.parameters())


def set_rate(optimiser: Optimizer, rate: float) -> None:
    """Set the rate of the next step."""
    for group in optimiser.param_groups:
        group["lr"] = rate


def state_tensors(optimiser: Optimizer) -> dict[str, NDArray[Any]]:
    """Return the state of the optimiser by key, `INDEX.NAME` with the index of the weights."""
    return {
        f"{number}.{name}": np.array(value.detach().cpu().numpy(), order="C")
        for number, entries in sorted(optimiser.state_dict()["state"].items())
        for name, value in sorted(entries.items())
        if value is not None
    }


def restore_state(optimiser: Optimizer, tensors: dict[str, NDArray[Any]]) -> None:
    """Restore the state of the optimiser; raise a ValueError if it does not match the weights."""
    state: dict[int, dict[str, Any]] = {}
    for key, value in tensors.items():
        number, _, name = key.partition(".")
        state.setdefault(int(number), {})[name] = torch.from_numpy(value)
    weights = [weight for group in optimiser.param_groups for weight in group["params"]]
    for index, entries in state.items():
        shapes = {tuple(value.shape) for value in entries.values()} - {()}
        if index >= len(weights) or not shapes <= {tuple(weights[index].shape)}:
            raise ValueError("the state of the optimiser does not match the weights")
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})


def _check_decay(decay: float) -> None:
    if not (math.isfinite(decay) and decay >= 0):
        raise ValueError(f"decay must be 0 or more, not {decay:g}")
