"""Encoding of Go positions: codes, small numbers for each point (`features.base.Code`), and planes made from codes.

Codes are computed for the points of the board in memory order, border included, so that most of them are vectorised
comparisons; the symmetry is applied afterwards. Few empty points have no empty neighbour, and few moves join or capture
chains: these are examined one by one.

The liberties of all chains are found in one loop over the empty points: each is a liberty of every adjacent chain. The
first SEVEN liberties of a chain are stored, so that the liberties after a move, exact up to six, are a union of short
lists. The loop has no branches on the colour of neighbours, because such branches are often mispredicted.
"""

import threading
from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from nobi.board.chains import free_sides, in_atari, is_alone, is_open, last_liberty
from nobi.board.ladders import LadderWorkspace, allocate_ladder_workspace, captures_in_ladder, escapes_ladder
from nobi.board.stones import EMPTY, PASS, SIDES, WHITE, board_points, enemy_of, points_of
from nobi.board.symmetry import cells_after
from nobi.compiling import compiled, inlined
from nobi.errors import NobiError
from nobi.features.base import (
    CODES,
    ENEMY,
    MOST,
    NEITHER,
    NO_KOMI,
    OLD,
    OWN,
    USUAL_KOMI,
    Code,
    Planes,
    PlaneTable,
    rank_code,
)
from nobi.games.base import Game
from nobi.games.go import SIMPLE, Go, GoBoards, legal
from nobi.memory import copy_state

SIX, SEVEN = 6, 7
RECENT = OLD - 1
"""The number of latest moves whose age is encoded."""

# compiled code needs plain numbers
_STONE, _KO, _LEGAL = int(Code.STONE), int(Code.KO), int(Code.LEGAL)
_LIBERTIES, _OWN, _ENEMY = int(Code.LIBERTIES), int(Code.OWN_LIBERTIES), int(Code.ENEMY_LIBERTIES)
_AFTER, _CAPTURES, _LADDER = int(Code.LIBERTIES_AFTER), int(Code.CAPTURES), int(Code.LADDER)
_TURNS, _RANK = int(Code.TURNS), int(Code.RANK)
_ESCAPE, _KOMI = int(Code.ESCAPE), int(Code.KOMI)


class Workspace(NamedTuple):
    """The arrays in which a position is encoded; each thread needs its own."""

    found: NDArray[np.uint8]  # [code, point] before the symmetry; arbitrary on the border
    codes: NDArray[np.uint8]  # [code, cell] after the symmetry
    points: NDArray[np.uint16]  # [cell] the point of a cell
    after: NDArray[np.uint16]  # [symmetry, cell] the image of a cell
    source: NDArray[np.uint16]  # [symmetry, cell] the point whose image is the cell
    number: NDArray[np.uint16]  # [head] the number of liberties of a chain
    liberty: NDArray[np.uint16]  # [head, i] the first SEVEN of them; the last element holds any of the others
    mark: NDArray[np.int64]  # [point] the latest examined move that this point was counted for
    looks: NDArray[np.int64]  # [0] the number of examined moves
    ladders: LadderWorkspace


def allocate_codes(size: int) -> Workspace:
    """Allocate the workspace for positions of this size."""
    points = board_points(size).astype(np.uint16)
    after = cells_after(size)
    source = np.empty_like(after)
    for symmetry, images in enumerate(after):
        source[symmetry, images] = points
    return Workspace(
        found=np.zeros((CODES, points_of(size)), np.uint8),
        codes=np.zeros((CODES, size * size), np.uint8),
        points=points,
        after=after,
        source=source,
        number=np.zeros(points_of(size), np.uint16),
        liberty=np.zeros((points_of(size), SEVEN + 1), np.uint16),
        mark=np.zeros(points_of(size), np.int64),
        looks=np.zeros(1, np.int64),
        ladders=allocate_ladder_workspace(size),
    )


