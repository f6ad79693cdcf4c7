"""What is done with some hundred records at a time, in whatever process: parse, filter, replay, identify."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from nobi.datasets.checking import check
from nobi.datasets.filters import filter_out, unusable
from nobi.datasets.identity import Identity, identify
from nobi.datasets.settings import ImportSettings
from nobi.datasets.sources import RawRecord
from nobi.records.collecting import collection_of, select
from nobi.records.collection import Collection
from nobi.records.errors import RecordError
from nobi.records.sgf_reader import SgfRecord, parse_sgf

_RECORDS, _BYTES = 256, 1 << 19


class Verdict(NamedTuple):
    """What became of one game."""

    source: int
    """The number of its source."""
    name: str
    """Within its source; empty where that is the game alone."""
    kind: str = ""
    """Empty if the game is good."""
    reason: str = ""

    def but(self, fault: RecordError | None) -> "Verdict":
        """The same game with this fault, if it has one."""
        return self._replace(kind=fault.kind, reason=fault.reason) if fault else self


class Sifted(NamedTuple):
    """What became of a batch."""

    verdicts: list[Verdict]
    """Of all games, good and bad, in the order of the records."""
    games: Collection
    """The good ones, in the same order."""
    identities: list[Identity]
    """Of the good ones."""


def in_batches(records: Iterable[RawRecord]) -> Iterator[list[RawRecord]]:
    """Cuts the records into batches that depend on the records alone, not on who will do the work."""
    batch: list[RawRecord] = []
    size = 0
    for record in records:
        batch.append(record)
        size += len(record.content)
        if len(batch) == _RECORDS or size >= _BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def sift(settings: ImportSettings, batch: list[RawRecord]) -> Sifted:
    """Tells the good games from the others."""
    verdicts: list[Verdict] = []
    places: list[int] = []  # of the records that are to be replayed, among the verdicts
    records: list[SgfRecord] = []
    for raw in batch:
        found = list(parse_sgf(raw.content)) if raw.fault is None else [raw.fault]
        for number, game in enumerate(found, 1):
            name = f"{raw.name} game {number}".lstrip() if len(found) > 1 else raw.name
            fault = game if isinstance(game, RecordError) else unusable(game) or filter_out(game, settings)
            if fault is None and isinstance(game, SgfRecord):
                places.append(len(verdicts))
                records.append(game)
            verdicts.append(Verdict(raw.source, name).but(fault))
    games = collection_of(records)
    faults = check(games)
    for place, fault in zip(places, faults, strict=True):
        verdicts[place] = verdicts[place].but(fault)
    good = np.array([i for i, fault in enumerate(faults) if fault is None], np.int64)
    identities = [identify(records[i].size, records[i].moves, records[i].setup) for i in good]
    return Sifted(verdicts, games if len(good) == len(records) else select(games, good), identities)
