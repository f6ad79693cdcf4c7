"""S09 figure 3a with other choices: CMA-ES started from random weights; the other games."""

from abc import abstractmethod
from pathlib import Path
from typing import ClassVar

from nobi.evolution.settings import EvolutionSettings
from nobi.figures.training import LearningPanel, learning_bands
from nobi.statistics import bounded_difference, last_tenth
from nobi.studies.jobs import EvolutionJob, evolution_runs, learning_curves
from nobi.studies.s08.training import LEARNING_CAPTION
from nobi.studies.s09.random import CONV_CONDITION, CONVS, GAME_NAMES, MDLSTM, MDRNN, NAMES, PENTE
from nobi.studies.s09.training import AGAINST_NAIVE, LAST_TENTH, reached_rows, trained_networks
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Study, Table


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
