"""Stones on many boards of one size: the state that all games share, and rows of five.

Layout. A board of size n is an array of points with a border one point wide, row by row:

    0 1 2 3 …          stride = n + 1: the border at the left of a row is also that at the right of the row above
    B B B B B B        point = (row + 1)·stride + column + 1, row 0 at the top, column 0 at the left
    B . . . . .        a neighbour is one table look-up without a test for the edge: the border has its own
    B . . . . .        colour, BORDER
    …                  point 0 is border, so its number also means a pass

Boards come in batches: every array of the state has the index g of the board first, so that a player evaluates many
games at once; a single game is a batch of one. Points are unsigned 16-bit numbers, because Numba then omits the test
for negative indices (a factor of two in a Go playout).
"""

from functools import cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import inlined
from nobi.memory import zeros

EMPTY, BLACK, WHITE, BORDER = 0, 1, 2, 3
"""The colours of a point."""

RUNNING, BLACK_WON, WHITE_WON, DRAW = 0, BLACK, WHITE, 3
"""The values of `Stones.outcome`."""

PASS = 0
"""The move that places no stone."""

SMALLEST, LARGEST = 5, 25
"""The supported board sizes."""

SIDES = 4
"""The first four columns of `neighbours` are the adjacent points, the other four the diagonal ones."""

FIVE = 5
"""The length of a winning row (Gomoku, Pente)."""


class Stones(NamedTuple):
    """The stones of boards g = 0, 1, …, and the player to move on each."""

    size: int
    neighbours: NDArray[np.uint16]  # [point, 8] left, right, up, down, then the diagonals; k and k ^ 1 are opposite
    keys: NDArray[np.uint64]  # [colour, point] random words; the xor over all stones is the hash (Zobrist 1970)
    colour: NDArray[np.uint8]  # [g, point]
    empty: NDArray[np.uint16]  # [g, i] the empty points, i < empties[g], unordered: one draw gives a random one
    slot: NDArray[np.uint16]  # [g, point] the index of an empty point in `empty`
    empties: NDArray[np.int64]  # [g]
    to_move: NDArray[np.int64]  # [g]
    ply: NDArray[np.int64]  # [g] moves played, passes included
    last: NDArray[np.uint16]  # [g] the latest move
    hash: NDArray[np.uint64]  # [g]
    outcome: NDArray[np.int64]  # [g]


class Boards(Protocol):
    """The state of one game on boards g: a named tuple of `stones` and of what else the rules of the game need.

    Its fields are numbers, arrays and named tuples, which compiled code accepts directly.
    """

    @property
    def stones(self) -> Stones: ...


def stride_of(size: int) -> int:
    """Return the distance between a point and the one below it."""
    return size + 1


def points_of(size: int) -> int:
    """Return the number of points of a board, border included."""
    return (size + 2) * stride_of(size) + 1


@cache
def _tables(size: int) -> tuple[NDArray[np.uint16], NDArray[np.uint64]]:
    """Return the neighbours and keys of a size; all boards share them, and they are never written to."""
    points = points_of(size)
    stride = stride_of(size)
    steps = np.array([-1, 1, -stride, stride, -stride - 1, stride + 1, -stride + 1, stride - 1])
    neighbours = np.zeros((points, len(steps)), np.uint16)
    on_board = board_points(size)
    neighbours[on_board] = on_board[:, None] + steps
    keys = np.random.default_rng(19).integers(0, 2**64, (BORDER, points_of(LARGEST)), np.uint64)[:, :points]
    return neighbours, np.ascontiguousarray(keys)


def allocate_stones(boards: int, size: int) -> Stones:
    """Allocate the stones of a number of boards; `clear_stones` initialises each board."""
    points = points_of(size)
    neighbours, keys = _tables(size)
    return Stones(
        size=size,
        neighbours=neighbours,
        keys=keys,
        colour=zeros((boards, points), np.uint8),
        empty=zeros((boards, size * size), np.uint16),
        slot=zeros((boards, points), np.uint16),
        empties=zeros(boards, np.int64),
        to_move=zeros(boards, np.int64),
        ply=zeros(boards, np.int64),
        last=zeros(boards, np.uint16),
        hash=zeros(boards, np.uint64),
        outcome=zeros(boards, np.int64),
    )


