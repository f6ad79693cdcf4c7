"""What a position is, written down as a small number for each point (`base.Code`), and planes made of that.

The liberties of all chains come from one walk over the empty points: each counts once for every chain beside it. Up to
SEVEN are kept by name, so that the liberties after a move, told apart up to six, are a union of short lists.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.ladders import LadderRoom, allocate_ladder_room, captures_in_ladder
from nobi.board.stones import EMPTY, PASS, SIDES, board_points, enemy_of, points_of
from nobi.board.symmetry import cells_after
from nobi.compiling import compiled, inlined
from nobi.features.base import CODES, ENEMY, MOST, OLD, OWN, Code, Table
from nobi.games.go import GoBoards, legal

SIX, SEVEN = 6, 7
RECENT = OLD - 1
"""Moves that are told apart by their age."""

# compiled code takes plain numbers
_STONE, _KO, _LEGAL = int(Code.STONE), int(Code.KO), int(Code.LEGAL)
_LIBERTIES, _OWN, _ENEMY = int(Code.LIBERTIES), int(Code.OWN_LIBERTIES), int(Code.ENEMY_LIBERTIES)
_AFTER, _CAPTURES, _LADDER = int(Code.LIBERTIES_AFTER), int(Code.CAPTURES), int(Code.LADDER)
_TURNS, _RANK = int(Code.TURNS), int(Code.RANK)


class Room(NamedTuple):
    """Where a position is written down; every thread has its own."""

    codes: NDArray[np.uint8]
    """[code, cell] after the symmetry that was asked for."""
    points: NDArray[np.uint16]
    """[cell] the point of a cell."""
    cells: NDArray[np.uint16]
    """[point] the cell of a point."""
    after: NDArray[np.uint16]
    """[symmetry, cell] where a cell goes."""
    number: NDArray[np.uint16]
    """[head] the number of a chain's liberties."""
    liberty: NDArray[np.uint16]
    """[head, i] the first SEVEN of them; the last place holds any of the others."""
    mark: NDArray[np.int64]
    """[point] met by the look at the move of this number."""
    looks: NDArray[np.int64]
    """[0] the number of the latest look at a move."""
    ladders: LadderRoom


def allocate_codes(size: int) -> Room:
    """Makes the room for positions of this size."""
    points = board_points(size)
    cells = np.zeros(points_of(size), np.uint16)
    cells[points] = np.arange(size * size)
    return Room(
        codes=np.zeros((CODES, size * size), np.uint8),
        points=points.astype(np.uint16),
        cells=cells,
        after=cells_after(size),
        number=np.zeros(points_of(size), np.uint16),
        liberty=np.zeros((points_of(size), SEVEN + 1), np.uint16),
        mark=np.zeros(points_of(size), np.int64),
        looks=np.zeros(1, np.int64),
        ladders=allocate_ladder_room(size),
    )


@compiled
def write_codes(
    boards: GoBoards,
    g: int,
    room: Room,
    wanted: NDArray[np.bool_],
    symmetry: int,
    recent: NDArray[np.uint16],
    rank: int,
) -> None:
    """Writes the position on board g down in `room.codes`: whose stones, what is legal, and the codes that are wanted.

    Args:
        boards: the boards; ladders are read on board g, which is afterwards as before.
        g: which board.
        room: where to write.
        wanted: bool[code].
        symmetry: 0..7, how to turn the board.
        recent: uint16[RECENT] the latest moves, the latest first; PASS where there was none.
        rank: of the player to move, as `base.Code.RANK` tells.
    """
    stones = boards.stones
    codes = room.codes
    me = stones.to_move[g]
    looks_at_moves = wanted[_AFTER] or wanted[_CAPTURES]
    counts = wanted[_LIBERTIES] or wanted[_OWN] or wanted[_ENEMY] or wanted[_LADDER] or looks_at_moves
    if counts:
        count_liberties(boards, g, room)
    for cell in range(len(room.points)):
        point = room.points[cell]
        at = room.after[symmetry, cell]
        there = stones.colour[g, point]
        codes[_STONE, at] = (there != EMPTY) * (OWN if there == me else ENEMY)
        may = there == EMPTY and legal(boards, g, point)
        codes[_LEGAL, at] = may
        if counts:
            liberties = np.uint8(min(room.number[boards.chains.head[g, point]], np.uint16(MOST)))
            codes[_LIBERTIES, at] = liberties * (there != EMPTY)
            codes[_OWN, at] = liberties * (there == me)
            codes[_ENEMY, at] = liberties * (there == enemy_of(me))
        if looks_at_moves:
            found = look_at_move(boards, g, room, point, me) if may else 0
            codes[_AFTER, at] = found & MOST
            codes[_CAPTURES, at] = found >> 8
    if wanted[_KO]:
        codes[_KO] = 0
        if boards.ko[g] != PASS:
            codes[_KO, room.after[symmetry, room.cells[boards.ko[g]]]] = 1
    if wanted[_TURNS]:
        for cell in range(codes.shape[1]):
            codes[_TURNS, cell] = OLD * (codes[_STONE, cell] != 0)
        for i in range(RECENT - 1, -1, -1):  # the latest last: of two stones on one point, the later stands
            if recent[i] != PASS and stones.colour[g, recent[i]] != EMPTY:
                codes[_TURNS, room.after[symmetry, room.cells[recent[i]]]] = i + 1
    if wanted[_RANK]:
        codes[_RANK] = np.uint8(rank)
    if wanted[_LADDER]:
        find_ladders(boards, g, room, symmetry, me)


