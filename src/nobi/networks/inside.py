"""Looking inside a network: what it puts out for one position, and what the hidden units of its sweeps say.

Nothing is computed here: the network's own pass runs once, then each layer sweeps again over what it saw, with one
sweep at a time, and its hidden units are copied.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.networks.base import Network, Weights
from nobi.networks.functions import STEP, F
from nobi.networks.layers import compile_layer
from nobi.networks.sweeps import Sweeps
from nobi.networks.swiping import Layer, Part, SwipingNetwork


@dataclass(frozen=True)
class SweepLabel:
    """Which sweep it is."""

    arrow: str
    """Where it goes: ↘ ↙ ↗ or ↖."""
    gates: str
    """Which forget gates the states from the row and from the column meet (MDLSTM with two), or nothing."""


@dataclass(frozen=True)
class LayerInside:
    """The hidden units of one layer."""

    sweeps: list[SweepLabel]
    hidden: NDArray[np.float32]
    """[sweep, k, n, n] what unit k says at each point."""


@dataclass(frozen=True)
class Inside:
    """What goes on in a network for one position."""

    output: NDArray[np.float32]
    """[n, n] the higher the better."""
    layers: list[LayerInside]
    """The swiping layers, the first that sees the board first; none in other networks."""


def look_inside(network: Network, weights: Weights, own: NDArray[Any], enemy: NDArray[Any]) -> Inside:
    """Shows a position to a network.

    Args:
        network: any kind of network.
        weights: float32[weight_count].
        own: [n, n] 1 where there is a stone of the player to move, else 0.
        enemy: [n, n] the same for the other player.
    """
    size = len(own)
    room = network.new_room(weights, size)
    room.x[:, :, 0] = np.stack([own, enemy], axis=-1).reshape(size * size, 2)
    network.forward()(room, STEP)
    output = room.out[:, 0].reshape(size, size).copy()
    if not isinstance(network, SwipingNetwork):
        return Inside(output, [])
    parts = zip(network.layers(), room.parts, strict=True)
    return Inside(output, [_look_into(layer, part, room.output, size) for layer, part in parts])


def _look_into(layer: Layer, part: Part, output: Weights, size: int) -> LayerInside:
    """Sweeps over `part.x`, which the network's pass has filled. The readouts that `swipe` makes are not used."""
    swipe = compile_layer(layer.cell, layer.hidden, layer.inputs, tied=layer.gates == "none", read_out=True)
    labels, hidden = [], []
    for d in range(len(part.sweeps.cell)):
        alone = Sweeps._make(table[d : d + 1] for table in part.sweeps)
        readouts = np.zeros((1, *part.x[:, 0].shape), F)
        swipe(part.weights, alone, part.room, part.x, output, readouts, part.sums, STEP)
        labels.append(_label(alone, layer.gates, size))
        hidden.append(part.room.h[:-1, :, 0].T.reshape(layer.hidden, size, size).copy())
    return LayerInside(labels, np.stack(hidden))


def _label(alone: Sweeps, gates: str, size: int) -> SweepLabel:
    """A sweep is known by the corner that it starts from."""
    corners = {0: "↘", size - 1: "↙", size * (size - 1): "↗", size * size - 1: "↖"}
    texts = {
        "none": "",
        "both": f"row {alone.gate_beside[0, 0]}, column {alone.gate_above[0, 0]}",
        "original": "as in the published code",
    }
    return SweepLabel(corners[int(alone.cell[0, 0])], texts[gates])
