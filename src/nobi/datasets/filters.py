"""Which records an import takes: the settings of an import, and the filters among them."""

import math
import re
from dataclasses import dataclass
from typing import Literal

from nobi.board.stones import LARGEST, SMALLEST
from nobi.datasets.fault import Fault
from nobi.datasets.record import Record
from nobi.datasets.values import UNKNOWN, date_of, rank_name, rank_of
from nobi.errors import NobiError


@dataclass(frozen=True)
class ImportSettings:
    """What an import takes and how it splits it; kept in the dataset's manifest."""

    sizes: tuple[int, ...] = ()
    """The board sizes to take; none for all."""
    min_rank: str = ""
    """Both players have at least this rank, such as 5k, 3d or pro."""
    max_rank: str = ""
    """Both players have at most this rank."""
    since: str = ""
    """Played on this day or later, as YYYY, YYYY-MM or YYYY-MM-DD."""
    until: str = ""
    """Played on this day or earlier."""
    min_handicap: int = 0
    """At least so many handicap stones."""
    max_handicap: int | None = None
    """At most so many handicap stones."""
    min_moves: int = 1
    """At least so many moves, passes among them."""
    max_moves: int | None = None
    """At most so many moves."""
    duplicates: Literal["remove", "remove-exact", "keep"] = "remove"
    """What to do with a game met again: up to symmetry, only if exactly the same, or nothing."""
    shares: tuple[float, float, float] = (88, 4, 8)
    """The shares of train, validation and test."""
    seed: int = 0
    """Chooses which games are for which."""

    def __post_init__(self) -> None:
        for size in self.sizes:
            if not SMALLEST <= size <= LARGEST:
                raise NobiError(f"Board sizes are {SMALLEST} to {LARGEST}, not {size}.")
        for name, rank in (("lowest", self.min_rank), ("highest", self.max_rank)):
            if rank and rank_of(rank) == UNKNOWN:
                raise NobiError(f"The {name} rank is written like 5k, 3d or pro, not {rank!r}.")
        if self.min_rank and self.max_rank and rank_of(self.min_rank) > rank_of(self.max_rank):
            raise NobiError(f"The lowest rank, {self.min_rank}, is above the highest, {self.max_rank}.")
        for name, date in (("first", self.since), ("last", self.until)):
            if (date and not re.fullmatch(r"\d{4}(-\d\d){0,2}", date, re.ASCII)) or date_of(date) != date:
                raise NobiError(f"The {name} date is written YYYY, YYYY-MM or YYYY-MM-DD, not {date!r}.")
        if self.since and self.until and self.since > _end(self.until):
            raise NobiError(f"The first date, {self.since}, is after the last, {self.until}.")
        for name, low, high in (
            ("handicap", self.min_handicap, self.max_handicap),
            ("number of moves", self.min_moves, self.max_moves),
        ):
            if low < 0 or (high is not None and high < low):
                raise NobiError(f"The {name} cannot be {low} to {high}.")
        if not all(math.isfinite(share) and share >= 0 for share in self.shares) or sum(self.shares) <= 0:
            raise NobiError(f"The shares must be 0 or more and not all 0, not {', '.join(map(str, self.shares))}.")
        if not 0 <= self.seed < 2**63:
            raise NobiError(f"The seed must be 0 to 2^63 - 1, not {self.seed}.")


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
        if not settings.since <= _end(record.date) or (settings.until and record.date > _end(settings.until)):
            return Fault("filtered-date", f"It was played {record.date}.")
    if not settings.min_handicap <= record.handicap <= _limit(settings.max_handicap):
        return Fault("filtered-handicap", f"It has {record.handicap} handicap stones.")
    if not settings.min_moves <= len(record.moves) <= _limit(settings.max_moves):
        return Fault("filtered-length", f"It has {len(record.moves)} moves.")
    return None


def _limit(most: int | None) -> float:
    return math.inf if most is None else most


def _end(date: str) -> str:
    """The end of a year, a month or a day, to compare dates of all three forms: 1995 may be any day of that year."""
    return f"{date}~"
