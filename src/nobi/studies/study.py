"""What a study is: settings → pieces of work → rows beside the paper's → figures.

A study says beforehand which pieces of work it needs (`nobi.studies.jobs`): games of random networks, runs of
evolution, champions measured on other boards. A piece is made once and kept in a file, so studies share what they can
share, and one that was interrupted goes on where it was. From finished pieces, the rows follow without chance.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from nobi.statistics import Interval
from nobi.studies.cache import JobCache
from nobi.studies.jobs import Job
from nobi.studies.resources import Engine, Records, check_role, needs

SCALES = ("tiny", "quick", "day", "paper")
"""How large a study is: seconds, to try it out; up to three minutes; what two cores do in one to three hours; at least
the paper's numbers. Only studies that are too large for a small machine at the paper's numbers have a day's."""

INSIDE, DIRECTION, NO = "yes", "direction", "no"
"""What `Row.agrees` says: the paper's figure is inside our interval; it is not, but both are on the same side of the
value that would mean nothing; or neither."""


@dataclass(frozen=True)
class Row:
    """One measured figure beside the paper's."""

    labels: dict[str, str]
    """Which case it is: column → text; the rows of a table have the same columns."""
    measure: str
    """What is measured, e.g. `correlation`."""
    ours: Interval
    paper: float | None = None
    neutral: float | None = None
    """The value that would mean nothing, e.g. 0 for a correlation, 0.5 for a share."""

    @property
    def agrees(self) -> str:
        """INSIDE, DIRECTION, NO, or nothing where the paper has no such figure or ours is undefined."""
        if self.paper is None or math.isnan(self.ours.value):
            return ""
        if self.ours.low <= self.paper <= self.ours.high:
            return INSIDE
        if self.neutral is not None and (self.ours.value - self.neutral) * (self.paper - self.neutral) > 0:
            return DIRECTION
        return NO


@dataclass(frozen=True)
class Table:
    """Rows that stand together."""

    title: str
    rows: list[Row]


@dataclass(frozen=True)
class Claim:
    """Something that the paper says, and whether it is so here."""

    text: str
    holds: bool | None
    """None where our sample is too small to tell."""
    evidence: str
    """The measured figures that decide it."""


@dataclass(frozen=True)
class Picture:
    """A figure or game record that a study made."""

    file: str
    """Its name in the folder of the results; of a figure the PNG, beside which there is an SVG."""
    caption: str


@dataclass(frozen=True)
class Findings:
    """What a study came to."""

    tables: list[Table] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What a reader should know besides: sentences."""


class Study(ABC):
    """A table or figure of a paper, or a question beyond them."""

    name: ClassVar[str]
    group: ClassVar[str]
    """The page it stands on, e.g. `s08-random`."""
    title: ClassVar[str]
    paper: ClassVar[str]
    """Where the paper has it, e.g. `S08 table I`; empty for what goes beyond the papers."""
    scales: ClassVar[dict[str, Any]]
    """scale → settings: a dataclass of sample sizes."""
    roles: ClassVar[dict[str, tuple[int, ...]]] = {}
    """The datasets it needs, if any: role → the sizes of board that must be there."""
    plays_against: ClassVar[tuple[str, ...]] = ()
    """The engines that it plays against, if any; it needs at least one of them, except at the scale `tiny`."""

    def __init__(
        self,
        scale: str,
        seed: int,
        records: Mapping[str, Records] | None = None,
        engines: Mapping[str, Engine] | None = None,
    ) -> None:
        """Readies a study.

        Args:
            scale: how large, one of `scales`.
            seed: chooses everything that is random.
            records: the datasets for its roles.
            engines: the other programs that it may meet.
        """
        self.scale = scale
        self.settings: Any = self.scales[scale]
        self.seed = seed
        self.records = records or {}
        self.engines = engines or {}
        for role, sizes in self.roles.items():
            check_role(self.name, role, sizes, self.records)
        if self.plays_against and scale != "tiny":
            needs(self.name, self.plays_against, self.engines)

    @property
    def learns_from(self) -> tuple[str, ...]:
        """The roles of the datasets that it uses."""
        return tuple(self.roles)

    @abstractmethod
    def conditions(self) -> dict[str, str]:
        """In words under which conditions the figures are measured: what is set → to what."""

    @abstractmethod
    def jobs(self) -> Sequence[Job]:
        """All the work that it needs, in the order it is to be done."""

    @abstractmethod
    def report(self, cache: JobCache, folder: Path) -> Findings:
        """The rows and figures, from pieces that the workshop has made; figures are written to the folder."""


def negative(interval: Interval) -> Interval:
    """The same difference the other way round."""
    return Interval(-interval.value, -interval.high, -interval.low)


def verdict(gap: Interval) -> bool | None:
    """Whether a difference is surely positive, surely negative, or cannot be told."""
    return True if gap.low > 0 else False if gap.high < 0 else None


def verdict_of_all(gaps: Iterable[Interval]) -> bool | None:
    """Whether all differences are surely positive, at least one is surely not, or it cannot be told."""
    outcomes = [verdict(gap) for gap in gaps]
    return False if False in outcomes else None if None in outcomes else True


def verdict_of_most(gaps: Sequence[Interval]) -> bool | None:
    """Whether most of the differences are surely positive, most are surely not, or neither."""
    outcomes = [verdict(gap) for gap in gaps]
    return True if outcomes.count(True) > len(gaps) / 2 else False if outcomes.count(False) > len(gaps) / 2 else None


def beyond_half(share: Interval) -> Interval:
    """How far a share is above one half."""
    return Interval(share.value - 0.5, share.low - 0.5, share.high - 0.5)


def every(step: int) -> str:
    """One of `step` is taken, in words: `every`, `every second`, `every 10th`."""
    if step <= 3:
        return ("every", "every second", "every third")[step - 1]
    ending = "th" if step // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(step % 10, "th")
    return f"every {step}{ending}"


def mean_text(interval: Interval, digits: int = 2) -> str:
    """An interval as a reader likes it: `0.71 [0.66, 0.75]`."""
    if math.isnan(interval.value):
        return "undefined"
    low, high = (f"{bound:.{digits}f}" if math.isfinite(bound) else "?" for bound in (interval.low, interval.high))
    return f"{interval.value:.{digits}f} [{low}, {high}]"
