"""Shapes: the stones around an empty point in five sizes, as features of the learnt priors of Go.

A shape consists of the colours, from the perspective of the player to move, of all points up to a distance from an
empty point. The distance is dx + dy + max(dx, dy), as between moves (`nobi.search.features`): 12, 20, 28, 36 and 48
points. A shape is identified by 32 bits, the same for all images under the symmetries of the board: the words of its
points are combined by exclusive or for all eight images at once (Zobrist 1970), and the smallest result is used. Among
23,000 shapes, an unknown shape is mistaken for a known one with a probability of about 1 in 20,000.
"""

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import Stones, board_points, points_of
from nobi.board.symmetry import SYMMETRIES
from nobi.compiling import compiled, inlined


def _steps() -> list[tuple[int, int]]:
    """Return (down, right) of the points of the largest shape, the nearest first."""

    def distance(step: tuple[int, int]) -> int:
        down, right = abs(step[0]), abs(step[1])
        return down + right + max(down, right)

    steps = [(y, x) for y, x in product(range(-4, 5), repeat=2) if 0 < distance((y, x)) <= _RADII[-1]]
    return sorted(steps, key=distance)


_RADII = (4, 5, 6, 7, 8)
_STEPS = _steps()
SHAPE_SIZES = tuple(sum(abs(y) + abs(x) + max(abs(y), abs(x)) <= radius for y, x in _STEPS) for radius in _RADII)
"""The number of points of the shapes of each size: each consists of the first points of `_STEPS`."""


