"""Which records an import takes."""

import math

from nobi.datasets.settings import ImportSettings
from nobi.records.collection import PASS_CODE
from nobi.records.errors import NO_MOVES, SETUP, RecordError
from nobi.records.properties import UNKNOWN, end_of, rank_name, rank_of
from nobi.records.sgf_reader import SgfRecord


def unusable(record: SgfRecord) -> RecordError | None:
    """Why nothing can be learnt from this record, or None: its main line must be whole, and a stone played."""
    if record.error:
        return record.error
    if record.changes:
        return RecordError(SETUP, f"Stones are set up after move {record.changes[0].after}.")
    if all(code & PASS_CODE == PASS_CODE for code in record.moves):  # hardly ever looks beyond the first
        return RecordError(NO_MOVES, "No stone is played.")
    return None


def filter_out(record: SgfRecord, settings: ImportSettings) -> RecordError | None:
    """Why the settings leave this record out, or None if they take it."""
    if settings.sizes and record.size not in settings.sizes:
        return RecordError("filtered-size", f"Its board has {record.size} lines.")
    if settings.min_rank or settings.max_rank:
        low = rank_of(settings.min_rank) if settings.min_rank else -math.inf
        high = rank_of(settings.max_rank) if settings.max_rank else math.inf
        for colour, rank in (("Black", record.black_rank), ("White", record.white_rank)):
            if rank == UNKNOWN:
                return RecordError("filtered-rank", f"{colour}'s rank is unknown.")
            if not low <= rank <= high:
                return RecordError("filtered-rank", f"{colour} is {rank_name(rank)}.")
    if settings.since or settings.until:
        if not record.date:
            return RecordError("filtered-date", "Its date is unknown.")
        if not settings.since <= end_of(record.date) or (settings.until and record.date > end_of(settings.until)):
            return RecordError("filtered-date", f"It was played {record.date}.")
    if not settings.min_handicap <= record.handicap <= _limit(settings.max_handicap):
        return RecordError("filtered-handicap", f"It has {record.handicap} handicap stones.")
    if not settings.min_moves <= len(record.moves) <= _limit(settings.max_moves):
        return RecordError("filtered-length", f"It has {len(record.moves)} moves.")
    return None


def _limit(most: int | None) -> float:
    return math.inf if most is None else most
