"""Memory for arrays that one thread writes to, and for states that are copied as a whole.

A core fetches and owns memory by cache lines. Where small arrays of two threads share a line, each write of one thread
takes the line away from the other, and two threads can be slower than one; where an array begins within a line, a
vector read of the width of a line touches two. Arrays made by `zeros` share lines with nothing. `pack` moves the arrays
of a state into one block of memory that starts on a line of its own: the state is then copied in one loop.
"""

from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from nobi.compiling import inlined

CACHE_LINE = 64
"""Bytes in a line of the processor's cache."""
PAIR = 2 * CACHE_LINE
"""Bytes that no two arrays of `zeros` share: many processors fetch cache lines in pairs."""

Words = NDArray[np.uint64]
S = TypeVar("S")


def zeros(shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Zeros, like NumPy's, on cache lines of their own."""
    kind = np.dtype(dtype)
    shape = shape if isinstance(shape, tuple) else (shape,)
    wanted = prod(shape) * kind.itemsize
    raw = np.zeros(-(-wanted // PAIR) * PAIR + PAIR, np.uint8)
    begin = -raw.ctypes.data % PAIR
    return raw[begin : begin + wanted].view(kind).reshape(shape)


def pack(state: S, *, only_boards: bool = False) -> tuple[S, Words]:
    """The same state with its arrays moved into one piece of memory, and that piece.

    With `only_boards` these are the arrays [1, …] of a game's one board; the tables that all boards share stay where
    they are.
    """
    arrays = [array for array in _arrays(state) if not only_boards or _of_one_board(array)]
    sizes = [-(-array.nbytes // CACHE_LINE) * CACHE_LINE for array in arrays]
    memory = np.zeros(sum(sizes) + 2 * CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE
    job = memory[start : start + sum(sizes)]
    moved: dict[int, NDArray[Any]] = {}
    at = 0
    for array, size in zip(arrays, sizes, strict=True):
        view = job[at : at + prod(array.shape) * array.itemsize].view(array.dtype).reshape(array.shape)
        view[...] = array
        moved[id(array)] = view
        at += size
    return _with_arrays(state, moved), job.view(np.uint64)


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
