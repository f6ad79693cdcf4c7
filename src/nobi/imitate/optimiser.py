"""What turns gradients into changes of weights, by word; its state as plain tensors."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.optim import SGD, AdamW, Optimizer

from nobi.errors import NobiError
from nobi.imitate.muon import Muon
from nobi.words import choices, settings_from, split_word


@dataclass(frozen=True)
class SgdSettings:
    """Plain stochastic gradient descent, as in both papers; with momentum it is Nesterov's."""

    momentum: float = 0.0
    decay: float = 0.0
    """Weight decay."""

    def __post_init__(self) -> None:
        if not 0 <= self.momentum < 1:
            raise ValueError(f"momentum must be 0 or more and below 1, not {self.momentum:g}")
        _check_decay(self.decay)

    def make(self, weights: Iterable[nn.Parameter]) -> Optimizer:
        """The optimiser; its rate is set at every step."""
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
        """The optimiser; its rate is set at every step."""
        return AdamW(weights, 1.0, (self.beta1, self.beta2), weight_decay=self.decay)


@dataclass(frozen=True)
class MuonSettings(AdamWSettings):
    """Muon for filters, AdamW for all other weights (see `Muon`)."""

    beta2: float = 0.99
    momentum: float = 0.95
    """Of Muon."""
    others: float = 0.5
    """The rate of AdamW, as a share of that of Muon."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.momentum < 1:
            raise ValueError(f"momentum must be 0 or more and below 1, not {self.momentum:g}")
        if not (math.isfinite(self.others) and self.others > 0):
            raise ValueError(f"others must be above 0, not {self.others:g}")

    def make(self, weights: Iterable[nn.Parameter]) -> Optimizer:
        """The optimiser; its rate is set at every step."""
        return Muon(weights, self)


OPTIMISERS: dict[str, type[SgdSettings | AdamWSettings]] = {
    "sgd": SgdSettings,
    "nesterov": NesterovSettings,
    "adamw": AdamWSettings,
    "muon": MuonSettings,
}
SCHEDULE_OF = {"nesterov": "cosine:rate=0.05", "adamw": "cosine:rate=0.002", "muon": "cosine:rate=0.006,warmup=0.03"}
"""The schedule of an optimiser where none is asked for; plain descent takes that of the network's paper."""


def make_optimiser(word: str, network: nn.Module) -> Optimizer:
    """The optimiser that a word such as `adamw:decay=0.05` stands for, of a network's weights."""
    name, given = split_word(word)
    if name not in OPTIMISERS:
        raise NobiError(f"There is no optimiser {name!r}; {choices(OPTIMISERS)}.")
    return settings_from(OPTIMISERS[name], given, word).make(network.parameters())


def set_rate(optimiser: Optimizer, rate: float) -> None:
    """Sets the rate of the next step."""
    for group in optimiser.param_groups:
        group["lr"] = rate


def state_tensors(optimiser: Optimizer) -> dict[str, NDArray[Any]]:
    """All that the optimiser remembers, as `number of the weights.name`."""
    return {
        f"{number}.{name}": np.array(value.detach().cpu().numpy(), order="C")
        for number, entries in sorted(optimiser.state_dict()["state"].items())
        for name, value in sorted(entries.items())
        if value is not None
    }


def restore_state(optimiser: Optimizer, tensors: dict[str, NDArray[Any]]) -> None:
    """Gives it back what it remembered; a ValueError if that is not its own."""
    state: dict[int, dict[str, Any]] = {}
    for key, value in tensors.items():
        number, _, name = key.partition(".")
        state.setdefault(int(number), {})[name] = torch.from_numpy(value)
    weights = [weight for group in optimiser.param_groups for weight in group["params"]]
    for place, remembered in state.items():
        shapes = {tuple(value.shape) for value in remembered.values()} - {()}
        if place >= len(weights) or not shapes <= {tuple(weights[place].shape)}:
            raise ValueError("the state of the optimiser is another's")
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})


def _check_decay(decay: float) -> None:
    if not (math.isfinite(decay) and decay >= 0):
        raise ValueError(f"decay must be 0 or more, not {decay:g}")
