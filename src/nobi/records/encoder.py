"""Planes of positions out of game records: a compiled replay to each position that is asked for.

Records are kept as moves, not as planes: a game of 200 moves is 400 bytes, its positions as M15's planes ten million.
Whoever asks for positions of one game in the order of their moves has it replayed once only.

Records are replayed by the rules that nearly all of them keep: simple ko, no suicide; stones may be set up before the
first move, and a player may move twice in a row (as where handicap stones are recorded as moves).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, EMPTY, PASS, WHITE, as_point
from nobi.compiling import compiled, inlined
from nobi.encoding import RECENT, Workspace, allocate_codes, write_codes, write_planes
from nobi.errors import NobiError
from nobi.features.base import NINE_DAN, Code, Planes, Table, rank_code
from nobi.games.go import Go, GoBoards, GoSettings, clear, legal, play, setup
from nobi.records.collection import PASS_CODE, WHITE_BIT, Collection

RECORD_RULES = GoSettings(ko="simple", suicide=False)
"""The rules by which records are replayed."""

NO_MOVE = -1
"""The target where the expert passed."""

_SOUND = -1
_LEGAL = int(Code.LEGAL)


class Samples(NamedTuple):
    """Positions as a network is shown them."""

    planes: NDArray[Any]
    """float32[i, plane, n, n], or uint8"""
    target: NDArray[np.int64]
    """[i] the cell of the expert's move, row · n + column; NO_MOVE for a pass."""
    legal: NDArray[np.bool_]
    """[i, n·n] where the player may move."""


class _Workspace(NamedTuple):
    """A thread's own board and room."""

    boards: GoBoards
    workspace: Workspace
    recent: NDArray[np.uint16]
    fault: NDArray[np.int64]
    """[2] the game, and the number of its move, that cannot be replayed."""


class Encoder:
    """Fills arrays with planes, expert moves and legal moves of positions of a collection of records.

    Several threads may use it at the same time.
    """

    def __init__(self, collection: Collection, planes: Planes, *, rank: int | None = None) -> None:
        """Readies an encoder.

        Args:
            collection: the records, possibly of several sizes of board; the arrays may be mapped files.
            planes: which planes to write.
            rank: what to tell as the rank of the players (0..10) instead of their own.
        """
        self.planes = planes
        self.collection = Collection(*(_read_only(array) for array in collection))
        self._rank = -1 if rank is None else rank_code(rank)
        self._longest = int(np.diff(collection.start).max(initial=0))
        self._desks: dict[int, list[_Workspace]] = {}
        """[size] the desks that no thread is at."""

    def fill(
        self,
        game: NDArray[np.int64],
        ply: NDArray[np.int64],
        symmetry: NDArray[np.uint8],
        planes: NDArray[Any],
        target: NDArray[np.int64],
        legal: NDArray[np.bool_],
    ) -> None:
        """Writes the positions before the moves `ply` of games, all of one size of board n.

        Args:
            game: int64[i] which games.
            ply: int64[i] which moves, the first being 0.
            symmetry: uint8[i] how to turn the board (`nobi.board.symmetry`).
            planes: float32[i, plane, n, n] receives the planes, zeros and ones; uint8 is served too.
            target: int64[i] receives the expert's moves as cells of the turned board, NO_MOVE for a pass.
            legal: bool[i, n·n] receives where the player may move, on the turned board.
        """
        game, ply = np.asarray(game, np.int64), np.asarray(ply, np.int64)
        symmetry = np.asarray(symmetry, np.uint8)
        size = self._check(game, ply, symmetry, planes, target, legal)
        flat = planes.reshape(len(game), self.planes.count, size * size)
        order = np.lexsort((ply, game))  # positions of one game follow each other, in one replay
        with self._desk(size) as desk:
            _fill(desk, self.collection, self.planes.table, self._rank, order, game, ply, symmetry, flat, target, legal)
            broken, move = desk.fault.tolist()
        if broken != _SOUND:
            what = f"move {move + 1}" if move != _SOUND else "the set-up"
            raise NobiError(f"Game {broken} of the collection cannot be replayed: {what} is illegal; import it again.")

    def samples(
        self, game: Any, ply: Any, symmetry: Any = 0, dtype: type[np.float32] | type[np.uint8] = np.float32
    ) -> Samples:
        """The positions before the moves `ply` of games, in new arrays; numbers or arrays are taken."""
        game, ply, symmetry = (np.ravel(a) for a in np.broadcast_arrays(game, ply, symmetry))
        if len(game) == 0 or game.min() < 0 or game.max() >= len(self.collection.size):
            raise NobiError(f"Games are numbered 0 to {len(self.collection.size) - 1}.")
        size = int(self.collection.size[game[0]])
        made = Samples(
            np.empty((len(game), self.planes.count, size, size), dtype),
            np.empty(len(game), np.int64),
            np.empty((len(game), size * size), np.bool_),
        )
        self.fill(game.astype(np.int64), ply.astype(np.int64), symmetry.astype(np.uint8), *made)
        return made

    def _check(self, game: Any, ply: Any, symmetry: Any, planes: Any, target: Any, legal: Any) -> int:
        """Refuses what would not fit, and returns the size of the board."""
        count, size = len(game), planes.shape[-1]
        wanted = {
            "ply": (ply.shape, (count,)),
            "symmetry": (symmetry.shape, (count,)),
            "planes": (planes.shape, (count, self.planes.count, size, size)),
            "target": (target.shape, (count,)),
            "legal": (legal.shape, (count, size * size)),
        }
        for name, (found, shape) in wanted.items():
            if found != shape:
                raise ValueError(f"{name} must have the shape {shape}, not {found}")
        if not planes.flags.c_contiguous:
            raise ValueError("planes must be contiguous")
        if count == 0:
            return int(size)
        games = len(self.collection.size)
        if game.min() < 0 or game.max() >= games:
            raise NobiError(f"Games are numbered 0 to {games - 1}.")
        if (self.collection.size[game] != size).any():
            raise NobiError(f"All positions of one call must be of the size of the planes, {size}x{size}.")
        if ply.min() < 0 or (ply >= self.collection.start[game + 1] - self.collection.start[game]).any():
            raise NobiError("A position is asked for that its game does not have: ply counts moves from 0.")
        if symmetry.max() > 7:
            raise NobiError("A symmetry is a number from 0 to 7.")
        return int(size)

    @contextmanager
    def _desk(self, size: int) -> Iterator[_Workspace]:
        """A desk for the calling thread alone: one that is free, or a new one."""
        free = self._desks.setdefault(size, [])
        try:
            desk = free.pop()
        except IndexError:
            boards = Go.allocate(1, size, RECORD_RULES)
            # two passes in a row, or many moves, do not end a record
            boards = boards._replace(history=np.zeros((1, self._longest + 3), np.uint64))
            desk = _Workspace(boards, allocate_codes(size), np.zeros(RECENT, np.uint16), np.full(2, _SOUND, np.int64))
        try:
            yield desk
        finally:
            free.append(desk)


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers, not to be written to: compiled code is then the same for files and for memory."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


