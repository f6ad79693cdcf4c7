"""S09 section 4.2: networks trained on 7x7, on larger boards (table 2, figures 4b and 4c)."""

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import ClassVar

from nobi.figures.comparison import Cloud, ScatterPanel, scatter_plot
from nobi.statistics import (
    Interval,
    all_positive,
    gain_over_runs,
    most_positive,
)
from nobi.studies.jobs import Job, Measurement
from nobi.studies.s08.random import boards, transfer_rows
from nobi.studies.s08.transfer import INTERVALS, champion_rows, untrained_claims
from nobi.studies.s09.random import CONV, CONV_2, CONV_CONDITION, CONVS, GAME_NAMES, MDLSTM, NAMES, PENTE
from nobi.studies.s09.training import AGAINST_HEURISTIC, AGAINST_NAIVE, trained_networks
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table

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
UNTRAINED = "MDLSTM, untrained"
NETWORKS = 100
"""Number of networks of the paper in each row of table 2 and each cloud of figure 4."""


class TransferStudy(Study):
    """A study of champions on 7x7 and larger boards. S09 has 100 networks and does not state the number of runs."""

    page = "s09-transfer"
    scales: ClassVar = {
        "tiny": Measurement(AGAINST_NAIVE["tiny"], 1, 1, 4, 6),
        "quick": Measurement(AGAINST_NAIVE["quick"], 25, 1, 40, 40),
        "paper": Measurement(AGAINST_NAIVE["paper"], 50, 7, 100, 400),
    }
    opponents: ClassVar[tuple[str, ...]] = ("naive",)
    """The opponents in training and in the measurement."""

    def conditions(self) -> dict[str, str]:
        s = self.settings
        return {
            "networks": "generation champions of CMA-ES on 7x7: MDLSTM of 3 units, CONV",
            "CONV": CONV_CONDITION,
            f"against {self.opponents[0].partition(':')[0]}": (f"{s.training}; {s.describe()}"),
            "games": f"{s.games} new ones of each champion on each board",
            "fitness": "the mean outcome: win 1, draw 0, loss -1",
            "intervals": INTERVALS,
        }

    def champions(self, net: str, game: str, size: int, opponent: str) -> Job:
        """Return the champions trained and measured against an opponent."""
        runs = trained_networks(self, self.settings.training, net, opponent, game)
        return self.settings.champions(runs, size, opponent, self.seed)


class Table2(TransferStudy):
    """S09 table 2: do trained networks play alike on small and large boards?"""

    name = "s09-table2"

    def jobs(self) -> Jobs:
        keys = product(GAME_NAMES, (*CONVS, MDLSTM, UNTRAINED), (TRAINED, 9, 11, 19))
        return {
            (game, net, size): self.settings.random_networks(MDLSTM, game, size, "naive", self.seed)
            if net == UNTRAINED
            else self.champions(net, game, size, "naive")
            for game, net, size in keys
        }

    def conditions(self) -> dict[str, str]:
        return {**super().conditions(), "untrained": f"{self.settings.networks} random MDLSTMs, the same games"}

    def report(self, found: Results, out: Path) -> Findings:  # noqa: ARG002
        rows, higher, correlated, compared = [], {}, {}, []
        for (game, size), papers in TABLE_2.items():
            conv, mdlstm = papers
            for net, paper in {CONV: conv, CONV_2: conv, MDLSTM: mdlstm}.items():
                labels = {"game": GAME_NAMES[game], "boards": boards(TRAINED, size), "network": NAMES[net]}
                small, large = found[game, net, TRAINED], found[game, net, size]
                rows += champion_rows(labels, small, large, "points", paper, NETWORKS)
                correlated[game, net, size], higher[game, net, size] = rows[-2].ours, rows[-1].ours
                gain = gain_over_runs(small["points"], large["points"], small["run"])
                rows.append(Row(labels, "fitness gained", gain, neutral=0.0))
            labels = {"game": GAME_NAMES[game], "boards": boards(TRAINED, size), "network": UNTRAINED}
            before = [found[game, UNTRAINED, n]["points"] for n in (TRAINED, size)]
            random = transfer_rows(labels, before[0], before[1])
            rows += random
            trained = correlated[game, MDLSTM, size], higher[game, MDLSTM, size]
            compared.append((trained, (random[0].ours, random[1].ours)))
        claims = [self.contrast(conv, higher) for conv in CONVS]
        claims += [self.correlations(conv, correlated) for conv in CONVS]
        claims += untrained_claims(compared)
        claims.append(
            Claim.positive(
                "Most trained MDLSTMs are stronger on 19x19 than on 7x7, on every game.",
                {name: higher[game, MDLSTM, 19] for game, name in GAME_NAMES.items()},
                null=0.5,
            )
        )
        return Findings([Table("Champions trained on 7x7 against naive", rows)], claims)

    @staticmethod
    def correlations(conv: str, correlated: Mapping[tuple[str, str, int], Interval]) -> Claim:
        """Return the claim on correlations; `correlated` maps game, network and board to them."""
        gaps = [correlated[game, MDLSTM, size] - correlated[game, conv, size] for game, size in TABLE_2]
        return Claim(
            f"The correlations are higher for MDLSTM than for {NAMES[conv]}.",
            most_positive(gaps),
            f"in {sum(gap.value > 0 for gap in gaps)} of {len(gaps)} cases, in {sum(gap.low > 0 for gap in gaps)} with "
            f"the whole interval of the difference, in {sum(gap.high < 0 for gap in gaps)} the other way round",
        )

    @staticmethod
    def contrast(conv: str, higher: Mapping[tuple[str, str, int], Interval]) -> Claim:
        """Return the contrast between MDLSTM and one reading of CONV; `higher` maps game, network and board to p."""
        pairs = {name: (higher[game, MDLSTM, 19], higher[game, conv, 19]) for game, name in GAME_NAMES.items()}
        return Claim(
            f"MDLSTM scales where {NAMES[conv]} does not: from 7x7 to 19x19 its p is higher on every game.",
            all_positive(mdlstm - other for mdlstm, other in pairs.values()),
            "; ".join(f"{name}: p {mdlstm} against {other}" for name, (mdlstm, other) in pairs.items()),
        )


