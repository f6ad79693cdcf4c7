"""Planes of positions that are being played: of a game in the hand, and of many boards at once."""

import threading
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import PASS, copy_of
from nobi.compiling import compiled
from nobi.errors import NobiError
from nobi.features.base import Planes, Table, rank_code
from nobi.features.codes import RECENT, Room, allocate_codes, write_codes, write_planes
from nobi.games.base import Game
from nobi.games.go import Go, GoBoards

_rooms = threading.local()


def position_planes(game: Game, planes: Planes, rank: int = 0, symmetry: int = 0) -> NDArray[np.float32]:
    """The planes of a game's present position: float32[plane, n, n].

    Legal is what the game's own rules allow, superko included.

    Args:
        game: a game of Go; it is not changed.
        planes: which planes.
        rank: the rank that the player to move is to be taken for: 1..9 dan, professionals 10, 0 or less for none.
        symmetry: how to turn the board (`nobi.board.symmetry`).
    """
    if not isinstance(game, Go):
        raise NobiError(f"Planes are made of positions of Go, not of {game.name}.")
    boards = cast(GoBoards, copy_of(game.boards))  # ladders are read on the board
    found = np.empty((1, planes.count, game.size, game.size), np.float32)
    board_planes(
        boards, np.zeros(1, np.int64), planes, found, latest_of(game.moves)[None], rank=rank, symmetry=symmetry
    )
    return found[0]


def latest_of(moves: Sequence[int]) -> NDArray[np.uint16]:
    """uint16[RECENT] the latest moves, the latest first; PASS where there was none."""
    return np.array([*reversed(moves[-RECENT:]), *[PASS] * RECENT][:RECENT], np.uint16)


def board_planes(
    boards: GoBoards,
    lanes: NDArray[np.int64],
    planes: Planes,
    found: NDArray[Any],
    recent: NDArray[np.uint16],
    *,
    rank: int = 0,
    symmetry: int = 0,
) -> None:
    """Writes the planes of many boards at once, as a player of many games needs them.

    Args:
        boards: the state of all boards; ladders are read on them, and they are afterwards as before.
        lanes: int64[i] the boards g to look at.
        planes: which planes.
        found: float32[i, plane, n, n] receives them; uint8 is served too.
        recent: uint16[i, RECENT] the latest moves of each game, the latest first; PASS where there was none.
        rank: as in `position_planes`.
        symmetry: as in `position_planes`.
    """
    size = boards.stones.size
    shape = (len(lanes), planes.count, size, size)
    if found.shape != shape or not found.flags.c_contiguous or recent.shape != (len(lanes), RECENT):
        raise ValueError(f"found must be contiguous, of the shape {shape}, and recent ({len(lanes)}, {RECENT})")
    flat = found.reshape(len(lanes), planes.count, size * size)
    _write(boards, lanes, _room_of(size), planes.table, flat, recent, rank_code(rank), symmetry)


def _room_of(size: int) -> Room:
    """This thread's room for boards of a size."""
    if not hasattr(_rooms, "by_size"):
        _rooms.by_size = {}
    if size not in _rooms.by_size:
        _rooms.by_size[size] = allocate_codes(size)
    room: Room = _rooms.by_size[size]
    return room


@compiled
def _write(
    boards: GoBoards,
    lanes: NDArray[np.int64],
    room: Room,
    table: Table,
    planes: NDArray[np.float32],
    recent: NDArray[np.uint16],
    rank: int,
    symmetry: int,
) -> None:
    for i in range(len(lanes)):
        write_codes(boards, lanes[i], room, table.wanted, symmetry, recent[i], rank, boards.komi)
        write_planes(room.codes, table, planes, i)
