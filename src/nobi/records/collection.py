"""Many game records as flat arrays, the form in which they are stored, shared between processes and replayed.

MERGED records/collecting.py: Making collections of game records out of others.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from nobi.records.sgf_reader import SgfRecord


PASS_CODE = 0x7FFF
WHITE_BIT = 0x8000


class Collection(NamedTuple):
    """Many game records as flat arrays; game i has moves[start[i]:start[i+1]]."""

    size: NDArray[np.uint8]
    """[game] lines of the board."""
    start: NDArray[np.int64]
    """[game + 1] offsets into `moves`."""
    moves: NDArray[np.uint16]
    """Cells (row * size + column, row 0 at the top) or PASS_CODE, | WHITE_BIT for a white move."""
    setup_start: NDArray[np.int64]
    """[game + 1] offsets into `setup`."""
    setup: NDArray[np.uint16]
    """The same code, for stones set up before the first move."""
    black_rank: NDArray[np.int8]
    """[game] 1..9 dan (professionals 10), 0 unknown, -1..-30 kyu."""
    white_rank: NDArray[np.int8]
    """[game] likewise."""
    komi: NDArray[np.float32]
    """[game] NaN unknown."""
    handicap: NDArray[np.uint8]
    """[game] handicap stones."""
    result: NDArray[np.int8]
    """[game] +1 black won, -1 white won, 0 unknown or drawn."""
    year: NDArray[np.int16]
    """[game] 0 unknown."""


def collection_of(records: "Sequence[SgfRecord]") -> Collection:
    """These games as flat arrays."""
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
    """The games first..end−1, without copying: `start` then begins where these games do."""
    return collection._replace(
        **{name: getattr(collection, name)[first:end] for name in _PER_GAME},
        start=collection.start[first : end + 1],
        setup_start=collection.setup_start[first : end + 1],
    )


def select(collection: Collection, games: NDArray[np.int64]) -> Collection:
    """A copy of these games, int64[k], in this order."""
    start, moves = _gather(collection.start, collection.moves, games)
    setup_start, setup = _gather(collection.setup_start, collection.setup, games)
    return Collection(
        start=start,
        moves=moves,
        setup_start=setup_start,
        setup=setup,
        **{name: np.array(getattr(collection, name)[games]) for name in _PER_GAME},
    )


_PER_GAME = [name for name in Collection._fields if name not in ("start", "moves", "setup_start", "setup")]


def offsets_of(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of several rows that stand one after the other begins, and where the last ends: int64[k + 1]."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _gather(
    start: NDArray[np.int64], codes: NDArray[np.uint16], games: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
    """The rows of these games, one after the other."""
    first = start[games]
    new = offsets_of(start[games + 1] - first)
    places = np.arange(new[-1]) + np.repeat(first - new[:-1], np.diff(new))
    return new, np.array(codes[places])
