"""Stacked layers, which both papers propose: two layers of MDLSTM against one.

MERGED studies/beyond_symmetry.py: The symmetry that S09 section 2.3 claims and its published code lacks: the modes of MDLSTM.

MERGED studies/beyond_sizes.py: Several objectives, which S08 section VI proposes: training for two boards at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from nobi.evolution.settings import EvolutionSettings
from nobi.figures.comparison import size_lines
from nobi.figures.style import in_words
from nobi.figures.training import LearningPanel, learning_bands
from nobi.statistics import difference, last_tenth, mean_interval, per_run
from nobi.studies.cache import JobCache, learning_curves
from nobi.studies.jobs import Champions, Evolution, Job, RandomNetworks
from nobi.studies.s09.random import MDLSTM
from nobi.studies.s09.training import AGAINST_NAIVE, Training, training_runs
from nobi.studies.study import Claim, Findings, Picture, Row, Study, Table, every, mean_text, verdict

STACKED = "stacked:cell=mdlstm,hidden=2,layers=2"
"""102 weights, where one layer of 3 units has 93."""


@dataclass(frozen=True)
class Comparison:
    """Training of two kinds of network, against two opponents."""

    naive: Training
    heuristic: Training


class StackedStudy(Study):
    """Both papers propose to stack layers."""

    name = "beyond-stacked"
    group = "beyond"
    paper = ""
    title = "two layers of MDLSTM against one, at about equal weights"
    nets: ClassVar = {"one layer of 3 units, 93 weights": MDLSTM, "two layers of 2 units, 102 weights": STACKED}
    scales: ClassVar = {
        "tiny": Comparison(AGAINST_NAIVE["tiny"], Training(2, 4, 4)),
        "quick": Comparison(AGAINST_NAIVE["quick"], Training(2, 20, 20)),
        "paper": Comparison(AGAINST_NAIVE["paper"], Training(5, 300)),
    }

    def conditions(self) -> dict[str, str]:
        """Training."""
        s = self.settings
        return {
            "networks": "; ".join(self.nets),
            "trainer": "CMA-ES, initial step 0.5, Atari-Go 7x7",
            "against naive": f"{s.naive.runs} runs, {s.naive.generations} generations, {s.naive.games} games",
            "against heuristic, e = 0.2": (
                f"{s.heuristic.runs} runs, {s.heuristic.generations} generations, {s.heuristic.games} games"
            ),
        }

    def runs(self, net: str, opponent: str) -> tuple[Evolution, ...]:
        """The runs of one network against one opponent."""
        training = self.settings.naive if opponent == "naive" else self.settings.heuristic
        return training_runs(training, net, "atari-go", opponent, self.seed)

    def jobs(self) -> Sequence[Job]:
        """All runs."""
        return [r for net in self.nets.values() for o in ("naive", "heuristic:e=0.2") for r in self.runs(net, o)]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """Curves and differences."""
        panels, rows, claims = [], [], []
        for opponent in ("naive", "heuristic:e=0.2"):
            curves = {label: learning_curves(cache, self.runs(net, opponent)) for label, net in self.nets.items()}
            panels.append(LearningPanel(f"against {in_words(opponent)}", curves))
            reached = {label: last_tenth(mean) for label, (mean, _) in curves.items()}
            for label, values in reached.items():
                rows.append(
                    Row({"network": label, "opponent": opponent}, "mean fitness, last tenth", mean_interval(values))
                )
            one, two = reached.values()
            gap = difference(two, one)
            claims.append(
                Claim(
                    f"Two layers learn better than one at equal weights, against {opponent}.",
                    verdict(gap),
                    f"mean fitness over the last tenth of the generations, difference: {mean_text(gap)}",
                )
            )
        learning_bands(
            panels,
            folder / f"{self.name}.png",
            "Learning of MDLSTMs with one layer and with two",
            columns=2,
            ylabel="fitness",
        )
        caption = "Solid: mean fitness of a generation. Broken: the best. Averages over the runs, with 95 % bands."
        return Findings([Table("What training reaches", rows)], claims, [Picture(f"{self.name}.png", caption)])


MODES = {mode: f"mdlstm:hidden=3,mode={mode}" for mode in ("symmetric", "tied", "original")}


@dataclass(frozen=True)
class Modes:
    """Random and trained networks of all modes."""

    networks: int
    training: Training
    first: int
    step: int
    games: int


class SymmetryStudy(Study):
    """S09 claims rotation and reflection symmetry, which its published code lacks."""

    name = "beyond-symmetry"
    group = "beyond"
    paper = ""
    title = "the symmetry modes of MDLSTM"
    test_sizes = (7, 11, 19)
    scales: ClassVar = {
        "tiny": Modes(6, AGAINST_NAIVE["tiny"], 2, 1, 4),
        "quick": Modes(60, AGAINST_NAIVE["quick"], 30, 5, 40),
        "paper": Modes(400, AGAINST_NAIVE["paper"], 50, 15, 100),
    }

    def conditions(self) -> dict[str, str]:
        """The modes."""
        s = self.settings
        return {
            "modes": "symmetric: every corner swept with both assignments of the forget gates, 93 weights; tied: one "
            "forget gate, 75 weights; original: the published rule, which is not symmetric, 93 weights",
            "random networks": f"{s.networks} of each, {s.games} games on 7x7 against naive",
            "training": f"CMA-ES, {s.training.runs} runs of {s.training.generations} generations on 7x7 against naive",
            "measured": f"{every(s.step)} champion from generation {s.first} on, {s.games} new games on each board",
        }

    def random(self, net: str) -> RandomNetworks:
        """Random networks of one mode."""
        return RandomNetworks(net, "atari-go", 7, "naive", self.settings.networks, self.settings.games, self.seed)

    def runs(self, net: str) -> tuple[Evolution, ...]:
        """The runs of one mode."""
        # the symmetric mode is the default, and its runs are those of figure 3a
        spec = MDLSTM if net == MODES["symmetric"] else net
        return training_runs(self.settings.training, spec, "atari-go", "naive", self.seed)

    def champions(self, net: str, size: int) -> Champions:
        """The champions of one mode on one board."""
        s = self.settings
        return Champions(self.runs(net), s.first, s.step, size, "naive", s.games, self.seed)

    def jobs(self) -> Sequence[Job]:
        """All modes."""
        return [
            job
            for net in MODES.values()
            for job in (self.random(net), *self.runs(net), *(self.champions(net, size) for size in self.test_sizes))
        ]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """Random, trained, transferred."""
        rows, curves, reached = [], {}, {}
        for mode, net in MODES.items():
            labels = {"mode": mode}
            rows.append(Row(labels, "random, 7x7", mean_interval(cache.arrays(self.random(net))["points"])))
            curves[mode] = learning_curves(cache, self.runs(net))
            reached[mode] = last_tenth(curves[mode][0])
            rows.append(Row(labels, "training, mean of the last tenth", mean_interval(reached[mode])))
            for size in self.test_sizes:
                arrays = cache.arrays(self.champions(net, size))
                found = mean_interval(per_run(arrays["points"], arrays["run"]))
                rows.append(Row(labels, f"champions, {size}x{size}", found))
        claims = []
        for other in ("tied", "original"):
            gap = difference(reached["symmetric"], reached[other])
            claims.append(
                Claim(
                    f"The symmetric mode learns better than the {other} one.",
                    verdict(gap),
                    f"mean fitness over the last tenth of the generations, difference: {mean_text(gap)}",
                )
            )
        panel = LearningPanel("Atari-Go 7x7, against the naive player", curves)
        learning_bands(
            [panel],
            folder / f"{self.name}.png",
            "Learning of MDLSTMs with different symmetries",
            columns=1,
            ylabel="fitness",
        )
        caption = "Solid: mean fitness of a generation. Broken: the best. Averages over the runs, with 95 % bands."
        return Findings([Table("All modes", rows)], claims, [Picture(f"{self.name}.png", caption)])


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

    def jobs(self) -> Sequence[Job]:
        """All ways, all boards."""
        return [
            job
            for way in self.ways
            for job in (*self.runs(way), *(self.champions(way, size) for size in self.test_sizes))
        ]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """Fitness on all boards."""
        rows, reached = [], {}
        for way in self.ways:
            for size in self.test_sizes:
                arrays = cache.arrays(self.champions(way, size))
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
