"""Several objectives, which S08 section VI proposes: training for two boards at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from nobi.arena.summary import mean_interval
from nobi.evolve.settings import EvolutionSettings
from nobi.figures.sizes import size_lines
from nobi.studies.base import Claim, Findings, Picture, Row, Study, Table, every, mean_text, verdict
from nobi.studies.pieces import Champions, Evolution, Piece
from nobi.studies.s09_random import MDLSTM
from nobi.studies.s09_training import Training
from nobi.studies.statistics import difference, per_run
from nobi.studies.workshop import Workshop


@dataclass(frozen=True)
class Both:
    """Training on one board and on two."""

    training: Training
    first: int
    step: int
    games: int


class SizesStudy(Study):
    """S08 section VI: objectives on multiple board sizes."""

    name = "beyond-sizes"
    group = "beyond"
    paper = ""
    title = "training for two boards at once, and what it does to transfer"
    ways: ClassVar = {
        "5x5 alone": ((5,), "cmaes"),
        "9x9 alone": ((9,), "cmaes"),
        "5x5 and 9x9, mean": ((5, 9), "cmaes"),
        "5x5 and 9x9, two objectives": ((5, 9), "nsga2"),
    }
    test_sizes = (5, 7, 9, 11, 15, 19)
    scales: ClassVar = {
        "tiny": Both(Training(2, 4, 4), 2, 1, 4),
        "quick": Both(Training(2, 15, 20), 10, 1, 20),
        "paper": Both(Training(5, 150), 50, 10, 100),
    }

    def conditions(self) -> dict[str, str]:
        """The ways of training."""
        s = self.settings
        return {
            "network": "MDLSTM of 3 units, Atari-Go against naive",
            "trainers": "CMA-ES on one board or on the mean over both; NSGA-II with one objective for each board",
            "runs": f"{s.training.runs} of {s.training.generations} generations, {s.training.games} games on a board",
            "measured": f"{every(s.step)} champion from generation {s.first} on, {s.games} new games on each board",
        }

    def runs(self, way: str) -> tuple[Evolution, ...]:
        """The runs of one way."""
        sizes, method = self.ways[way]
        s = self.settings.training
        return tuple(
            Evolution(
                EvolutionSettings(
                    sizes=sizes,
                    net=MDLSTM,
                    method=method,
                    generations=s.generations,
                    games=s.games,
                    seed=1000 * self.seed + run,
                )
            )
            for run in range(s.runs)
        )

    def champions(self, way: str, size: int) -> Champions:
        """The champions of one way on one board."""
        s = self.settings
        return Champions(self.runs(way), s.first, s.step, size, "naive", s.games, self.seed)

    def pieces(self) -> Sequence[Piece]:
        """All ways, all boards."""
        return [
            piece
            for way in self.ways
            for piece in (*self.runs(way), *(self.champions(way, size) for size in self.test_sizes))
        ]

    def findings(self, workshop: Workshop, folder: Path) -> Findings:
        """Fitness on all boards."""
        rows, reached = [], {}
        for way in self.ways:
            for size in self.test_sizes:
                arrays = workshop.arrays(self.champions(way, size))
                reached[way, size] = per_run(arrays["points"], arrays["run"])
                labels = {"trained on": way, "board": f"{size}x{size}"}
                rows.append(Row(labels, "champions' fitness", mean_interval(reached[way, size])))
        gaps = {
            size: difference(reached["5x5 and 9x9, two objectives", size], reached["9x9 alone", size])
            for size in self.test_sizes
        }
        claim = Claim(
            "Training for two boards at once transfers better to 19x19 than training on the larger of them alone.",
            verdict(gaps[19]),
            "two objectives minus 9x9 alone: " + "; ".join(f"{s}x{s}: {mean_text(gap)}" for s, gap in gaps.items()),
        )
        lines = {way: [mean_interval(reached[way, size]) for size in self.test_sizes] for way in self.ways}
        title = "Where champions were trained, and where they play"
        size_lines(lines, list(self.test_sizes), folder / f"{self.name}.png", title)
        caption = (
            "Champions trained in four ways, against naive, on boards they have and have not seen; bands are 95 %."
        )
        return Findings([Table("Champions on all boards", rows)], [claim], [Picture(f"{self.name}.png", caption)])


STUDIES = {SizesStudy.name: SizesStudy}