@compiled
def write_codes(
    boards: GoBoards,
    g: int,
    workspace: Workspace,
    wanted: NDArray[np.bool_],
    symmetry: int,
    recent: NDArray[np.uint16],
    rank: int,
    komi: float,
) -> None:
    """Write the codes of the position on board g to `workspace.codes`: legal moves, and the codes that are wanted.

    Args:
        boards: the boards; ladders are read on board g, which is restored afterwards.
        g: the board.
        workspace: receives the codes.
        wanted: bool[code].
        symmetry: 0..7, applied to the board.
        recent: uint16[RECENT] the latest moves, the latest first; PASS where there was none.
        rank: of the player to move, as in `Code.RANK`.
        komi: white's compensation; NaN if unknown.
    """
    found = workspace.found
    looks_at_moves = wanted[_AFTER] or wanted[_CAPTURES]
    find_stones(boards, g, found)
    find_legal(boards, g, found)
    if wanted[_LIBERTIES] or wanted[_OWN] or wanted[_ENEMY] or wanted[_LADDER] or wanted[_ESCAPE] or looks_at_moves:
        count_liberties(boards, g, workspace)
        find_liberties(boards, g, workspace)
    if looks_at_moves:
        find_consequences(boards, g, workspace)
    if wanted[_KO]:
        found[_KO] = 0
        if boards.ko[g] != PASS:
            found[_KO, boards.ko[g]] = 1
    if wanted[_TURNS]:
        find_turns(boards, g, found, recent)
    if wanted[_LADDER]:
        find_ladders(boards, g, workspace)
    if wanted[_ESCAPE]:
        find_escapes(boards, g, workspace)
    for code in range(CODES):
        if wanted[code] or code == _LEGAL:
            for cell in range(workspace.codes.shape[1]):
                workspace.codes[code, cell] = found[code, workspace.source[symmetry, cell]]
    if wanted[_RANK]:
        workspace.codes[_RANK] = np.uint8(rank)
    if wanted[_KOMI]:
        workspace.codes[_KOMI] = komi_code(komi, boards.stones.to_move[g])


@inlined
def komi_code(komi: float, to_move: int) -> np.uint8:
    """Return the value of `Code.KOMI`."""
    points = USUAL_KOMI if np.isnan(komi) else min(max(komi, -60.0), 60.0)
    return np.uint8(NO_KOMI + int(np.floor(2 * points)) * (1 if to_move == WHITE else -1))


@inlined
def find_stones(boards: GoBoards, g: int, found: NDArray[np.uint8]) -> None:
    """Write Code.STONE."""
    colour = boards.stones.colour[g]
    me = boards.stones.to_move[g]
    own, enemy = np.uint8(me), np.uint8(enemy_of(me))
    for point in range(len(colour)):
        found[_STONE, point] = np.uint8(OWN) * (colour[point] == own) + np.uint8(ENEMY) * (colour[point] == enemy)


@inlined
def find_legal(boards: GoBoards, g: int, found: NDArray[np.uint8]) -> None:
    """Write Code.LEGAL. A move next to an empty point is always legal, except under superko."""
    stones, chains = boards.stones, boards.chains
    found[_LEGAL] = 0
    superko = boards.ko_rule != SIMPLE
    for i in range(stones.empties[g]):
        point = stones.empty[g, i]
        found[_LEGAL, point] = 1
        if superko or not is_open(chains, g, point):
            found[_LEGAL, point] = legal(boards, g, point)


@inlined
def count_liberties(boards: GoBoards, g: int, workspace: Workspace) -> None:
    """Find the liberties of all chains; entries that are not the head of a chain are arbitrary."""
    stones, chains = boards.stones, boards.chains
    workspace.number[:] = 0
    for i in range(stones.empties[g]):
        point = stones.empty[g, i]
        if is_alone(chains, g, point):
            continue
        left = chains.head[g, stones.neighbours[point, 0]]
        right = chains.head[g, stones.neighbours[point, 1]]
        above = chains.head[g, stones.neighbours[point, 2]]
        below = chains.head[g, stones.neighbours[point, 3]]
        _append_liberty(workspace, left, point, True)
        _append_liberty(workspace, right, point, right != left)
        _append_liberty(workspace, above, point, (above != left) & (above != right))
        _append_liberty(workspace, below, point, (below != left) & (below != right) & (below != above))


@inlined
def _append_liberty(workspace: Workspace, head: int, point: int, new: bool) -> None:
    """Append a liberty to those of a chain; if it is not new, the next one overwrites it."""
    count = workspace.number[head]
    workspace.liberty[head, min(count, np.uint16(SEVEN))] = point
    workspace.number[head] = count + np.uint16(new)


@inlined
def find_liberties(boards: GoBoards, g: int, workspace: Workspace) -> None:
    """Write Code.LIBERTIES, OWN_LIBERTIES and ENEMY_LIBERTIES."""
    found, head = workspace.found, boards.chains.head[g]
    for point in range(len(head)):
        found[_LIBERTIES, point] = min(workspace.number[head[point]], np.uint16(MOST))
    for point in range(len(head)):
        liberties, there = found[_LIBERTIES, point], found[_STONE, point]
        found[_LIBERTIES, point] = liberties * (there != NEITHER)
        found[_OWN, point] = liberties * (there == OWN)
        found[_ENEMY, point] = liberties * (there == ENEMY)


