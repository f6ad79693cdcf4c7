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

from nobi.compiling import UNBOUND, specialise
from nobi.memory import zeros
from nobi.networks.base import Forward, Network, Weights
from nobi.networks.functions import LANES, STEP, F
from nobi.networks.layers import WIDTH, LayerRoom, LayerWeights, allocate_room, compile_layer
from nobi.networks.sweeps import CORNERS, Sweeps, list_sweeps, sweeps_of

PLANES = 2

SWEEPS: Any = UNBOUND  # these are bound by `_compile`
first: Any = UNBOUND
later: Any = UNBOUND
last: Any = UNBOUND
over_sweeps: Any = UNBOUND
combine: Any = UNBOUND
hand_on: Any = UNBOUND
pass_over: Any = UNBOUND


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
    """[cell, inputs, board]"""


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
        hidden = groups[f"{prefix}recurrent"].shape[1]
        return LayerWeights(seen_weights(groups, prefix), groups[f"{prefix}border"], np.zeros(hidden, F))

    def groups(self, size: int) -> dict[str, tuple[int, ...]]:  # noqa: ARG002
        """Input, recurrent and border weights of every layer, and the output weights."""
        return groups_of(self.layers())

    def forward(self) -> Forward:
        """The compiled pass over all layers."""
        return _compile(tuple(self.layers()))

    def new_room(self, weights: Weights, size: int, *, keep: bool = False) -> SwipingRoom:
        """The room of all layers; with `keep`, the outputs of all cells are still there after a pass."""
        groups = self.split(weights, size)
        layers = self.layers()
        parts = []
        for i, (prefix, layer) in enumerate(zip(prefixes(len(layers)), layers, strict=True)):
            sweeps = sweeps_of(size, layer.gates, keep=keep or i < len(layers) - 1)
            room = allocate_room(sweeps, layer.hidden, layer.inputs, layer.rows)
            x = zeros((size * size, layer.inputs, LANES), F)
            parts.append(Part(self.layer_weights(groups, prefix), sweeps, room, x))
        return SwipingRoom(parts[0].x, zeros((size * size, LANES), F), groups["output"], tuple(parts))


def seen_weights(groups: dict[str, Weights], prefix: str) -> Weights:
    """[rows, inputs + k] the input and the recurrent weights of a layer, side by side."""
    return np.concatenate([groups[f"{prefix}input"], groups[f"{prefix}recurrent"]], axis=1)


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


def _over_sweeps(values: NDArray[np.float32], step: NDArray[np.uint64], lane: int, boards: int) -> np.float32:
    """Σ over all sweeps of values[step of the sweep, lane of the sweep]; `lane` is that of the first sweep.

    Floating-point sums depend on their order, and a turned board turns the sweeps. The sum over the sweeps of a
    corner, then of opposite corners, then of both pairs is the same for all eight symmetries of the board, to the
    last bit.
    """
    if len(CORNERS) == SWEEPS:
        return (values[step[0], lane] + values[step[3], lane + 3 * boards]) + (
            values[step[1], lane + boards] + values[step[2], lane + 2 * boards]
        )
    return (
        (values[step[0], lane] + values[step[1], lane + boards])
        + (values[step[6], lane + 6 * boards] + values[step[7], lane + 7 * boards])
    ) + (
        (values[step[2], lane + 2 * boards] + values[step[3], lane + 3 * boards])
        + (values[step[4], lane + 4 * boards] + values[step[5], lane + 5 * boards])
    )


def _combine(part: Part, out: NDArray[np.float32], begin: int, boards: int) -> None:
    """Makes the readouts of the last layer the network's outputs, for the boards begin … begin + boards − 1."""
    for c in range(len(out)):
        for board in range(boards):
            out[c, begin + board] = over_sweeps(part.room.values, part.sweeps.step[c], board, boards)


def _hand_on(part: Part, x: NDArray[np.float32], begin: int, boards: int) -> None:
    """Makes the outputs of a layer the inputs of the next, for the boards begin … begin + boards − 1."""
    for c in range(len(x)):
        for u in range(x.shape[1]):
            for board in range(boards):
                x[c, u, begin + board] = over_sweeps(part.room.h, part.sweeps.step[c], u * WIDTH + board, boards)


def _pass_one(room: SwipingRoom, begin: int, boards: int) -> None:
    """The pass of a single layer over the boards begin … begin + boards − 1."""
    part = room.parts[0]
    first(part.weights, part.sweeps, part.room, part.x, room.output, begin, boards)
    combine(part, room.out, begin, boards)


def _pass_stack(room: SwipingRoom, begin: int, boards: int) -> None:
    """The pass of two or more layers."""
    part = room.parts[0]
    first(part.weights, part.sweeps, part.room, part.x, room.output, begin, boards)
    for i in range(1, len(room.parts) - 1):
        hand_on(room.parts[i - 1], room.parts[i].x, begin, boards)
        part = room.parts[i]
        later(part.weights, part.sweeps, part.room, part.x, room.output, begin, boards)
    top = len(room.parts) - 1
    hand_on(room.parts[top - 1], room.parts[top].x, begin, boards)
    part = room.parts[top]
    last(part.weights, part.sweeps, part.room, part.x, room.output, begin, boards)
    combine(part, room.out, begin, boards)


def _forward(room: SwipingRoom, boards: int) -> None:
    """Passes over all boards, as many at once as there are lanes for; the lanes of the last few fill whole vectors."""
    most, least = WIDTH // SWEEPS, STEP // SWEEPS
    for begin in range(0, boards, most):
        pass_over(room, begin, min((boards - begin + least - 1) // least * least, most))


@cache
def _compile(layers: tuple[Layer, ...]) -> Callable[..., None]:
    """The compiled pass over these layers; all have the same units and sweeps."""
    bottom, top = layers[0], layers[-1]
    sweeps = len(list_sweeps(top.gates))
    name = f"{bottom.cell}_{bottom.hidden}"

    def swipe(layer: Layer, *, read_out: bool) -> Callable[..., None]:
        tied = layer.gates == "none"
        return compile_layer(layer.cell, layer.hidden, layer.inputs, sweeps, tied=tied, read_out=read_out)

    over_sweeps = specialise(_over_sweeps, name, inline=True, SWEEPS=sweeps)
    combine = specialise(_combine, name, over_sweeps=over_sweeps)
    if len(layers) == 1:
        pass_over = specialise(_pass_one, name, first=swipe(bottom, read_out=True), combine=combine)
    else:
        pass_over = specialise(
            _pass_stack,
            name,
            first=swipe(bottom, read_out=False),
            later=swipe(top, read_out=False),
            last=swipe(top, read_out=True),
            hand_on=specialise(_hand_on, name, over_sweeps=over_sweeps),
            combine=combine,
        )
    return specialise(_forward, name, pass_over=pass_over, SWEEPS=sweeps)
