"""Swiping networks: one or more layers, each sweeping over the board from all corners with the same weights.

The first layer has two inputs per point, own stone and enemy stone, and optional features (`nobi.nn.inputs`). The
inputs of every other layer are the sums of the sweeps of the previous layer. The output of a point is the weighted sum
of the last layer's units over all sweeps. The equations of the cells are in `networks/mdrnn.py` and
`networks/mdlstm.py`; this module has the loops around them.

Layout. All sweeps of a layer use the same weights, so they are computed together: a lane is one board in one sweep, `d
· boards + board` for sweep d. An array of rows of lanes is flat: row u begins at u · WIDTH, and the outputs of cells
are `h[slot, u · WIDTH + lane]`. The loops over lanes are therefore contiguous and vectorise, a weight is one number for
all lanes, and the distance between rows is a constant, from which the compiler infers that rows do not overlap.

Loops. The sums of all units are computed first, then the activations of all: a long loop body is one chain of dependent
operations, and a processor looks only a limited distance ahead for independent ones.

Cost, per cell and lane: k·(k + inputs + 1) multiply-adds and k tanh (MDRNN), 5k·(k + inputs) multiply-adds, 6k
exponentials and 3k divisions (MDLSTM); an exponential costs about 12 multiply-adds, a tanh one and a division.
"""

from abc import abstractmethod
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import UNBOUND, specialise
from nobi.memory import zeros
from nobi.nn.lanes import LANES, STEP, F
from nobi.nn.network import Forward, Network, Weights
from nobi.nn.sweeps import CORNERS, Sweeps, list_sweeps, sweeps_of

WIDTH = 128
"""Maximum number of lanes that are computed together: a cell and its predecessors stay in the fastest cache."""
SWEEPS: Any = UNBOUND  # these are bound by `specialise`
HIDDEN: Any = UNBOUND
INPUTS: Any = UNBOUND
READ_OUT: Any = UNBOUND
gather: Any = UNBOUND
add_up: Any = UNBOUND
activate: Any = UNBOUND
read_out: Any = UNBOUND
step: Any = UNBOUND
first: Any = UNBOUND
later: Any = UNBOUND
last: Any = UNBOUND
over_sweeps: Any = UNBOUND
combine: Any = UNBOUND
feed_next: Any = UNBOUND
pass_over: Any = UNBOUND
Lanes = NDArray[np.float32]


class Cell(NamedTuple):
    """A type of recurrent unit."""

    name: str
    activate: Callable[..., None]
    """The function (sums, s_beside, s_above, gate, s, h, lanes) that computes states s and outputs h of all units of a
    cell from the weighted sums; it is compiled with the number of units as HIDDEN and, if gated, with TIED."""
    gated: bool
    """Whether the cell has gates and a state (LSTM), with five rows of weights per unit, or four if the forget gates
    are tied; other cells have one row per unit.
    """


class LayerWeights(NamedTuple):
    """The weights of one layer; `rows` is k for MDRNN, 5k for MDLSTM (4k if tied), gate after gate."""

    seen: Lanes  # [rows, inputs + k] applied to the inputs, and to the sum of both predecessors' outputs
    border: Lanes  # [rows] added once for each predecessor beyond the border
    beyond: Lanes  # [k] the outputs of cells beyond the border


class LayerWorkspace(NamedTuple):
    """The arrays that a layer computes in."""

    h: Lanes  # [slot, k · lanes] outputs
    s: Lanes  # [slot, k · lanes] states (MDLSTM)
    seen: Lanes  # [(inputs + k) · lanes] the inputs of a cell, and the sum of its predecessors' outputs
    sums: Lanes  # [rows · lanes] their products with the weights
    values: Lanes  # [step, lane] the readouts (last layer)


def allocate_workspace(sweeps: Sweeps, hidden: int, inputs: int, rows: int) -> LayerWorkspace:
    """Allocate the workspace of one layer."""
    steps, slots = len(sweeps.slot), int(sweeps.slot.max()) + 2
    return LayerWorkspace(
        zeros((slots, hidden * WIDTH), F),
        zeros((slots, hidden * WIDTH), F),
        zeros((inputs + hidden) * WIDTH, F),
        zeros(rows * WIDTH, F),
        zeros((steps, WIDTH), F),
    )


