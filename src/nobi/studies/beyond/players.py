"""S08's formula and its published code treat the border differently: does that explain where our figures differ?

MERGED studies/beyond_heuristic.py: The objection of S08 section VI: might networks do better on large boards only because naive is weak there?

MERGED studies/beyond_curriculum.py: The curriculum that S09 section 5 proposes: an opponent that errs less and less.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from nobi.evolution.settings import EvolutionSettings
from nobi.figures.comparison import Cloud, ScatterPanel, scatter_plot
from nobi.figures.training import LearningPanel, learning_bands
from nobi.statistics import difference, gain_over_runs, higher_over_runs, mean_interval
from nobi.studies.cache import JobCache, learning_curves
from nobi.studies.jobs import Champions, Evolution, Job, RandomNetworks
from nobi.studies.s08.coevolution import TABLE_2
from nobi.studies.s08.random import BORDERS, GAME_NAMES, MDRNN, PAIRS, boards, transfer_claims, transfer_rows
from nobi.studies.s08.random import SCALES as S08_SCALES
from nobi.studies.s08.transfer import Table3
from nobi.studies.s09.random import MDLSTM
from nobi.studies.s09.training import AGAINST_NAIVE, Training, training_runs
from nobi.studies.study import (
    Claim,
    Findings,
    Picture,
    Row,
    Study,
    Table,
    every,
    mean_text,
    negative,
    verdict,
    verdict_of_all,
)


class BorderStudy(Table3):
    """Tables II and III once more, with a missing predecessor as in the published code."""

    name = "beyond-border"
    group = "beyond"
    title = "S08 tables II and III with the border of the published code"
    paper = ""
    net = BORDERS["border as in the published code"]

    def conditions(self) -> dict[str, str]:
        """The border, and all else as in table III."""
        return {
            "border": "a missing predecessor adds a bias (the published code), not an output of its own (the formula)",
            **super().conditions(),
            "networks": "generation champions of runs like those of figure 6 and the elitist ones of table II",
        }

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """Table III, and the dominance numbers of the elitist runs."""
        found = super().report(cache, folder)
        rows = []
        for game in GAME_NAMES:
            if (game, True) in TABLE_2:
                runs = self.champions(game, "coevolution", 5, 5).runs
                numbers = np.array([float(len(cache.arrays(run)["dominant"])) for run in runs])
                labels = {"game": GAME_NAMES[game], "selection": "elitist"}
                rows.append(Row(labels, "dominance number", mean_interval(numbers), TABLE_2[game, True]))
        return Findings([Table("Dominance numbers", rows), *found.tables], found.claims)


@dataclass(frozen=True)
class Objection:
    """Random networks as in S08, champions as in S09."""

    networks: int
    games: int
    training: Training
    first: int
    step: int


class Heuristic(Study):
    """S08 section VI: the effect might be due to an opponent that scales weakly."""

    name = "beyond-heuristic"
    group = "beyond"
    paper = ""
    title = "S08 table I against the heuristic player, which does not weaken on large boards"
    opponents = ("heuristic:e=0.5", "heuristic:e=0.2")
    sizes = (7, 11, 15, 19)
    scales: ClassVar = {
        "tiny": Objection(6, 4, AGAINST_NAIVE["tiny"], 2, 1),
        "quick": Objection(60, 20, AGAINST_NAIVE["quick"], 30, 5),
        "paper": Objection(S08_SCALES["paper"].networks, 100, AGAINST_NAIVE["paper"], 50, 15),
    }

    def conditions(self) -> dict[str, str]:
        """Both halves of the question."""
        s = self.settings
        return {
            "random networks": f"{s.networks} MDRNNs of 10 units, {s.games} games on each board; S08's score",
            "trained networks": f"champions of MDLSTM trained on 7x7 against naive, {s.training.runs} runs, "
            f"{every(s.step)} generation from {s.first} on, {s.games} games; mean outcome",
            "opponents": "the heuristic player, a share e of whose moves are random",
        }

    def random(self, size: int, opponent: str) -> RandomNetworks:
        """Random networks on one board."""
        return RandomNetworks(MDRNN, "atari-go", size, opponent, self.settings.networks, self.settings.games, self.seed)

    def trained(self, size: int, opponent: str) -> Champions:
        """Champions of training against naive on one board."""
        s = self.settings
        runs = training_runs(s.training, MDLSTM, "atari-go", "naive", self.seed)
        return Champions(runs, s.first, s.step, size, opponent, s.games, self.seed)

    def jobs(self) -> Sequence[Job]:
        """All boards, both halves."""
        sizes = sorted({size for pair in PAIRS for size in pair})
        random = [self.random(size, opponent) for opponent in self.opponents for size in sizes]
        trained = [self.trained(size, opponent) for opponent in ("naive", self.opponents[1]) for size in self.sizes]
        return [*random, *trained[0].runs, *trained]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """Table I again, and champions on larger boards against both opponents."""
        rows = []
        for opponent in self.opponents:
            for small, large in PAIRS:
                pair = [cache.arrays(self.random(size, opponent))["score"] for size in (small, large)]
                rows.extend(transfer_rows({"opponent": opponent, "boards": boards(small, large)}, pair[0], pair[1]))
        more, panels, gains = [], [], {}
        for opponent in ("naive", self.opponents[1]):
            trained = cache.arrays(self.trained(7, opponent))
            for size in self.sizes[1:]:
                larger = cache.arrays(self.trained(size, opponent))
                labels = {"opponent": opponent, "boards": boards(7, size)}
                both = trained["points"], larger["points"], trained["run"]
                more.append(Row(labels, "p", higher_over_runs(*both), neutral=0.5))
                gains[opponent, size] = gain_over_runs(*both)
                more.append(Row(labels, "fitness gained", gains[opponent, size], neutral=0.0))
            cloud = Cloud("MDLSTM", trained["points"], cache.arrays(self.trained(15, opponent))["points"])
            panels.append(ScatterPanel(f"against {opponent}", "fitness on 7x7", "fitness on 15x15", [cloud]))
        scatter_plot(
            panels,
            folder / f"{self.name}.png",
            "Champions trained on 7x7 against the naive player, on larger boards",
            columns=2,
        )
        hard = {size: gain for (opponent, size), gain in gains.items() if opponent != "naive"}
        claim = Claim(
            "The objection is refuted: networks also gain on larger boards against the heuristic player.",
            verdict_of_all(hard.values()),
            "; ".join(f"7x7 to {size}x{size}: {mean_text(gain)}" for size, gain in hard.items()),
        )
        tables = [
            Table("Random MDRNNs against the heuristic player", rows),
            Table("MDLSTMs trained on 7x7 against naive, measured against both", more),
        ]
        caption = (
            "Champions on the board of their training and on 15x15, against the opponent of the training and another."
        )
        return Findings(tables, [*transfer_claims(rows), claim], [Picture(f"{self.name}.png", caption)])


CURRICULUM = "start=0.5,end=0,threshold=0,factor=0.8"


@dataclass(frozen=True)
class Ladder:
    """Training with and without a curriculum, and how its end is measured."""

    training: Training
    games: int


class CurriculumStudy(Study):
    """S09 section 5: direct training against e = 0 is like finding a needle in a haystack."""

    name = "beyond-curriculum"
    group = "beyond"
    paper = ""
    title = "a curriculum down to e = 0, beside direct training"
    scales: ClassVar = {
        "tiny": Ladder(Training(2, 4, 4), 4),
        "quick": Ladder(Training(2, 30, 20), 100),
        "paper": Ladder(Training(5, 600), 1000),
    }

    def conditions(self) -> dict[str, str]:
        """Both ways."""
        s = self.settings
        return {
            "network": "MDLSTM of 3 units, 93 weights",
            "trainer": f"CMA-ES, {s.training.runs} runs of {s.training.generations} generations",
            "curriculum": "e starts at 0.5 and is multiplied by 0.8 when the mean fitness of a generation reaches 0",
            "direct": "e = 0 from the start",
            "measured": f"the last champion of every run, {s.games} new games on 7x7 against heuristic, e = 0",
        }

    def runs(self, *, curriculum: bool) -> tuple[Evolution, ...]:
        """The runs of one way."""
        s = self.settings.training
        return tuple(
            Evolution(
                EvolutionSettings(
                    net=MDLSTM,
                    opponents=("heuristic:e=0",),
                    generations=s.generations,
                    games=s.games,
                    curriculum=CURRICULUM if curriculum else "",
                    seed=1000 * self.seed + run,
                )
            )
            for run in range(s.runs)
        )

    def champions(self, *, curriculum: bool) -> Champions:
        """The last champions of one way."""
        s = self.settings
        runs = self.runs(curriculum=curriculum)
        return Champions(runs, s.training.generations - 1, 1, 7, "heuristic:e=0", s.games, self.seed)

    def jobs(self) -> Sequence[Job]:
        """Both ways, and their ends."""
        return [
            job
            for curriculum in (True, False)
            for job in (*self.runs(curriculum=curriculum), self.champions(curriculum=curriculum))
        ]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """What both come to against the player without a fault of chance."""
        rows, reached = [], {}
        for label, curriculum in (("curriculum", True), ("direct", False)):
            reached[label] = cache.arrays(self.champions(curriculum=curriculum))["points"]
            rows.append(Row({"training": label}, "last champions' fitness at e = 0", mean_interval(reached[label])))
        levels = np.stack([cache.arrays(run)["e"] for run in self.runs(curriculum=True)])
        rows.append(Row({"training": "curriculum"}, "e reached", mean_interval(levels[:, -1])))
        gap = difference(reached["curriculum"], reached["direct"])
        direct = mean_interval(reached["direct"])
        claims = [
            Claim(
                "Direct training against e = 0 does not learn to win more games than it loses.",
                verdict(negative(direct)),
                f"fitness of the last champions at e = 0: {mean_text(direct)}",
            ),
            Claim(
                "A curriculum reaches more than direct training against e = 0.",
                verdict(gap),
                f"fitness of the last champions at e = 0, curriculum minus direct: {mean_text(gap)}",
            ),
        ]
        panels = [
            LearningPanel(
                "curriculum: e falls as fitness rises",
                {"MDLSTM": learning_curves(cache, self.runs(curriculum=True))},
                {"share of random moves, e": levels},
            ),
            LearningPanel("direct: e = 0", {"MDLSTM": learning_curves(cache, self.runs(curriculum=False))}),
        ]
        title = "Learning to play against the heuristic player, with a curriculum and without"
        learning_bands(panels, folder / f"{self.name}.png", title, columns=2, ylabel="fitness")
        caption = "Fitness against the opponent of the generation, which gets harder at the left. Bands are 95 %."
        return Findings([Table("What training reaches", rows)], claims, [Picture(f"{self.name}.png", caption)])
