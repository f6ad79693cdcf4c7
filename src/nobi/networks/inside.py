"""Looking inside a network: what it puts out for one position, and what the hidden units of its sweeps say.

Nothing is computed here: the network's own pass runs once, in a room that keeps the outputs of all cells.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.networks.base import Network, Weights
from nobi.networks.functions import STEP
from nobi.networks.layers import WIDTH
from nobi.networks.sweeps import Sweep, list_sweeps
from nobi.networks.swiping import Layer, Part, SwipingNetwork

_BELOW_ONE = np.nextafter(np.float32(1), np.float32(0))
SATURATED = np.float32(8.5)
"""In single precision the tanh of a larger input is 1."""


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
    is_tanh: bool = False
    """Whether a unit is the tanh of its input, and nothing else: in most networks nearly −1 or 1 everywhere."""

    def inputs(self) -> NDArray[np.float32]:
        """[sweep, k, n, n] the inputs of such units, as far as their outputs tell: up to ±SATURATED."""
        return np.clip(np.arctanh(np.clip(self.hidden, -_BELOW_ONE, _BELOW_ONE)), -SATURATED, SATURATED)


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
    room = (
        network.new_room(weights, size, keep=True)
        if isinstance(network, SwipingNetwork)
        else network.new_room(weights, size)
    )
    room.x[:, :, 0] = np.stack([own, enemy], axis=-1).reshape(size * size, 2)
    network.forward()(room, 1)
    output = room.out[:, 0].reshape(size, size).copy()
    if not isinstance(network, SwipingNetwork):
        return Inside(output, [])
    parts = zip(network.layers(), room.parts, strict=True)
    return Inside(output, [_look_into(layer, part, size) for layer, part in parts])


def _look_into(layer: Layer, part: Part, size: int) -> LayerInside:
    """The outputs that the pass has left: sweep d of a lone board is in lane d·(STEP/sweeps)."""
    sweeps = list_sweeps(layer.gates)
    rows = part.room.h[:-1].reshape(size * size, layer.hidden, WIDTH)
    labels, hidden = [], []
    for d, sweep in enumerate(sweeps):
        labels.append(_label(sweep, layer.gates))
        units = rows[part.sweeps.step[:, d], :, d * (STEP // len(sweeps))]
        hidden.append(units.T.reshape(layer.hidden, size, size))
    return LayerInside(labels, np.stack(hidden), layer.cell == "rnn")


def _label(sweep: Sweep, gates: str) -> SweepLabel:
    arrow = ("↖" if sweep.left else "↗") if sweep.up else ("↙" if sweep.left else "↘")
    texts = {
        "none": "",
        "both": "row 1, column 0" if sweep.transposed else "row 0, column 1",
        "original": "as in the published code",
    }
    return SweepLabel(arrow, texts[gates])
