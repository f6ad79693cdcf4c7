"""Replay of records by the compiled rules of Go, up to the first illegal move.

The ko rule is simple ko: superko would reject long cycles (triple ko, eternal life), which are legal under Japanese
rules and on most servers, and every record that obeys superko also obeys simple ko. Suicide is illegal, as in nearly
all rules, and as the players and planes of nobi assume. Colours need not alternate (a handicap may be recorded as
moves), and two passes do not end a game: players may continue after a dispute about dead stones.
"""

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, EMPTY, PASS, WHITE, as_point, board_points
from nobi.board.text import vertex_name
from nobi.compiling import compiled, inlined
from nobi.games.base import illegal_move_text
from nobi.games.go import Go, GoBoards, GoSettings, clear, legal, play, setup
from nobi.records.collection import PASS_CODE, WHITE_BIT, Collection, collection_of, read_only
from nobi.records.properties import ILLEGAL_MOVE, SETUP, RecordError

RECORD_RULES = GoSettings(ko="simple", suicide=False)
"""The rules by which records are replayed."""

NO_ERROR, OCCUPIED, KO, SUICIDE, OFF_BOARD, BAD_SETUP = range(6)
_REASONS = {OCCUPIED: "the point is taken", KO: "it recaptures a ko at once", SUICIDE: "it is suicide"}


def new_record_boards(size: int, longest: int) -> GoBoards:
    """Return a board for records of up to `longest` moves: a full history would end the game."""
    return Go.allocate(1, size, RECORD_RULES)._replace(history=np.zeros((1, longest + 3), np.uint64))


@inlined
def cell_of(code: int) -> int:
    """Return the cell of a move or stone, PASS_CODE for a pass."""
    return as_point(code & PASS_CODE)


@inlined
def start_record(boards: GoBoards, points: NDArray[np.uint16], collection: Collection, game: int) -> int:
    """Set up the start position of a game; return the index, in `collection.setup`, of the first bad stone, or −1."""
    stones, chains = boards.stones, boards.chains
    clear(boards, 0)
    begin, end = collection.setup_start[game], collection.setup_start[game + 1]
    for i in range(begin, end):
        code = collection.setup[i]
        cell = cell_of(code)
        if cell >= len(points) or stones.colour[0, points[cell]] != EMPTY:
            return i
        setup(boards, 0, points[cell], WHITE if code >= WHITE_BIT else BLACK)
    for i in range(begin, end):
        if chains.liberties[0, chains.head[0, points[cell_of(collection.setup[i])]]] == 0:
            return i
    return -1


@inlined
def play_recorded(boards: GoBoards, points: NDArray[np.uint16], code: int) -> int:
    """Play one move of a record if it is legal; return an error code, NO_ERROR if it was played."""
    stones = boards.stones
    stones.to_move[0] = WHITE if code >= WHITE_BIT else BLACK
    cell = cell_of(code)
    if cell == PASS_CODE:
        boards.passes[0] = 0  # two passes must not end the game: scoring the board takes longer than the replay
        play(boards, 0, as_point(PASS))
        return NO_ERROR
    if cell >= len(points):
        return OFF_BOARD
    point = points[cell]
    if not legal(boards, 0, point):
        if stones.colour[0, point] != EMPTY:
            return OCCUPIED
        return KO if point == boards.ko[0] else SUICIDE
    play(boards, 0, point)
    return NO_ERROR


@compiled
def _replay(
    boards: GoBoards,
    points: NDArray[np.uint16],
    collection: Collection,
    games: NDArray[np.int64],
    errors: NDArray[np.uint8],
    indices: NDArray[np.int64],
) -> None:
    """Replay these games, all of the size of `boards`; set errors[game], and indices[game] of the move or stone."""
    for game in games:
        stone = start_record(boards, points, collection, game)
        if stone >= 0:
            errors[game], indices[game] = BAD_SETUP, stone
            continue
        for i in range(collection.start[game], collection.start[game + 1]):
            errors[game] = play_recorded(boards, points, collection.moves[i])
            if errors[game] != NO_ERROR:
                indices[game] = i
                break


def check(collection: Collection) -> list[RecordError | None]:
    """Return the first error of each game, or None."""
    count = len(collection.size)
    errors, indices = np.zeros(count, np.uint8), np.zeros(count, np.int64)
    longest = int(np.diff(collection.start).max(initial=0))
    for size in np.unique(collection.size).tolist():
        games = np.flatnonzero(collection.size == size)
        boards, points = new_record_boards(size, longest), board_points(size).astype(np.uint16)
        _replay(boards, points, read_only(collection), games, errors, indices)
    return [_error(collection, game, int(errors[game]), int(indices[game])) for game in range(count)]


def compile_replay() -> None:
    """Compile the replay or load it from the cache, so that processes that start later find it in the cache."""
    none = np.zeros(0, np.int64)
    points = board_points(9).astype(np.uint16)
    _replay(new_record_boards(9, 0), points, read_only(collection_of([])), none, np.zeros(0, np.uint8), none)


def _error(collection: Collection, game: int, error: int, index: int) -> RecordError | None:
    if error == NO_ERROR:
        return None
    size = int(collection.size[game])
    points = board_points(size)
    if error == BAD_SETUP:
        point = points[collection.setup[index] & PASS_CODE]
        return RecordError(SETUP, f"The stones at {vertex_name(int(point), size)} are set up without a liberty.")
    code = int(collection.moves[index])
    colour, point = WHITE if code & WHITE_BIT else BLACK, int(points[code & PASS_CODE])
    text = illegal_move_text(index - int(collection.start[game]) + 1, colour, point, size, _REASONS[error])
    return RecordError(ILLEGAL_MOVE, f"{text[0].upper()}{text[1:]}.")
