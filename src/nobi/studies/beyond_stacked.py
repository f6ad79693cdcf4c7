"""Stacked layers, which both papers propose: two layers of MDLSTM against one."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from nobi.arena.summary import mean_interval
from nobi.figures.learning import LearningPanel, learning_bands
from nobi.studies.base import Claim, Findings, Picture, Row, Study, Table, mean_text, verdict
from nobi.studies.pieces import Evolution, Piece
from nobi.studies.s09_random import MDLSTM
from nobi.studies.s09_training import AGAINST_NAIVE, Training, training_runs
from nobi.studies.statistics import difference, last_tenth
from nobi.studies.workshop import Workshop, learning_curves

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

    def pieces(self) -> Sequence[Piece]:
        """All runs."""
        return [r for net in self.nets.values() for o in ("naive", "heuristic:e=0.2") for r in self.runs(net, o)]

    def findings(self, workshop: Workshop, folder: Path) -> Findings:
        """Curves and differences."""
        panels, rows, claims = [], [], []
        for opponent in ("naive", "heuristic:e=0.2"):
            curves = {label: learning_curves(workshop, self.runs(net, opponent)) for label, net in self.nets.items()}
            panels.append(LearningPanel(f"against {opponent}", curves))
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
            "Learning of MDLSTMs with one layer and with several",
            columns=2,
            ylabel="fitness",
        )
        caption = "Solid: mean fitness of a generation. Broken: the best. Averages over the runs, with 95 % bands."
        return Findings([Table("What training reaches", rows)], claims, [Picture(f"{self.name}.png", caption)])


STUDIES = {StackedStudy.name: StackedStudy}
