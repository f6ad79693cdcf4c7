"""Replaying records by the compiled rules of Go, up to the first move that is illegal.

The ko rule is the simple one: superko would refuse the long cycles (triple ko, eternal life) that Japanese and most
servers' rules allow, and every record that obeys superko obeys simple ko too. Suicide is illegal, as in nearly all
rules, and as the players and the planes of nobi assume. Players need not alternate (a handicap may be played move
by move), and two passes end nothing: games go on after a quarrel about dead stones.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, EMPTY, PASS, WHITE, as_point, board_points
from nobi.board.text import vertex_name
from nobi.compiling import compiled
from nobi.games.base import illegal_move_text
from nobi.games.go import Go, GoBoards, GoSettings, clear, legal, play, setup
from nobi.records.collection import PASS_CODE, WHITE_BIT, Collection
from nobi.records.properties import ILLEGAL_MOVE, SETUP, RecordError

_FINE, _TAKEN, _KO, _SUICIDE, _BREATHLESS = 0, 1, 2, 3, 4
_WHY = {_TAKEN: "the point is taken", _KO: "it takes back a ko at once", _SUICIDE: "it is suicide"}
_CELL = PASS_CODE


@compiled
def _replay(
    boards: GoBoards,
    points: NDArray[np.uint16],
    games: NDArray[np.int64],
    start: NDArray[np.int64],
    moves: NDArray[np.uint16],
    setup_start: NDArray[np.int64],
    stones_set_up: NDArray[np.uint16],
    why: NDArray[np.uint8],
    where: NDArray[np.int64],
) -> None:
    """Replays these games, all of the size of `boards`; writes why[game] and where[game] of the first fault."""
    stones, chains = boards.stones, boards.chains
    for game in games:
        why[game] = _FINE
        clear(boards, 0)
        for i in range(setup_start[game], setup_start[game + 1]):
            code = stones_set_up[i]
            setup(boards, 0, points[code & _CELL], WHITE if code & WHITE_BIT else BLACK)
        for i in range(setup_start[game], setup_start[game + 1]):
            if chains.liberties[0, chains.head[0, points[stones_set_up[i] & _CELL]]] == 0:
                why[game], where[game] = _BREATHLESS, i
                break
        if why[game] != _FINE:
            continue
        for i in range(start[game], start[game + 1]):
            code = moves[i]
            cell = code & _CELL
            move = as_point(PASS) if cell == PASS_CODE else points[cell]
            stones.to_move[0] = WHITE if code & WHITE_BIT else BLACK
            if not legal(boards, 0, move):
                where[game] = i
                if stones.colour[0, move] != EMPTY:
                    why[game] = _TAKEN
                elif move == boards.ko[0]:
                    why[game] = _KO
                else:
                    why[game] = _SUICIDE
                break
            play(boards, 0, move)
            boards.passes[0] = 0  # nobody counts the board after two passes: that takes longer than the game


@cache
def _boards(size: int) -> tuple[GoBoards, NDArray[np.uint16]]:
    """A board of this size, and the points of its cells."""
    return Go.allocate(1, size, GoSettings(ko="simple", suicide=False)), board_points(size).astype(np.uint16)


def check(collection: Collection) -> list[RecordError | None]:
    """What is wrong with each game, if anything."""
    count = len(collection.size)
    why, where = np.zeros(count, np.uint8), np.zeros(count, np.int64)
    longest = int(np.diff(collection.start).max(initial=0))
    for size in np.unique(collection.size).tolist():
        boards, points = _boards(size)
        if boards.history.shape[1] < longest + 2:  # a full history would end the game
            boards = boards._replace(history=np.zeros((1, longest + 2), np.uint64))
        games = np.flatnonzero(collection.size == size)
        _replay(
            boards,
            points,
            games,
            collection.start,
            collection.moves,
            collection.setup_start,
            collection.setup,
            why,
            where,
        )
    return [_fault(collection, game, int(why[game]), int(where[game])) for game in range(count)]


def ready() -> None:
    """Compiles the replay, or loads it, so that processes started later find it."""
    empty = np.zeros(0, np.uint16)
    boards, points = _boards(9)
    nothing = np.zeros(0, np.int64)
    _replay(boards, points, nothing, nothing, empty, nothing, empty, np.zeros(0, np.uint8), nothing)


def _fault(collection: Collection, game: int, why: int, where: int) -> RecordError | None:
    if why == _FINE:
        return None
    size = int(collection.size[game])
    points = board_points(size)
    if why == _BREATHLESS:
        point = points[collection.setup[where] & _CELL]
        return RecordError(SETUP, f"The stones at {vertex_name(int(point), size)} are set up without a liberty.")
    code = int(collection.moves[where])
    number = where - int(collection.start[game]) + 1
    text = illegal_move_text(number, WHITE if code & WHITE_BIT else BLACK, int(points[code & _CELL]), size, _WHY[why])
    return RecordError(ILLEGAL_MOVE, f"{text[0].upper()}{text[1:]}.")
