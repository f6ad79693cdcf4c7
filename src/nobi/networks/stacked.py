"""Stacked MDRNN or MDLSTM, proposed by both papers: the sum of the sweeps of one layer is the input of the next."""

from dataclasses import dataclass
from typing import Literal

from nobi.networks.mdlstm import GATES, MDLSTM_CELL
from nobi.networks.mdrnn import MDRNN_CELL, border_weights, check_hidden
from nobi.nn.inputs import input_planes, parse_features
from nobi.nn.network import Weights
from nobi.nn.swiping import Layer, LayerWeights, SwipingNetwork


@dataclass(frozen=True)
class StackedSettings:
    """The settings of a stacked network."""

    cell: Literal["mdrnn", "mdlstm"] = "mdlstm"
    """The kind of cells."""
    hidden: int = 3
    """k, the units of every layer."""
    layers: int = 2
    """The number of layers."""
    border: Literal["value", "bias"] = "value"
    """As in MDRNN."""
    mode: Literal["symmetric", "tied", "original"] = "symmetric"
    """As in MDLSTM."""
    inputs: str = ""
    """As in MDRNN and MDLSTM."""

    def __post_init__(self) -> None:
        check_hidden(self.hidden)
        parse_features(self.inputs)
        if not 1 <= self.layers <= 16:
            raise ValueError(f"layers must be 1 to 16, not {self.layers}")


class Stacked(SwipingNetwork):
    """Two or more swiping layers; the summed sweeps of one are the inputs of the next."""

    name = "stacked"
    settings_type = StackedSettings

    def layers(self) -> list[Layer]:
        s = self.settings
        cell, gates = (MDRNN_CELL, "none") if s.cell == "mdrnn" else (MDLSTM_CELL, GATES[s.mode])
        planes = len(input_planes(s.inputs))
        return [Layer(cell, s.hidden, planes if i == 0 else s.hidden, gates) for i in range(s.layers)]

    def layer_weights(self, groups: dict[str, Weights], prefix: str) -> LayerWeights:
        if self.settings.cell == "mdrnn":
            return border_weights(groups, prefix, self.settings.border)
        return super().layer_weights(groups, prefix)
