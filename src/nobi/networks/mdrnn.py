"""MDRNN: the multi-dimensional recurrent network of S08, k² + 4k weights."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from nobi.nn.lanes import F
from nobi.nn.network import Weights
from nobi.nn.swiping import PLANES, Layer, LayerWeights, SwipingNetwork, seen_weights


def check_hidden(hidden: int) -> None:
    """Refuses numbers of units that make no network."""
    if not 1 <= hidden <= 64:
        raise ValueError(f"hidden must be 1 to 64, not {hidden}")


@dataclass(frozen=True)
class MdrnnSettings:
    """The choices of an MDRNN."""

    hidden: int = 10
    """k, the units of the swiping layer."""
    border: Literal["value", "bias"] = "value"
    """What w_b is: the output of a predecessor beyond the border (both papers' formula), or a term that is added once
    for each missing predecessor (the published code)."""

    def __post_init__(self) -> None:
        check_hidden(self.hidden)


def border_weights(groups: dict[str, Weights], prefix: str, border: str) -> LayerWeights:
    """The weights of a layer of simple units, w_b taken as a value or as a bias."""
    w_b = groups[f"{prefix}border"]
    none = np.zeros_like(w_b)
    term, beyond = (none, w_b) if border == "value" else (w_b, none)
    return LayerWeights(seen_weights(groups, prefix), term.astype(F), beyond.astype(F))


class Mdrnn(SwipingNetwork):
    """Four sweeps of k tanh units with the same weights; unbounded field of view."""

    name = "mdrnn"
    settings_type = MdrnnSettings

    def layers(self) -> list[Layer]:
        """One layer."""
        return [Layer("rnn", self.settings.hidden, PLANES, "none")]

    def layer_weights(self, groups: dict[str, Weights], prefix: str) -> LayerWeights:
        """The weights, with what lies beyond the border."""
        return border_weights(groups, prefix, self.settings.border)
