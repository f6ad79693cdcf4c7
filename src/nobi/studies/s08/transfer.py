"""S08 section V-E: trained networks on larger boards (table III, figure 10)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nobi.figures.comparison import Cloud, ScatterPanel, scatter_plot
from nobi.statistics import correlation_over_runs, higher_over_runs
from nobi.studies.cache import JobCache
from nobi.studies.jobs import Arrays, Champions, Coevolution, Evolution, Job
from nobi.studies.s08 import coevolution, evolution
from nobi.studies.s08.random import GAME_NAMES, MDRNN, boards
from nobi.studies.study import Claim, Findings, Picture, Row, Study, Table, beyond_half, every, verdict_of_all

TABLE_3 = {
    # game, method, board of training, board of test → correlation and p
    ("atari-go", "coevolution", 5, 9): (0.45, 0.92),
    ("atari-go", "evolution", 5, 9): (0.05, 0.61),
    ("atari-go", "evolution", 7, 11): (0.07, 0.98),
    ("gomoku", "coevolution", 5, 9): (-0.11, 0.70),
    ("gomoku", "evolution", 5, 9): (0.22, 0.73),
    ("gomoku", "evolution", 7, 11): (0.43, 0.85),
}


@dataclass(frozen=True)
class Trained:
    """Which champions are measured. S08: at least 200, the first 50 generations ignored."""

    evolution: evolution.Training
    coevolution: coevolution.Training
    ignored: int
    evolution_step: int
    coevolution_step: int
    games: int


SCALES = {
    "tiny": Trained(evolution.SCALES["tiny"], coevolution.SCALES["tiny"], 2, 1, 1, 4),
    "quick": Trained(evolution.SCALES["quick"], coevolution.SCALES["quick"], 10, 1, 1, 40),
    "paper": Trained(evolution.SCALES["paper"], coevolution.SCALES["paper"], 50, 5, 5, 100),
}


class TrainedStudy(Study):
    """What these studies share."""

    group = "s08-trained"
    scales = SCALES
    net = MDRNN

    def conditions(self) -> dict[str, str]:
        """Which champions."""
        s = self.settings
        return {
            "networks": "generation champions of the runs of figure 6 and of the elitist runs of table II",
            "of each run": (
                f"{every(s.evolution_step)} generation of evolution and {every(s.coevolution_step)} of coevolution, "
                f"the first {s.ignored} ignored"
            ),
            "games": f"{s.games} new ones of each champion on each board, against the naive player",
            "fitness": "S08's score, p = 0.2",
            "intervals": "bootstrap over whole runs, since champions of one run are relatives",
        }

    def champions(self, game: str, method: str, trained: int, size: int) -> Champions:
        """The champions trained on one board, measured on one board."""
        s = self.settings
        runs: tuple[Evolution, ...] | tuple[Coevolution, ...]
        if method == "evolution":
            runs, step = evolution.evolution_runs(s.evolution, self.net, game, trained, self.seed), s.evolution_step
        else:
            runs = coevolution.coevolution_runs(s.coevolution, self.net, game, elitist=True, seed=self.seed)
            step = s.coevolution_step
        return Champions(runs, s.ignored, step, size, "naive", s.games, self.seed)

    def measured(self, cache: JobCache, case: tuple[str, str, int, int]) -> tuple[Arrays, Arrays]:
        """The same champions on the board of their training and on the larger one."""
        game, method, trained, test = case
        small, large = (cache.arrays(self.champions(game, method, trained, size)) for size in (trained, test))
        return small, large

    def work(self, cases: Sequence[tuple[str, str, int, int]]) -> Sequence[Job]:
        """The runs and the measurements of these cases."""
        found: list[Job] = []
        for game, method, trained, test in cases:
            pair = [self.champions(game, method, trained, size) for size in (trained, test)]
            found.extend([*pair[0].runs, *pair])
        return found


class Table3(TrainedStudy):
    """Correlation and p."""

    name = "s08-table3"
    title = "S08 table III: does a trained network play alike on small and large boards?"
    paper = "S08 table III"

    def jobs(self) -> Sequence[Job]:
        """All runs, and their champions on both boards."""
        return self.work(list(TABLE_3))

    def report(self, cache: JobCache, folder: Path) -> Findings:  # noqa: ARG002
        """The table."""
        rows = []
        for case, (paper_correlation, paper_p) in TABLE_3.items():
            game, method, trained, test = case
            labels = {"game": GAME_NAMES[game], "method": method, "boards": boards(trained, test)}
            small, large = self.measured(cache, case)
            both = small["score"], large["score"], small["run"]
            rows.append(Row(labels, "correlation", correlation_over_runs(*both), paper_correlation, neutral=0.0))
            rows.append(Row(labels, "p", higher_over_runs(*both), paper_p, neutral=0.5))
        shares = [row.ours for row in rows if row.measure == "p"]
        above = sum(share.low > 0.5 for share in shares)
        claim = Claim(
            "Trained networks are almost always stronger on the larger board.",
            verdict_of_all(beyond_half(share) for share in shares),
            f"p is above 0.5 with its whole interval in {above} of {len(shares)} cases",
        )
        title = "Champions: correlation of fitness, and share p of those better on the larger board"
        return Findings([Table(title, rows)], [claim])


class Figure10(TrainedStudy):
    """Champions of coevolution, 5x5 against 9x9."""

    name = "s08-fig10"
    title = "S08 figure 10: champions of coevolution on 5x5 and 9x9"
    paper = "S08 figure 10"
    cases = (("atari-go", "coevolution", 5, 9), ("gomoku", "coevolution", 5, 9))

    def jobs(self) -> Sequence[Job]:
        """The runs of coevolution, and their champions on both boards."""
        return self.work(self.cases)

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """A point a champion."""
        panels = []
        for case in self.cases:
            small, large = self.measured(cache, case)
            cloud = Cloud("champions", small["score"], large["score"])
            panels.append(ScatterPanel(GAME_NAMES[case[0]], "fitness on 5x5", "fitness on 9x9", [cloud]))
        scatter_plot(
            panels,
            folder / "s08-fig10.png",
            "Champions of coevolution on two boards, against the naive player",
            columns=2,
        )
        caption = "Generation champions of coevolution on the board of their training and on a larger one."
        return Findings(pictures=[Picture("s08-fig10.png", caption)])
