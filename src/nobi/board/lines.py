"""Rows of stones (Gomoku, Pente)."""

from nobi.board.stones import Stones
from nobi.compiling import inlined

FIVE = 5


@inlined
def makes_five(stones: Stones, g: int, point: int, colour: int) -> bool:
    """Whether a stone of this colour at the point stands in a row, column or diagonal of five or more.

    The point itself is not looked at: it may be empty (what if?) or hold the stone.
    """
    for k in range(0, 8, 2):
        run = 1
        for way in range(k, k + 2):
            beside = stones.neighbours[point, way]
            while stones.colour[g, beside] == colour:
                run += 1
                beside = stones.neighbours[beside, way]
        if run >= FIVE:
            return True
    return False
