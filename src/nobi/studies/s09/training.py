"""S09 section 4.2: learning on 7x7 by CMA-ES (figure 3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from nobi.evolution.settings import EvolutionSettings
from nobi.figures.style import in_words
from nobi.figures.training import LearningPanel, learning_bands
from nobi.statistics import difference, last_tenth, mean_interval
from nobi.studies.cache import JobCache, learning_curves
from nobi.studies.jobs import Evolution, Job
from nobi.studies.s09.random import CONV, MDLSTM, MDRNN, MLP
from nobi.studies.study import Claim, Findings, Picture, Row, Study, Table, mean_text, verdict

NAMES = {MDLSTM: "MDLSTM", CONV: "CONV", MDRNN: "MDRNN", MLP: "MLP"}


@dataclass(frozen=True)
class Training:
    """How much is trained. S09: 10 runs against naive, 5 against the heuristic player."""

    runs: int
    generations: int
    games: int = 100


AGAINST_NAIVE = {"tiny": Training(2, 5, 4), "quick": Training(2, 50, 50), "paper": Training(10, 200)}
AGAINST_HEURISTIC = {"tiny": Training(2, 4, 4), "quick": Training(2, 40, 30), "paper": Training(5, 1000)}
"""The text of the paper does not say how many generations; the axes of its figures 3b and 3c run to 3500, in a unit
that cannot be read. 1000 generations are 17,000 evaluations."""


def training_runs(settings: Training, net: str, game: str, opponent: str, seed: int) -> tuple[Evolution, ...]:
    """The runs of one network on 7x7; table 2 and figure 4 use them too."""
    return tuple(
        Evolution(
            EvolutionSettings(
                game=game,
                sizes=(7,),
                net=net,
                method="cmaes",
                opponents=(opponent,),
                generations=settings.generations,
                games=settings.games,
                seed=1000 * seed + run,
            )
        )
        for run in range(settings.runs)
    )


class LearningStudy(Study):
    """Learning curves of several networks against one opponent."""

    group = "s09-training"
    nets: ClassVar[tuple[str, ...]]
    opponent: ClassVar[str]
    order: ClassVar[tuple[tuple[str, str], ...]]
    """(better, worse): what the paper concludes."""

    def conditions(self) -> dict[str, str]:
        """Networks, trainer and sample."""
        s = self.settings
        return {
            "networks": "MDLSTM and MDRNN of 3 units (93 and 21 weights), CONV of 3 maps of 5x5 (79), MLP of 3 units",
            "trainer": "CMA-ES, initial step 0.5, default population",
            "runs": f"{s.runs} for each network, {s.generations} generations",
            "games": f"{s.games} of each network in each generation on 7x7 Atari-Go against {self.opponent}",
            "fitness": "the mean outcome: win 1, draw 0, loss -1",
        }

    def runs(self, net: str) -> tuple[Evolution, ...]:
        """The runs of one network."""
        return training_runs(self.settings, net, "atari-go", self.opponent, self.seed)

    def jobs(self) -> Sequence[Job]:
        """All runs."""
        return [run for net in self.nets for run in self.runs(net)]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """Curves, what is reached, and who is better."""
        curves, rows, reached = {}, [], {}
        for net in self.nets:
            mean, best = curves[NAMES[net]] = learning_curves(cache, self.runs(net))
            reached[net] = last_tenth(mean)
            labels = {"network": NAMES[net]}
            rows.append(Row(labels, "mean fitness, last tenth", mean_interval(reached[net])))
            rows.append(Row(labels, "best fitness, last tenth", mean_interval(last_tenth(best))))
        claims = []
        for better, worse in self.order:
            gap = difference(reached[better], reached[worse])
            claims.append(
                Claim(
                    f"{NAMES[better]} learns to play better than {NAMES[worse]} against {self.opponent}.",
                    verdict(gap),
                    f"mean fitness over the last tenth of the generations, difference: {mean_text(gap)}",
                )
            )
        file = f"{self.name}.png"
        panel = LearningPanel(f"Atari-Go 7x7, against {in_words(self.opponent)}", curves)
        learning_bands([panel], folder / file, "Learning by CMA-ES", columns=1, ylabel="fitness")
        caption = "Solid: mean fitness of a generation. Broken: the best. Averages over the runs, with 95 % bands."
        return Findings([Table("What training reaches", rows)], claims, [Picture(file, caption)])


class Figure3a(LearningStudy):
    """Naive opponent."""

    name = "s09-fig3a"
    title = "S09 figure 3a: learning against the naive player"
    paper = "S09 figure 3a"
    scales = AGAINST_NAIVE
    nets = (MDLSTM, CONV, MDRNN, MLP)
    opponent = "naive"
    order = ((MDLSTM, CONV), (CONV, MDRNN), (MDLSTM, MDRNN), (MDRNN, MLP))


class Figure3b(LearningStudy):
    """Heuristic opponent, the easier case."""

    name = "s09-fig3b"
    title = "S09 figure 3b: learning against the heuristic player, e = 0.2"
    paper = "S09 figure 3b"
    scales = AGAINST_HEURISTIC
    nets = (MDLSTM, CONV, MDRNN)
    opponent = "heuristic:e=0.2"
    order = ((MDLSTM, CONV), (MDLSTM, MDRNN))


class Figure3c(LearningStudy):
    """Heuristic opponent, the harder case."""

    name = "s09-fig3c"
    title = "S09 figure 3c: learning against the heuristic player, e = 0.05"
    paper = "S09 figure 3c"
    scales = AGAINST_HEURISTIC
    nets = (MDLSTM, CONV, MDRNN)
    opponent = "heuristic:e=0.05"
    order = ((MDLSTM, CONV), (MDLSTM, MDRNN))
