"""MDRNN: the multi-dimensional recurrent network of S08 (section III), k² + 4k weights.

The forward pass. Four sweeps visit all points, each beginning at its corner. At each point, with the inputs x (own
stone, enemy stone) and the outputs h of the two points visited before it in the same row (*beside*) and in the same
column (*above*):

    h = tanh(W_in·x + W_h·(h_beside + h_above))      with h = w_b beyond the border

and the value of a point is the sum of w_out·h over the four sweeps. The loops are those of all swiping networks,
`_add_up` and `_swipe` in `nobi/nn/swiping.py`; `tests/reference/networks.py` computes the same without lanes.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from nobi.compiling import UNBOUND
from nobi.nn.inputs import input_planes, parse_features
from nobi.nn.lanes import F, tanh
from nobi.nn.network import Weights
from nobi.nn.swiping import WIDTH, Cell, Lanes, Layer, LayerWeights, SwipingNetwork, seen_weights

HIDDEN: Any = UNBOUND  # bound by `specialise`


def _activate(
    sums: Lanes,
    s_beside: Lanes,  # noqa: ARG001
    s_above: Lanes,  # noqa: ARG001
    gate: int,  # noqa: ARG001
    s: Lanes,  # noqa: ARG001
    h: Lanes,
    lanes: int,
) -> None:
    """Compute h = tanh(sums) of the units of one cell, for all lanes."""
    for u in range(HIDDEN):
        for lane in range(lanes):
            h[u * WIDTH + lane] = tanh(sums[u * WIDTH + lane])


MDRNN_CELL = Cell("mdrnn", _activate, gated=False)


def check_hidden(hidden: int) -> None:
    """Raise a ValueError unless the number of units is supported."""
    if not 1 <= hidden <= 64:
        raise ValueError(f"hidden must be 1 to 64, not {hidden}")


@dataclass(frozen=True)
class MdrnnSettings:
    """The settings of an MDRNN."""

    hidden: int = 10
    """k, the units of the swiping layer."""
    border: Literal["value", "bias"] = "value"
    """The meaning of w_b: the output of a predecessor beyond the border (both papers' formula), or a term that is added
    once for each missing predecessor (the published code)."""
    inputs: str = ""
    """Features of the position in addition to stones, joined by +: liberties, atari (games with chains) and last."""

    def __post_init__(self) -> None:
        check_hidden(self.hidden)
        parse_features(self.inputs)


def border_weights(groups: dict[str, Weights], prefix: str, border: str) -> LayerWeights:
    """Return the weights of a layer of MDRNN cells, with w_b as a value or as a bias."""
    w_b = groups[f"{prefix}border"]
    none = np.zeros_like(w_b)
    term, beyond = (none, w_b) if border == "value" else (w_b, none)
    return LayerWeights(seen_weights(groups, prefix), term.astype(F), beyond.astype(F))


class Mdrnn(SwipingNetwork):
    """Four sweeps of k tanh units with shared weights; unbounded field of view."""

    name = "mdrnn"
    settings_type = MdrnnSettings

    def layers(self) -> list[Layer]:
        s = self.settings
        return [Layer(MDRNN_CELL, s.hidden, len(input_planes(s.inputs)), "none")]

    def layer_weights(self, groups: dict[str, Weights], prefix: str) -> LayerWeights:
        return border_weights(groups, prefix, self.settings.border)
