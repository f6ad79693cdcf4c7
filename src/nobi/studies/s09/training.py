"""S09 section 4.2: learning on 7x7 by CMA-ES (figure 3)."""

from pathlib import Path
from typing import ClassVar

from nobi.evolution.settings import EvolutionSettings
from nobi.figures.style import in_words
from nobi.figures.training import LearningPanel, learning_bands
from nobi.statistics import difference, last_tenth, mean_interval
from nobi.studies.jobs import EvolutionJob, Training, evolution_runs, learning_curves
from nobi.studies.s08.training import LEARNING_CAPTION
from nobi.studies.s09.random import CONV, CONV_2, CONV_CONDITION, CONVS, MDLSTM, MDRNN, MLP, NAMES
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table

AGAINST_NAIVE = {"tiny": Training(2, 5, 4), "quick": Training(2, 50, 50), "paper": Training(10, 200)}
"""S09: 10 runs."""
AGAINST_HEURISTIC = {"tiny": Training(2, 4, 4), "quick": Training(2, 40, 30), "paper": Training(5, 1000)}
"""S09: 5 runs. It does not say how many generations; the axes of its figures 3b and 3c extend to 3500, in a unit that
cannot be read. 1000 generations are 17,000 evaluations."""
LAST_TENTH = "mean fitness over the last tenth of the generations, difference"


def trained_networks(
    study: Study, training: Training, net: str, opponent: str = "naive", game: str = "atari-go"
) -> tuple[EvolutionJob, ...]:
    """Runs of CMA-ES on 7x7."""
    settings = EvolutionSettings(game=game, sizes=(7,), net=net, method="cmaes", opponents=(opponent,))
    return evolution_runs(training, settings, study.seed)


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
            mean, best = curves[NAMES[net]] = learning_curves(found.runs(net))
            reached[net] = last_tenth(mean)
            labels = {"network": NAMES[net]}
            rows.append(Row(labels, "mean fitness, last tenth", mean_interval(reached[net])))
            rows.append(Row(labels, "best fitness, last tenth", mean_interval(last_tenth(best))))
        for better, worse in self.order:
            text = f"{NAMES[better]} learns to play better than {NAMES[worse]} against {self.opponent}."
            claims.append(Claim.positive(text, difference(reached[better], reached[worse]), LAST_TENTH))
        file = f"{self.name}.png"
        panel = LearningPanel(f"Atari-Go 7x7, against {in_words(self.opponent)}", curves)
        learning_bands([panel], out / file, "Learning by CMA-ES")
        return Findings([Table("What training reaches", rows)], claims, [Picture(file, LEARNING_CAPTION)])


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


class Figure3b(LearningStudy):
    """S09 figure 3b: learning against the heuristic player, e = 0.2."""

    name = "s09-fig3b"
    scales = AGAINST_HEURISTIC
    nets = (MDLSTM, *CONVS, MDRNN)
    opponent = "heuristic:e=0.2"
    order = ((MDLSTM, CONV), (MDLSTM, CONV_2), (MDLSTM, MDRNN))


class Figure3c(Figure3b):
    """S09 figure 3c: learning against the heuristic player, e = 0.05."""

    name = "s09-fig3c"
    opponent = "heuristic:e=0.05"
