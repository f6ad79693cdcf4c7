"""Memory layout: arrays that share no cache line, and states (named tuples of arrays) in one block.

A core owns memory by cache lines. Where small arrays of two threads share a line, each write of one thread invalidates
the line for the other, and two threads can be slower than one; where an array begins within a line, a vector read as
wide as a line touches two. Arrays made by `zeros` share lines with no other array. `pack` moves the arrays of a state
into one block that begins on a line of its own: the state is then copied in one loop.
"""

from collections.abc import Iterator
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
    """Return zeros, as NumPy does, on cache lines that no other array uses."""
    kind = np.dtype(dtype)
    shape = shape if isinstance(shape, tuple) else (shape,)
    wanted = prod(shape) * kind.itemsize
    raw = np.zeros(-(-wanted // PAIR) * PAIR + PAIR, np.uint8)
    begin = -raw.ctypes.data % PAIR
    return raw[begin : begin + wanted].view(kind).reshape(shape)


def arrays_of(state: Any) -> Iterator[NDArray[Any]]:
    """Yield all arrays of a state (a tuple of numbers, arrays and tuples) in order."""
    if isinstance(state, np.ndarray):
        yield state
    elif isinstance(state, tuple):
        for part in state:
            yield from arrays_of(part)


def copy_state(state: S) -> S:
    """Return a copy of a state that shares no array with it."""
    return _with_arrays(state, {id(array): array.copy() for array in arrays_of(state)})


def pack(state: S, *, only_boards: bool = False) -> tuple[S, Words]:
    """Return (the state with its arrays moved into one block of memory, the block).

    With `only_boards`, only the arrays [1, …] of a game's one board are moved; the tables that all boards share are
    not.
    """
    arrays = [array for array in arrays_of(state) if not only_boards or _of_one_board(array)]
    sizes = [-(-array.nbytes // CACHE_LINE) * CACHE_LINE for array in arrays]
    memory = np.zeros(sum(sizes) + 2 * CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE
    block = memory[start : start + sum(sizes)]
    moved: dict[int, NDArray[Any]] = {}
    at = 0
    for array, size in zip(arrays, sizes, strict=True):
        view = block[at : at + prod(array.shape) * array.itemsize].view(array.dtype).reshape(array.shape)
        view[...] = array
        moved[id(array)] = view
        at += size
    return _with_arrays(state, moved), block.view(np.uint64)


def load_board(state: Any, source: Any, g: int) -> None:
    """Copy board g of the state `source` into a packed state of one board.

    Where their lengths differ (the history of Go), the common part is copied.
    """
    for copy, original in zip(arrays_of(state), arrays_of(source), strict=True):
        if _of_one_board(copy) and copy.ndim == 1:
            copy[0] = original[g]
        elif _of_one_board(copy):
            length = min(copy.shape[-1], original.shape[-1])
            copy[0, ..., :length] = original[g, ..., :length]


@inlined
def copy_words(source: Words, target: Words) -> None:
    """Copy the packed state `source` to `target`."""
    for i in range(len(target)):
        target[i] = source[i]


def _of_one_board(array: NDArray[Any]) -> bool:
    return array.shape[0] == 1


def _with_arrays(state: Any, replacements: dict[int, NDArray[Any]]) -> Any:
    """Return the state with arrays replaced; `replacements` is keyed by `id`."""
    if isinstance(state, np.ndarray):
        return replacements.get(id(state), state)
    if isinstance(state, tuple):
        parts = [_with_arrays(part, replacements) for part in state]
        return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
    return state
