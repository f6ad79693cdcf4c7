"""Learnt priors of Go: a Bradley–Terry model of cheap features of moves.

The model is that of Coulom, "Computing Elo ratings of move patterns in the game of Go" (2007). A move is a team of
features: its 3x3 pattern and one level of each group of `nobi.search.features`. The strength of a move is the product
of the strengths (*gammas*) of its features, and the probability of a move is its strength divided by the sum over all
candidates. The gammas are learnt from game records by minorisation–maximisation (`nobi.imitation.bradley_terry`) and
shipped in `priors.safetensors`: one set for boards up to 13x13, one for larger boards.

Cost per candidate: one look-up by its 3x3 code and one per group.
"""

import math
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK
from nobi.compiling import compiled, inlined
from nobi.errors import NobiError
from nobi.search.features import GROUPS, OFFSETS
from nobi.search.state import Gammas, SearchPosition, Workspace
from nobi.search.tactics import as_count
from nobi.storage import read_tensors

FILE = Path(__file__).parent / "priors.safetensors"
SMALL_BOARDS = 13
"""The largest board for which the set `small` is used."""


def _canonical_codes() -> NDArray[np.uint16]:
    """[code] the index of the class of a 3x3 code under the symmetries of the board."""
    steps = [(0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (1, 1), (-1, 1), (1, -1)]  # as in `patterns.codes_of`
    codes = np.arange(1 << 16, dtype=np.uint32)
    smallest = codes.copy()
    for flip in (False, True):
        for turns in range(4):
            image = np.zeros_like(codes)
            for k, (down, right) in enumerate(steps):
                y, x = (right, down) if flip else (down, right)
                for _ in range(turns):
                    y, x = x, -y
                image |= ((codes >> np.uint32(2 * k)) & 3) << np.uint32(2 * steps.index((y, x)))
            smallest = np.minimum(smallest, image)
    return np.unique(smallest, return_inverse=True)[1].astype(np.uint16)


PATTERN_CLASS = _canonical_codes()
PATTERN_CLASSES = int(PATTERN_CLASS.max()) + 1


@inlined
def seen_by(code: int, colour: int) -> int:
    """A 3x3 code with the colours exchanged for White: the two bits of a neighbour exchanged; the border is both."""
    code = as_count(code)
    return code if colour == BLACK else ((code & 0x5555) << 1) | ((code & 0xAAAA) >> 1)


@inlined
def strength(position: SearchPosition, workspace: Workspace, gammas: Gammas, move: int) -> float:
    """The product of the gammas of a move whose levels are in `workspace.levels`."""
    me = position.boards.stones.to_move[0]
    product = gammas.pattern[seen_by(position.codes[0, move], me)]
    for group in range(GROUPS):
        product *= gammas.levels[OFFSETS[group] + workspace.levels[group]]
    return product


@compiled
def set_learnt_priors(workspace: Workspace, count: int, amount: float) -> None:
    """Add `amount`·√p won playouts to the first `count` moves, whose strengths are in `workspace.values`."""
    total = 0.0
    for i in range(count):
        total += workspace.values[i]
    for i in range(count):
        won = np.float32(amount * math.sqrt(workspace.values[i] / total))
        workspace.visits[i] += won
        workspace.wins[i] += won


@cache
def load_gammas(size: int, file: Path = FILE) -> Gammas:
    """The tables for a board size."""
    tensors, _ = read_tensors(file)
    name = "small" if size <= SMALL_BOARDS else "large"
    try:
        pattern, levels = tensors[f"{name}.pattern"], tensors[f"{name}.levels"]
    except KeyError:
        raise NobiError(f"{str(file)!r} holds no priors for boards of size {size}.") from None
    if pattern.shape != (PATTERN_CLASSES,) or levels.shape != (OFFSETS[-1],):
        raise NobiError(f"{str(file)!r} holds priors of another version.")
    return tables_of(pattern, levels)


def tables_of(pattern: NDArray[np.floating], levels: NDArray[np.floating]) -> Gammas:
    """The tables of gammas of classes of patterns and of levels."""
    return Gammas(np.ascontiguousarray(pattern[PATTERN_CLASS], np.float32), np.ascontiguousarray(levels, np.float32))


def no_gammas() -> Gammas:
    """The tables of a search without learnt priors: all gammas are 1."""
    return tables_of(np.ones(PATTERN_CLASSES), np.ones(OFFSETS[-1]))
