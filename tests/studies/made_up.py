"""Trivial jobs and studies, for tests of the cache and the runner."""

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nobi import studies
from nobi.statistics import Interval
from nobi.storage import make_writable_folder
from nobi.studies.jobs import Job
from nobi.studies.resources import DatasetInfo, Engine
from nobi.studies.study import Claim, Findings, Picture, Row, Study, Table

made = []
"""The numbers of the jobs that were computed, in order."""
interrupt_at = set()
"""The numbers of jobs that raise KeyboardInterrupt, once each."""


def dataset_of_sizes(digest, sizes, count=10_000_000):
    """The description of a dataset with this number of positions in every split."""
    parts = {split: dict.fromkeys(sizes, count) for split in ("train", "validation", "test")}
    return DatasetInfo(digest, {split: dict.fromkeys(sizes, count // 200) for split in parts}, parts)


DATASETS = {
    "pro": dataset_of_sizes("aa", (19,)),
    "kgs": dataset_of_sizes("bb", (19,)),
    "small": dataset_of_sizes("cc", (9, 13)),
}
"""For all roles."""
ENGINES = {name: Engine(name, f"{name} 1.0") for name in studies.ENGINES}
"""All known engines; none of them is installed."""


@dataclass(frozen=True)
class Numbers(Job):
    """Some numbers."""

    kind = "numbers"
    number: int

    @property
    def label(self):
        return f"numbers {self.number}"

    def make(self, cache, progress):
        make_writable_folder(cache.run_folder(self))
        progress(0.5)
        if self.number in interrupt_at:
            interrupt_at.remove(self.number)
            time.sleep(0.05)
            raise KeyboardInterrupt
        made.append(self.number)
        return {"values": np.arange(self.number) / 7}


@dataclass(frozen=True)
class Sizes:
    numbers: tuple[int, ...]


class MadeUp(Study):
    """S00 table 1: numbers."""

    name, page = "s08-fig3", "s08-random"
    scales: ClassVar = {"tiny": Sizes((3, 1)), "quick": Sizes((1, 5, 3))}

    def conditions(self):
        return {"numbers": " ".join(map(str, self.settings.numbers))}

    def jobs(self):
        return {number: Numbers(number) for number in self.settings.numbers}

    def report(self, found, out):
        (out / f"{self.name}.png").write_text("a picture")
        (out / f"{self.name}.svg").write_text("a picture")
        sums = [float(found[number]["values"].sum()) for number in self.settings.numbers]
        rows = [
            Row({"case": str(i)}, "sum", Interval(value, value - 1, np.inf), 0.25, 0.0) for i, value in enumerate(sums)
        ]
        rows.append(Row({"case": "none"}, "sum", Interval(np.nan, -1, 1)))
        claims = [Claim("Sums are numbers.", True, f"{len(sums)} of them."), Claim("Or not.", None, "Unknown.")]
        return Findings([Table("Sums", rows)], claims, [Picture(f"{self.name}.png", "A picture.")])


class Other(MadeUp):
    """S00 table 2: other numbers."""

    name = "s08-fig4"
    scales: ClassVar = {"tiny": Sizes((3, 4)), "quick": Sizes((5, 2))}


def forget():
    made.clear()
    interrupt_at.clear()
