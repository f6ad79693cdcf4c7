"""A swiping layer on a few boards: the innermost loops of the swiping networks.

Layout. All sweeps of a layer use the same weights, so they are computed side by side: a lane is one board in one sweep,
`d · boards + board` for sweep d. An array of rows of lanes is flat: row u begins at u · WIDTH, and what cells put out
is `h[slot, u · WIDTH + lane]`. So the loops over lanes are contiguous and vectorise, a weight is one number for all
lanes, and the distance between rows is a constant, which lets the compiler see that rows do not overlap.

Loops. The sums of all units come first, then the squashing of all: a long loop body is one chain of operations that
wait for each other, and a processor looks only so far ahead for others to do meanwhile.

Cost, per cell and lane: k·(k + inputs + 1) multiply-adds and k tanh (MDRNN), 5k·(k + inputs) multiply-adds, 6k
exponentials and 3k divisions (MDLSTM); an exponential is about 12 multiply-adds, a tanh one and a division.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import UNBOUND, specialise
from nobi.memory import zeros
from nobi.networks.functions import F, power_of_e, tanh
from nobi.networks.sweeps import Sweeps

WIDTH = 128
"""The most lanes that are computed together: a cell and its predecessors stay in the fastest cache."""

SWEEPS: Any = UNBOUND  # these are bound by `compile_layer`
HIDDEN: Any = UNBOUND
INPUTS: Any = UNBOUND
TIED: Any = UNBOUND
READ_OUT: Any = UNBOUND
see: Any = UNBOUND
add_up: Any = UNBOUND
activate: Any = UNBOUND
read_out: Any = UNBOUND
step: Any = UNBOUND

Lanes = NDArray[np.float32]


class LayerWeights(NamedTuple):
    """The weights of one layer; `rows` is k for MDRNN, 5k for MDLSTM (4k if tied), gate after gate."""

    seen: Lanes
    """[rows, inputs + k] applied to the inputs, and to the sum of both predecessors' outputs."""
    border: Lanes
    """[rows] added once for each predecessor beyond the border."""
    beyond: Lanes
    """[k] the output of what lies beyond the border."""


class LayerRoom(NamedTuple):
    """Where a layer computes."""

    h: Lanes
    """[slot, k · lanes] outputs."""
    s: Lanes
    """[slot, k · lanes] states (MDLSTM)."""
    seen: Lanes
    """[(inputs + k) · lanes] what a cell sees: its inputs, and the sum of its predecessors' outputs."""
    sums: Lanes
    """[rows · lanes] what its weights make of that."""
    values: Lanes
    """[step, lane] the readouts (last layer)."""


def allocate_room(sweeps: Sweeps, hidden: int, inputs: int, rows: int) -> LayerRoom:
    """Makes the room for one layer."""
    steps, slots = len(sweeps.slot), int(sweeps.slot.max()) + 2
    return LayerRoom(
        zeros((slots, hidden * WIDTH), F),
        zeros((slots, hidden * WIDTH), F),
        zeros((inputs + hidden) * WIDTH, F),
        zeros(rows * WIDTH, F),
        zeros((steps, WIDTH), F),
    )


