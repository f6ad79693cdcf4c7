"""Learnt priors of Go: a Bradley–Terry model of cheap features of moves.

The model is that of Coulom, "Computing Elo ratings of move patterns in the game of Go" (2007). A move is a team of
features: its 3x3 pattern, the largest frequent shape around it (`nobi.search.shapes`), and one level of each group of
`nobi.search.features`. The strength of a move is the product of the strengths (*gammas*) of its features, and the
probability of a move is its strength divided by the sum over all candidates. The gammas are learnt from game records by
minorisation–maximisation (`nobi.imitation.bradley_terry`) and shipped in `priors.safetensors`: one set for boards up to
13x13, one for larger boards.

Cost per candidate: one look-up by its 3x3 code, up to five in a hash table of 512 kB by its shapes, and one per group.
"""

import math
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import compiled, inlined
from nobi.errors import NobiError
from nobi.search.features import GROUPS, OFFSETS
from nobi.search.patterns import PATTERN_CLASS, PATTERN_CLASSES, seen_by
from nobi.search.shapes import MOST_SHAPES, shape_gamma, shape_table
from nobi.search.state import Gammas, SearchPosition, SearchWorkspace
from nobi.storage import read_tensors

FILE = Path(__file__).parent / "priors.safetensors"
SMALL_BOARDS = 13
"""The maximum board size for which the set `small` is used."""


@inlined
def strength(position: SearchPosition, workspace: SearchWorkspace, gammas: Gammas, move: int) -> float:
    """Return the product of the gammas of a move whose levels are in `workspace.levels`."""
    stones = position.boards.stones
    product = gammas.pattern[seen_by(position.codes[0, move], stones.to_move[0])]
    product *= shape_gamma(stones, workspace.shapes, move, gammas.shapes, gammas.shape_gammas)
    for group in range(GROUPS):
        product *= gammas.levels[OFFSETS[group] + workspace.levels[group]]
    return product


@compiled
def set_learnt_priors(workspace: SearchWorkspace, count: int, amount: float) -> None:
    """Add `amount`·√p won playouts to the first `count` moves, whose strengths are in `workspace.values`.

    The playouts are rounded to integers, so that the counts of a node, 32-bit floating-point numbers, stay exact. The
    strengths are replaced by the probabilities.
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
    """Return the tables for a board size."""
    tensors, _ = read_tensors(file)
    name = "small" if size <= SMALL_BOARDS else "large"
    try:
        pattern, levels = tensors[f"{name}.pattern"], tensors[f"{name}.levels"]
        shapes, shape_gammas = tensors[f"{name}.shapes"], tensors[f"{name}.shape_gammas"]
    except KeyError:
        raise NobiError(f"{str(file)!r} contains no priors for boards of size {size}.") from None
    if pattern.shape != (PATTERN_CLASSES,) or levels.shape != (OFFSETS[-1],) or len(shapes) > MOST_SHAPES:
        raise NobiError(f"{str(file)!r} contains priors of another version.")
    return tables_of(pattern, levels, shapes, shape_gammas)


def tables_of(
    pattern: NDArray[np.floating],
    levels: NDArray[np.floating],
    shapes: NDArray[np.uint32],
    shape_gammas: NDArray[np.floating],
) -> Gammas:
    """Return the tables of the gammas of classes of patterns, of levels, and of shapes."""
    return Gammas(
        np.ascontiguousarray(pattern[PATTERN_CLASS], np.float32),
        np.ascontiguousarray(levels, np.float32),
        *shape_table(shapes, shape_gammas),
    )


def no_gammas() -> Gammas:
    """Return the tables of a search without learnt priors: all gammas are 1."""
    return tables_of(np.ones(PATTERN_CLASSES), np.ones(OFFSETS[-1]), np.zeros(0, np.uint32), np.zeros(0))
