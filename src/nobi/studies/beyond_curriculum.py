"""The curriculum that S09 section 5 proposes: an opponent that errs less and less."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from nobi.arena.summary import mean_interval
from nobi.evolve.settings import EvolutionSettings
from nobi.figures.learning import LearningPanel, learning_bands
from nobi.studies.base import Claim, Findings, Picture, Row, Study, Table, mean_text, negative, verdict
from nobi.studies.pieces import Champions, Evolution, Piece
from nobi.studies.s09_random import MDLSTM
from nobi.studies.s09_training import Training
from nobi.studies.statistics import difference
from nobi.studies.workshop import Workshop, learning_curves

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

    def pieces(self) -> Sequence[Piece]:
        """Both ways, and their ends."""
        return [
            piece
            for curriculum in (True, False)
            for piece in (*self.runs(curriculum=curriculum), self.champions(curriculum=curriculum))
        ]

    def findings(self, workshop: Workshop, folder: Path) -> Findings:
        """What both come to against the player without a fault of chance."""
        rows, reached = [], {}
        for label, curriculum in (("curriculum", True), ("direct", False)):
            reached[label] = workshop.arrays(self.champions(curriculum=curriculum))["points"]
            rows.append(Row({"training": label}, "last champions' fitness at e = 0", mean_interval(reached[label])))
        levels = np.stack([workshop.arrays(run)["e"] for run in self.runs(curriculum=True)])
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
                {"MDLSTM": learning_curves(workshop, self.runs(curriculum=True))},
                {"share of random moves, e": levels},
            ),
            LearningPanel("direct: e = 0", {"MDLSTM": learning_curves(workshop, self.runs(curriculum=False))}),
        ]
        title = "Learning to play against the heuristic player, with a curriculum and without"
        learning_bands(panels, folder / f"{self.name}.png", title, columns=2, ylabel="fitness")
        caption = "Fitness against the opponent of the generation, which gets harder at the left. Bands are 95 %."
        return Findings([Table("What training reaches", rows)], claims, [Picture(f"{self.name}.png", caption)])


STUDIES = {CurriculumStudy.name: CurriculumStudy}
