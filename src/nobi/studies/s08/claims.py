"""Claims of the text of S08 without a table: hill climbing, size of perceptrons, settings of (co)evolution."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from nobi.evolution.settings import EvolutionSettings
from nobi.figures.comparison import PaperComparison, compare_with_paper
from nobi.statistics import Interval, bounded_difference, bounded_mean, last_tenth, per_run
from nobi.studies.jobs import ChampionsJob, EvolutionJob, RandomNetworksJob, Training, evolution_runs, learning_curves
from nobi.studies.s08.random import GAME_NAMES, GAMES, MDRNN
from nobi.studies.s08.training import CoevolutionStudy, coevolved_networks, evolved_networks
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table


@dataclass(frozen=True)
class ClaimsScale:
    """Training, and random perceptrons."""

    training: Training
    networks: int


METHODS: dict[str, tuple[str, float]] = {
    # label → trainer, factor of the number of generations, for about as many evaluations as (10+10)
    "(10+10)": ("es:parents=10,offspring=10,mutation=0.1", 1),
    "hill climbing, (1+1)": ("es:parents=1,offspring=1,mutation=0.1", 10),
    "(5+5)": ("es:parents=5,offspring=5,mutation=0.1", 2),
    "(20+20)": ("es:parents=20,offspring=20,mutation=0.1", 0.5),
    "(10+10), mutation 0.05": ("es:parents=10,offspring=10,mutation=0.05", 1),
    "(10+10), mutation 0.2": ("es:parents=10,offspring=10,mutation=0.2", 1),
}
SENSITIVE = 0.2
"""A difference in fitness below this counts as \"not very sensitive\"."""


