"""Game records: one game (`SgfRecord`), and many games as flat arrays (`Collection`) for storage and replay."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, PASS, WHITE, board_points
from nobi.records.properties import RecordError

PASS_CODE = 0x7FFF
WHITE_BIT = 0x8000


class SetupChange(NamedTuple):
    """Stones that a record adds or removes after its first move."""

    after: int  # the number of moves before the change
    cells: dict[int, int]  # BLACK, WHITE or EMPTY by cell
    first: int | None  # the player to move afterwards, if given in the record


class SgfRecord(NamedTuple):
    """The main line of a game, with the codes and numbers of `Collection`. Legality of moves is not checked."""

    size: int
    moves: NDArray[np.uint16]
    setup: NDArray[np.uint16]  # stones set up before the first move, in ascending order
    first: int = BLACK  # the player who moves first
    black_rank: int = 0
    white_rank: int = 0
    komi: float = math.nan
    handicap: int = 0
    result: int = 0
    date: str = ""  # YYYY, YYYY-MM or YYYY-MM-DD; empty if unknown
    rules: str = ""  # the value of RU as it stands in the record; empty if missing
    changes: tuple[SetupChange, ...] = ()
    error: RecordError | None = None  # why the main line cannot be read beyond `moves`; None if these are all

    def __repr__(self) -> str:
        return f"<SgfRecord {self.size}x{self.size}, {len(self.moves)} moves>"

    @property
    def stones(self) -> list[tuple[int, int]]:
        """The stones set up before the first move as (point, colour), black ones first."""
        return [(point, colour) for colour, point in self._decoded(self.setup)]

    @property
    def played(self) -> list[tuple[int, int]]:
        """The moves as (colour, point); PASS for a pass."""
        return self._decoded(self.moves)

    def _decoded(self, codes: NDArray[np.uint16]) -> list[tuple[int, int]]:
        points = board_points(self.size)
        return [
            (
                WHITE if code & WHITE_BIT else BLACK,
                PASS if code & PASS_CODE == PASS_CODE else int(points[code & PASS_CODE]),
            )
            for code in codes.tolist()
        ]


class Collection(NamedTuple):
    """Many game records as flat arrays; game i has moves[start[i]:start[i + 1]]."""

    size: NDArray[np.uint8]  # [game] board size
    start: NDArray[np.int64]  # [game + 1] offsets into `moves`
    moves: NDArray[np.uint16]  # cells (row · size + column, row 0 at the top) or PASS_CODE, | WHITE_BIT for white moves
    setup_start: NDArray[np.int64]  # [game + 1] offsets into `setup`
    setup: NDArray[np.uint16]  # the same codes for stones set up before the first move
    black_rank: NDArray[np.int8]  # [game] 1..9 dan, 10 professional, 0 unknown, -1..-30 kyu
    white_rank: NDArray[np.int8]  # [game]
    komi: NDArray[np.float32]  # [game] NaN if unknown
    handicap: NDArray[np.uint8]  # [game] handicap stones
    result: NDArray[np.int8]  # [game] +1 black won, -1 white won, 0 unknown or drawn
    year: NDArray[np.int16]  # [game] 0 if unknown


_PER_GAME = [name for name in Collection._fields if name not in ("start", "moves", "setup_start", "setup")]
"""The fields with one element per game."""


def collection_of(records: Sequence[SgfRecord]) -> Collection:
    """Return these games as a collection."""
    nothing = [np.zeros(0, np.uint16)]
    return Collection(
        size=np.array([r.size for r in records], np.uint8),
        start=offsets_of(np.array([len(r.moves) for r in records], np.int64)),
        moves=np.concatenate([r.moves for r in records] or nothing),
        setup_start=offsets_of(np.array([len(r.setup) for r in records], np.int64)),
        setup=np.concatenate([r.setup for r in records] or nothing),
        black_rank=np.array([r.black_rank for r in records], np.int8),
        white_rank=np.array([r.white_rank for r in records], np.int8),
        komi=np.array([r.komi for r in records], np.float32),
        handicap=np.array([r.handicap for r in records], np.uint8),
        result=np.array([r.result for r in records], np.int8),
        year=np.array([int(r.date[:4] or 0) for r in records], np.int16),
    )


def span(collection: Collection, first: int, end: int) -> Collection:
    """Return the games first..end−1 without copying; `start` then does not begin at 0."""
    return collection._replace(
        **{name: getattr(collection, name)[first:end] for name in _PER_GAME},
        start=collection.start[first : end + 1],
        setup_start=collection.setup_start[first : end + 1],
    )


def select(collection: Collection, games: NDArray[np.int64]) -> Collection:
    """Return a copy of these games, int64[k], in this order."""
    start, moves = _gather(collection.start, collection.moves, games)
    setup_start, setup = _gather(collection.setup_start, collection.setup, games)
    return Collection(
        start=start,
        moves=moves,
        setup_start=setup_start,
        setup=setup,
        **{name: np.array(getattr(collection, name)[games]) for name in _PER_GAME},
    )


def read_only(collection: Collection) -> Collection:
    """Return read-only views, so that compiled code has the same types for mapped files and for arrays in memory."""
    views: list[NDArray[Any]] = [np.asarray(array).view() for array in collection]
    for view in views:
        view.flags.writeable = False
    return Collection(*views)


def offsets_of(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the offsets of consecutive rows of these lengths, and the end of the last: int64[k + 1]."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _gather(
    start: NDArray[np.int64], codes: NDArray[np.uint16], games: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
    """Return the rows of these games, concatenated, with their offsets."""
    first = start[games]
    new = offsets_of(start[games + 1] - first)
    indices = np.arange(new[-1]) + np.repeat(first - new[:-1], np.diff(new))
    return new, np.array(codes[indices])
