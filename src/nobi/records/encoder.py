"""Planes of recorded positions, by a compiled replay up to each requested position.

Records are stored as moves, not as planes: a game of 200 moves takes 400 bytes, its positions as M15's planes ten
million. Positions of one game that are requested in move order need only one replay.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, PASS, WHITE
from nobi.compiling import compiled
from nobi.encoding import RECENT, Workspace, allocate_codes, write_codes, write_planes
from nobi.errors import NobiError
from nobi.features.base import NINE_DAN, Code, Planes, PlaneTable, rank_code
from nobi.games.go import GoBoards
from nobi.records.collection import WHITE_BIT, Collection, read_only
from nobi.records.replay import NO_ERROR, cell_of, new_record_boards, play_recorded, start_record

NO_MOVE = -1
"""The target for a pass of the expert."""

_NO_GAME = _SETUP = -1
_LEGAL = int(Code.LEGAL)


class Samples(NamedTuple):
    """Positions as inputs and targets of a network."""

    planes: NDArray[Any]  # float32[i, plane, n, n], or uint8
    target: NDArray[np.int64]  # [i] the cell of the expert's move, row · n + column; NO_MOVE for a pass
    legal: NDArray[np.bool_]  # [i, n·n] whether the move is legal


class _Workspace(NamedTuple):
    """The arrays of one thread."""

    boards: GoBoards
    codes: Workspace
    recent: NDArray[np.uint16]
    error: NDArray[np.int64]  # [2] the game (or _NO_GAME) and the move (or _SETUP) that cannot be replayed


class Encoder:
    """Fills arrays with planes, expert moves and legal moves of positions of a collection of records.

    Several threads may use it at the same time.
    """

    def __init__(self, collection: Collection, planes: Planes, *, rank: int | None = None) -> None:
        """Create an encoder.

        Args:
            collection: the records, possibly of several board sizes; the arrays may be mapped files.
            planes: the planes to write.
            rank: the rank (0..10) to encode instead of the players' own.
        """
        self.planes = planes
        self.collection = read_only(collection)
        self._rank = -1 if rank is None else rank_code(rank)
        self._longest = int(np.diff(collection.start).max(initial=0))
        self._free: dict[int, list[_Workspace]] = {}
        """[size] the workspaces that are not in use."""

    def fill(
        self,
        game: NDArray[np.int64],
        ply: NDArray[np.int64],
        symmetry: NDArray[np.uint8],
        planes: NDArray[Any],
        target: NDArray[np.int64],
        legal: NDArray[np.bool_],
    ) -> None:
        """Write the positions before the moves `ply` of games, all of the same board size n.

        Args:
            game: int64[i] the games.
            ply: int64[i] the moves, counted from 0.
            symmetry: uint8[i] applied to the board (`nobi.board.symmetry`).
            planes: float32[i, plane, n, n] or uint8, receives the planes.
            target: int64[i] receives the cells of the expert's moves after the symmetry, NO_MOVE for a pass.
            legal: bool[i, n·n] receives whether moves are legal, after the symmetry.
        """
        game, ply = np.asarray(game, np.int64), np.asarray(ply, np.int64)
        symmetry = np.asarray(symmetry, np.uint8)
        size = self._check(game, ply, symmetry, planes, target, legal)
        flat = planes.reshape(len(game), self.planes.count, size * size)
        order = np.lexsort((ply, game))  # one replay for all positions of a game
        with self._workspace(size) as workspace:
            _fill(
                workspace, self.collection, self.planes.table, self._rank, order, game, ply, symmetry, flat, target,
                legal,
            )  # fmt: skip
            broken, move = workspace.error.tolist()
        if broken != _NO_GAME:
            what = f"move {move + 1}" if move != _SETUP else "the set-up"
            raise NobiError(f"Game {broken} of the collection cannot be replayed: {what} is illegal; import it again.")

    def samples(
        self, game: Any, ply: Any, symmetry: Any = 0, dtype: type[np.float32] | type[np.uint8] = np.float32
    ) -> Samples:
        """Return the positions before the moves `ply` of games in new arrays; the arguments are numbers or arrays."""
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
        """Raise an error for invalid arguments; return the board size."""
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
            raise NobiError(f"All positions of one call must have the board size of the planes, {size}x{size}.")
        if ply.min() < 0 or (ply >= self.collection.start[game + 1] - self.collection.start[game]).any():
            raise NobiError("A game has fewer moves than the requested position; ply counts moves from 0.")
        if symmetry.max() > 7:
            raise NobiError("A symmetry is a number from 0 to 7.")
        return int(size)

    @contextmanager
    def _workspace(self, size: int) -> Iterator[_Workspace]:
        """Yield a workspace for exclusive use by the calling thread: a free one, or a new one."""
        free = self._free.setdefault(size, [])
        try:
            workspace = free.pop()
        except IndexError:
            boards = new_record_boards(size, self._longest)
            workspace = _Workspace(boards, allocate_codes(size), np.zeros(RECENT, np.uint16), np.zeros(2, np.int64))
        try:
            yield workspace
        finally:
            free.append(workspace)


@compiled
def _fill(
    workspace: _Workspace,
    collection: Collection,
    table: PlaneTable,
    rank: int,
    order: NDArray[np.int64],
    game: NDArray[np.int64],
    ply: NDArray[np.int64],
    symmetry: NDArray[np.uint8],
    planes: NDArray[np.float32],
    target: NDArray[np.int64],
    may: NDArray[np.bool_],
) -> None:
    """Write the samples `order`, one by one; `rank` < 0 means the players' own ranks."""
    boards, codes, points = workspace.boards, workspace.codes, workspace.codes.points
    area = len(points)
    workspace.error[0] = _NO_GAME
    current, played = -1, 0
    for j in range(len(order)):
        i = order[j]
        if game[i] != current or ply[i] < played:
            current, played = game[i], 0
            if start_record(boards, points, collection, current) >= 0:
                workspace.error[0], workspace.error[1] = current, _SETUP
                return
        begin = collection.start[current]
        while played < ply[i]:
            if play_recorded(boards, points, collection.moves[begin + played]) != NO_ERROR:
                workspace.error[0], workspace.error[1] = current, played
                return
            played += 1
        for k in range(RECENT):
            workspace.recent[k] = PASS
            if k < played:
                cell = cell_of(collection.moves[begin + played - 1 - k])
                if cell < area:
                    workspace.recent[k] = points[cell]
        move = collection.moves[begin + played]
        white = move >= WHITE_BIT
        boards.stones.to_move[0] = WHITE if white else BLACK
        dan = rank
        if rank < 0:
            own = int(collection.white_rank[current] if white else collection.black_rank[current])
            dan = min(max(own, 0), NINE_DAN)
        komi = collection.komi[current]
        write_codes(boards, 0, codes, table.wanted, symmetry[i], workspace.recent, dan, komi)
        write_planes(codes.codes, table, planes, i)
        cell = cell_of(move)
        target[i] = NO_MOVE
        if cell < area:
            target[i] = codes.after[symmetry[i], cell]
        for c in range(area):
            may[i, c] = codes.codes[_LEGAL, c] != 0
