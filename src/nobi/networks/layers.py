"""A swiping layer on a block of boards: the innermost loops of the swiping networks.

Layout. A block holds up to LANES boards. Every array ends in the lane: `x[cell, i, lane]` is input i of a cell, and
`h[cell, u, lane]` the output of hidden unit u. So the loops over lanes are contiguous and vectorise, and a weight is
one number for all lanes. The distance between rows is the constant LANES, which lets the compiler see that rows do
not overlap.

Cost, per cell, sweep and lane: k·(k + inputs + 1) multiply-adds and k tanh (MDRNN), 5k·(k + inputs) multiply-adds and
5k tanh or sigmoids (MDLSTM); a tanh is about 11 multiply-adds and a division.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import UNBOUND, specialise
from nobi.memory import zeros
from nobi.networks.functions import LANES, F, sigmoid, tanh
from nobi.networks.sweeps import CORNERS, Sweeps

hidden: Any = UNBOUND  # these are bound by `compile_layer`
inputs: Any = UNBOUND
tied: Any = UNBOUND
cell_of: Any = UNBOUND
add: Any = UNBOUND
dot: Any = UNBOUND
keep: Any = UNBOUND
read_out: Any = UNBOUND

Lanes = NDArray[np.float32]


class LayerWeights(NamedTuple):
    """The weights of one layer; `rows` is k for MDRNN, 5k for MDLSTM (4k if tied), gate after gate."""

    input: Lanes
    """[rows, inputs]"""
    recurrent: Lanes
    """[rows, k] applied to the sum of both predecessors' outputs."""
    border: Lanes
    """[rows] added once for each predecessor beyond the border."""
    beyond: Lanes
    """[k] the output of what lies beyond the border."""


class LayerRoom(NamedTuple):
    """Where a layer computes."""

    h: Lanes
    """[cells + 1, k, lane] outputs of the present sweep; the last cell is what lies beyond the border."""
    s: Lanes
    """[cells + 1, k, lane] states of the present sweep (MDLSTM)."""
    both: Lanes
    """[k, lane] the sum of the two predecessors' outputs."""


def allocate_room(size: int, hidden: int) -> LayerRoom:
    """Makes the room for one layer."""
    cells = size * size + 1
    return LayerRoom(zeros((cells, hidden, LANES), F), zeros((cells, hidden, LANES), F), zeros((hidden, LANES), F))


def _add(one: Lanes, other: Lanes, total: Lanes, lanes: int) -> None:
    """total[u, lane] = one + other."""
    for u in range(hidden):
        for lane in range(lanes):
            total[u, lane] = one[u, lane] + other[u, lane]


def _dot(weights: Lanes, h: Lanes, value: Lanes, lanes: int) -> None:
    """value[lane] = Σ weights[u]·h[u, lane]."""
    for lane in range(lanes):
        a = F(0.0)
        for u in range(hidden):
            a += weights[u] * h[u, lane]
        value[lane] = a


def _keep(h: Lanes, total: Lanes, first: bool, lanes: int) -> None:
    """total[u, lane] = h, or += h."""
    for u in range(hidden):
        for lane in range(lanes):
            before = F(0.0) if first else total[u, lane]
            total[u, lane] = before + h[u, lane]


def _rnn_cell(
    weights: LayerWeights,
    x: Lanes,
    both: Lanes,
    s_beside: Lanes,  # noqa: ARG001
    s_above: Lanes,  # noqa: ARG001
    s: Lanes,  # noqa: ARG001
    h: Lanes,
    missing: np.float32,
    gate_beside: int,  # noqa: ARG001
    gate_above: int,  # noqa: ARG001
    lanes: int,
) -> None:
    """One cell of an MDRNN: h = tanh(W_in·x + W_h·(h_beside + h_above) + missing·w_b) (S08 section III)."""
    for u in range(hidden):
        start = missing * weights.border[u]
        for lane in range(lanes):
            a = start
            for i in range(inputs):
                a += weights.input[u, i] * x[i, lane]
            for v in range(hidden):
                a += weights.recurrent[u, v] * both[v, lane]
            h[u, lane] = tanh(a)


