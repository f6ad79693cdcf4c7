"""Swiping networks: one or more layers, each sweeping over the board from all corners with the same weights.

The first layer sees two inputs a point, own stone and enemy stone; each further layer the sum of the sweeps of the
one before it; the output of a point is the weighted sum of the last layer's units over all sweeps.
"""

from abc import abstractmethod
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import UNBOUND, compiled, specialise
from nobi.memory import zeros
from nobi.networks.base import Forward, Network, Weights
from nobi.networks.functions import LANES, F
from nobi.networks.layers import LayerRoom, LayerWeights, allocate_room, compile_layer
from nobi.networks.sweeps import CORNERS, Sweeps, sweeps_of

PLANES = 2

first: Any = UNBOUND  # these are bound by `_compile`
later: Any = UNBOUND
last: Any = UNBOUND


class Layer(NamedTuple):
    """The make of one layer."""

    cell: str
    """`rnn` or `lstm`."""
    hidden: int
    inputs: int
    gates: str
    """How forget gates are given to predecessors; see `sweeps_of`."""

    @property
    def rows(self) -> int:
        """The rows of its weights."""
        if self.cell == "rnn":
            return self.hidden
        return (4 if self.gates == "none" else 5) * self.hidden


class Part(NamedTuple):
    """One layer, ready to compute."""

    weights: LayerWeights
    sweeps: Sweeps
    room: LayerRoom
    x: NDArray[np.float32]
    """[cell, inputs, lane]"""
    values: NDArray[np.float32]
    """[d, cell, lane] the readouts of the sweeps (last layer)."""
    sums: NDArray[np.float32]
    """[corner, cell, k, lane] the sums over the sweeps of each corner (layers before the last)."""


class SwipingRoom(NamedTuple):
    """What the pass of a swiping network works on."""

    x: NDArray[np.float32]
    out: NDArray[np.float32]
    output: NDArray[np.float32]
    """[k] the weights of the readout."""
    parts: tuple[Part, ...]


class SwipingNetwork(Network):
    """A network of swiping layers."""

    @abstractmethod
    def layers(self) -> list[Layer]:
        """The layers, the first that sees the board first."""

    def layer_weights(self, groups: dict[str, Weights], prefix: str) -> LayerWeights:
        """The weights of the layer whose groups have this prefix."""
        border = groups[f"{prefix}border"]
        recurrent = groups[f"{prefix}recurrent"]
        return LayerWeights(groups[f"{prefix}input"], recurrent, border, np.zeros(recurrent.shape[1], F))

    def groups(self, size: int) -> dict[str, tuple[int, ...]]:  # noqa: ARG002
        """Input, recurrent and border weights of every layer, and the output weights."""
        return groups_of(self.layers())

    def forward(self) -> Forward:
        """The compiled pass over all layers."""
        return _compile(tuple(self.layers()))

    def new_room(self, weights: Weights, size: int) -> SwipingRoom:
        """The room of all layers."""
        groups = self.split(weights, size)
        layers = self.layers()
        cells = size * size
        parts = []
        for i, (prefix, layer) in enumerate(zip(prefixes(len(layers)), layers, strict=True)):
            last = i == len(layers) - 1
            sweeps = sweeps_of(size, layer.gates)
            parts.append(
                Part(
                    self.layer_weights(groups, prefix),
                    sweeps,
                    allocate_room(size, layer.hidden),
                    zeros((cells, layer.inputs, LANES), F),
                    zeros((len(sweeps.cell), cells, LANES) if last else (1, 1, 1), F),
                    zeros((1, 1, 1, 1) if last else (len(CORNERS), cells, layer.hidden, LANES), F),
                )
            )
        return SwipingRoom(parts[0].x, zeros((cells, LANES), F), groups["output"], tuple(parts))


def prefixes(layers: int) -> list[str]:
    """What the names of the groups of each layer begin with."""
    return [""] if layers == 1 else [f"layer{i + 1}." for i in range(layers)]


