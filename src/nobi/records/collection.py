"""Many game records as flat arrays, the form in which they are stored, shared between processes and replayed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

PASS_CODE = 0x7FFF
WHITE_BIT = 0x8000


class Collection(NamedTuple):
    """Many game records as flat arrays; game i has moves[start[i]:start[i+1]]."""

    size: NDArray[np.uint8]
    """[game] lines of the board."""
    start: NDArray[np.int64]
    """[game + 1] offsets into `moves`."""
    moves: NDArray[np.uint16]
    """Cells (row * size + column, row 0 at the top) or PASS_CODE, | WHITE_BIT for a white move."""
    setup_start: NDArray[np.int64]
    """[game + 1] offsets into `setup`."""
    setup: NDArray[np.uint16]
    """The same code, for stones set up before the first move."""
    black_rank: NDArray[np.int8]
    """[game] 1..9 dan (professionals 10), 0 unknown, -1..-30 kyu."""
    white_rank: NDArray[np.int8]
    """[game] likewise."""
    komi: NDArray[np.float32]
    """[game] NaN unknown."""
    handicap: NDArray[np.uint8]
    """[game] handicap stones."""
    result: NDArray[np.int8]
    """[game] +1 black won, -1 white won, 0 unknown or drawn."""
    year: NDArray[np.int16]
    """[game] 0 unknown."""
