"""S09 section 4.2: networks trained on 7x7, on larger boards (table 2, figures 4b and 4c)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import ClassVar

from nobi.figures.comparison import Cloud, ScatterPanel, scatter_plot
from nobi.statistics import correlation_over_runs, gain_over_runs, gap_between, higher_over_runs
from nobi.studies.cache import JobCache
from nobi.studies.jobs import Champions, Job
from nobi.studies.s08.random import boards
from nobi.studies.s09.random import CONV, GAME_NAMES, MDLSTM, PENTE
from nobi.studies.s09.training import AGAINST_HEURISTIC, AGAINST_NAIVE, NAMES, Training, training_runs
from nobi.studies.study import (
    Claim,
    Findings,
    Picture,
    Row,
    Study,
    Table,
    beyond_half,
    every,
    mean_text,
    verdict,
    verdict_of_all,
)

TABLE_2 = {
    # game, larger board → (CONV's correlation, p), (MDLSTM's correlation, p)
    ("atari-go", 9): ((0.13, 0.20), (0.38, 0.48)),
    ("atari-go", 11): ((0.17, 0.18), (0.27, 0.45)),
    ("atari-go", 19): ((0.17, 0.21), (0.38, 0.76)),
    ("gomoku", 9): ((0.06, 0.42), (0.47, 0.67)),
    ("gomoku", 11): ((0.15, 0.61), (0.38, 0.87)),
    ("gomoku", 19): ((0.04, 0.68), (0.66, 0.84)),
    (PENTE, 9): ((0.05, 0.45), (0.08, 0.61)),
    (PENTE, 11): ((0.24, 0.58), (0.39, 0.79)),
    (PENTE, 19): ((0.23, 0.58), (-0.05, 0.95)),
}
TRAINED = 7


@dataclass(frozen=True)
class Trained:
    """Which champions are measured. S09: 100 networks of each kind; how many runs they come from it does not say."""

    naive: Training
    heuristic: Training
    first: int
    """The first generation whose champion is taken, of training against naive."""
    step: int
    heuristic_first: int
    heuristic_step: int
    games: int


SCALES = {
    "tiny": Trained(AGAINST_NAIVE["tiny"], AGAINST_HEURISTIC["tiny"], 1, 1, 1, 1, 4),
    "quick": Trained(AGAINST_NAIVE["quick"], AGAINST_HEURISTIC["quick"], 25, 1, 20, 1, 40),
    "paper": Trained(AGAINST_NAIVE["paper"], AGAINST_HEURISTIC["paper"], 50, 7, 200, 20, 100),
}


class TransferStudy(Study):
    """What these studies share."""

    group = "s09-transfer"
    scales = SCALES

    def conditions(self) -> dict[str, str]:
        """Which champions."""
        s = self.settings
        return {
            "networks": "generation champions of CMA-ES on 7x7: MDLSTM of 3 units, CONV of 3 maps of 5x5",
            "against naive": (
                f"{s.naive.runs} runs of {s.naive.generations} generations, of each {every(s.step)} champion "
                f"from generation {s.first} on"
            ),
            "games": f"{s.games} new ones of each champion on each board",
            "fitness": "the mean outcome: win 1, draw 0, loss -1",
            "intervals": "bootstrap over whole runs, since champions of one run are relatives",
        }

    def champions(self, net: str, game: str, size: int, opponent: str = "naive") -> Champions:
        """Champions trained against an opponent, measured on one board against the same."""
        s = self.settings
        training, first, step = (
            (s.naive, s.first, s.step) if opponent == "naive" else (s.heuristic, s.heuristic_first, s.heuristic_step)
        )
        runs = training_runs(training, net, game, opponent, self.seed)
        return Champions(runs, first, step, size, opponent, s.games, self.seed)


class Table2(TransferStudy):
    """Correlation and p for both networks."""

    name = "s09-table2"
    title = "S09 table 2: do trained networks play alike on small and large boards?"
    paper = "S09 table 2"

    def jobs(self) -> Sequence[Job]:
        """Runs of all games and both networks; their champions on all boards."""
        found: list[Job] = []
        for game in GAME_NAMES:
            for net in (CONV, MDLSTM):
                measured = [self.champions(net, game, size) for size in (TRAINED, 9, 11, 19)]
                found.extend([*measured[0].runs, *measured])
        return found

    def report(self, cache: JobCache, folder: Path) -> Findings:  # noqa: ARG002
        """The table, and whether MDLSTM scales better."""
        rows, higher = [], []
        for (game, size), papers in TABLE_2.items():
            for net, (paper_correlation, paper_p) in zip((CONV, MDLSTM), papers, strict=True):
                labels = {"game": GAME_NAMES[game], "boards": boards(TRAINED, size), "network": NAMES[net]}
                small, large = (cache.arrays(self.champions(net, game, s)) for s in (TRAINED, size))
                both = small["points"], large["points"], small["run"]
                rows.append(Row(labels, "correlation", correlation_over_runs(*both), paper_correlation, neutral=0.0))
                share = higher_over_runs(*both)
                rows.append(Row(labels, "p", share, paper_p, neutral=0.5))
                gain = gain_over_runs(*both)
                rows.append(Row(labels, "fitness gained", gain, neutral=0.0))
                if size == 19:
                    higher.append((GAME_NAMES[game], net, share, gain))
        scales = {(game, net): (share, gain) for game, net, share, gain in higher}
        gaps = [gap_between(scales[game, MDLSTM][0], scales[game, CONV][0]) for game in GAME_NAMES.values()]
        evidence = "; ".join(
            f"{game}: p {mean_text(scales[game, MDLSTM][0])} against {mean_text(scales[game, CONV][0])}"
            for game in GAME_NAMES.values()
        )
        claims = [
            Claim(
                "MDLSTM scales where CONV does not: from 7x7 to 19x19 its p is higher on every game.",
                verdict_of_all(gaps),
                evidence,
            ),
            Claim(
                "Most trained MDLSTMs are stronger on 19x19 than on 7x7, on every game.",
                verdict_of_all(beyond_half(scales[game, MDLSTM][0]) for game in GAME_NAMES.values()),
                "; ".join(f"{game}: {mean_text(scales[game, MDLSTM][0])}" for game in GAME_NAMES.values()),
            ),
        ]
        return Findings([Table("Champions trained on 7x7 against naive", rows)], claims)


class ScatterStudy(TransferStudy):
    """MDLSTM as points, CONV as crosses."""

    size: ClassVar[int]
    opponents: ClassVar[tuple[str, ...]]
    """Whom the networks were trained against, and are measured against."""

    def jobs(self) -> Sequence[Job]:
        """The runs of both networks, and their champions on both boards."""
        found: list[Job] = []
        for opponent, net in product(self.opponents, (MDLSTM, CONV)):
            measured = [self.champions(net, "atari-go", size, opponent) for size in (TRAINED, self.size)]
            found.extend([*measured[0].runs, *measured])
        return found

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """A point or a cross a champion."""
        panels, rows, claims = [], [], []
        for opponent in self.opponents:
            clouds, r = [], {}
            for net in (MDLSTM, CONV):
                measured = (self.champions(net, "atari-go", size, opponent) for size in (TRAINED, self.size))
                small, large = map(cache.arrays, measured)
                clouds.append(Cloud(NAMES[net], small["points"], large["points"]))
                r[net] = correlation_over_runs(small["points"], large["points"], small["run"])
                labels = {"network": NAMES[net], "boards": boards(TRAINED, self.size), "opponent": opponent}
                rows.append(Row(labels, "correlation", r[net], self.paper_correlations()[net], neutral=0.0))
                share = higher_over_runs(small["points"], large["points"], small["run"])
                rows.append(Row(labels, "p", share, neutral=0.5))
            x, y = (f"fitness on {n}x{n}" for n in (TRAINED, self.size))
            panels.append(ScatterPanel(f"trained against {opponent}", x, y, clouds))
            claims.append(
                Claim(
                    f"Fitness on 7x7 tells more of that on {self.size}x{self.size} for MDLSTM than for CONV, "
                    f"against {opponent}.",
                    verdict(gap_between(r[MDLSTM], r[CONV])),
                    "; ".join(f"{NAMES[net]}: {mean_text(interval)}" for net, interval in r.items()),
                )
            )
        file = f"{self.name}.png"
        scatter_plot(
            panels, folder / file, "Champions trained by CMA-ES, on two boards of Atari-Go", columns=len(panels)
        )
        caption = "Champions on the board of their training and on a larger one."
        return Findings([Table("Correlation", rows)], claims, [Picture(file, caption)])

    def paper_correlations(self) -> dict[str, float]:
        """Network → the paper's."""
        raise NotImplementedError


