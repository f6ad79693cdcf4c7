"""Products of weights with lanes, for the networks that do not swipe."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import specialise

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
