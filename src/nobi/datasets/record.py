"""One game out of a record, before it is checked and stored with others."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.records.collecting import offsets_of
from nobi.records.collection import Collection


class Record(NamedTuple):
    """One game; codes and numbers are those of `Collection`."""

    size: int
    moves: NDArray[np.uint16]
    setup: NDArray[np.uint16]
    """In rising order."""
    black_rank: int = 0
    white_rank: int = 0
    komi: float = float("nan")
    handicap: int = 0
    result: int = 0
    date: str = ""
    """YYYY, YYYY-MM or YYYY-MM-DD; empty if unknown."""


def collection_of(records: Sequence[Record]) -> Collection:
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
