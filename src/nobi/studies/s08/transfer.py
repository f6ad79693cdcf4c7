"""S08 section V-E: trained networks on larger boards (table III, figure 10)."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

from nobi.figures.comparison import Cloud, ScatterPanel, scatter_plot
from nobi.statistics import (
    Interval,
    all_positive,
    correlation_of_networks,
    higher_over_runs,
    most_positive,
    per_run,
    single_runs,
)
from nobi.studies.jobs import Arrays, Job, Measurement
from nobi.studies.s08.random import GAME_NAMES, MDRNN, boards, published, transfer_rows
from nobi.studies.s08.training import EVOLUTION, coevolved_networks, evolved_networks
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table

Case = tuple[str, str, int, int]
TABLE_3: dict[Case, tuple[float, float]] = {
    # game, method, board of training, board of test → correlation and p
    ("atari-go", "coevolution", 5, 9): (0.45, 0.92),
    ("atari-go", "evolution", 5, 9): (0.05, 0.61),
    ("atari-go", "evolution", 7, 11): (0.07, 0.98),
    ("gomoku", "coevolution", 5, 9): (-0.11, 0.70),
    ("gomoku", "evolution", 5, 9): (0.22, 0.73),
    ("gomoku", "evolution", 7, 11): (0.43, 0.85),
}
CHAMPIONS = 200
"""Number of champions of the paper in each row."""
INTERVALS = (
    "p: over runs, since champions of one run are not independent; correlations: bootstrap over champions, which are "
    "not independent, so that these intervals are too narrow; the paper's: from the number of its networks"
)


Transfer = tuple[Interval, Interval]
"""Correlation and p."""


def untrained_claims(cases: Sequence[tuple[Transfer, Transfer]]) -> list[Claim]:
    """Return both papers' claims on trained networks; `cases` are (correlation, p) of trained and untrained ones."""
    correlations = [untrained[0] - trained[0] for trained, untrained in cases]
    shares = [trained[1] - untrained[1] for trained, untrained in cases]
    lower, higher = (
        f"in {sum(gap.value > 0 for gap in gaps)} of {len(gaps)} cases, in {sum(gap.low > 0 for gap in gaps)} with the "
        "whole interval of the difference"
        for gaps in (correlations, shares)
    )
    return [
        Claim("The correlation is lower than that of untrained networks.", most_positive(correlations), lower),
        Claim("The share p is higher than that of untrained networks.", most_positive(shares), higher),
    ]


def champion_rows(
    labels: dict[str, str],
    small: Arrays,
    large: Arrays,
    measure: str,
    paper: tuple[float | None, float | None],
    sample: int = CHAMPIONS,
) -> list[Row]:
    """Return correlation and p of champions measured on two boards; `sample` is the number of the paper's networks."""
    x, y, run = small[measure], large[measure], small["run"]
    r, p = published(paper, sample)
    each = single_runs(per_run((y > x).astype(np.float64), run))
    return [
        Row(labels, "correlation", correlation_of_networks(x, y), r, neutral=0.0),
        Row(labels, "p", higher_over_runs(x, y, run), p, neutral=0.5, each=each),
    ]


class TransferStudy(Study):
    """A study of champions on two boards. S08: at least 200, without those of the first 50 generations."""

    page = "s08-trained"
    scales: ClassVar = {
        "tiny": Measurement(EVOLUTION["tiny"], 2, 1, 4, 6),
        "quick": Measurement(EVOLUTION["quick"], 10, 1, 40, 40),
        "paper": Measurement(EVOLUTION["paper"], 50, 5, 100, 400),
    }
    net = MDRNN
    cases: tuple[Case, ...]

    def conditions(self) -> dict[str, str]:
        s = self.settings
        return {
            "networks": "generation champions of the runs of figure 6 and of the elitist runs of table II",
            "of each run": s.describe(),
            "games": f"{s.games} new ones of each champion on each board, against the naive player",
            "fitness": "S08's score, p = 0.2",
            "intervals": INTERVALS,
        }

    def champions(self, game: str, method: str, trained: int, size: int) -> Job:
        """Return the champions trained on one board, measured on one board."""
        evolved = method == "evolution"
        runs = evolved_networks(self, self.net, game, trained) if evolved else coevolved_networks(self, self.net, game)
        return self.settings.champions(runs, size, "naive", self.seed)

    def jobs(self) -> Jobs:
        keys = [(*case[:3], size) for case in self.cases for size in case[2:]]
        return {key: self.champions(*key) for key in keys}


class Table3(TransferStudy):
    """S08 table III: does a trained network play alike on small and large boards?"""

    name = "s08-table3"
    cases = tuple(TABLE_3)

    def conditions(self) -> dict[str, str]:
        return {**super().conditions(), "untrained": f"{self.settings.networks} random networks, the same games"}

    def jobs(self) -> Jobs:
        keys = {(case[0], size) for case in self.cases for size in case[2:]}
        random = {
            ("untrained", *key): self.settings.random_networks(self.net, *key, "naive", self.seed)
            for key in sorted(keys)
        }
        return {**super().jobs(), **random}

    def report(self, found: Results, out: Path) -> Findings:  # noqa: ARG002
        rows, compared = [], []
        for case, paper in TABLE_3.items():
            game, method, *sizes = case
            labels = {"game": GAME_NAMES[game], "method": method, "boards": boards(*sizes)}
            small, large = (found[*case[:3], size] for size in sizes)
            rows += champion_rows(labels, small, large, "score", paper)
            before = [found["untrained", game, size]["score"] for size in sizes]
            random = transfer_rows({}, before[0], before[1])
            compared.append(((rows[-2].ours, rows[-1].ours), (random[0].ours, random[1].ours)))
        shares = [row.ours - 0.5 for row in rows if row.measure == "p"]
        claim = Claim(
            "Trained networks are almost always stronger on the larger board.",
            all_positive(shares),
            f"p is above 0.5 with its whole interval in {sum(s.low > 0 for s in shares)} of {len(shares)} cases",
        )
        title = "Champions: correlation of fitness, and share p of those better on the larger board"
        return Findings([Table(title, rows)], [claim, *untrained_claims(compared)])


class Figure10(TransferStudy):
    """S08 figure 10: champions of coevolution on 5x5 and 9x9."""

    name = "s08-fig10"
    cases = (("atari-go", "coevolution", 5, 9), ("gomoku", "coevolution", 5, 9))

    def report(self, found: Results, out: Path) -> Findings:
        panels = []
        for game, method, *sizes in self.cases:
            small, large = (found[game, method, 5, size]["score"] for size in sizes)
            cloud = Cloud("champions", small, large)
            panels.append(ScatterPanel(GAME_NAMES[game], "fitness on 5x5", "fitness on 9x9", [cloud]))
        scatter_plot(panels, out / self.figure, "Champions of coevolution on two boards, against the naive player")
        caption = "Generation champions of coevolution on the board of their training and on a larger one."
        return Findings(pictures=[Picture(self.figure, caption)])