@inlined
def _cell(code: int) -> int:
    """The cell of a move or stone, PASS_CODE for a pass."""
    return as_point(code & PASS_CODE)


@compiled
def _fill(
    desk: _Workspace,
    collection: Collection,
    table: Table,
    rank: int,
    order: NDArray[np.int64],
    game: NDArray[np.int64],
    ply: NDArray[np.int64],
    symmetry: NDArray[np.uint8],
    planes: NDArray[np.float32],
    target: NDArray[np.int64],
    may: NDArray[np.bool_],
) -> None:
    """Writes the samples `order`, one after the other; `rank` < 0 stands for the players' own."""
    boards, workspace = desk.boards, desk.workspace
    area = len(workspace.points)
    desk.fault[0] = _SOUND
    present, played = -1, 0
    for j in range(len(order)):
        i = order[j]
        if game[i] != present or ply[i] < played:
            present, played = game[i], 0
            if not _start(desk, collection, present):
                return
        begin = collection.start[present]
        while played < ply[i]:
            if not _advance(desk, collection.moves[begin + played]):
                desk.fault[0] = present
                desk.fault[1] = played
                return
            played += 1
        for k in range(RECENT):
            desk.recent[k] = PASS
            if k < played:
                cell = _cell(collection.moves[begin + played - 1 - k])
                if cell < area:
                    desk.recent[k] = workspace.points[cell]
        move = collection.moves[begin + played]
        white = move >= WHITE_BIT
        boards.stones.to_move[0] = WHITE if white else BLACK
        dan = rank
        if rank < 0:
            own = int(collection.white_rank[present] if white else collection.black_rank[present])
            dan = min(max(own, 0), NINE_DAN)
        komi = collection.komi[present]
        write_codes(boards, 0, workspace, table.wanted, symmetry[i], desk.recent, dan, komi)
        write_planes(workspace.codes, table, planes, i)
        cell = _cell(move)
        target[i] = NO_MOVE
        if cell < area:
            target[i] = workspace.after[symmetry[i], cell]
        for c in range(area):
            may[i, c] = workspace.codes[_LEGAL, c] != 0


@inlined
def _start(desk: _Workspace, collection: Collection, game: int) -> bool:
    """Sets the start position of a game up; returns whether it is sound."""
    boards, workspace = desk.boards, desk.workspace
    stones, chains = boards.stones, boards.chains
    desk.fault[0] = game
    desk.fault[1] = _SOUND
    clear(boards, 0)
    begin, end = collection.setup_start[game], collection.setup_start[game + 1]
    for i in range(begin, end):
        code = collection.setup[i]
        cell = _cell(code)
        if cell >= len(workspace.points) or stones.colour[0, workspace.points[cell]] != EMPTY:
            return False
        setup(boards, 0, workspace.points[cell], WHITE if code >= WHITE_BIT else BLACK)
    for i in range(begin, end):
        point = workspace.points[_cell(collection.setup[i])]
        if chains.liberties[0, chains.head[0, point]] == 0:
            return False
    desk.fault[0] = _SOUND
    return True


@inlined
def _advance(desk: _Workspace, code: int) -> bool:
    """Plays one move of a record, if it is legal."""
    boards, workspace = desk.boards, desk.workspace
    boards.stones.to_move[0] = WHITE if code >= WHITE_BIT else BLACK
    cell = _cell(code)
    if cell == PASS_CODE:
        boards.passes[0] = 0
        play(boards, 0, as_point(PASS))
        return True
    if cell >= len(workspace.points):
        return False
    point = workspace.points[cell]
    if not legal(boards, 0, point):
        return False
    play(boards, 0, point)
    return True
