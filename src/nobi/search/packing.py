"""The arrays of a state cut out of one piece of memory: a position is copied in one go, and threads share no line.

Two threads that write to different words of one line of 64 bytes slow each other down as if they wrote to the same.
Each thread's arrays therefore lie together in a piece that begins and ends on a line of its own.
"""

from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import inlined

S = TypeVar("S")

LINE = 64
"""Bytes in a line of the processor's cache."""

Words = NDArray[np.uint64]


def pack(state: S, *, only_boards: bool = False) -> tuple[S, Words]:
    """The same state with its arrays moved into one piece of memory, and that piece.

    With `only_boards` these are the arrays [1, …] of a game's one board; the tables that all boards share stay where
    they are.
    """
    arrays = [array for array in _arrays(state) if not only_boards or _of_one_board(array)]
    sizes = [-(-array.nbytes // LINE) * LINE for array in arrays]
    memory = np.zeros(sum(sizes) + 2 * LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    piece = memory[start : start + sum(sizes)]
    moved: dict[int, NDArray[Any]] = {}
    at = 0
    for array, size in zip(arrays, sizes, strict=True):
        view = piece[at : at + prod(array.shape) * array.itemsize].view(array.dtype).reshape(array.shape)
        view[...] = array
        moved[id(array)] = view
        at += size
    return _with_arrays(state, moved), piece.view(np.uint64)


def load_board(state: Any, source: Any, g: int) -> None:
    """Copies board g of the state `source` into a packed state of one board.

    Where one has more room than the other (the history of Go), what both have is copied.
    """
    for mine, theirs in zip(_arrays(state), _arrays(source), strict=True):
        if _of_one_board(mine) and mine.ndim == 1:
            mine[0] = theirs[g]
        elif _of_one_board(mine):
            both = min(mine.shape[-1], theirs.shape[-1])
            mine[0, ..., :both] = theirs[g, ..., :both]


def _of_one_board(array: NDArray[Any]) -> bool:
    return array.shape[0] == 1


def _arrays(state: Any) -> list[NDArray[Any]]:
    if isinstance(state, np.ndarray):
        return [state]
    return [array for part in state for array in _arrays(part)] if isinstance(state, tuple) else []


def _with_arrays(state: Any, moved: dict[int, NDArray[Any]]) -> Any:
    if isinstance(state, np.ndarray):
        return moved.get(id(state), state)
    if isinstance(state, tuple):
        parts = [_with_arrays(part, moved) for part in state]
        return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
    return state


@inlined
def copy_words(source: Words, target: Words) -> None:
    """Makes the packed state `target` that of `source`."""
    for i in range(len(target)):
        target[i] = source[i]