@inlined
def find_consequences(boards: GoBoards, g: int, workspace: Workspace) -> None:
    """Write Code.LIBERTIES_AFTER and CAPTURES."""
    stones, chains, found = boards.stones, boards.chains, workspace.found
    me = stones.to_move[g]
    found[_AFTER] = 0
    found[_CAPTURES] = 0
    for i in range(stones.empties[g]):
        point = stones.empty[g, i]
        if is_alone(chains, g, point):
            found[_AFTER, point] = free_sides(chains, g, point)
        elif found[_LEGAL, point]:
            result = look_at_move(boards, g, workspace, point, me)
            found[_AFTER, point] = result & MOST
            found[_CAPTURES, point] = result >> 8


@inlined
def look_at_move(boards: GoBoards, g: int, workspace: Workspace, point: int, me: int) -> int:
    """Return the liberties after a legal move, up to six, plus 256 times the stones it captures, up to 255."""
    stones, chains = boards.stones, boards.chains
    workspace.looks[0] += 1
    look = workspace.looks[0]
    workspace.mark[point] = look
    liberties = captured = 0
    for k in range(SIDES):
        neighbour = stones.neighbours[point, k]
        there = stones.colour[g, neighbour]
        head = chains.head[g, neighbour]
        if there == EMPTY:
            liberties += workspace.mark[neighbour] != look
            workspace.mark[neighbour] = look
        elif workspace.mark[head] != look:  # a chain that has not been counted (or the border, which has no effect)
            workspace.mark[head] = look
            count = workspace.number[head]
            if there == me:
                if count > SIX:
                    liberties = SIX
                else:
                    for i in range(count):
                        liberty = workspace.liberty[head, i]
                        liberties += workspace.mark[liberty] != look
                        workspace.mark[liberty] = look
            elif count == 1 and there == enemy_of(me):
                captured += chains.stones[g, head]
    if captured > 0 and liberties < SIX:
        liberties += _freed(boards, g, workspace, point, me, look)
    return min(liberties, SIX) | min(captured, MOST) << 8


@inlined
def _freed(boards: GoBoards, g: int, workspace: Workspace, point: int, me: int, look: int) -> int:
    """Return how many captured stones become liberties of the capturing chain: those next to the move or its chain."""
    stones, chains = boards.stones, boards.chains
    freed = 0
    for k in range(SIDES):
        first = stones.neighbours[point, k]
        head = chains.head[g, first]
        if stones.colour[g, first] != enemy_of(me) or workspace.number[head] != 1 or workspace.mark[head] != look:
            continue
        workspace.mark[head] = 0  # a chain on two sides is captured once
        stone = first
        while True:
            touches = False
            for j in range(SIDES):
                neighbour = stones.neighbours[stone, j]
                own = stones.colour[g, neighbour] == me and workspace.mark[chains.head[g, neighbour]] == look
                touches |= own or neighbour == point
            freed += touches
            stone = chains.next[g, stone]
            if stone == first:
                break
    return freed


@inlined
def find_turns(boards: GoBoards, g: int, found: NDArray[np.uint8], recent: NDArray[np.uint16]) -> None:
    """Write Code.TURNS."""
    for point in range(found.shape[1]):
        found[_TURNS, point] = np.uint8(OLD) * (found[_STONE, point] != NEITHER)
    for i in range(RECENT - 1, -1, -1):  # the latest last: of two stones on one point, the later counts
        if recent[i] != PASS and boards.stones.colour[g, recent[i]] != EMPTY:
            found[_TURNS, recent[i]] = i + 1


@inlined
def find_ladders(boards: GoBoards, g: int, workspace: Workspace) -> None:
    """Write Code.LADDER: read the ladder after each atari on a chain with two liberties."""
    stones, chains, found = boards.stones, boards.chains, workspace.found
    found[_LADDER] = 0
    for cell in range(len(workspace.points)):
        point = workspace.points[cell]
        if found[_ENEMY, point] != 2 or chains.head[g, point] != point:
            continue
        for i in range(2):
            move = workspace.liberty[point, i]
            if found[_LEGAL, move] and not found[_LADDER, move]:
                found[_LADDER, move] = captures_in_ladder(stones, chains, g, workspace.ladders, move, point)


