"""The order in which a swiping layer visits the cells of the board: from each corner to the opposite one.

A sweep visits every cell after its two predecessors, the neighbour in its row and the neighbour in its column on the
side where the sweep starts. All sweeps of a layer use the same weights, so a sweep from another corner equals the first
sweep, ↘, over a mirrored board, and one that exchanges the two predecessors equals ↘ over a transposed board. Therefore
all sweeps have the same order of steps and differ only in the cell of the board that they visit at each step.

Cells are numbered row by row, and so are the steps of ↘.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

CORNERS = ((False, False), (False, True), (True, False), (True, True))
"""For each corner: whether the sweep from it goes up, and whether it goes left."""


class Sweep(NamedTuple):
    """A direction of the sweep over the board."""

    up: bool
    left: bool
    transposed: bool
    """Whether the sweep goes column by column: the predecessor `beside` is then the neighbour in the column."""


class Sweeps(NamedTuple):
    """Sweeps d over a board, computed together, with steps i.

    The output of a cell is kept in a slot as long as it is needed; the last slot represents cells beyond the border.
    Indices are unsigned, because compiled code tests every signed index for being negative.
    """

    cell: NDArray[np.uint64]
    """[i, d] the cell of the board that is visited."""
    step: NDArray[np.uint64]
    """[cell, d] the step that visits the cell."""
    slot: NDArray[np.uint64]
    """[i] the slot of the step's output."""
    beside: NDArray[np.uint64]
    """[i] the slot of the predecessor in the row."""
    above: NDArray[np.uint64]
    """[i] the slot of the predecessor in the column."""
    missing: NDArray[np.float32]
    """[i] the number of predecessors beyond the border."""
    gate: NDArray[np.int64]
    """[i] the forget gate, 0 or 1, of the state from the predecessor above (MDLSTM); that of `beside` has gate 0."""


def list_sweeps(gates: str) -> list[Sweep]:
    """Return the sweeps, ordered by corner, for an assignment of the two forget gates of an MDLSTM to the predecessors.

    `none`: one gate for both, four sweeps. `both`: every corner is swept with both assignments, eight sweeps.
    `original`: the rule of the published code, four sweeps. A cell's first outgoing link, in row-major order of the
    targets, has gate 0, the second one gate 1, and a single link gate 0. In a sweep that goes down, the first link is
    the one within the row; in a sweep that goes up, it is the one to the row above, so this is a transposed sweep.
    """
    if gates == "both":
        return [Sweep(*corner, transposed) for corner in CORNERS for transposed in (False, True)]
    return [Sweep(up, left, transposed=gates == "original" and up) for up, left in CORNERS]


@cache
def sweeps_of(size: int, gates: str = "none", *, keep: bool = False) -> Sweeps:
    """Return the sweeps of `list_sweeps` over a board; with `keep`, the outputs of all steps are kept."""
    cells = np.arange(size * size).reshape(size, size)
    cell = np.stack([_seen_by(sweep, cells).ravel() for sweep in list_sweeps(gates)], axis=1)
    row, column = np.divmod(cells.ravel(), size)
    # the predecessors are 1 and n steps back, so n + 1 slots, used in turn, are sufficient and stay in the cache
    slots = size * size if keep else size + 1
    beside = np.where(column > 0, (cells.ravel() - 1) % slots, slots)
    above = np.where(row > 0, (cells.ravel() - size) % slots, slots)
    missing = (column == 0).astype(np.float32) + (row == 0)
    # in the last column the only link of the published code leads to the next row
    gate = np.where(column == size - 1, 0, 1) if gates == "original" else np.full(size * size, int(gates == "both"))
    step = np.argsort(cell, axis=0)
    slot = cells.ravel() % slots
    return Sweeps(
        _as_index(cell),
        _as_index(step),
        _as_index(slot),
        _as_index(beside),
        _as_index(above),
        missing.astype(np.float32),
        gate,
    )


def _as_index(numbers: NDArray[np.integer]) -> NDArray[np.uint64]:
    return np.ascontiguousarray(numbers, np.uint64)


def _seen_by(sweep: Sweep, cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the board's cells, [n, n], transformed so that the sweep starts at the upper left corner."""
    mirrored = cells[:: -1 if sweep.up else 1, :: -1 if sweep.left else 1]
    return mirrored.T if sweep.transposed else mirrored
