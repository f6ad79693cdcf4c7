"""Making collections of game records out of others."""

import numpy as np
from numpy.typing import NDArray

from nobi.records.collection import Collection


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
