"""What the eight symmetries of a square make the same: cells of a board or filter, and pairs of cells."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from nobi.board.symmetry import cells_after


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
