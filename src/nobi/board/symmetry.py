"""The eight symmetries of a square board, and the orbits of cells and of pairs of cells under them.

Symmetry s mirrors left and right if s ≥ 4, and then rotates by s mod 4 quarter turns anticlockwise (`numpy.rot90`); 0
is the identity. A cell is row · n + column, row 0 at the top.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

SYMMETRIES = 8
_TURNS = 4


def transformed(boards: NDArray[Any], symmetry: int) -> NDArray[Any]:
    """Return the images of arrays [..., n, n] under a symmetry; a view."""
    mirrored = boards[..., ::-1] if symmetry >= _TURNS else boards
    return np.rot90(mirrored, symmetry % _TURNS, axes=(-2, -1))


@cache
def cells_after(size: int) -> NDArray[np.uint16]:
    """Return the image of every cell: uint16[symmetry, cell], read-only."""
    cells = np.arange(size * size, dtype=np.uint16)
    table = np.empty((SYMMETRIES, size * size), np.uint16)
    for symmetry in range(SYMMETRIES):
        # `transformed` gives the cell that moves to each position; assigning by index inverts that
        table[symmetry, transformed(cells.reshape(size, size), symmetry).ravel()] = cells
    table.flags.writeable = False
    return table


def averaged(
    evaluate: Callable[[NDArray[np.float32]], NDArray[np.float32]], planes: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the mean of the values of each board's eight images, transformed back: planes [b, P, n, n] → [b, n·n].

    `evaluate` is called once for all images: [8·b, P, n, n] → [8·b, n·n].
    """
    boards, size = len(planes), planes.shape[-1]
    images = np.concatenate([transformed(planes, symmetry) for symmetry in range(SYMMETRIES)])
    values = evaluate(images).reshape(SYMMETRIES, boards, size * size)
    turned = [values[symmetry][:, cells] for symmetry, cells in enumerate(cells_after(size))]
    return np.mean(turned, axis=0, dtype=np.float32)


@cache
def cell_orbits(size: int) -> NDArray[np.int64]:
    """Return the index of each cell's orbit, [size²]: cells with the same index are images of each other."""
    return _numbered(cells_after(size).min(axis=0))


@cache
def pair_orbits(size: int) -> NDArray[np.int64]:
    """Return the index of the orbit of each pair (cell of the output, cell of the input), [size², size²]."""
    cells = size * size
    smallest = np.full((cells, cells), cells * cells)
    for image in cells_after(size).astype(np.int64):
        np.minimum(smallest, image[:, None] * cells + image[None, :], out=smallest)
    return _numbered(smallest)


def _numbered(representatives: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the representatives replaced by 0, 1, … in ascending order."""
    return np.unique(representatives, return_inverse=True)[1].reshape(representatives.shape)
