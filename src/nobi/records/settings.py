"""The settings of an import."""

import math
import re
from dataclasses import dataclass
from typing import Literal

from nobi.records.properties import UNKNOWN, date_of, end_of, rank_of


@dataclass(frozen=True)
class ImportSettings:
    """Filters and splits: flags of `nobi data import`, stored in the manifest of the dataset."""

    sizes: tuple[int, ...] = ()
    """Board sizes to accept, 5 to 25; default: all."""
    min_rank: str = ""
    """Accept games in which both players have at least this rank: 5k, 3d or pro. Unknown ranks are rejected."""
    max_rank: str = ""
    """Accept games in which both players have at most this rank."""
    since: str = ""
    """Accept games of this date or later: YYYY, YYYY-MM or YYYY-MM-DD. Games without a date are rejected."""
    until: str = ""
    """Accept games of this date or earlier."""
    min_handicap: int = 0
    """Accept games with at least this number of handicap stones."""
    max_handicap: int | None = None
    """Accept games with at most this number of handicap stones; 0: even games only."""
    min_moves: int = 1
    """Accept games with at least this number of moves, passes included."""
    max_moves: int | None = None
    """Accept games with at most this number of moves."""
    duplicates: Literal["remove", "remove-exact", "keep"] = "remove"
    """Remove duplicates including rotated and mirrored ones; remove exact duplicates only; or keep all games."""
    shares: tuple[float, float, float] = (88, 4, 8)
    """The shares of train, validation and test. A hash of seed and game decides, so a game never changes its split."""
    seed: int = 0
    """Seed of the split."""

    def __post_init__(self) -> None:
        from nobi.board.text import check_size  # slow to import, too slow for a help text

        for size in self.sizes:
            check_size(size)
        for name, rank in (("lowest", self.min_rank), ("highest", self.max_rank)):
            if rank and rank_of(rank) == UNKNOWN:
                raise ValueError(f"the {name} rank must be like 5k, 3d or pro, not {rank!r}")
        if self.min_rank and self.max_rank and rank_of(self.min_rank) > rank_of(self.max_rank):
            raise ValueError(f"the lowest rank, {self.min_rank}, is above the highest, {self.max_rank}")
        for name, date in (("first", self.since), ("last", self.until)):
            if (date and not re.fullmatch(r"\d{4}(-\d\d){0,2}", date, re.ASCII)) or date_of(date) != date:
                raise ValueError(f"the {name} date must be YYYY, YYYY-MM or YYYY-MM-DD, not {date!r}")
        if self.since and self.until and self.since > end_of(self.until):
            raise ValueError(f"the first date, {self.since}, is after the last, {self.until}")
        for name, low, high in (
            ("handicap", self.min_handicap, self.max_handicap),
            ("number of moves", self.min_moves, self.max_moves),
        ):
            if low < 0:
                raise ValueError(f"the lowest {name} must be 0 or more, not {low}")
            if high is not None and high < low:
                raise ValueError(f"the {name} cannot be {low} to {high}")
        if not all(math.isfinite(share) and share >= 0 for share in self.shares) or sum(self.shares) <= 0:
            raise ValueError(f"the shares must be 0 or more and not all 0, not {', '.join(map(str, self.shares))}")
        if not 0 <= self.seed < 2**63:
            raise ValueError(f"`seed` must be 0 to 2^63 - 1, not {self.seed}")
