"""The eight symmetries of a square board: one numbering and one table for planes, moves and everything else.

Symmetry s mirrors left and right if s ≥ 4, and then makes s mod 4 quarter turns anticlockwise (`numpy.rot90`); 0 leaves
the board as it is. A cell is row · n + column, row 0 at the top.

MERGED networks/deep/orbits.py: What the eight symmetries of a square make the same: cells of a board or filter, and pairs of cells.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

SYMMETRIES = 8
_TURNS = 4


def transformed(boards: NDArray[Any], symmetry: int) -> NDArray[Any]:
    """Arrays [..., n, n] after a symmetry; a view."""
    mirrored = boards[..., ::-1] if symmetry >= _TURNS else boards
    return np.rot90(mirrored, symmetry % _TURNS, axes=(-2, -1))


def inverse_of(symmetry: int) -> int:
    """The symmetry that takes this one back: a mirroring is its own, turns are turned back."""
    return symmetry if symmetry >= _TURNS else -symmetry % _TURNS


@cache
def cells_after(size: int) -> NDArray[np.uint16]:
    """Where every cell goes: uint16[symmetry, cell]. Shared, and never written to."""
    cells = np.arange(size * size, dtype=np.uint16)
    table = np.empty((SYMMETRIES, size * size), np.uint16)
    for symmetry in range(SYMMETRIES):
        # the cell that arrives at each place, turned round: the place where each cell arrives
        table[symmetry, transformed(cells.reshape(size, size), symmetry).ravel()] = cells
    table.flags.writeable = False
    return table


@cache
def cell_orbits(size: int) -> NDArray[np.int64]:
    """[size²] the number of each cell's orbit: cells with the same number are images of each other."""
    return _numbered(cells_after(size).min(axis=0))


@cache
def pair_orbits(size: int) -> NDArray[np.int64]:
    """[size², size²] the number of the orbit of each pair (cell of the output, cell of the input)."""
    cells = size * size
    smallest = np.full((cells, cells), cells * cells)
    for image in cells_after(size).astype(np.int64):
        np.minimum(smallest, image[:, None] * cells + image[None, :], out=smallest)
    return _numbered(smallest)


def _numbered(representatives: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers 0, 1, … in place of the representatives."""
    return np.unique(representatives, return_inverse=True)[1].reshape(representatives.shape)