def _lstm_cell(
    weights: LayerWeights,
    x: Lanes,
    both: Lanes,
    s_beside: Lanes,
    s_above: Lanes,
    s: Lanes,
    h: Lanes,
    missing: np.float32,
    gate_beside: int,
    gate_above: int,
    lanes: int,
) -> None:
    """One cell of an MDLSTM: s = σ(i)·tanh(c) + σ(f₀)·s₀ + σ(f₁)·s₁, h = σ(o)·tanh(s) (S09 section 2.3).

    The rows of the weights are input gate, forget gates, cell, output gate. Which forget gate meets which predecessor's
    state is the sweep's choice.
    """
    gates = 4 if tied else 5
    for u in range(hidden):
        row_i = u
        row_b = u + (1 + gate_beside) * hidden
        row_a = u + (1 + gate_above) * hidden
        row_c = u + (gates - 2) * hidden
        row_o = u + (gates - 1) * hidden
        start_i = missing * weights.border[row_i]
        start_b = missing * weights.border[row_b]
        start_a = missing * weights.border[row_a]
        start_c = missing * weights.border[row_c]
        start_o = missing * weights.border[row_o]
        for lane in range(lanes):
            a_i, a_b, a_a, a_c, a_o = start_i, start_b, start_a, start_c, start_o
            for i in range(inputs):
                value = x[i, lane]
                a_i += weights.input[row_i, i] * value
                a_b += weights.input[row_b, i] * value
                a_a += weights.input[row_a, i] * value
                a_c += weights.input[row_c, i] * value
                a_o += weights.input[row_o, i] * value
            for v in range(hidden):
                value = both[v, lane]
                a_i += weights.recurrent[row_i, v] * value
                a_b += weights.recurrent[row_b, v] * value
                a_a += weights.recurrent[row_a, v] * value
                a_c += weights.recurrent[row_c, v] * value
                a_o += weights.recurrent[row_o, v] * value
            if tied:
                kept = sigmoid(a_b) * (s_beside[u, lane] + s_above[u, lane])
            else:
                # the two in an order of their own, lest a fused sum favour one and break the symmetry in the last bit
                one = sigmoid(a_b) * s_beside[u, lane]
                other = sigmoid(a_a) * s_above[u, lane]
                kept = max(one, other) + min(one, other)
            state = sigmoid(a_i) * tanh(a_c) + kept
            s[u, lane] = state
            h[u, lane] = sigmoid(a_o) * tanh(state)


def _swipe(
    weights: LayerWeights,
    sweeps: Sweeps,
    room: LayerRoom,
    x: Lanes,
    output: Lanes,
    values: Lanes,
    sums: Lanes,
    lanes: int,
) -> None:
    """Sweeps the layer over a block of boards.

    Args:
        weights: the layer's weights.
        sweeps: the sweeps d to make.
        room: where to compute.
        x: [cell, inputs, lane] what the layer sees.
        output: [k] the weights of the readout.
        values: [d, cell, lane] receives output·h, if `read_out`.
        sums: [corner, cell, k, lane] receives the sum of h over the sweeps of each corner, if not `read_out`.
        lanes: how many lanes to compute, a multiple of STEP.
    """
    beyond = len(room.h) - 1
    for u in range(hidden):
        for lane in range(lanes):
            room.h[beyond, u, lane] = weights.beyond[u]
            room.s[beyond, u, lane] = F(0.0)
    per_corner = len(sweeps.cell) // len(CORNERS)
    for d in range(len(sweeps.cell)):
        for i in range(beyond):
            c, b, a = sweeps.cell[d, i], sweeps.beside[d, i], sweeps.above[d, i]
            add(room.h[b], room.h[a], room.both, lanes)
            cell_of(
                weights, x[c], room.both, room.s[b], room.s[a], room.s[c], room.h[c],
                sweeps.missing[d, i], sweeps.gate_beside[d, i], sweeps.gate_above[d, i], lanes,
            )  # fmt: skip
            if read_out:
                dot(output, room.h[c], values[d, c], lanes)
            else:
                keep(room.h[c], sums[d // per_corner, c], d % per_corner == 0, lanes)


@cache
def compile_layer(cell: str, hidden: int, inputs: int, *, tied: bool, read_out: bool) -> Callable[..., None]:
    """The compiled `_swipe` of a layer of `rnn` or `lstm` cells with so many units and inputs."""
    name = f"{cell}_{hidden}_{inputs}"
    if cell == "rnn":
        cell_of = specialise(_rnn_cell, name, fuse=True, hidden=hidden, inputs=inputs)
    else:
        cell_of = specialise(_lstm_cell, name, fuse=True, hidden=hidden, inputs=inputs, tied=tied)
    return specialise(
        _swipe,
        name,
        hidden=hidden,
        read_out=read_out,
        cell_of=cell_of,
        add=specialise(_add, name, inline=True, hidden=hidden),
        dot=specialise(_dot, name, inline=True, fuse=True, hidden=hidden),
        keep=specialise(_keep, name, hidden=hidden),
    )
