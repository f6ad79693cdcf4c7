"""Pre-training on a small board: equal effort spent on 7x7 first, or on the large board from the start."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from nobi.evolution.fitness import Fitness
from nobi.figures.comparison import runs_by_size
from nobi.networks import make_network
from nobi.statistics import bounded_difference
from nobi.streams import derive_seed
from nobi.studies.jobs import Arrays, GamesOfRuns, Job, Progress, measure_networks, run_seed
from nobi.studies.s09.random import MDLSTM
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table
from nobi.trainers import make_trainer

if TYPE_CHECKING:
    from nobi.studies.cache import JobCache

SMALL, LARGE = 7, 19


@dataclass(frozen=True)
class BootstrapJob(Job):
    """CMA-ES that trains on a small board for a share of the effort, then on a large one.

    The effort of a game is its moves times the points of the board, which is what the network computes. The result is
    `champion` [weight], the best of the last generation, `size`, `effort` and `mean` [generation].
    """

    kind = "bootstrap"
    net: str
    opponent: str
    share: float
    """The share of the effort on the small board."""
    effort: float
    """The effort in millions of points."""
    games: int
    seed: int

    @property
    def label(self) -> str:
        return f"bootstrap {self.net} {self.opponent} {self.share} {self.seed}"

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:
        network = make_network(self.net)
        trainer = make_trainer("cmaes", network.weight_count(SMALL), self.seed)
        fitness = {
            size: Fitness(
                "atari-go", (size,), network, (self.opponent,), self.games, self.seed, executor=cache.executor
            )
            for size in (SMALL, LARGE)
        }
        spent, lines = 0.0, []
        champion = np.zeros(trainer.weights, np.float32)
        while spent < 1e6 * self.effort:
            size = SMALL if spent < self.share * 1e6 * self.effort else LARGE
            candidates = trainer.ask()
            played = fitness[size].play(candidates, trainer.generation)
            points = np.array([games.points_of_a.mean() for (games,) in played])
            spent += sum(float(games.length.sum()) for (games,) in played) * size * size
            trainer.tell(points)
            champion = candidates[trainer.champion]
            lines.append((size, spent, points.mean()))
            progress(min(1.0, spent / (1e6 * self.effort)))
        sizes, efforts, means = zip(*lines, strict=True)
        return {
            "champion": champion,
            "size": np.array(sizes),
            "effort": np.array(efforts),
            "mean": np.array(means),
        }


@dataclass(frozen=True)
class BootstrapMeasurementJob(GamesOfRuns):
    """New games of the champions of runs on one board: `points` and `score` [run]."""

    kind = "bootstrap-measurement"
    runs: tuple[BootstrapJob, ...]

    @property
    def label(self) -> str:
        return f"bootstrapped {self.runs[0].share} on {self.size} {self.opponent}"

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:
        weights = np.stack([cache.arrays(run)["champion"] for run in self.runs])
        seed = derive_seed(self.seed, 2000 + self.size)
        network = make_network(self.runs[0].net)
        fitness = Fitness(
            "atari-go", (self.size,), network, (self.opponent,), self.games, seed, executor=cache.executor
        )
        return measure_networks(fitness, weights, progress)


@dataclass(frozen=True)
class BootstrapScale:
    """The amount of training."""

    runs: int
    effort: float
    games: int
    measured: int
    """Games of a champion on a board."""


class Bootstrap(Study):
    """Is pre-training on 7x7 worth it, at equal effort, for play on 19x19?"""

    name = "beyond-bootstrap"
    page = "beyond"
    scales: ClassVar = {
        "tiny": BootstrapScale(2, 2.0, 4, 4),
        "quick": BootstrapScale(2, 60.0, 20, 50),
        "day": BootstrapScale(3, 100.0, 20, 200),
        "paper": BootstrapScale(10, 12_000.0, 100, 400),
    }
    shares: ClassVar = {
        "19x19 from scratch": 0.0,
        "a tenth of the effort on 7x7 first": 0.1,
        "half of the effort on 7x7 first": 0.5,
        "7x7 only": 1.0,
    }
    sizes = (7, 11, 15, 19, 25)
    opponent = "heuristic:e=0.2"
    """Unlike the naive player, this opponent is not weaker on large boards."""

    def conditions(self) -> dict[str, str]:
        s = self.settings
        return {
            "network": "MDLSTM of 3 units, 93 weights, CMA-ES on Atari-Go; one distribution throughout",
            "effort": f"{s.effort:,.0f} million points: moves times points of the board, the same for all",
            "opponent": "heuristic, e = 0.2, in training and in the measurement",
            "runs": f"{s.runs} of each, {s.games} games of each network in each generation",
            "measured": f"the champion of the last generation, {s.measured} new games on each board",
        }

    def jobs(self) -> Jobs:
        s = self.settings
        jobs = {}
        for label, share in self.shares.items():
            runs = tuple(
                BootstrapJob(MDLSTM, self.opponent, share, s.effort, s.games, run_seed(self.seed, run))
                for run in range(s.runs)
            )
            for size in self.sizes:
                jobs[label, size] = BootstrapMeasurementJob(runs, size, self.opponent, s.measured, self.seed)
        return jobs

    def report(self, found: Results, out: Path) -> Findings:
        rows = [
            Row.over_runs({"training": label, "board": f"{size}x{size}"}, "fitness", found[label, size]["points"])
            for label, size in product(self.shares, self.sizes)
        ]
        scratch, *others = self.shares
        claims = [
            Claim.positive(
                f"At equal effort, play on 19x19 is better than from scratch with {label}.",
                bounded_difference(found[label, LARGE]["points"], found[scratch, LARGE]["points"]),
                "difference of fitness on 19x19",
            )
            for label in others
        ]
        title = "Champions trained with equal effort, against heuristic e = 0.2"
        runs = {label: [found[label, size]["points"] for size in self.sizes] for label in self.shares}
        runs_by_size(runs, self.sizes, out / self.figure, title)
        caption = "Fitness on boards from 7x7 to 25x25 by the share of the effort that was spent on 7x7."
        return Findings([Table("Champions on all boards", rows)], claims, [Picture(self.figure, caption)])
