"""Pieces of work and a study that take no time, to see what workshop and runner do with them."""

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nobi import studies
from nobi.statistics import Interval
from nobi.storage import make_writable_folder
from nobi.studies.jobs import Job
from nobi.studies.resources import Engine, Records
from nobi.studies.study import Claim, Findings, Picture, Row, Study, Table

made = []
"""The numbers of the pieces that were made, in order."""
interrupt_at = set()
"""The numbers of pieces that Ctrl-C is pressed in, once each."""


def records_of_sizes(digest, sizes, count=10_000_000):
    """Records of nothing, as if there were so many positions in every part."""
    parts = {split: dict.fromkeys(sizes, count) for split in ("train", "validation", "test")}
    return Records(digest, {split: dict.fromkeys(sizes, count // 200) for split in parts}, parts)


RECORDS = {
    "pro": records_of_sizes("aa", (19,)),
    "kgs": records_of_sizes("bb", (19,)),
    "small": records_of_sizes("cc", (9, 13)),
}
"""For all roles."""
ENGINES = {name: Engine(name, f"{name} 1.0") for name in studies.ENGINES}
"""All that studies know, none of which is there."""


@dataclass(frozen=True)
class Numbers(Job):
    """Some numbers."""

    kind = "numbers"
    number: int

    @property
    def label(self):
        return f"numbers {self.number}"

    @property
    def cost(self):
        return float(self.number)

    def make(self, cache, progress):
        make_writable_folder(cache.run_folder(self.name))
        progress(0.5)
        if self.number in interrupt_at:
            interrupt_at.remove(self.number)
            time.sleep(0.05)
            raise KeyboardInterrupt
        made.append(self.number)
        return {"values": np.arange(self.number) / 7}


@dataclass(frozen=True)
class Sizes:
    jobs: tuple[int, ...]


class MadeUp(Study):
    """A study of numbers."""

    name, group, title, paper = "s08-fig3", "s08-random", "numbers", "S00 table 1"
    scales: ClassVar = {"tiny": Sizes((3, 1)), "quick": Sizes((1, 5, 3))}

    def conditions(self):
        return {"numbers": " ".join(map(str, self.settings.jobs))}

    def jobs(self):
        return [Numbers(number) for number in self.settings.jobs]

    def report(self, cache, folder):
        (folder / f"{self.name}.png").write_text("a picture")
        (folder / f"{self.name}.svg").write_text("a picture")
        sums = [float(cache.arrays(job)["values"].sum()) for job in self.jobs()]
        rows = [
            Row({"case": str(i)}, "sum", Interval(value, value - 1, np.inf), 0.25, 0.0) for i, value in enumerate(sums)
        ]
        rows.append(Row({"case": "none"}, "sum", Interval(np.nan, -1, 1)))
        claims = [Claim("Sums are numbers.", True, f"{len(sums)} of them."), Claim("Or not.", None, "Who knows.")]
        return Findings([Table("Sums", rows)], claims, [Picture(f"{self.name}.png", "A picture.")])


class Other(MadeUp):
    """Another that shares pieces."""

    name, title = "s08-fig4", "other numbers"
    scales: ClassVar = {"tiny": Sizes((3, 4)), "quick": Sizes((5, 2))}


def forget():
    made.clear()
    interrupt_at.clear()
