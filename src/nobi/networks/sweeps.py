"""The ways in which a swiping layer crosses the board: from each corner to the opposite one.

A sweep visits every cell after its two predecessors, the neighbour in its row and the neighbour in its column on the
side where the sweep comes from. Cells are numbered row by row; the cell after the last stands for what lies beyond
the border.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

CORNERS = ((False, False), (False, True), (True, False), (True, True))
"""For each sweep whether it goes up, and whether it goes left."""


class Sweeps(NamedTuple):
    """Some sweeps d over a board, step by step i."""

    cell: NDArray[np.int64]
    """[d, i] the cell that is visited."""
    beside: NDArray[np.int64]
    """[d, i] its predecessor in the row."""
    above: NDArray[np.int64]
    """[d, i] its predecessor in the column."""
    missing: NDArray[np.float32]
    """[d, i] how many of the two lie beyond the border."""
    gate_beside: NDArray[np.int64]
    """[d, i] which forget gate, 0 or 1, the state from the row meets (MDLSTM)."""
    gate_above: NDArray[np.int64]
    """[d, i] which the state from the column meets."""


@cache
def sweeps_of(size: int, gates: str = "none") -> Sweeps:
    """The four sweeps over a board, or eight, by how the two forget gates of an MDLSTM are given to the predecessors.

    `none`: one gate for both, four sweeps. `both`: every corner is swept with both assignments, eight sweeps.
    `original`: by the published code's rule, four sweeps — see `_original_gates`.
    """
    steps = [_one_sweep(size, up, left) for up, left in CORNERS]
    if gates == "both":
        steps = [[(*step, *assignment) for step in sweep] for sweep in steps for assignment in ((0, 1), (1, 0))]
    elif gates == "original":
        steps = [
            [(*step, *_original_gates(size, step[0], *corner)) for step in sweep]
            for corner, sweep in zip(CORNERS, steps, strict=True)
        ]
    else:
        steps = [[(*step, 0, 0) for step in sweep] for sweep in steps]
    table = np.array(steps, np.int64).transpose(2, 0, 1)
    columns = [np.ascontiguousarray(column) for column in table]
    return Sweeps(columns[0], columns[1], columns[2], columns[3].astype(np.float32), columns[4], columns[5])


def _one_sweep(size: int, up: bool, left: bool) -> list[tuple[int, ...]]:
    """(cell, beside, above, missing) for every step of the sweep that goes up or down, left or right."""
    beyond = size * size
    rows = range(size - 1, -1, -1) if up else range(size)
    columns = range(size - 1, -1, -1) if left else range(size)
    steps: list[tuple[int, ...]] = []
    for row in rows:
        for column in columns:
            from_column, from_row = column + (1 if left else -1), row + (1 if up else -1)
            beside = row * size + from_column if 0 <= from_column < size else beyond
            above = from_row * size + column if 0 <= from_row < size else beyond
            steps.append((row * size + column, beside, above, (beside == beyond) + (above == beyond)))
    return steps


def _original_gates(size: int, cell: int, up: bool, left: bool) -> tuple[int, int]:
    """The forget gates of the published code, for the state from the row and that from the column.

    There a cell's first outgoing link, in row-major order of its targets, meets the gate 0, its second the gate 1,
    and a lone link the gate 0. A sweep that goes down links first to the cell beside, one that goes up first to the
    cell above; in the last column of a sweep the only link is to the next row, and in the last row to the next
    column.
    """
    row, column = divmod(cell, size)
    last_row, last_column = (0 if up else size - 1), (0 if left else size - 1)
    if up:
        return (0 if row == last_row else 1), 0
    return 0, (0 if column == last_column else 1)