class Claims(Study):
    """S08: claims of the text, on hill climbing, settings of evolution, and the size of perceptrons."""

    name = "s08-claims"
    page = "s08-evolution"
    scales: ClassVar = {
        "tiny": ClaimsScale(Training(2, 4, 4), 6),
        "quick": ClaimsScale(Training(3, 20, 20), 60),
        "paper": ClaimsScale(Training(10, 200), 400),
    }
    hidden = (10, 30, 100, 300)

    def conditions(self) -> dict[str, str]:
        s = self.settings.training
        return {
            "evolution": f"MDRNN, k = 10, Atari-Go 5x5 against naive; {s.runs} runs, {s.games} games of each network",
            "measured": f"champions of the last tenth of the generations, {s.games} new games: the best fitness of a "
            "generation is the highest of several noisy ones, and the higher, the more there are",
            "equal effort": f"the evaluations of {s.generations} generations of (10+10); the others have as many",
            "perceptrons": f"{self.settings.networks} random ones of each size on 5x5 against naive",
            "not very sensitive": f"the mean fitness differs by less than {SENSITIVE}",
            "fitness": "S08's score, p = 0.2",
        }

    def runs(self, method: str, factor: float) -> tuple[EvolutionJob, ...]:
        """Return the runs of one trainer."""
        settings = EvolutionSettings(sizes=(5,), net=MDRNN, method=method, measures=("score",))
        training = self.settings.training
        training = replace(training, generations=max(2, int(training.generations * factor)))
        return evolution_runs(training, settings, self.seed)

    def jobs(self) -> Jobs:
        jobs: dict[Any, Any] = {}
        for label, method in METHODS.items():
            runs = self.runs(*method)
            tenth = max(1, runs[0].settings.generations // 10)
            first, step = runs[0].settings.generations - tenth, max(1, tenth // 5)
            jobs[label] = ChampionsJob(runs, first, step, 5, "naive", self.settings.training.games, self.seed)
        for hidden, game in product(self.hidden, GAMES):
            net = f"mlp:hidden={hidden},unit=sigmoid"
            jobs[hidden, game] = RandomNetworksJob(
                net, game, 5, "naive", self.settings.networks, self.settings.training.games, self.seed
            )
        jobs["Gomoku"] = evolved_networks(self, MDRNN, "gomoku", 7)
        jobs["Atari-Go"] = evolved_networks(self, MDRNN, "atari-go", 7)
        return jobs

    def report(self, found: Results, out: Path) -> Findings:
        rows, bars, reached = [], [], {}
        for label in METHODS:
            reached[label] = per_run(found[label]["score"], found[label]["run"])
            rows.append(Row.over_runs({"trainer": label}, "champions' fitness, last tenth", reached[label]))
            bars.append(PaperComparison(label, rows[-1].ours, each=rows[-1].each))
        perceptrons = []
        for hidden, game in product(self.hidden, GAMES):
            labels = {"game": GAME_NAMES[game], "hidden units": str(hidden)}
            perceptrons.append(Row(labels, "mean fitness", bounded_mean(found[hidden, game]["score"])))
        games = {name: last_tenth(learning_curves(found.runs(name))[1]) for name in ("Gomoku", "Atari-Go")}
        usual, *others = METHODS
        gaps = {label: bounded_difference(reached[usual], reached[label]) for label in others}
        spread = {
            GAME_NAMES[game]: float(np.ptp([found[hidden, game]["score"].mean() for hidden in self.hidden]))
            for game in GAMES
        }
        varied = {label: gap for label, gap in gaps.items() if "hill" not in label}
        claims = [
            Claim.positive("Simple hill climbing performs much worse.", gaps[others[0]], "(10+10) minus (1+1)"),
            insensitive("Population size and mutation are not very sensitive.", varied),
            Claim(
                "The results of perceptrons are not very sensitive to the size of the hidden layer.",
                max(spread.values()) < SENSITIVE,
                "; ".join(f"{name}: mean fitness differs by {value:.2f} at most" for name, value in spread.items()),
            ),
            Claim.positive(
                "Gomoku is easier to learn than Atari-Go, on 7x7.",
                bounded_difference(games["Gomoku"], games["Atari-Go"]),
                "best fitness, last tenth",
            ),
        ]
        compare_with_paper(bars, out / self.figure, "Evolution strategies at equal effort", "champions' fitness")
        tables = [Table("Evolution strategies at equal effort", rows), Table("Random perceptrons", perceptrons)]
        caption = "Champions at the end of training by several evolution strategies; 95 % intervals over runs."
        return Findings(tables, claims, [Picture(self.figure, caption)])


class CoevolutionChoices(CoevolutionStudy):
    """S08: claims of the text, on population, mutation, opponents and temperature of coevolution."""

    name = "s08-settings"
    variants: ClassVar[dict[str, dict[str, Any]]] = {
        "as in the paper": {},
        "population 9, selected 3, parasites 3": {"population": 9, "selected": 3, "parasites": 3},
        "population 30, selected 10": {"population": 30, "selected": 10},
        "mutation 0.05": {"mutation": 0.05},
        "mutation 0.2": {"mutation": 0.2},
        "9 opponents: 3 parasites, 6 of the hall": {"parasites": 3, "hall": 6},
        "20 opponents: 5 parasites, 15 of the hall": {"hall": 15},
        "temperature 0.1, 10 games of each pair": {"temperature": 0.1, "games": 10},
    }

    def conditions(self) -> dict[str, str]:
        return {
            **super().conditions(),
            "settings": "each varied alone; elitist, Atari-Go; champions of the last tenth of the generations",
            "not very sensitive": f"the absolute fitness differs by less than {SENSITIVE}",
        }

    def jobs(self) -> Jobs:
        return {
            label: coevolved_networks(self, MDRNN, "atari-go", **changes) for label, changes in self.variants.items()
        }

    def report(self, found: Results, out: Path) -> Findings:
        rows, bars, reached = [], [], {}
        for label in self.variants:
            reached[label] = last_tenth(np.stack([run["absolute"] for run in found.runs(label)]))
            rows.append(Row.over_runs({"settings": label}, "absolute fitness, last tenth", reached[label]))
            bars.append(PaperComparison(label, rows[-1].ours, each=rows[-1].each))
        usual, *others = self.variants
        gaps = {label: bounded_difference(reached[usual], reached[label]) for label in others}
        warm = others[-1]
        claims = [
            insensitive(
                "Population size, mutation and the number of opponents are not very sensitive.",
                {label: gap for label, gap in gaps.items() if label != warm},
            ),
            insensitive("Other temperatures give no qualitatively different results.", {warm: gaps[warm]}),
        ]
        title = "Coevolution on Atari-Go 5x5 with one setting changed"
        compare_with_paper(bars, out / self.figure, title, "absolute fitness, last tenth")
        caption = "Champions against the naive player at the end of coevolution; 95 % intervals over runs."
        return Findings([Table("Settings of coevolution", rows)], claims, [Picture(self.figure, caption)])


def insensitive(text: str, gaps: Mapping[str, Interval]) -> Claim:
    """Return the claim that all differences are below SENSITIVE, in either direction."""
    within = [max(abs(gap.low), abs(gap.high)) < SENSITIVE for gap in gaps.values()]
    outside = [gap.low > SENSITIVE or gap.high < -SENSITIVE for gap in gaps.values()]
    holds = True if all(within) else False if any(outside) else None
    return Claim(text, holds, "; ".join(f"usual minus {label}: {gap}" for label, gap in gaps.items()))