def groups_of(layers: list[Layer]) -> dict[str, tuple[int, ...]]:
    """The groups of weights of such layers, in the order of the vector, with their shapes."""
    found: dict[str, tuple[int, ...]] = {}
    for prefix, layer in zip(prefixes(len(layers)), layers, strict=True):
        found[f"{prefix}input"] = (layer.rows, layer.inputs)
        found[f"{prefix}recurrent"] = (layer.rows, layer.hidden)
        found[f"{prefix}border"] = (layer.rows,)
    found["output"] = (layers[-1].hidden,)
    return found


def _forward_one(room: SwipingRoom, lanes: int) -> None:
    """The pass of a single layer."""
    part = room.parts[0]
    first(part.weights, part.sweeps, part.room, part.x, room.output, part.values, part.sums, lanes)
    combine(part.values, room.out, lanes)


def _forward_stack(room: SwipingRoom, lanes: int) -> None:
    """The pass of two or more layers."""
    part = room.parts[0]
    first(part.weights, part.sweeps, part.room, part.x, room.output, part.values, part.sums, lanes)
    for i in range(1, len(room.parts) - 1):
        hand_on(room.parts[i - 1].sums, room.parts[i].x, lanes)
        part = room.parts[i]
        later(part.weights, part.sweeps, part.room, part.x, room.output, part.values, part.sums, lanes)
    top = len(room.parts) - 1
    hand_on(room.parts[top - 1].sums, room.parts[top].x, lanes)
    part = room.parts[top]
    last(part.weights, part.sweeps, part.room, part.x, room.output, part.values, part.sums, lanes)
    combine(part.values, room.out, lanes)


@compiled
def combine(values: NDArray[np.float32], out: NDArray[np.float32], lanes: int) -> None:
    """out[cell, lane] = Σ over all sweeps of values[sweep, cell, lane].

    Floating-point sums depend on their order, and a turned board turns the sweeps. The sum over the sweeps of a
    corner, then of opposite corners, then of both pairs is the same for all eight symmetries of the board, to the
    last bit.
    """
    both = len(values) == 2 * len(CORNERS)
    for c in range(len(out)):
        for lane in range(lanes):
            if both:
                one = (values[0, c, lane] + values[1, c, lane]) + (values[6, c, lane] + values[7, c, lane])
                other = (values[2, c, lane] + values[3, c, lane]) + (values[4, c, lane] + values[5, c, lane])
            else:
                one = values[0, c, lane] + values[3, c, lane]
                other = values[1, c, lane] + values[2, c, lane]
            out[c, lane] = one + other


@compiled
def hand_on(sums: NDArray[np.float32], x: NDArray[np.float32], lanes: int) -> None:
    """Makes the outputs of a layer, [corner, cell, k, lane], the inputs of the next; summed as in `combine`."""
    for c in range(len(x)):
        for u in range(x.shape[1]):
            for lane in range(lanes):
                x[c, u, lane] = (sums[0, c, u, lane] + sums[3, c, u, lane]) + (
                    sums[1, c, u, lane] + sums[2, c, u, lane]
                )


@cache
def _compile(layers: tuple[Layer, ...]) -> Callable[..., None]:
    """The compiled pass over these layers; all have the same units."""

    def swipe(layer: Layer, *, read_out: bool) -> Callable[..., None]:
        tied = layer.gates == "none"
        return compile_layer(layer.cell, layer.hidden, layer.inputs, tied=tied, read_out=read_out)

    bottom, top = layers[0], layers[-1]
    name = f"{bottom.cell}_{bottom.hidden}"
    if len(layers) == 1:
        return specialise(_forward_one, name, first=swipe(bottom, read_out=True))
    return specialise(
        _forward_stack,
        name,
        first=swipe(bottom, read_out=False),
        later=swipe(top, read_out=False),
        last=swipe(top, read_out=True),
    )