class ScatterStudy(TransferStudy):
    """MDLSTM and CONV on Atari-Go on two boards."""

    size: ClassVar[int]
    correlations: ClassVar[dict[str, float]]
    """The paper's correlations."""

    def jobs(self) -> Jobs:
        keys = product(self.opponents, (MDLSTM, *CONVS), (TRAINED, self.size))
        return {(opponent, net, n): self.champions(net, "atari-go", n, opponent) for opponent, net, n in keys}

    def report(self, found: Results, out: Path) -> Findings:
        panels, rows, claims = [], [], []
        board = f"{self.size}x{self.size}"
        for opponent in self.opponents:
            clouds, r = [], {}
            for net in (MDLSTM, *CONVS):
                small, large = found[opponent, net, TRAINED], found[opponent, net, self.size]
                clouds.append(Cloud(NAMES[net], small["points"], large["points"]))
                labels = {"network": NAMES[net], "boards": boards(TRAINED, self.size), "opponent": opponent}
                rows += champion_rows(labels, small, large, "points", (self.correlations[net], None), NETWORKS)
                r[net] = rows[-2].ours
            title = f"trained against {opponent}"
            panels.append(ScatterPanel(title, f"fitness on {TRAINED}x{TRAINED}", f"fitness on {board}", clouds))
            claims += [
                Claim(
                    f"Fitness on 7x7 tells more of that on {board} for MDLSTM than for {NAMES[conv]}, "
                    f"against {opponent}.",
                    (r[MDLSTM] - r[conv]).is_positive,
                    f"correlation of MDLSTM: {r[MDLSTM]}; of {NAMES[conv]}: {r[conv]}",
                )
                for conv in CONVS
            ]
        scatter_plot(panels, out / self.figure, "Champions trained by CMA-ES, on two boards of Atari-Go")
        caption = "Champions on the board of their training and on a larger one."
        return Findings([Table("Correlation", rows)], claims, [Picture(self.figure, caption)])


class Figure4b(ScatterStudy):
    """S09 figure 4b: networks trained against naive on two boards."""

    name = "s09-fig4b"
    size = 11
    correlations: ClassVar = {CONV: 0.17, CONV_2: 0.17, MDLSTM: 0.27}


class Figure4c(ScatterStudy):
    """S09 figure 4c: networks trained against the heuristic player on two boards."""

    name = "s09-fig4c"
    scales: ClassVar = {
        "tiny": Measurement(AGAINST_HEURISTIC["tiny"], 1, 1, 4),
        "quick": Measurement(AGAINST_HEURISTIC["quick"], 20, 1, 40),
        "day": Measurement(AGAINST_HEURISTIC["day"], 200, 20, 100),
        "paper": Measurement(AGAINST_HEURISTIC["paper"], 700, 70, 100),
    }
    size = 15
    opponents = ("heuristic:e=0.2", "heuristic:e=0.05")
    """The caption of the paper's figure states e = 0.2, its text "the strongest opponent", which is e = 0.05."""
    correlations: ClassVar = {MDLSTM: 0.64, CONV: 0.08, CONV_2: 0.08}
