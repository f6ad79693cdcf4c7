"""Evolved networks: border, a stronger opponent, stacked layers, a curriculum, two boards at once, symmetry."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from nobi.evolution.settings import EvolutionSettings
from nobi.figures.comparison import Cloud, ScatterPanel, scatter_plot, size_lines
from nobi.figures.style import in_words
from nobi.figures.training import LearningPanel, learning_bands
from nobi.statistics import (
    bounded_difference,
    bounded_mean,
    correlation_of_networks,
    gain_over_runs,
    higher_over_runs,
    last_tenth,
    single_runs,
)
from nobi.studies.jobs import Job, Measurement, Training, evolution_runs, learning_curves
from nobi.studies.s08.random import BORDERS, GAME_NAMES, GAMES, MDRNN, PAIRS, boards, transfer_claims, transfer_rows
from nobi.studies.s08.training import LEARNING_CAPTION, dominance_row
from nobi.studies.s08.transfer import INTERVALS, Table3
from nobi.studies.s09.random import MDLSTM
from nobi.studies.s09.training import AGAINST_NAIVE, LAST_TENTH, trained_networks
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table


class Border(Table3):
    """S08 tables II and III with the border of the published code.

    There, a missing predecessor adds a bias; in the formula of the paper, an output of its own.
    """

    name = "beyond-border"
    page = "beyond"
    net = BORDERS["border as in the published code"]

    def conditions(self) -> dict[str, str]:
        return {
            "border": "a missing predecessor adds a bias (the published code), not an output of its own (the formula)",
            **super().conditions(),
            "networks": "generation champions of runs like those of figure 6 and the elitist ones of table II",
        }

    def report(self, found: Results, out: Path) -> Findings:
        rows = []
        for game in GAMES:
            numbers = np.array([float(len(run["dominant"])) for run in found.runs((game, "coevolution", 5, 5))])
            labels = {"game": GAME_NAMES[game], "selection": "elitist"}
            rows.append(dominance_row(labels, numbers, game, elitist=True))
        return Findings([Table("Dominance numbers", rows)]) + super().report(found, out)


class Heuristic(Study):
    """S08 table I against the heuristic player, which does not weaken on large boards.

    S08 section VI: networks might do better on large boards only because the naive player is weak there.
    """

    name = "beyond-heuristic"
    page = "beyond"
    opponents = ("heuristic:e=0.5", "heuristic:e=0.2")
    sizes = (7, 11, 15, 19)
    scales: ClassVar = {
        "tiny": Measurement(AGAINST_NAIVE["tiny"], 2, 1, 4, 6),
        "quick": Measurement(AGAINST_NAIVE["quick"], 30, 5, 20, 60),
        "paper": Measurement(AGAINST_NAIVE["paper"], 50, 15, 100, 400),
    }

    def conditions(self) -> dict[str, str]:
        s = self.settings
        return {
            "random networks": f"{s.networks} MDRNNs of 10 units, {s.games} games on each board; S08's score",
            "trained networks": f"champions of MDLSTM trained on 7x7 against naive, {s.training.runs} runs, "
            f"{s.describe()}, {s.games} games; mean outcome",
            "opponents": "the heuristic player, a share e of whose moves are random",
            "intervals": INTERVALS,
        }

    def jobs(self) -> Jobs:
        s = self.settings
        sizes = sorted({size for pair in PAIRS for size in pair})
        random = {
            ("random", opponent, size): s.random_networks(MDRNN, "atari-go", size, opponent, self.seed)
            for opponent, size in product(self.opponents, sizes)
        }
        runs = trained_networks(self, s.training, MDLSTM)
        trained = {
            ("trained", opponent, size): s.champions(runs, size, opponent, self.seed)
            for opponent, size in product(("naive", self.opponents[1]), self.sizes)
        }
        return {**random, **trained}

    def report(self, found: Results, out: Path) -> Findings:
        rows, more, panels, gains = [], [], [], {}
        for opponent, pair in product(self.opponents, PAIRS):
            small, large = (found["random", opponent, size]["score"] for size in pair)
            rows += transfer_rows({"opponent": opponent, "boards": boards(*pair)}, small, large)
        for opponent in ("naive", self.opponents[1]):
            trained = found["trained", opponent, 7]
            for size in self.sizes[1:]:
                labels = {"opponent": opponent, "boards": boards(7, size)}
                points = trained["points"], found["trained", opponent, size]["points"], trained["run"]
                gains[opponent, size] = gain_over_runs(*points)
                more.append(Row(labels, "correlation", correlation_of_networks(*points[:2]), neutral=0.0))
                more.append(Row(labels, "p", higher_over_runs(*points), neutral=0.5))
                more.append(Row(labels, "fitness gained", gains[opponent, size], neutral=0.0))
            cloud = Cloud("MDLSTM", trained["points"], found["trained", opponent, 15]["points"])
            panels.append(ScatterPanel(f"against {opponent}", "fitness on 7x7", "fitness on 15x15", [cloud]))
        title = "Champions trained on 7x7 against the naive player, on larger boards"
        scatter_plot(panels, out / self.figure, title)
        claim = Claim.positive(
            "The objection is refuted: networks also gain on larger boards against the heuristic player.",
            {f"7x7 to {n}x{n}": gain for (opponent, n), gain in gains.items() if opponent != "naive"},
        )
        tables = [
            Table("Random MDRNNs against the heuristic player", rows),
            Table("MDLSTMs trained on 7x7 against naive, measured against both", more),
        ]
        caption = (
            "Champions on the board of their training and on 15x15, against the opponent of the training and another."
        )
        return Findings(tables, [*transfer_claims(rows), claim], [Picture(self.figure, caption)])


@dataclass(frozen=True)
class TwoTrainings:
    """The amount of training against two opponents."""

    naive: Training
    heuristic: Training


class Stacked(Study):
    """Two layers of MDLSTM against one, at about equal weights.

    Both papers propose stacked layers.
    """

    name = "beyond-stacked"
    page = "beyond"
    nets: ClassVar = {
        "one layer of 3 units, 93 weights": MDLSTM,
        "two layers of 2 units, 102 weights": "stacked:cell=mdlstm,hidden=2,layers=2",
    }
    opponents = ("naive", "heuristic:e=0.2")
    scales: ClassVar = {
        "tiny": TwoTrainings(AGAINST_NAIVE["tiny"], Training(2, 4, 4)),
        "quick": TwoTrainings(AGAINST_NAIVE["quick"], Training(2, 20, 20)),
        "paper": TwoTrainings(AGAINST_NAIVE["paper"], Training(5, 300)),
    }

    def conditions(self) -> dict[str, str]:
        naive, heuristic = (
            f"{training.runs} runs, {training.generations} generations, {training.games} games"
            for training in (self.settings.naive, self.settings.heuristic)
        )
        return {
            "networks": "; ".join(self.nets),
            "trainer": "CMA-ES, initial step 0.5, Atari-Go 7x7",
            "against naive": naive,
            "against heuristic, e = 0.2": heuristic,
        }

    def jobs(self) -> Jobs:
        trainings = dict(zip(self.opponents, (self.settings.naive, self.settings.heuristic), strict=True))
        return {
            (label, opponent): trained_networks(self, trainings[opponent], net, opponent)
            for (label, net), opponent in product(self.nets.items(), self.opponents)
        }

    def report(self, found: Results, out: Path) -> Findings:
        panels, rows, claims = [], [], []
        for opponent in self.opponents:
            curves = {label: learning_curves(found.runs((label, opponent))) for label in self.nets}
            panels.append(LearningPanel(f"against {in_words(opponent)}", curves))
            reached = {label: last_tenth(mean) for label, (mean, _) in curves.items()}
            for label, values in reached.items():
                labels = {"network": label, "opponent": opponent}
                rows.append(Row.over_runs(labels, "mean fitness, last tenth", values))
            one, two = reached.values()
            text = f"Two layers learn better than one at equal weights, against {opponent}."
            claims.append(Claim.positive(text, bounded_difference(two, one), LAST_TENTH))
        learning_bands(panels, out / self.figure, "Learning of MDLSTMs with one layer and with two")
        picture = Picture(self.figure, LEARNING_CAPTION)
        return Findings([Table("What training reaches", rows)], claims, [picture])


class Curriculum(Study):
    """A curriculum down to e = 0, beside direct training.

    S09 section 5 compares direct training against e = 0 to finding a needle in a haystack.
    """

    name = "beyond-curriculum"
    page = "beyond"
    trainings: ClassVar = {"curriculum": "start=0.5,end=0,threshold=0,factor=0.8", "direct": ""}
    scales: ClassVar = {
        "tiny": Measurement(Training(2, 4, 4), 3, 1, 4),
        "quick": Measurement(Training(2, 30, 20), 29, 1, 100),
        "paper": Measurement(Training(5, 600), 599, 1, 1000),
    }

    def conditions(self) -> dict[str, str]:
        s = self.settings
        return {
            "network": "MDLSTM of 3 units, 93 weights",
            "trainer": f"CMA-ES, {s.training}",
            "curriculum": "e starts at 0.5 and is multiplied by 0.8 when the mean fitness of a generation reaches 0",
            "direct": "e = 0 from the start",
            "measured": f"the last champion of every run, {s.games} new games on 7x7 against heuristic, e = 0",
        }

    def jobs(self) -> Jobs:
        s, jobs = self.settings, {}
        for label, curriculum in self.trainings.items():
            settings = EvolutionSettings(net=MDLSTM, opponents=("heuristic:e=0",), curriculum=curriculum)
            jobs[label] = s.champions(evolution_runs(s.training, settings, self.seed), 7, "heuristic:e=0", self.seed)
        return jobs

    def report(self, found: Results, out: Path) -> Findings:
        reached = {label: found[label]["points"] for label in self.trainings}
        fitness = "fitness of the last champions at e = 0"
        rows = [
            Row.over_runs({"training": label}, "last champions' fitness at e = 0", values)
            for label, values in reached.items()
        ]
        levels = np.stack([run["e"] for run in found.runs("curriculum")])
        last = levels[:, -1]
        rows.append(Row({"training": "curriculum"}, "e reached", bounded_mean(last, 0.0, 0.5), each=single_runs(last)))
        direct = bounded_mean(reached["direct"])
        claims = [
            Claim(
                "Direct training against e = 0 does not learn to win more games than it loses.",
                (-direct).is_positive,
                f"{fitness}: {direct}",
            ),
            Claim.positive(
                "A curriculum reaches more than direct training against e = 0.",
                bounded_difference(reached["curriculum"], reached["direct"]),
                f"{fitness}, curriculum minus direct",
            ),
        ]
        curriculum, direct_curves = (learning_curves(found.runs(label)) for label in self.trainings)
        shares = {"share of random moves, e": levels}
        panels = [
            LearningPanel("curriculum: e falls as fitness rises", {"MDLSTM": curriculum}, shares),
            LearningPanel("direct: e = 0", {"MDLSTM": direct_curves}),
        ]
        title = "Learning to play against the heuristic player, with a curriculum and without"
        learning_bands(panels, out / self.figure, title)
        caption = "Fitness against the opponent of the generation, which gets harder at the left. Bands are 95 %."
        return Findings([Table("What training reaches", rows)], claims, [Picture(self.figure, caption)])


class Sizes(Study):
    """Training for two boards at once, and what it does to transfer.

    S08 section VI proposes objectives on several board sizes.
    """

    name = "beyond-sizes"
    page = "beyond"
    methods: ClassVar = {
        "5x5 alone": ((5,), "cmaes"),
        "9x9 alone": ((9,), "cmaes"),
        "5x5 and 9x9, mean": ((5, 9), "cmaes"),
        "5x5 and 9x9, two objectives": ((5, 9), "nsga2"),
    }
    test_sizes = (5, 7, 9, 11, 15, 19)
    scales: ClassVar = {
        "tiny": Measurement(Training(2, 4, 4), 2, 1, 4),
        "quick": Measurement(Training(2, 15, 20), 10, 1, 20),
        "paper": Measurement(Training(5, 150), 50, 10, 100),
    }

    def conditions(self) -> dict[str, str]:
        s = self.settings
        return {
            "network": "MDLSTM of 3 units, Atari-Go against naive",
            "trainers": "CMA-ES on one board or on the mean over both; NSGA-II with one objective for each board",
            "runs": f"{s.training.runs} of {s.training.generations} generations, {s.training.games} games on a board",
            "measured": f"{s.describe()}, {s.games} new games on each board",
        }

    def jobs(self) -> Jobs:
        s, jobs = self.settings, {}
        for label, (sizes, method) in self.methods.items():
            runs = evolution_runs(s.training, EvolutionSettings(sizes=sizes, net=MDLSTM, method=method), self.seed)
            for size in self.test_sizes:
                jobs[label, size] = s.champions(runs, size, "naive", self.seed)
        return jobs

    def report(self, found: Results, out: Path) -> Findings:
        reached = {key: found.per_run(key) for key in found.jobs}
        rows = [
            Row.over_runs({"trained on": label, "board": f"{size}x{size}"}, "champions' fitness", values)
            for (label, size), values in reached.items()
        ]
        gaps = {
            size: bounded_difference(reached["5x5 and 9x9, two objectives", size], reached["9x9 alone", size])
            for size in self.test_sizes
        }
        claim = Claim(
            "Training for two boards at once transfers better to 19x19 than training on the larger of them alone.",
            gaps[19].is_positive,
            "two objectives minus 9x9 alone: " + "; ".join(f"{size}x{size}: {gap}" for size, gap in gaps.items()),
        )
        lines = {label: [bounded_mean(reached[label, size]) for size in self.test_sizes] for label in self.methods}
        title = "Where champions were trained, and where they play"
        size_lines(lines, list(self.test_sizes), out / self.figure, title)
        caption = "Champions of four trainings, against naive, on boards of training and others; bands are 95 %."
        return Findings([Table("Champions on all boards", rows)], [claim], [Picture(self.figure, caption)])


class Symmetry(Study):
    """The symmetry modes of MDLSTM.

    S09 section 2.3 claims rotation and reflection symmetry, which the published code lacks.
    """

    name = "beyond-symmetry"
    page = "beyond"
    modes = ("symmetric", "tied", "original")
    test_sizes = (7, 11, 19)
    scales: ClassVar = {
        "tiny": Measurement(AGAINST_NAIVE["tiny"], 2, 1, 4, 6),
        "quick": Measurement(AGAINST_NAIVE["quick"], 30, 5, 40, 60),
        "paper": Measurement(AGAINST_NAIVE["paper"], 50, 15, 100, 400),
    }

    def conditions(self) -> dict[str, str]:
        s = self.settings
        return {
            "modes": "symmetric: every corner swept with both assignments of the forget gates, 93 weights; tied: one "
            "forget gate, 75 weights; original: the published rule, which is not symmetric, 93 weights",
            "random networks": f"{s.networks} of each, {s.games} games on 7x7 against naive",
            "training": f"CMA-ES, {s.training} on 7x7 against naive",
            "measured": f"{s.describe()}, {s.games} new games on each board",
        }

    def jobs(self) -> Jobs:
        s = self.settings
        jobs: dict[Any, Job | Sequence[Job]] = {}
        for mode in self.modes:
            net = f"{MDLSTM},mode={mode}"
            jobs[mode, "random"] = s.random_networks(net, "atari-go", 7, "naive", self.seed)
            # the symmetric mode is the default, and its runs are those of figure 3a
            runs = trained_networks(self, s.training, MDLSTM if mode == "symmetric" else net)
            jobs[mode, "runs"] = runs
            for size in self.test_sizes:
                jobs[mode, size] = s.champions(runs, size, "naive", self.seed)
        return jobs

    def report(self, found: Results, out: Path) -> Findings:
        rows, curves, reached = [], {}, {}
        for mode in self.modes:
            curves[mode] = learning_curves(found.runs((mode, "runs")))
            reached[mode] = last_tenth(curves[mode][0])
            labels = {"mode": mode}
            rows.append(Row(labels, "random, 7x7", bounded_mean(found[mode, "random"]["points"])))
            rows.append(Row.over_runs(labels, "training, mean of the last tenth", reached[mode]))
            rows += [
                Row.over_runs(labels, f"champions, {size}x{size}", found.per_run((mode, size)))
                for size in self.test_sizes
            ]
        claims = []
        for other in ("tied", "original"):
            text = f"The symmetric mode learns better than the {other} one."
            claims.append(Claim.positive(text, bounded_difference(reached["symmetric"], reached[other]), LAST_TENTH))
        panel = LearningPanel("Atari-Go 7x7, against the naive player", curves)
        learning_bands([panel], out / self.figure, "Learning of MDLSTMs with different symmetries")
        return Findings([Table("All modes", rows)], claims, [Picture(self.figure, LEARNING_CAPTION)])
