"""The base class of studies: settings → jobs → rows compared with the paper's numbers, claims and figures.

A study declares the jobs that it needs (`nobi.studies.jobs`): games of random networks, training runs, matches. The
result of a job is computed once and stored in a file (`nobi.studies.cache`), so studies share jobs, and an interrupted
study resumes. The report is a deterministic function of the results.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nobi.statistics import Interval, all_positive, bounded_mean, per_run, single_runs
from nobi.studies.cache import JobCache
from nobi.studies.jobs import Arrays, Job
from nobi.studies.resources import DatasetInfo, Engine, require_dataset, require_engine

SCALES = ("tiny", "quick", "day", "paper")
"""Sizes of a study: seconds, for tests; up to three minutes; up to three hours on two cores; at least the paper's
sample sizes. Only studies whose paper scale is too large for a small machine have the scale `day`."""

AGREES, DIRECTION, DIFFERS, WIDE = "agrees", "direction", "differs", "wide"
"""Values of `Row.outcome`; see `compare`."""
RANGES = {
    "correlation": 2.0,
    "p": 1.0,
    "games won": 1.0,
    "games won, %": 100.0,
    "share with a fitness of 0.5 or more": 1.0,
}
"""measure → the extent of its possible values, for `compare`."""
NARROW = 0.25
"""Maximum width of a conclusive interval, as a part of the range of possible values."""

NOT_MEASURED = Interval(math.nan, math.nan, math.nan)
"""Replaces our number in a row that shows only the paper's number."""

Jobs = Mapping[Any, Job | Sequence[Job]]
"""key → job, or several runs that differ only in their seed."""


@dataclass(frozen=True)
class Row:
    """A measured number and the paper's number."""

    labels: dict[str, str]
    """The case: column → text; all rows of a table have the same columns."""
    measure: str
    """The measured quantity, e.g. `correlation`."""
    ours: Interval
    paper: Interval | float | None = None
    """The paper's number; an interval if the paper states its error or the size of its sample."""
    neutral: float | None = None
    """The null value, e.g. 0 for a correlation, 0.5 for a share."""
    each: tuple[float, ...] = ()
    """The values of single runs, if there are at most ten."""

    @classmethod
    def over_runs(
        cls,
        labels: dict[str, str],
        measure: str,
        values: NDArray[np.float64],
        paper: Interval | None = None,
        neutral: float | None = None,
    ) -> "Row":
        """Return the mean fitness of independent runs, [run], or of another quantity from −1 to 1."""
        return cls(labels, measure, bounded_mean(values), paper, neutral, single_runs(values))

    @property
    def outcome(self) -> str:
        """AGREES, DIRECTION, DIFFERS or WIDE; empty if the paper has no number or ours is undefined."""
        if self.paper is None or math.isnan(self.ours.value):
            return ""
        return compare(self.ours, self.paper, self.neutral, RANGES.get(self.measure))


def compare(ours: Interval, paper: Interval | float, neutral: float | None, extent: float | None) -> str:
    """Compare our estimate with a paper's number.

    AGREES: the difference is not significant, and our interval and the paper's are narrow: at most `NARROW` of the
    possible values, or twice that of the paper's number if these have no bounds. WIDE: the difference is not
    significant, but one of the intervals is not narrow. DIRECTION: the difference is significant, and our whole
    interval is on the paper's side of the null value; a paper's number whose own interval contains the null value is
    on neither side. DIFFERS: everything else.

    Args:
        ours: our estimate.
        paper: the paper's number; without an interval it counts as exact.
        neutral: the null value, if there is one.
        extent: the extent of the possible values, if they have bounds.
    """
    published = paper if isinstance(paper, Interval) else Interval(paper, paper, paper)
    if not (ours - published).excludes(0.0):
        limit = NARROW * extent if extent is not None else 2 * NARROW * abs(published.value)
        return AGREES if max(ours.high - ours.low, published.high - published.low) <= limit else WIDE
    if neutral is not None and ours.excludes(neutral) and published.excludes(neutral):
        return DIRECTION if (published.value > neutral) == (ours.value > neutral) else DIFFERS
    return DIFFERS


@dataclass(frozen=True)
class Table:
    """Rows with the same columns."""

    title: str
    rows: list[Row]