@inlined
def count_liberties(boards: GoBoards, g: int, room: Room) -> None:
    """Finds the liberties of all chains; what is noted for heads of no stone means nothing."""
    stones, chains = boards.stones, boards.chains
    room.number[:] = 0
    for i in range(stones.empties[g]):
        point = stones.empty[g, i]
        left = chains.head[g, stones.neighbours[point, 0]]
        right = chains.head[g, stones.neighbours[point, 1]]
        above = chains.head[g, stones.neighbours[point, 2]]
        below = chains.head[g, stones.neighbours[point, 3]]
        _note(room, left, point)
        if right != left:
            _note(room, right, point)
        if above != left and above != right:
            _note(room, above, point)
        if below != left and below != right and below != above:
            _note(room, below, point)


@inlined
def _note(room: Room, head: int, point: int) -> None:
    count = room.number[head]
    room.liberty[head, min(count, np.uint16(SEVEN))] = point
    room.number[head] = count + 1


@inlined
def look_at_move(boards: GoBoards, g: int, room: Room, point: int, me: int) -> int:
    """The liberties after a legal move, up to six, and 256 times the stones it captures (255 at the most)."""
    stones, chains = boards.stones, boards.chains
    room.looks[0] += 1
    look = room.looks[0]
    room.mark[point] = look
    liberties = captured = 0
    for k in range(SIDES):
        beside = stones.neighbours[point, k]
        there = stones.colour[g, beside]
        head = chains.head[g, beside]
        if there == EMPTY:
            liberties += room.mark[beside] != look
            room.mark[beside] = look
        elif room.mark[head] != look:  # a chain that has not been met (or the border, which matters to nothing)
            room.mark[head] = look
            count = room.number[head]
            if there == me:
                if count > SIX:
                    liberties = SIX
                else:
                    for i in range(count):
                        liberty = room.liberty[head, i]
                        liberties += room.mark[liberty] != look
                        room.mark[liberty] = look
            elif count == 1 and there == enemy_of(me):
                captured += chains.stones[g, head]
    if captured > 0 and liberties < SIX:
        liberties += _freed(boards, g, room, point, me, look)
    return min(liberties, SIX) | min(captured, MOST) << 8


@inlined
def _freed(boards: GoBoards, g: int, room: Room, point: int, me: int, look: int) -> int:
    """How many captured stones leave a liberty to the capturing chain: those beside the move or beside its chain."""
    stones, chains = boards.stones, boards.chains
    freed = 0
    for k in range(SIDES):
        first = stones.neighbours[point, k]
        head = chains.head[g, first]
        if stones.colour[g, first] != enemy_of(me) or room.number[head] != 1 or room.mark[head] != look:
            continue
        room.mark[head] = 0  # a chain on two sides is captured once
        stone = first
        while True:
            touches = False
            for j in range(SIDES):
                beside = stones.neighbours[stone, j]
                own = stones.colour[g, beside] == me and room.mark[chains.head[g, beside]] == look
                touches |= own or beside == point
            freed += touches
            stone = chains.next[g, stone]
            if stone == first:
                break
    return freed


@inlined
def find_ladders(boards: GoBoards, g: int, room: Room, symmetry: int, me: int) -> None:
    """Reads all moves that may begin a ladder."""
    stones, chains, codes = boards.stones, boards.chains, room.codes
    codes[_LADDER] = 0
    for cell in range(len(room.points)):
        point = room.points[cell]
        if stones.colour[g, point] != enemy_of(me) or chains.head[g, point] != point or room.number[point] != 2:
            continue
        for i in range(2):
            move = room.liberty[point, i]
            at = room.after[symmetry, room.cells[move]]
            if codes[_LEGAL, at] and not codes[_LADDER, at]:
                codes[_LADDER, at] = captures_in_ladder(stones, chains, g, room.ladders, move, point)


@inlined
def write_planes(codes: NDArray[np.uint8], table: Table, planes: NDArray[np.float32], i: int) -> None:
    """Writes the planes of a position: planes is [i, plane, cell], of any type of number."""
    for plane in range(len(table.code)):
        row = table.code[plane]
        low = table.low[plane]
        span = np.uint8(table.high[plane] - low)
        for cell in range(codes.shape[1]):
            planes[i, plane, cell] = np.uint8(codes[row, cell] - low) <= span