class Figure4b(ScatterStudy):
    """Trained against naive, 7x7 and 11x11."""

    name = "s09-fig4b"
    title = "S09 figure 4b: networks trained against naive on two boards"
    paper = "S09 figure 4b"
    size = 11
    opponents = ("naive",)

    def paper_correlations(self) -> dict[str, float]:
        """Those of table 2."""
        (conv, _), (mdlstm, _) = TABLE_2["atari-go", 11]
        return {CONV: conv, MDLSTM: mdlstm}


class Figure4c(ScatterStudy):
    """Trained against the heuristic player, 7x7 and 15x15."""

    name = "s09-fig4c"
    title = "S09 figure 4c: networks trained against the heuristic player on two boards"
    paper = "S09 figure 4c"
    size = 15
    opponents = ("heuristic:e=0.05", "heuristic:e=0.2")
    """Those of figures 3c and 3b. The paper says "the strongest opponent", which may be the first, or the heuristic
    player of any strength."""

    def conditions(self) -> dict[str, str]:
        """Of training against the heuristic player."""
        s = self.settings
        runs = (
            f"{s.heuristic.runs} runs of {s.heuristic.generations} generations, of each {every(s.heuristic_step)} "
            f"champion from generation {s.heuristic_first} on"
        )
        return {key.replace("against naive", "against heuristic"): runs if key == "against naive" else value
                for key, value in super().conditions().items()}  # fmt: skip

    def paper_correlations(self) -> dict[str, float]:
        """Those of the text."""
        return {MDLSTM: 0.64, CONV: 0.08}