def board_points(size: int) -> NDArray[np.int64]:
    """Return the points of a board, row by row from the top: int64[size²]."""
    rows, columns = np.divmod(np.arange(size * size), size)
    points: NDArray[np.int64] = (rows + 1) * stride_of(size) + columns + 1
    return points


class CellTables(NamedTuple):
    """The points of a board and the cells of a network's n·n values, row by row from the top."""

    point_of: NDArray[np.uint16]  # [cell]
    cell_of: NDArray[np.uint16]  # [point]; 0 for the border


@cache
def cell_tables(size: int) -> CellTables:
    """Return the tables of a board size; they are shared, and never written to."""
    points = board_points(size)
    cell_of = np.zeros(points_of(size), np.uint16)
    cell_of[points] = np.arange(size * size)
    return CellTables(points.astype(np.uint16), cell_of)


@inlined
def as_point(number: int) -> int:
    """Return a number converted to the type of points in compiled code."""
    return np.uint16(number)  # type: ignore[return-value]


@inlined
def enemy_of(colour: int) -> int:
    """Return the other player's colour."""
    return BORDER - colour


@inlined
def clear_stones(stones: Stones, g: int) -> None:
    """Clear board g; black is to move."""
    size = stones.size
    for point in range(stones.colour.shape[1]):
        stones.colour[g, point] = BORDER
    i = 0
    for row in range(size):
        point = (row + 1) * (size + 1)
        for _ in range(size):
            point += 1
            stones.colour[g, point] = EMPTY
            stones.empty[g, i] = point
            stones.slot[g, point] = i
            i += 1
    stones.empties[g] = i
    stones.to_move[g] = BLACK
    stones.ply[g] = 0
    stones.last[g] = PASS
    stones.hash[g] = 0
    stones.outcome[g] = RUNNING


@inlined
def put(stones: Stones, g: int, point: int, colour: int) -> None:
    """Place a stone on an empty point."""
    last = stones.empties[g] - 1
    other = stones.empty[g, last]
    at = stones.slot[g, point]
    stones.empty[g, at] = other
    stones.slot[g, other] = at
    stones.empties[g] = last
    stones.colour[g, point] = colour
    stones.hash[g] ^= stones.keys[colour, point]


@inlined
def lift(stones: Stones, g: int, point: int) -> None:
    """Remove a stone."""
    stones.hash[g] ^= stones.keys[stones.colour[g, point], point]
    stones.colour[g, point] = EMPTY
    i = stones.empties[g]
    stones.empty[g, i] = point
    stones.slot[g, point] = i
    stones.empties[g] = i + 1


@inlined
def swap_empties(stones: Stones, g: int, i: int, j: int) -> None:
    """Exchange two elements of the list of empty points, so that sampling can skip rejected points."""
    p = stones.empty[g, i]
    q = stones.empty[g, j]
    stones.empty[g, i] = q
    stones.empty[g, j] = p
    stones.slot[g, q] = i
    stones.slot[g, p] = j


@inlined
def end_turn(stones: Stones, g: int, move: int) -> None:
    """Record the move and give the turn to the other player."""
    stones.last[g] = move
    stones.ply[g] += 1
    stones.to_move[g] = enemy_of(stones.to_move[g])


@inlined
def makes_five(stones: Stones, g: int, point: int, colour: int) -> bool:
    """Return whether a stone of this colour at the point is part of five or more in a row, column or diagonal.

    The colour of the point itself is not read: it may be empty or hold the stone.
    """
    for k in range(0, 8, 2):
        run = 1
        for way in range(k, k + 2):
            neighbour = stones.neighbours[point, way]
            while stones.colour[g, neighbour] == colour:
                run += 1
                neighbour = stones.neighbours[neighbour, way]
        if run >= FIVE:
            return True
    return False
