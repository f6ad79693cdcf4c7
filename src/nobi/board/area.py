"""Area and territory: counting the board at the end of a game of Go."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, EMPTY, SIDES, WHITE, Stones, points_of
from nobi.compiling import compiled
from nobi.memory import zeros

_UNSEEN = 255


class Areas(NamedTuple):
    """The workspace for counting one board at a time."""

    owner: NDArray[np.uint8]  # [point] BLACK, WHITE, or EMPTY for neutral points and the border
    queue: NDArray[np.uint16]  # [i] the points of the current region


def allocate_areas(size: int) -> Areas:
    """Allocate the workspace for one board."""
    return Areas(zeros(points_of(size), np.uint8), zeros(size * size, np.uint16))


@compiled
def find_owners(stones: Stones, g: int, areas: Areas) -> None:
    """Find the owner of every point of board g.

    A point with a stone belongs to its colour. An empty region belongs to a colour if all adjacent stones have this
    colour; otherwise it is neutral.
    """
    owner, region = areas.owner, areas.queue
    for point in range(len(owner)):
        there = stones.colour[g, point]
        owner[point] = there if there == BLACK or there == WHITE else EMPTY
    for i in range(stones.empties[g]):
        owner[stones.empty[g, i]] = _UNSEEN
    for i in range(stones.empties[g]):
        start = stones.empty[g, i]
        if owner[start] != _UNSEEN:
            continue
        owner[start] = EMPTY
        region[0] = start
        found = 1
        done = 0
        black = white = False
        while done < found:
            for k in range(SIDES):
                neighbour = stones.neighbours[region[done], k]
                there = stones.colour[g, neighbour]
                if there == EMPTY:
                    if owner[neighbour] == _UNSEEN:
                        owner[neighbour] = EMPTY
                        region[found] = neighbour
                        found += 1
                else:
                    black |= there == BLACK
                    white |= there == WHITE
            done += 1
        if black != white:
            for j in range(found):
                owner[region[j]] = BLACK if black else WHITE


@compiled
def area_margin(stones: Stones, g: int, areas: Areas) -> int:
    """Return Black's stones and territory minus White's."""
    find_owners(stones, g, areas)
    margin = 0
    for point in range(len(areas.owner)):
        margin += areas.owner[point] == BLACK
        margin -= areas.owner[point] == WHITE
    return margin


@compiled
def territory_margin(stones: Stones, g: int, areas: Areas) -> int:
    """Return Black's territory, empty points only, minus White's."""
    find_owners(stones, g, areas)
    margin = 0
    for i in range(stones.empties[g]):
        owner = areas.owner[stones.empty[g, i]]
        margin += owner == BLACK
        margin -= owner == WHITE
    return margin
