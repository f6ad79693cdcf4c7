"""Numbers in lanes: the width of blocks, and squashing functions that vectorise (no branches, no tables, no calls).

MERGED networks/dense.py: Products of weights with lanes, for the networks that do not swipe.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import arithmetic, inlined, specialise

F = np.float32

LANES = 64
"""The most boards in a block; the networks' arrays end in the lane."""
STEP = 16
"""Lanes are computed in steps of this many: what the widest vectors hold."""

_HALF_WAY = F(1.5 * 2**23)
"""Added to a number below 2²², it rounds that to a whole number and leaves this in the lowest bits."""
_POWERS = tuple(F(c) for c in (1.0000001, 0.69314694, 0.2402212, 0.05550713, 0.009675542, 0.0013276472))
"""2ᶠ on [−½, ½] as a polynomial, minimax in the relative error: 8·10⁻⁸."""
_TWO_OVER_LN2 = F(2.8853900817779268)
_ONE_OVER_LN2 = F(1.4426950408889634)
_LIMIT = F(30.0)
_MANTISSA_BITS = np.int32(23)


@inlined
def whole_steps(boards: int) -> int:
    """The lanes to compute for so many boards."""
    return (boards + STEP - 1) // STEP * STEP


@arithmetic
def _power_of_two(t: np.float32) -> np.float32:
    """2ᵗ, for t clamped to ±30: the whole part is added to the exponent's bits."""
    t = min(max(t, -_LIMIT), _LIMIT)
    rounded = t + _HALF_WAY
    f = t - (rounded - _HALF_WAY)
    p = ((((_POWERS[5] * f + _POWERS[4]) * f + _POWERS[3]) * f + _POWERS[2]) * f + _POWERS[1]) * f + _POWERS[0]
    bits = F(p).view(np.int32) + (F(rounded).view(np.int32) << _MANTISSA_BITS)
    return np.int32(bits).view(np.float32)


@arithmetic
def power_of_e(x: np.float32) -> np.float32:
    """eˣ, within 2·10⁻⁷ of the true value relative to it, for x clamped to ±20.8."""
    return _power_of_two(x * _ONE_OVER_LN2)


@arithmetic
def tanh(x: np.float32) -> np.float32:
    """tanh, within 2·10⁻⁷ of the true value everywhere."""
    return F(1.0) - F(2.0) / (F(1.0) + _power_of_two(x * _TWO_OVER_LN2))


@arithmetic
def sigmoid(x: np.float32) -> np.float32:
    """1/(1 + e⁻ˣ), within 2·10⁻⁷ of the true value everywhere."""
    return F(1.0) / (F(1.0) + _power_of_two(-x * _ONE_OVER_LN2))


Lanes = NDArray[np.float32]


def _add_scaled(weight: np.float32, x: Lanes, total: Lanes, lanes: int) -> None:
    """total[lane] += weight·x[lane]."""
    for lane in range(lanes):
        total[lane] += weight * x[lane]


def _fill(value: np.float32, total: Lanes, lanes: int) -> None:
    """total[lane] = value."""
    for lane in range(lanes):
        total[lane] = value


add_scaled: Any = specialise(_add_scaled, "", fuse=True)
fill: Any = specialise(_fill, "", fuse=True)
