"""Which records an import takes."""

import math

from nobi.datasets.fault import Fault
from nobi.datasets.record import Record
from nobi.datasets.settings import ImportSettings
from nobi.datasets.values import UNKNOWN, end_of, rank_name, rank_of


def filter_out(record: Record, settings: ImportSettings) -> Fault | None:
    """Why the settings leave this record out, or None if they take it."""
    if settings.sizes and record.size not in settings.sizes:
        return Fault("filtered-size", f"Its board has {record.size} lines.")
    if settings.min_rank or settings.max_rank:
        low = rank_of(settings.min_rank) if settings.min_rank else -math.inf
        high = rank_of(settings.max_rank) if settings.max_rank else math.inf
        for colour, rank in (("Black", record.black_rank), ("White", record.white_rank)):
            if rank == UNKNOWN:
                return Fault("filtered-rank", f"{colour}'s rank is unknown.")
            if not low <= rank <= high:
                return Fault("filtered-rank", f"{colour} is {rank_name(rank)}.")
    if settings.since or settings.until:
        if not record.date:
            return Fault("filtered-date", "Its date is unknown.")
        if not settings.since <= end_of(record.date) or (settings.until and record.date > end_of(settings.until)):
            return Fault("filtered-date", f"It was played {record.date}.")
    if not settings.min_handicap <= record.handicap <= _limit(settings.max_handicap):
        return Fault("filtered-handicap", f"It has {record.handicap} handicap stones.")
    if not settings.min_moves <= len(record.moves) <= _limit(settings.max_moves):
        return Fault("filtered-length", f"It has {len(record.moves)} moves.")
    return None


def _limit(most: int | None) -> float:
    return math.inf if most is None else most