def _gather(
    x: Lanes, begin: int, boards: int, cells: NDArray[np.uint64], h_beside: Lanes, h_above: Lanes, seen: Lanes
) -> None:
    """Gather the inputs of a cell on the boards begin, begin + 1, …, for each sweep, then h_beside + h_above."""
    for d in range(SWEEPS):
        for i in range(INPUTS):
            if boards == WIDTH // SWEEPS:  # the usual number, as a constant: copied without a loop
                for board in range(WIDTH // SWEEPS):
                    seen[i * WIDTH + d * (WIDTH // SWEEPS) + board] = x[cells[d], i, np.uint64(begin + board)]
            else:
                for board in range(boards):
                    seen[i * WIDTH + d * boards + board] = x[cells[d], i, np.uint64(begin + board)]
    for u in range(HIDDEN):
        for lane in range(SWEEPS * boards):
            seen[(INPUTS + u) * WIDTH + lane] = h_beside[u * WIDTH + lane] + h_above[u * WIDTH + lane]


def _add_up(weights: LayerWeights, missing: np.float32, seen: Lanes, sums: Lanes, lanes: int) -> None:
    """Compute sums[row] = missing · border[row] + Σ weights.seen[row, i] · seen[i]."""
    for row in range(len(weights.border)):
        start = missing * weights.border[row]
        for lane in range(lanes):
            a = start
            for i in range(INPUTS + HIDDEN):
                a += weights.seen[row, i] * seen[i * WIDTH + lane]
            sums[row * WIDTH + lane] = a


def _read_out(output: Lanes, h: Lanes, values: Lanes, lanes: int) -> None:
    """Compute values[lane] = Σ output[u]·h[u, lane]."""
    for lane in range(lanes):
        a = F(0.0)
        for u in range(HIDDEN):
            a += output[u] * h[u * WIDTH + lane]
        values[lane] = a


def _step(
    weights: LayerWeights,
    output: Lanes,
    x: Lanes,
    begin: int,
    boards: int,
    cells: NDArray[np.uint64],
    h_beside: Lanes,
    h_above: Lanes,
    s_beside: Lanes,
    s_above: Lanes,
    missing: np.float32,
    gate: int,
    seen: Lanes,
    sums: Lanes,
    s: Lanes,
    h: Lanes,
    values: Lanes,
) -> None:
    """Compute one step of all sweeps in a single call, because a call with this many arrays is expensive."""
    lanes = SWEEPS * boards
    gather(x, begin, boards, cells, h_beside, h_above, seen)
    add_up(weights, missing, seen, sums, lanes)
    activate(sums, s_beside, s_above, gate, s, h, lanes)
    if READ_OUT:
        read_out(output, h, values, lanes)


def _swipe(
    weights: LayerWeights, sweeps: Sweeps, workspace: LayerWorkspace, x: Lanes, output: Lanes, begin: int, boards: int
) -> None:
    """Sweep the layer over the boards begin … begin + boards − 1.

    Args:
        weights: the layer's weights.
        sweeps: the sweeps to make.
        workspace: the arrays of the layer; receives `values`, if `READ_OUT`.
        x: [cell, inputs, board] the inputs.
        output: [k] the weights of the readout.
        begin: the first board.
        boards: number of boards; at most WIDTH lanes, in whole vectors.
    """
    beyond = len(workspace.h) - 1
    for u in range(HIDDEN):
        for lane in range(WIDTH):
            workspace.h[beyond, u * WIDTH + lane] = weights.beyond[u]
            workspace.s[beyond, u * WIDTH + lane] = F(0.0)
    for i in range(len(sweeps.slot)):
        slot, beside, above = sweeps.slot[i], sweeps.beside[i], sweeps.above[i]
        step(
            weights, output, x, begin, boards, sweeps.cell[i], workspace.h[beside], workspace.h[above],
            workspace.s[beside], workspace.s[above], sweeps.missing[i], sweeps.gate[i], workspace.seen, workspace.sums,
            workspace.s[slot], workspace.h[slot], workspace.values[i],
        )  # fmt: skip


@cache
def compile_layer(
    cell: Cell, hidden: int, inputs: int, sweeps: int, *, tied: bool, read_out: bool
) -> Callable[..., None]:
    """Return the compiled `_swipe` of a layer with these numbers of units, inputs and sweeps."""
    name = f"{cell.name}_{hidden}_{inputs}"

    def part(template: Callable[..., Any], **bindings: Any) -> Callable[..., Any]:
        return specialise(template, name, inline=True, fuse=True, HIDDEN=hidden, **bindings)

    step = specialise(
        _step,
        name,
        fuse=True,
        gather=part(_gather, INPUTS=inputs, SWEEPS=sweeps),
        add_up=part(_add_up, INPUTS=inputs),
        activate=part(cell.activate, **({"TIED": tied} if cell.gated else {})),
        read_out=part(_read_out),
        SWEEPS=sweeps,
        READ_OUT=read_out,
    )
    return specialise(_swipe, name, merge=True, HIDDEN=hidden, step=step)


class Layer(NamedTuple):
    """The cell and the shape of one layer."""

    cell: Cell
    hidden: int
    inputs: int
    gates: str
    """How forget gates are assigned to predecessors; see `list_sweeps`."""

    @property
    def rows(self) -> int:
        """The number of rows of the weights."""
        if not self.cell.gated:
            return self.hidden
        return (4 if self.gates == "none" else 5) * self.hidden


class LayerState(NamedTuple):
    """The weights and arrays of one layer."""

    weights: LayerWeights
    sweeps: Sweeps
    workspace: LayerWorkspace
    x: Lanes  # [cell, inputs, board]


class SwipingWorkspace(NamedTuple):
    """The arrays of a forward pass."""

    x: Lanes
    out: Lanes
    output: Lanes  # [k] the weights of the readout
    parts: tuple[LayerState, ...]


class SwipingNetwork(Network):
    """A network of swiping layers."""

    @abstractmethod
    def layers(self) -> list[Layer]:
        """Return the layers, beginning with the one whose input is the board."""

    @property
    def features(self) -> str:
        return str(self.settings.inputs)

    def layer_weights(self, groups: dict[str, Weights], prefix: str) -> LayerWeights:
        """Return the weights of the layer whose groups have this prefix."""
        hidden = groups[f"{prefix}recurrent"].shape[1]
        return LayerWeights(seen_weights(groups, prefix), groups[f"{prefix}border"], np.zeros(hidden, F))

    def groups(self, size: int) -> dict[str, tuple[int, ...]]:  # noqa: ARG002
        return groups_of(self.layers())

    def forward(self) -> Forward:
        return _compile(tuple(self.layers()))

    def new_workspace(self, weights: Weights, size: int, *, keep: bool = False) -> SwipingWorkspace:
        """Return the workspace of all layers; with `keep`, the outputs of all cells are kept after a pass."""
        groups = self.split(weights, size)
        layers = self.layers()
        parts = []
        for i, (prefix, layer) in enumerate(zip(prefixes(len(layers)), layers, strict=True)):
            sweeps = sweeps_of(size, layer.gates, keep=keep or i < len(layers) - 1)
            workspace = allocate_workspace(sweeps, layer.hidden, layer.inputs, layer.rows)
            x = zeros((size * size, layer.inputs, LANES), F)
            parts.append(LayerState(self.layer_weights(groups, prefix), sweeps, workspace, x))
        return SwipingWorkspace(parts[0].x, zeros((size * size, LANES), F), groups["output"], tuple(parts))


def seen_weights(groups: dict[str, Weights], prefix: str) -> Weights:
    """Return the input and the recurrent weights of a layer, concatenated: [rows, inputs + k]."""
    return np.concatenate([groups[f"{prefix}input"], groups[f"{prefix}recurrent"]], axis=1)


def prefixes(layers: int) -> list[str]:
    """Return the prefixes of the names of each layer's groups."""
    return [""] if layers == 1 else [f"layer{i + 1}." for i in range(layers)]


def groups_of(layers: list[Layer]) -> dict[str, tuple[int, ...]]:
    """Return the groups of weights of these layers, in the order of the vector, with their shapes."""
    found: dict[str, tuple[int, ...]] = {}
    for prefix, layer in zip(prefixes(len(layers)), layers, strict=True):
        found[f"{prefix}input"] = (layer.rows, layer.inputs)
        found[f"{prefix}recurrent"] = (layer.rows, layer.hidden)
        found[f"{prefix}border"] = (layer.rows,)
    found["output"] = (layers[-1].hidden,)
    return found


def _over_sweeps(values: Lanes, step: NDArray[np.uint64], lane: int, boards: int) -> np.float32:
    """Return Σ over all sweeps of values[step of the sweep, lane of the sweep]; `lane` is that of the first sweep.

    Floating-point sums depend on their order, and a symmetry of the board permutes the sweeps. The sum over the sweeps
    of a corner, then of opposite corners, then of both pairs is exactly the same for all eight symmetries.
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


def _combine(part: LayerState, out: Lanes, begin: int, boards: int) -> None:
    """Sum the readouts of the last layer to the network's outputs, for the boards begin … begin + boards − 1."""
    for c in range(len(out)):
        for board in range(boards):
            out[c, begin + board] = over_sweeps(part.workspace.values, part.sweeps.step[c], board, boards)


def _feed_next(part: LayerState, x: Lanes, begin: int, boards: int) -> None:
    """Sum the outputs of a layer to the inputs of the next, for the boards begin … begin + boards − 1."""
    for c in range(len(x)):
        for u in range(x.shape[1]):
            for board in range(boards):
                x[c, u, begin + board] = over_sweeps(part.workspace.h, part.sweeps.step[c], u * WIDTH + board, boards)


def _pass_one(workspace: SwipingWorkspace, begin: int, boards: int) -> None:
    """Compute the pass of a single layer over the boards begin … begin + boards − 1."""
    part = workspace.parts[0]
    first(part.weights, part.sweeps, part.workspace, part.x, workspace.output, begin, boards)
    combine(part, workspace.out, begin, boards)


def _pass_stack(workspace: SwipingWorkspace, begin: int, boards: int) -> None:
    """Compute the pass of two or more layers over the boards begin … begin + boards − 1."""
    part = workspace.parts[0]
    first(part.weights, part.sweeps, part.workspace, part.x, workspace.output, begin, boards)
    for i in range(1, len(workspace.parts) - 1):
        feed_next(workspace.parts[i - 1], workspace.parts[i].x, begin, boards)
        part = workspace.parts[i]
        later(part.weights, part.sweeps, part.workspace, part.x, workspace.output, begin, boards)
    top = len(workspace.parts) - 1
    feed_next(workspace.parts[top - 1], workspace.parts[top].x, begin, boards)
    part = workspace.parts[top]
    last(part.weights, part.sweeps, part.workspace, part.x, workspace.output, begin, boards)
    combine(part, workspace.out, begin, boards)


def _forward(workspace: SwipingWorkspace, boards: int) -> None:
    """Compute the pass over all boards, WIDTH lanes at a time; the number of lanes is rounded up to whole vectors."""
    most, least = WIDTH // SWEEPS, STEP // SWEEPS
    for begin in range(0, boards, most):
        pass_over(workspace, begin, min((boards - begin + least - 1) // least * least, most))


@cache
def _compile(layers: tuple[Layer, ...]) -> Callable[..., None]:
    """Return the compiled pass over these layers; all have the same units and sweeps."""
    bottom, top = layers[0], layers[-1]
    sweeps = len(list_sweeps(top.gates))
    name = f"{bottom.cell.name}_{bottom.hidden}"

    def swipe(layer: Layer, *, read_out: bool) -> Callable[..., None]:
        tied = layer.gates == "none"
        return compile_layer(layer.cell, layer.hidden, layer.inputs, sweeps, tied=tied, read_out=read_out)

    over_sweeps = specialise(_over_sweeps, name, inline=True, SWEEPS=sweeps)
    combine = specialise(_combine, name, merge=True, over_sweeps=over_sweeps)
    if len(layers) == 1:
        pass_over = specialise(_pass_one, name, merge=True, first=swipe(bottom, read_out=True), combine=combine)
    else:
        pass_over = specialise(
            _pass_stack,
            name,
            merge=True,
            first=swipe(bottom, read_out=False),
            later=swipe(top, read_out=False),
            last=swipe(top, read_out=True),
            feed_next=specialise(_feed_next, name, merge=True, over_sweeps=over_sweeps),
            combine=combine,
        )
    return specialise(_forward, name, merge=True, pass_over=pass_over, SWEEPS=sweeps)