@dataclass(frozen=True)
class Claim:
    """A statement, usually of the paper, and whether it is reproduced."""

    text: str
    holds: bool | None
    """True: reproduced, False: not reproduced, None: inconclusive."""
    evidence: str
    """The measured numbers on which the decision is based."""

    @classmethod
    def positive(
        cls,
        text: str,
        estimates: Interval | Mapping[str, Interval],
        what: str = "",
        *,
        null: float = 0.0,
        points: bool = False,
    ) -> "Claim":
        """Return a claim that holds if an estimate, or each of several labelled estimates, is above the null value.

        The evidence is `what` and the estimates, as numbers or in percentage points.
        """
        labelled = estimates if isinstance(estimates, Mapping) else {"": estimates}
        parts = [
            (f"{label}: " if label else "") + (f"{100 * estimate:+.1f} points" if points else str(estimate))
            for label, estimate in labelled.items()
        ]
        evidence = (f"{what}: " if what else "") + "; ".join(parts)
        return cls(text, all_positive(estimate - null for estimate in labelled.values()), evidence)


@dataclass(frozen=True)
class Picture:
    """A figure or game record written by a study."""

    file: str
    """The file name in the folder of results; for a figure the PNG, with an SVG of the same name."""
    caption: str


@dataclass(frozen=True)
class Findings:
    """The report of a study."""

    tables: list[Table] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Sentences for the reader."""

    def __add__(self, other: "Findings") -> "Findings":
        return Findings(
            self.tables + other.tables,
            self.claims + other.claims,
            self.pictures + other.pictures,
            self.notes + other.notes,
        )


class Results:
    """The results of the jobs of a study: `found[key]` are the arrays of the job declared under this key."""

    def __init__(self, jobs: Jobs, cache: JobCache) -> None:
        self.jobs = jobs
        self.cache = cache

    def __getitem__(self, key: Hashable) -> Arrays:
        job = self.jobs[key]
        if not isinstance(job, Job):
            raise TypeError(f"there are several runs under {key!r}; use runs()")
        return self.cache.arrays(job)

    def runs(self, key: Hashable) -> list[Arrays]:
        """Return the arrays, [run], of the runs declared under this key, or on which its job depends."""
        job = self.jobs[key]
        return [self.cache.arrays(run) for run in (job.dependencies if isinstance(job, Job) else job)]

    def per_run(self, key: Hashable) -> NDArray[np.float64]:
        """Return the mean points of the champions of each run, [run]."""
        found = self[key]
        return per_run(found["points"], found["run"])


class Study(ABC):
    """A table or figure of a paper, or a question beyond the papers.

    The first line of the docstring of a study is its title, which begins with its source, as in `S08 table I: …`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    """The part of the title before the colon; empty if there is none."""
    page: ClassVar[str]
    """The page of the documentation with the study, e.g. `s08-random`."""
    scales: ClassVar[Mapping[str, Any]]
    """scale → settings: a dataclass of sample sizes."""
    roles: ClassVar[Mapping[str, tuple[int, ...]]] = {}
    """The required datasets: role → required board sizes."""
    plays_against: ClassVar[tuple[str, ...]] = ()
    """The engines of the study's games; at least one is required, except at the scale `tiny`."""

    def __init_subclass__(cls) -> None:
        cls.title = (cls.__doc__ or cls.__name__).splitlines()[0].removesuffix(".")
        source, colon, _ = cls.title.partition(": ")
        cls.paper = source if colon else ""

    def __init__(
        self,
        scale: str,
        seed: int,
        datasets: Mapping[str, DatasetInfo] | None = None,
        engines: Mapping[str, Engine] | None = None,
    ) -> None:
        """Prepare a study.

        Args:
            scale: one of `scales`.
            seed: determines all random numbers.
            datasets: the datasets for its roles.
            engines: the engines that are available.
        """
        self.scale = scale
        self.settings: Any = self.scales[scale]
        self.seed = seed
        self.datasets = datasets or {}
        self.engines = engines or {}
        for role, sizes in self.roles.items():
            require_dataset(self.name, role, sizes, self.datasets)
        if self.plays_against and scale != "tiny":
            require_engine(self.name, self.plays_against, self.engines)

    @property
    def figure(self) -> str:
        """The name of the file of its figure."""
        return f"{self.name}.png"

    @property
    def used_roles(self) -> tuple[str, ...]:
        """The roles of the datasets that are used."""
        return tuple(self.roles)

    @abstractmethod
    def conditions(self) -> dict[str, str]:
        """Return the conditions of the measurement, for the reader: setting → value."""

    @abstractmethod
    def jobs(self) -> Jobs:
        """Return the required jobs, each under the key by which `report` accesses its result."""

    @abstractmethod
    def report(self, found: Results, out: Path) -> Findings:
        """Compute rows and claims from the results of the jobs, and write figures to the folder `out`."""

    def all_jobs(self) -> list[Job]:
        """Return all jobs and their dependencies, each once, every job after its dependencies."""
        declared = [[job] if isinstance(job, Job) else job for job in self.jobs().values()]
        return list(dict.fromkeys(one for group in declared for job in group for one in (*job.dependencies, job)))
