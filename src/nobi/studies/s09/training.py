"""S09 section 4.2: learning on 7x7 by CMA-ES (figure 3)."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nobi.evolution.settings import EvolutionSettings
from nobi.figures.style import in_words
from nobi.figures.training import LearningPanel, learning_bands
from nobi.statistics import bounded_difference, bounded_mean, last_tenth
from nobi.studies.jobs import EvolutionJob, Training, evolution_runs, learning_curves
from nobi.studies.s08.training import LEARNING_CAPTION
from nobi.studies.s09.random import CONV, CONV_2, CONV_CONDITION, CONVS, MDLSTM, MDRNN, MLP, NAMES
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table

AGAINST_NAIVE = {"tiny": Training(2, 5, 4), "quick": Training(2, 50, 50), "paper": Training(10, 200)}
"""S09: 10 runs."""
AGAINST_HEURISTIC = {
    "tiny": Training(2, 4, 4),
    "quick": Training(2, 40, 30),
    "day": Training(5, 1000),
    "paper": Training(5, 3500),
}
"""S09: 5 runs; the axes of its figures 3b and 3c extend to 3500 generations."""
LAST_TENTH = "mean fitness over the last tenth of the generations, difference"


def trained_networks(
    study: Study, training: Training, net: str, opponent: str = "naive", game: str = "atari-go"
) -> tuple[EvolutionJob, ...]:
    """Runs of CMA-ES on 7x7."""
    settings = EvolutionSettings(game=game, sizes=(7,), net=net, method="cmaes", opponents=(opponent,))
    return evolution_runs(training, settings, study.seed)


def reached_rows(labels: dict[str, str], mean: NDArray[np.float64], best: NDArray[np.float64]) -> list[Row]:
    """Return what training reaches: mean and best fitness, [run, generation], over the last tenth."""
    curves = {"mean fitness, last tenth": mean, "best fitness, last tenth": best}
    return [Row.over_runs(labels, measure, last_tenth(curve)) for measure, curve in curves.items()]


class LearningStudy(Study):
    """Learning curves of several networks against one opponent."""

    page = "s09-training"
    nets: ClassVar[tuple[str, ...]]
    opponent: ClassVar[str]
    order: ClassVar[tuple[tuple[str, str], ...]]
    """(better, worse): the conclusions of the paper."""

    def conditions(self) -> dict[str, str]:
        s = self.settings
        return {
            "networks": "MDLSTM, MDRNN and MLP of 3 units (93, 21 and 493 weights)",
            "CONV": CONV_CONDITION,
            "trainer": "CMA-ES, initial step 0.5, default population",
            "runs": f"{s.runs} for each network, {s.generations} generations",
            "games": f"{s.games} of each network in each generation on 7x7 Atari-Go against {self.opponent}",
            "fitness": "the mean outcome: win 1, draw 0, loss -1",
        }

    def jobs(self) -> Jobs:
        return {net: trained_networks(self, self.settings, net, self.opponent) for net in self.nets}

    def report(self, found: Results, out: Path) -> Findings:
        curves, rows, reached, claims = {}, [], {}, []
        for net in self.nets:
            curves[NAMES[net]] = learning_curves(found.runs(net))
            reached[net] = last_tenth(curves[NAMES[net]][0])
            rows += reached_rows({"network": NAMES[net]}, *curves[NAMES[net]])
        for better, worse in self.order:
            text = f"{NAMES[better]} learns to play better than {NAMES[worse]} against {self.opponent}."
            claims.append(Claim.positive(text, bounded_difference(reached[better], reached[worse]), LAST_TENTH))
        claims += self.further_claims(reached)
        panel = LearningPanel(f"Atari-Go 7x7, against {in_words(self.opponent)}", curves)
        learning_bands([panel], out / self.figure, "Learning by CMA-ES")
        return Findings([Table("What training reaches", rows)], claims, [Picture(self.figure, LEARNING_CAPTION)])

    def further_claims(self, reached: Mapping[str, NDArray[np.float64]]) -> list[Claim]:  # noqa: ARG002
        """Claims that are not of the kind `order`; `reached` maps network to mean fitness [run] at the end."""
        return []


class Figure3a(LearningStudy):
    """S09 figure 3a: learning against the naive player."""

    name = "s09-fig3a"
    scales = AGAINST_NAIVE
    nets = (MDLSTM, *CONVS, MDRNN, MLP)
    opponent = "naive"
    order = (
        (MDLSTM, CONV),
        (MDLSTM, CONV_2),
        (CONV, MDRNN),
        (CONV_2, MDRNN),
        (MDLSTM, MDRNN),
        (MDRNN, MLP),
    )

    def further_claims(self, reached: Mapping[str, NDArray[np.float64]]) -> list[Claim]:
        lost = -bounded_mean(reached[MLP])
        text = "MLPs clearly fail to learn: at the end they lose most games."
        return [Claim(text, lost.is_positive, f"mean fitness of MLP over the last tenth: {-lost}")]


class Figure3b(LearningStudy):
    """S09 figure 3b: learning against the heuristic player, e = 0.2."""

    name = "s09-fig3b"
    scales = AGAINST_HEURISTIC
    nets = (MDLSTM, *CONVS, MDRNN)
    opponent = "heuristic:e=0.2"
    order: ClassVar[tuple[tuple[str, str], ...]] = ((MDLSTM, CONV), (MDLSTM, CONV_2))

    def further_claims(self, reached: Mapping[str, NDArray[np.float64]]) -> list[Claim]:
        """Almost keeps up: nearer to MDLSTM than to CONV."""
        claims = []
        for conv in CONVS:
            half = 0.5 * bounded_mean(reached[MDLSTM])
            above = (bounded_mean(reached[MDRNN]) - half) - 0.5 * bounded_mean(reached[conv])
            text = f"MDRNN almost keeps up with MDLSTM: it ends nearer to MDLSTM than to {NAMES[conv]}."
            what = "mean fitness of MDRNN over the last tenth, minus the middle of the other two"
            claims.append(Claim.positive(text, above, what))
        return claims


class Figure3c(Figure3b):
    """S09 figure 3c: learning against the heuristic player, e = 0.05."""

    name = "s09-fig3c"
    opponent = "heuristic:e=0.05"
    order: ClassVar[tuple[tuple[str, str], ...]] = ((MDLSTM, CONV), (MDLSTM, CONV_2), (MDLSTM, MDRNN))

    def further_claims(self, reached: Mapping[str, NDArray[np.float64]]) -> list[Claim]:  # noqa: ARG002
        return []