@inlined
def find_escapes(boards: GoBoards, g: int, workspace: Workspace) -> None:
    """Write Code.ESCAPE: read the ladder after each extension of an own chain in atari and each attacker's capture."""
    stones, chains, found = boards.stones, boards.chains, workspace.found
    attacker = enemy_of(stones.to_move[g])
    found[_ESCAPE] = 0
    for cell in range(len(workspace.points)):
        head = workspace.points[cell]
        if found[_OWN, head] != 1 or chains.head[g, head] != head:
            continue
        extension = workspace.liberty[head, 0]
        if found[_LEGAL, extension] and not found[_ESCAPE, extension]:
            found[_ESCAPE, extension] = escapes_ladder(stones, chains, g, workspace.ladders, extension, head)
        stone = head
        while True:
            for k in range(SIDES):
                neighbour = stones.neighbours[stone, k]
                if stones.colour[g, neighbour] == attacker:
                    liberties = chains.liberties[g, chains.head[g, neighbour]]
                    if in_atari(liberties):
                        capture = last_liberty(liberties)
                        if capture != extension and found[_LEGAL, capture] and not found[_ESCAPE, capture]:
                            found[_ESCAPE, capture] = escapes_ladder(
                                stones, chains, g, workspace.ladders, capture, head
                            )
            stone = chains.next[g, stone]
            if stone == head:
                break


@inlined
def write_planes(codes: NDArray[np.uint8], table: PlaneTable, planes: NDArray[np.float32], i: int) -> None:
    """Write the planes of a position to planes [i, plane, cell], of any number type."""
    for plane in range(len(table.code)):
        row = table.code[plane]
        low = table.low[plane]
        span = np.uint8(table.high[plane] - low)
        for cell in range(codes.shape[1]):
            planes[i, plane, cell] = np.uint8(codes[row, cell] - low) <= span


_workspaces = threading.local()


def position_planes(game: Game, planes: Planes, rank: int = 0) -> NDArray[np.float32]:
    """Return the planes of the current position of a game: float32[plane, n, n].

    Legal moves are those of the game's own rules, superko included.

    Args:
        game: a game of Go; it is not changed.
        planes: the set of planes.
        rank: the assumed rank of the player to move: 1..9 dan, 10 professional, 0 or less for none.
    """
    if not isinstance(game, Go):
        raise NobiError(f"Planes exist for positions of Go only, not of {game.name}.")
    boards = cast(GoBoards, copy_state(game.boards))  # ladders are read on the board
    found = np.empty((1, planes.count, game.size, game.size), np.float32)
    recent = latest_of(game.moves)[None]
    board_planes(boards, np.zeros(1, np.int64), planes, found, recent, rank=rank)
    return found[0]


def board_planes(
    boards: GoBoards,
    indices: NDArray[np.int64],
    planes: Planes,
    found: NDArray[np.float32],
    recent: NDArray[np.uint16],
    *,
    rank: int = 0,
) -> None:
    """Write the planes of many boards.

    Args:
        boards: the state of all boards; ladders are read on them, and they are restored afterwards.
        indices: int64[i] the boards g to encode.
        planes: the set of planes.
        found: float32[i, plane, n, n] receives the planes.
        recent: uint16[i, RECENT] the latest moves of each game, the latest first; PASS where there was none.
        rank: as in `position_planes`.
    """
    size = boards.stones.size
    flat = found.reshape(len(indices), planes.count, size * size)
    _write(boards, indices, _workspace_of(size), planes.table, flat, recent, rank_code(rank))


def latest_of(moves: Sequence[int]) -> NDArray[np.uint16]:
    """Return the latest moves, the latest first; PASS where there was none: uint16[RECENT]."""
    return np.array([*reversed(moves[-RECENT:]), *[PASS] * RECENT][:RECENT], np.uint16)


def _workspace_of(size: int) -> Workspace:
    """Return this thread's workspace for boards of a size."""
    by_size: dict[int, Workspace] = _workspaces.__dict__.setdefault("by_size", {})
    if size not in by_size:
        by_size[size] = allocate_codes(size)
    return by_size[size]


@compiled
def _write(
    boards: GoBoards,
    indices: NDArray[np.int64],
    workspace: Workspace,
    table: PlaneTable,
    planes: NDArray[np.float32],
    recent: NDArray[np.uint16],
    rank: int,
) -> None:
    for i in range(len(indices)):
        write_codes(boards, indices[i], workspace, table.wanted, 0, recent[i], rank, boards.komi)
        write_planes(workspace.codes, table, planes, i)
