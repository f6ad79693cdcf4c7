"""S09 section 4.2: learning on 7x7 by CMA-ES (figure 3), also from another start and on the other games."""

from abc import abstractmethod
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
from nobi.studies.s09.random import CONV, CONV_2, CONV_CONDITION, CONVS, GAME_NAMES, MDLSTM, MDRNN, MLP, NAMES, PENTE
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table

AGAINST_NAIVE = {"tiny": Training(2, 5, 4), "quick": Training(2, 50, 50), "paper": Training(10, 200)}
"""S09 states 10 runs."""
AGAINST_HEURISTIC = {
    "tiny": Training(2, 4, 4),
    "quick": Training(2, 40, 30),
    "day": Training(5, 1000),
    "paper": Training(5, 3500),
}
"""S09 states 5 runs; the axes of its figures 3b and 3c extend to 3500 generations."""
LAST_TENTH = "mean fitness over the last tenth of the generations, difference"


def trained_networks(
    study: Study, training: Training, net: str, opponent: str = "naive", game: str = "atari-go"
) -> tuple[EvolutionJob, ...]:
    """Return runs of CMA-ES on 7x7."""
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
    """Pairs (better, worse): the conclusions of the paper."""

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
        """Return claims other than `order`; `reached` maps network to mean fitness [run] at the end."""
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
        """Return the claim that MDRNN almost keeps up, that is, ends nearer to MDLSTM than to CONV."""
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


class VariantStudy(Study):
    """Learning curves of MDLSTM, CONV and MDRNN in several cases."""

    page = "s09-training"
    scales = AGAINST_NAIVE
    nets = (MDLSTM, *CONVS, MDRNN)
    cases: ClassVar[tuple[str, ...]]
    title_of_figure: ClassVar[str]

    def conditions(self) -> dict[str, str]:
        s = self.settings
        return {
            "networks": "MDLSTM and MDRNN of 3 units (93 and 21 weights)",
            "CONV": CONV_CONDITION,
            "runs": f"{s.runs} for each network and case, {s.generations} generations on 7x7 against naive",
            "games": f"{s.games} of each network in each generation",
            "fitness": "the mean outcome: win 1, draw 0, loss -1",
        }

    @abstractmethod
    def runs(self, case: str, net: str) -> tuple[EvolutionJob, ...]:
        """Return the runs of a network in a case."""

    def jobs(self) -> Jobs:
        return {(case, net): self.runs(case, net) for case in self.cases for net in self.nets}

    def report(self, found: Results, out: Path) -> Findings:
        panels, rows, claims = [], [], []
        for case in self.cases:
            curves, reached = {}, {}
            for net in self.nets:
                curves[NAMES[net]] = learning_curves(found.runs((case, net)))
                reached[net] = last_tenth(curves[NAMES[net]][0])
                rows += reached_rows({"case": case, "network": NAMES[net]}, *curves[NAMES[net]])
            panels.append(LearningPanel(case, curves))
            for conv in CONVS:
                for better, worse in ((MDLSTM, conv), (conv, MDRNN)):
                    text = f"{NAMES[better]} learns to play better than {NAMES[worse]}: {case}."
                    claims.append(Claim.positive(text, bounded_difference(reached[better], reached[worse]), LAST_TENTH))
        learning_bands(panels, out / self.figure, self.title_of_figure)
        return Findings([Table("What training reaches", rows)], claims, [Picture(self.figure, LEARNING_CAPTION)])


class Start(VariantStudy):
    """S09 figure 3a: CMA-ES started at zero, and at weights of N(0, 1) as in the published code."""

    name = "s09-start"
    cases = ("start at zero", "start at N(0, 1)")
    title_of_figure = "Atari-Go 7x7 against naive: two starts of CMA-ES"

    def runs(self, case: str, net: str) -> tuple[EvolutionJob, ...]:
        if case == self.cases[0]:
            return trained_networks(self, self.settings, net)
        settings = EvolutionSettings(sizes=(7,), net=net, method="cmaes:start=normal")
        return evolution_runs(self.settings, settings, self.seed)


class Games(VariantStudy):
    """S09 section 4.2: learning on Go-Moku and Pente, where the same conclusions are said to hold."""

    name = "s09-games"
    cases = ("Go-Moku", "Pente")
    title_of_figure = "Learning by CMA-ES on 7x7 against naive"

    def runs(self, case: str, net: str) -> tuple[EvolutionJob, ...]:
        games = {GAME_NAMES[game]: game for game in ("gomoku", PENTE)}
        return trained_networks(self, self.settings, net, game=games[case])
