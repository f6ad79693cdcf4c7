"""Lanes: blocks of boards that are computed together, with activation functions and products that vectorise.

The last axis of the compiled networks' arrays is the lane, one board. The activation functions have no branches, tables
or calls.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import arithmetic, inlined, specialise

F = np.float32

Lanes = NDArray[np.float32]

LANES = 64
"""The maximum number of boards in a block."""
STEP = 16
"""Lanes are computed in multiples of this number, the width of the widest vectors."""

_HALF_WAY = F(1.5 * 2**23)
"""Adding this constant to a number below 2²² rounds the number to an integer, which is then in the lowest bits."""
_POWERS = tuple(F(c) for c in (1.0000001, 0.69314694, 0.2402212, 0.05550713, 0.009675542, 0.0013276472))
"""Coefficients of the minimax polynomial of 2ᶠ on [−½, ½], with relative error 8·10⁻⁸."""
_TWO_OVER_LN2 = F(2.8853900817779268)
_ONE_OVER_LN2 = F(1.4426950408889634)
_LIMIT = F(30.0)
_MANTISSA_BITS = np.int32(23)


@inlined
def whole_steps(boards: int) -> int:
    """Return the number of lanes to compute for a number of boards."""
    return (boards + STEP - 1) // STEP * STEP


@arithmetic
def _power_of_two(t: np.float32) -> np.float32:
    """Return 2ᵗ for t clamped to ±30: the integer part is added to the bits of the exponent."""
    t = min(max(t, -_LIMIT), _LIMIT)
    rounded = t + _HALF_WAY
    f = t - (rounded - _HALF_WAY)
    p = ((((_POWERS[5] * f + _POWERS[4]) * f + _POWERS[3]) * f + _POWERS[2]) * f + _POWERS[1]) * f + _POWERS[0]
    bits = F(p).view(np.int32) + (F(rounded).view(np.int32) << _MANTISSA_BITS)
    return np.int32(bits).view(np.float32)


@arithmetic
def power_of_e(x: np.float32) -> np.float32:
    """Return eˣ with a relative error below 2·10⁻⁷, for x clamped to ±20.8."""
    return _power_of_two(x * _ONE_OVER_LN2)


@arithmetic
def tanh(x: np.float32) -> np.float32:
    """Return the hyperbolic tangent with an error below 2·10⁻⁷."""
    return F(1.0) - F(2.0) / (F(1.0) + _power_of_two(x * _TWO_OVER_LN2))


@arithmetic
def sigmoid(x: np.float32) -> np.float32:
    """Return 1/(1 + e⁻ˣ) with an error below 2·10⁻⁷."""
    return F(1.0) / (F(1.0) + _power_of_two(-x * _ONE_OVER_LN2))


def _add_scaled(weight: np.float32, x: Lanes, total: Lanes, lanes: int) -> None:
    """Compute total[lane] += weight·x[lane]."""
    for lane in range(lanes):
        total[lane] += weight * x[lane]


def _fill(value: np.float32, total: Lanes, lanes: int) -> None:
    """Set total[lane] = value."""
    for lane in range(lanes):
        total[lane] = value


add_scaled: Any = specialise(_add_scaled, "", fuse=True)
fill: Any = specialise(_fill, "", fuse=True)
