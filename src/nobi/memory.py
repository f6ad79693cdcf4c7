"""Memory for what a thread writes to.

A core fetches and owns memory by cache lines. Where small arrays of two threads share a line, each write of one thread
takes the line away from the other, and two threads can be slower than one; where an array begins within a line,
a vector read of the width of a line touches two. Arrays made here share lines with nothing.
"""

from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

LINE = 128
"""Bytes that no two arrays share: two cache lines, since many processors fetch them in pairs."""


def zeros(shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Zeros, like NumPy's, on cache lines of their own."""
    kind = np.dtype(dtype)
    shape = shape if isinstance(shape, tuple) else (shape,)
    wanted = prod(shape) * kind.itemsize
    raw = np.zeros(-(-wanted // LINE) * LINE + LINE, np.uint8)
    begin = -raw.ctypes.data % LINE
    return raw[begin : begin + wanted].view(kind).reshape(shape)
