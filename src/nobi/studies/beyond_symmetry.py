"""The symmetry that S09 section 2.3 claims and its published code lacks: the modes of MDLSTM."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from nobi.arena.summary import mean_interval
from nobi.figures.learning import LearningPanel, learning_bands
from nobi.studies.base import Claim, Findings, Picture, Row, Study, Table, every, mean_text, verdict
from nobi.studies.pieces import Champions, Evolution, Piece, RandomNetworks
from nobi.studies.s09_random import MDLSTM
from nobi.studies.s09_training import AGAINST_NAIVE, Training, training_runs
from nobi.studies.statistics import difference, last_tenth, per_run
from nobi.studies.workshop import Workshop, learning_curves

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
        word = MDLSTM if net == MODES["symmetric"] else net
        return training_runs(self.settings.training, word, "atari-go", "naive", self.seed)

    def champions(self, net: str, size: int) -> Champions:
        """The champions of one mode on one board."""
        s = self.settings
        return Champions(self.runs(net), s.first, s.step, size, "naive", s.games, self.seed)

    def pieces(self) -> Sequence[Piece]:
        """All modes."""
        return [
            piece
            for net in MODES.values()
            for piece in (self.random(net), *self.runs(net), *(self.champions(net, size) for size in self.test_sizes))
        ]

    def findings(self, workshop: Workshop, folder: Path) -> Findings:
        """Random, trained, transferred."""
        rows, curves, reached = [], {}, {}
        for mode, net in MODES.items():
            labels = {"mode": mode}
            rows.append(Row(labels, "random, 7x7", mean_interval(workshop.arrays(self.random(net))["points"])))
            curves[mode] = learning_curves(workshop, self.runs(net))
            reached[mode] = last_tenth(curves[mode][0])
            rows.append(Row(labels, "training, mean of the last tenth", mean_interval(reached[mode])))
            for size in self.test_sizes:
                arrays = workshop.arrays(self.champions(net, size))
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
        panel = LearningPanel("Atari-Go 7x7, against naive", curves)
        learning_bands(
            [panel],
            folder / f"{self.name}.png",
            "Learning of MDLSTMs with different symmetries",
            columns=1,
            ylabel="fitness",
        )
        caption = "Solid: mean fitness of a generation. Broken: the best. Averages over the runs, with 95 % bands."
        return Findings([Table("All modes", rows)], claims, [Picture(f"{self.name}.png", caption)])


STUDIES = {SymmetryStudy.name: SymmetryStudy}
