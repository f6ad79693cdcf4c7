"""Stones on many boards of one size: what every game shares.

Layout. A board of size n is a line of points with a border one point wide, row after row:

    0 1 2 3 …          stride = n + 1: the border at the left of a row is also that at the right of the row above
    B B B B B B        point = (row + 1)·stride + column + 1, row 0 at the top, column 0 at the left
    B . . . . .        a neighbour is one table look-up and no test for the edge: beyond it lies a stone
    B . . . . .        of the colour BORDER
    …                  point 0 is border, and so stands for a pass

Boards come in batches: every array of the state has the board's index g first, so that a player of many games looks
at them at once, and a lone game is a batch of one. Points are kept as unsigned 16-bit numbers, since Numba
then leaves out the test for negative indices (a factor of two in a Go playout).

MERGED board/lines.py: Rows of stones (Gomoku, Pente).
"""

from functools import cache
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import inlined
from nobi.memory import zeros

T = TypeVar("T")

EMPTY, BLACK, WHITE, BORDER = 0, 1, 2, 3
"""The colours of a point."""

RUNNING, BLACK_WON, WHITE_WON, DRAW = 0, BLACK, WHITE, 3
"""What `Stones.outcome` holds."""

PASS = 0
"""The move that places no stone."""

SMALLEST, LARGEST = 5, 25
"""The sizes of board that are served."""

SIDES = 4
"""The first four columns of `neighbours` are the points beside, the other four the diagonal ones."""


class Stones(NamedTuple):
    """The stones of boards g = 0, 1, …, and whose turn it is on each."""

    size: int
    neighbours: NDArray[np.uint16]
    """[point, 8] left, right, up, down, then the diagonals; k and k ^ 1 are opposite."""
    keys: NDArray[np.uint64]
    """[colour, point] the random words whose sum modulo 2 over all stones is a position's hash (Zobrist 1970)."""
    colour: NDArray[np.uint8]
    """[g, point]"""
    empty: NDArray[np.uint16]
    """[g, i] the empty points, i < empties[g], in no order: a random one is found by one draw."""
    slot: NDArray[np.uint16]
    """[g, point] where an empty point stands in `empty`."""
    empties: NDArray[np.int64]
    to_move: NDArray[np.int64]
    ply: NDArray[np.int64]
    """[g] moves played, passes among them."""
    last: NDArray[np.uint16]
    """[g] the latest move."""
    hash: NDArray[np.uint64]
    outcome: NDArray[np.int64]


class Boards(Protocol):
    """The state of one game on boards g: its stones, and in further fields whatever else its rules need.

    A named tuple of numbers, arrays and named tuples, so that compiled code takes it as it is.
    """

    @property
    def stones(self) -> Stones:
        """What every game shares."""


def stride_of(size: int) -> int:
    """The distance between a point and the one below it."""
    return size + 1


def points_of(size: int) -> int:
    """How many points a board has, border included."""
    return (size + 2) * stride_of(size) + 1


@cache
def _tables(size: int) -> tuple[NDArray[np.uint16], NDArray[np.uint64]]:
    """The neighbours and keys of all boards of a size; they are shared, and never written to."""
    points = points_of(size)
    stride = stride_of(size)
    steps = np.array([-1, 1, -stride, stride, -stride - 1, stride + 1, -stride + 1, stride - 1])
    neighbours = np.zeros((points, len(steps)), np.uint16)
    on_board = board_points(size)
    neighbours[on_board] = on_board[:, None] + steps
    keys = np.random.default_rng(19).integers(0, 2**64, (BORDER, points_of(LARGEST)), np.uint64)[:, :points]
    return neighbours, np.ascontiguousarray(keys)


def allocate_stones(boards: int, size: int) -> Stones:
    """Makes the state of so many boards; `clear_stones` readies each."""
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
    """The points of a board, row by row from the top: int64[size²]."""
    rows, columns = np.divmod(np.arange(size * size), size)
    points: NDArray[np.int64] = (rows + 1) * stride_of(size) + columns + 1
    return points


class CellTables(NamedTuple):
    """The points of a board and the cells of a network's n·n values, row by row from the top."""

    point_of: NDArray[np.uint16]  # [cell]
    cell_of: NDArray[np.uint16]  # [point]; 0 for the border


@cache
def cell_tables(size: int) -> CellTables:
    """The tables of a board size; they are shared, and never written to."""
    points = board_points(size)
    cell_of = np.zeros(points_of(size), np.uint16)
    cell_of[points] = np.arange(size * size)
    return CellTables(points.astype(np.uint16), cell_of)


@inlined
def as_point(number: int) -> int:
    """A number as the type that compiled code keeps points in."""
    return np.uint16(number)  # type: ignore[return-value]


@inlined
def enemy_of(colour: int) -> int:
    """The other player's colour."""
    return BORDER - colour


@inlined
def clear_stones(stones: Stones, g: int) -> None:
    """Empties board g; black is to move."""
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
    """Places a stone on an empty point."""
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
    """Takes a stone off the board."""
    stones.hash[g] ^= stones.keys[stones.colour[g, point], point]
    stones.colour[g, point] = EMPTY
    i = stones.empties[g]
    stones.empty[g, i] = point
    stones.slot[g, point] = i
    stones.empties[g] = i + 1


@inlined
def swap_empties(stones: Stones, g: int, i: int, j: int) -> None:
    """Exchanges two entries of the list of empty points, so that sampling can set aside what it has refused."""
    p = stones.empty[g, i]
    q = stones.empty[g, j]
    stones.empty[g, i] = q
    stones.empty[g, j] = p
    stones.slot[g, q] = i
    stones.slot[g, p] = j


@inlined
def end_turn(stones: Stones, g: int, move: int) -> None:
    """Notes the move and gives the turn to the other player."""
    stones.last[g] = move
    stones.ply[g] += 1
    stones.to_move[g] = enemy_of(stones.to_move[g])


def copy_of(state: T) -> T:
    """A copy of the state of boards, or of a part of it, that shares no array with it."""
    if isinstance(state, np.ndarray):
        return state.copy()
    if isinstance(state, tuple):
        return type(state)(*map(copy_of, state))
    return state


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
