"""Learnt priors of Go: a Bradley–Terry model of cheap features of moves.

The model is that of Coulom, "Computing Elo ratings of move patterns in the game of Go" (2007). A move is a team of
features: its 3x3 pattern, its shape of twelve points if it is a frequent one, and one level of each group of
`nobi.search.features`. The strength of a move is the product
of the strengths (*gammas*) of its features, and the probability of a move is its strength divided by the sum over all
candidates. The gammas are learnt from game records by minorisation–maximisation (`nobi.imitation.bradley_terry`) and
shipped in `priors.safetensors`: one set for boards up to 13x13, one for larger boards.

Cost per candidate: one look-up by its 3x3 code, one in a hash table of 512 kB by its shape, and one per group.
"""

import math
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, SIDES
from nobi.compiling import compiled, inlined
from nobi.errors import NobiError
from nobi.search.features import GROUPS, OFFSETS
from nobi.search.state import Gammas, SearchPosition, Workspace
from nobi.search.tactics import as_count
from nobi.storage import read_tensors

FILE = Path(__file__).parent / "priors.safetensors"
SMALL_BOARDS = 13
"""The largest board for which the set `small` is used."""


_STEPS = [(0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (1, 1), (-1, 1), (1, -1), (0, -2), (0, 2), (-2, 0), (2, 0)]
"""(down, right) of the points of a shape: the neighbours in the order of `Stones.neighbours`, which make the 3x3 code,
then those two steps away."""
_FAR_SHIFT = 16
"""The bits of a shape from here on hold the colours of the points two steps away."""


def images_of(shapes: NDArray[np.uint32], points: int = len(_STEPS)) -> NDArray[np.uint32]:
    """[symmetry, i] the images of shapes of the first 8 or all 12 points under the symmetries of the board."""
    images = np.zeros((8, len(shapes)), np.uint32)
    for symmetry in range(8):
        for k, (down, right) in enumerate(_STEPS[:points]):
            y, x = (right, down) if symmetry >= 4 else (down, right)
            for _ in range(symmetry % 4):
                y, x = x, -y
            colours = (shapes >> np.uint32(2 * k)) & np.uint32(3)
            images[symmetry] |= colours << np.uint32(2 * _STEPS.index((y, x)))
    return images


def canonical(shapes: NDArray[np.uint32], points: int = len(_STEPS)) -> NDArray[np.uint32]:
    """[i] the smallest image of each shape."""
    smallest: NDArray[np.uint32] = images_of(shapes, points).min(axis=0)
    return smallest


PATTERN_CLASS = np.unique(canonical(np.arange(1 << 16, dtype=np.uint32), 8), return_inverse=True)[1].astype(np.uint16)
"""[code] the index of the class of a 3x3 code under the symmetries of the board."""
PATTERN_CLASSES = int(PATTERN_CLASS.max()) + 1


@inlined
def seen_by(code: int, colour: int) -> int:
    """A code or shape with the colours exchanged for White: the two bits of a point exchanged; the border is both."""
    code = as_count(code)
    return code if colour == BLACK else ((code & 0x555555) << 1) | ((code & 0xAAAAAA) >> 1)


@inlined
def shape_at(position: SearchPosition, point: int) -> int:
    """The colours of the twelve points around an empty point, as the player to move sees them."""
    stones = position.boards.stones
    shape = as_count(position.codes[0, point])
    for k in range(SIDES):
        far = stones.neighbours[stones.neighbours[point, k], k]  # those of the border are point 0, border as well
        shape |= as_count(stones.colour[0, far]) << (_FAR_SHIFT + 2 * k)
    return seen_by(shape, stones.to_move[0])


_HASH_BITS = 16
_HASH_FACTOR = 0x9E3779B1
_NO_SHAPE = 0xFFFFFFFF


@inlined
def _slot(shape: int) -> int:
    """The first index at which a shape is looked for."""
    return ((shape * _HASH_FACTOR) & 0xFFFFFFFF) >> (32 - _HASH_BITS)


@inlined
def _shape_gamma(gammas: Gammas, shape: int) -> float:
    """The gamma of a shape; 1 if it is unknown."""
    slot = _slot(shape)
    while gammas.shapes[slot] != _NO_SHAPE:
        if gammas.shapes[slot] == shape:
            return gammas.shape_gammas[slot]
        slot = (slot + 1) & ((1 << _HASH_BITS) - 1)
    return np.float32(1.0)  # type: ignore[return-value]


@inlined
def strength(position: SearchPosition, workspace: Workspace, gammas: Gammas, move: int) -> float:
    """The product of the gammas of a move whose levels are in `workspace.levels`."""
    shape = shape_at(position, move)
    product = gammas.pattern[shape & 0xFFFF] * _shape_gamma(gammas, shape)
    for group in range(GROUPS):
        product *= gammas.levels[OFFSETS[group] + workspace.levels[group]]
    return product


@compiled
def set_learnt_priors(workspace: Workspace, count: int, amount: float) -> None:
    """Add `amount`·√p won playouts to the first `count` moves, whose strengths are in `workspace.values`.

    They are whole numbers, so that the counts of a node, 32-bit floating-point numbers, stay exact. The strengths are
    replaced by the probabilities.
    """
    total = 0.0
    for i in range(count):
        total += workspace.values[i]
    for i in range(count):
        probability = workspace.values[i] / total
        won = np.float32(math.floor(amount * math.sqrt(probability) + 0.5))
        workspace.values[i] = probability
        workspace.visits[i] += won
        workspace.wins[i] += won


@cache
def load_gammas(size: int, file: Path = FILE) -> Gammas:
    """The tables for a board size."""
    tensors, _ = read_tensors(file)
    name = "small" if size <= SMALL_BOARDS else "large"
    try:
        pattern, levels = tensors[f"{name}.pattern"], tensors[f"{name}.levels"]
        shapes, shape_gammas = tensors[f"{name}.shapes"], tensors[f"{name}.shape_gammas"]
    except KeyError:
        raise NobiError(f"{str(file)!r} holds no priors for boards of size {size}.") from None
    if pattern.shape != (PATTERN_CLASSES,) or levels.shape != (OFFSETS[-1],) or len(shapes) > MOST_SHAPES:
        raise NobiError(f"{str(file)!r} holds priors of another version.")
    return tables_of(pattern, levels, shapes, shape_gammas)


MOST_SHAPES = (1 << _HASH_BITS) // 16
"""The largest number of shapes of a model: with their images they fill half of the table."""


def tables_of(
    pattern: NDArray[np.floating],
    levels: NDArray[np.floating],
    shapes: NDArray[np.uint32],
    shape_gammas: NDArray[np.floating],
) -> Gammas:
    """The tables of the gammas of classes of patterns, of levels, and of canonical shapes."""
    keys = np.full(1 << _HASH_BITS, _NO_SHAPE, np.uint32)
    values = np.ones(1 << _HASH_BITS, np.float32)
    for images in images_of(np.asarray(shapes, np.uint32)):
        _insert(keys, values, images, np.asarray(shape_gammas, np.float32))
    return Gammas(
        np.ascontiguousarray(pattern[PATTERN_CLASS], np.float32), np.ascontiguousarray(levels, np.float32), keys, values
    )


@compiled
def _insert(
    keys: NDArray[np.uint32], values: NDArray[np.float32], shapes: NDArray[np.uint32], gammas: NDArray[np.float32]
) -> None:
    for i in range(len(shapes)):
        slot = _slot(as_count(shapes[i]))
        while keys[slot] != _NO_SHAPE and keys[slot] != shapes[i]:
            slot = (slot + 1) & ((1 << _HASH_BITS) - 1)
        keys[slot] = shapes[i]
        values[slot] = gammas[i]


def no_gammas() -> Gammas:
    """The tables of a search without learnt priors: all gammas are 1."""
    return tables_of(np.ones(PATTERN_CLASSES), np.ones(OFFSETS[-1]), np.zeros(0, np.uint32), np.zeros(0))