def _see(
    x: Lanes, begin: int, boards: int, cells: NDArray[np.uint64], h_beside: Lanes, h_above: Lanes, seen: Lanes
) -> None:
    """Gathers what a cell sees, on the boards begin, begin + 1, …: every sweep's own cell, then h_beside + h_above."""
    for d in range(SWEEPS):
        for i in range(INPUTS):
            if boards == WIDTH // SWEEPS:  # the usual number as a constant: copied without a loop
                for board in range(WIDTH // SWEEPS):
                    seen[i * WIDTH + d * (WIDTH // SWEEPS) + board] = x[cells[d], i, np.uint64(begin + board)]
            else:
                for board in range(boards):
                    seen[i * WIDTH + d * boards + board] = x[cells[d], i, np.uint64(begin + board)]
    for u in range(HIDDEN):
        for lane in range(SWEEPS * boards):
            seen[(INPUTS + u) * WIDTH + lane] = h_beside[u * WIDTH + lane] + h_above[u * WIDTH + lane]


def _add_up(weights: LayerWeights, missing: np.float32, seen: Lanes, sums: Lanes, lanes: int) -> None:
    """sums[row] = missing · border[row] + Σ weights.seen[row, i] · seen[i]."""
    for row in range(len(weights.border)):
        start = missing * weights.border[row]
        for lane in range(lanes):
            a = start
            for i in range(INPUTS + HIDDEN):
                a += weights.seen[row, i] * seen[i * WIDTH + lane]
            sums[row * WIDTH + lane] = a


def _activate_rnn(
    sums: Lanes,
    s_beside: Lanes,  # noqa: ARG001
    s_above: Lanes,  # noqa: ARG001
    gate: int,  # noqa: ARG001
    s: Lanes,  # noqa: ARG001
    h: Lanes,
    lanes: int,
) -> None:
    """One cell of an MDRNN: h = tanh(W_in·x + W_h·(h_beside + h_above) + missing·w_b) (S08 section III)."""
    for u in range(HIDDEN):
        for lane in range(lanes):
            h[u * WIDTH + lane] = tanh(sums[u * WIDTH + lane])


def _activate_lstm(sums: Lanes, s_beside: Lanes, s_above: Lanes, gate: int, s: Lanes, h: Lanes, lanes: int) -> None:
    """One cell of an MDLSTM: s = σ(i)·tanh(c) + σ(f₀)·s₀ + σ(f₁)·s₁, h = σ(o)·tanh(s) (S09 section 2.3).

    The rows are input gate, forget gates, cell, output gate; `gate` is the forget gate of the state from above.
    A division takes as long as sixteen products. So σ(x) = 1/a with a = 1 + e⁻ˣ, and tanh(x) = (e − 1)/(e + 1) with
    e = e²ˣ, are not worked out by themselves, but three fractions: (e − 1)/(a·(e + 1)) for a gated tanh, twice, and
    (s₀·a₁ + s₁·a₀)/(a₀·a₁) for what is kept of the states.
    """
    units = HIDDEN * WIDTH
    forget_beside, forget_above = units, (1 + gate) * units
    cell = (2 if TIED else 3) * units
    out = cell + units
    for row in range((4 if TIED else 5) * HIDDEN):
        if cell <= row * WIDTH < out:
            for lane in range(lanes):
                sums[row * WIDTH + lane] = power_of_e(F(2.0) * sums[row * WIDTH + lane])
        else:
            for lane in range(lanes):
                sums[row * WIDTH + lane] = F(1.0) + power_of_e(-sums[row * WIDTH + lane])
    for u in range(HIDDEN):
        for lane in range(lanes):
            j = u * WIDTH + lane
            if TIED:
                kept = (s_beside[j] + s_above[j]) / sums[forget_beside + j]
            else:
                a, b = sums[forget_beside + j], sums[forget_above + j]
                # the two in an order of their own, lest a fused sum favour one and break the symmetry in the last bit
                one, other = s_beside[j] * b, s_above[j] * a
                kept = (max(one, other) + min(one, other)) / (a * b)
            e = sums[cell + j]
            s[j] = (e - F(1.0)) / (sums[j] * (e + F(1.0))) + kept
    for u in range(HIDDEN):
        for lane in range(lanes):
            j = u * WIDTH + lane
            e = power_of_e(F(2.0) * s[j])
            h[j] = (e - F(1.0)) / (sums[out + j] * (e + F(1.0)))


def _read_out(output: Lanes, h: Lanes, values: Lanes, lanes: int) -> None:
    """values[lane] = Σ output[u]·h[u, lane]."""
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
    """One step of all sweeps: a single call, since a call with so many arrays is dear."""
    lanes = SWEEPS * boards
    see(x, begin, boards, cells, h_beside, h_above, seen)
    add_up(weights, missing, seen, sums, lanes)
    activate(sums, s_beside, s_above, gate, s, h, lanes)
    if READ_OUT:
        read_out(output, h, values, lanes)


def _swipe(
    weights: LayerWeights, sweeps: Sweeps, room: LayerRoom, x: Lanes, output: Lanes, begin: int, boards: int
) -> None:
    """Sweeps the layer over the boards begin … begin + boards − 1.

    Args:
        weights: the layer's weights.
        sweeps: the sweeps to make.
        room: where to compute; receives `values`, if `READ_OUT`.
        x: [cell, inputs, board] what the layer sees.
        output: [k] the weights of the readout.
        begin: the first board.
        boards: how many; at most WIDTH lanes, whole vectors of them.
    """
    beyond = len(room.h) - 1
    for u in range(HIDDEN):
        for lane in range(WIDTH):
            room.h[beyond, u * WIDTH + lane] = weights.beyond[u]
            room.s[beyond, u * WIDTH + lane] = F(0.0)
    for i in range(len(sweeps.slot)):
        slot, beside, above = sweeps.slot[i], sweeps.beside[i], sweeps.above[i]
        step(
            weights, output, x, begin, boards, sweeps.cell[i],
            room.h[beside], room.h[above], room.s[beside], room.s[above], sweeps.missing[i], sweeps.gate[i],
            room.seen, room.sums, room.s[slot], room.h[slot], room.values[i],
        )  # fmt: skip


@cache
def compile_layer(
    cell: str, hidden: int, inputs: int, sweeps: int, *, tied: bool, read_out: bool
) -> Callable[..., None]:
    """The compiled `_swipe` of a layer of `rnn` or `lstm` cells with so many units, inputs and sweeps."""
    name = f"{cell}_{hidden}_{inputs}"

    def part(template: Callable[..., Any], **bindings: Any) -> Callable[..., Any]:
        return specialise(template, name, inline=True, fuse=True, HIDDEN=hidden, **bindings)

    step = specialise(
        _step,
        name,
        fuse=True,
        see=part(_see, INPUTS=inputs, SWEEPS=sweeps),
        add_up=part(_add_up, INPUTS=inputs),
        activate=part(_activate_rnn) if cell == "rnn" else part(_activate_lstm, TIED=tied),
        read_out=part(_read_out),
        SWEEPS=sweeps,
        READ_OUT=read_out,
    )
    return specialise(_swipe, name, HIDDEN=hidden, step=step)