def image_of(step: tuple[int, int], symmetry: int) -> tuple[int, int]:
    """Return the image of (down, right) under a symmetry of the board."""
    y, x = step if symmetry < SYMMETRIES // 2 else (step[1], step[0])
    for _ in range(symmetry % (SYMMETRIES // 2)):
        y, x = x, -y
    return y, x


def _image_words() -> NDArray[np.uint64]:
    """Return the words of a point's images with a colour, [(player to move, point, colour), pair], two images per word.

    The first three indices are combined and unsigned, which makes compiled code 1.5 times as fast.
    """
    words = np.random.default_rng(2007).integers(1, 1 << 32, (len(_STEPS), 4), np.uint32)
    images = [[_STEPS.index(image_of(step, symmetry)) for symmetry in range(SYMMETRIES)] for step in _STEPS]
    for_black = np.ascontiguousarray(words[images].transpose(0, 2, 1)).view(np.uint64)
    for_white = for_black[:, [0, 2, 1, 3]]
    return np.stack([for_black, for_black, for_white]).reshape(-1, SYMMETRIES // 2)


_WORDS = _image_words()
_PER_PLAYER = np.uint64(4 * len(_STEPS))
_ENDS = np.array(SHAPE_SIZES, np.uint64)
_0, _1, _2, _3, _4 = (np.uint64(i) for i in range(5))


class ShapeWorkspace(NamedTuple):
    """Tables and results for the shapes around a point."""

    points: NDArray[np.uint16]  # [point, k] the k-th point of the shapes around each point
    found: NDArray[np.uint32]  # [size] the shapes around the point that was measured last, the smallest first


def allocate_shape_workspace(size: int) -> ShapeWorkspace:
    """Return the tables for a board of this size."""
    return ShapeWorkspace(_surroundings(size), np.zeros(len(SHAPE_SIZES), np.uint32))


def _surroundings(size: int) -> NDArray[np.uint16]:
    """Return the k-th point of the shape around each point of a board, [point, k]; 0, a border point, off the board."""
    cells = board_points(size).reshape(size, size).astype(np.uint16)
    reach = max(max(step) for step in _STEPS)
    padded = np.zeros((size + 2 * reach, size + 2 * reach), np.uint16)
    padded[reach : reach + size, reach : reach + size] = cells
    found = np.zeros((points_of(size), len(_STEPS)), np.uint16)
    for k, (down, right) in enumerate(_STEPS):
        shifted = padded[reach + down : reach + down + size, reach + right : reach + right + size]
        found[cells.ravel(), k] = shifted.ravel()
    return found


_Images = tuple[np.uint64, np.uint64, np.uint64, np.uint64]
"""The words of the eight images of a shape, two in one 64-bit number."""


@inlined
def _add_ring(stones: Stones, workspace: ShapeWorkspace, point: int, ring: int, images: _Images) -> _Images:
    """Add the points of a shape that are not part of the next smaller one."""
    a, b, c, d = images
    first = np.uint64(stones.to_move[0]) * _PER_PLAYER
    for k in range(_ENDS[ring - 1] if ring > 0 else _0, _ENDS[ring]):
        word = first + _4 * k + np.uint64(stones.colour[_0, workspace.points[point, k]])
        a ^= _WORDS[word, _0]
        b ^= _WORDS[word, _1]
        c ^= _WORDS[word, _2]
        d ^= _WORDS[word, _3]
    return a, b, c, d


@inlined
def _smallest(images: _Images) -> np.uint64:
    a, b, c, d = images
    low, high = np.uint64(0xFFFFFFFF), np.uint64(32)
    least = min(min(a & low, b & low), min(c & low, d & low))
    return min(least, min(min(a >> high, b >> high), min(c >> high, d >> high)))


@compiled
def measure_shapes(stones: Stones, workspace: ShapeWorkspace, point: int) -> None:
    """Write the shapes around an empty point of board 0, for the player to move, to `workspace.found`."""
    nothing = np.uint64(0)
    images = (nothing, nothing, nothing, nothing)
    for ring in range(len(_ENDS)):
        images = _add_ring(stones, workspace, point, ring, images)
        workspace.found[ring] = _smallest(images)


# The gammas of the shapes of a model are in a hash table with open addressing; the key 0 means no shape.

_TABLE_BITS = 16
_LAST_SLOT = np.uint64((1 << _TABLE_BITS) - 1)
_NOWHERE = np.uint64(1 << _TABLE_BITS)
_HASH_FACTOR = np.uint64(0x9E3779B1)
MOST_SHAPES = 23_000
"""Maximum number of shapes of a model: they fill a third of the table, and the file of both models stays small."""


@inlined
def _slot(shape: np.integer[Any]) -> np.uint64:
    """Return the first index at which a shape is looked up."""
    return ((np.uint64(shape) * _HASH_FACTOR) & np.uint64(0xFFFFFFFF)) >> np.uint64(32 - _TABLE_BITS)


@inlined
def shape_gamma(
    stones: Stones,
    workspace: ShapeWorkspace,
    point: int,
    shapes: NDArray[np.uint32],
    gammas: NDArray[np.float32],
) -> np.float32:
    """Return the gamma of the largest known shape around an empty point; 1 if none is known.

    The look-up ends at the first unknown shape, since larger shapes are rarer.
    """
    known = _NOWHERE
    nothing = np.uint64(0)
    images = (nothing, nothing, nothing, nothing)
    for ring in range(len(_ENDS)):
        images = _add_ring(stones, workspace, point, ring, images)
        shape = _smallest(images)
        slot = _slot(shape)
        while shapes[slot] != 0 and shapes[slot] != shape:
            slot = (slot + _1) & _LAST_SLOT
        if shapes[slot] == 0:
            break
        known = slot
    return gammas[known] if known != _NOWHERE else np.float32(1.0)


def shape_table(
    shapes: NDArray[np.uint32], gammas: NDArray[np.floating]
) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
    """Return the hash table of shapes: keys [slot] and gammas [slot]."""
    keys = np.zeros(1 << _TABLE_BITS, np.uint32)
    values = np.ones(1 << _TABLE_BITS, np.float32)
    _insert(keys, values, np.asarray(shapes, np.uint32), np.asarray(gammas, np.float32))
    return keys, values


@compiled
def _insert(
    keys: NDArray[np.uint32], values: NDArray[np.float32], shapes: NDArray[np.uint32], gammas: NDArray[np.float32]
) -> None:
    for i in range(len(shapes)):
        slot = _slot(shapes[i])
        while keys[slot] != 0 and keys[slot] != shapes[i]:
            slot = (slot + _1) & _LAST_SLOT
        keys[slot] = shapes[i]
        values[slot] = gammas[i]
