"""S09 section 4.1: networks with random weights (figures 2 and 4a, table 1)."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

from nobi.figures.comparison import Cloud, Panel, ScatterPanel, percentile_curves, scatter_plot
from nobi.games import TITLES
from nobi.statistics import all_positive, bounded_difference, bounded_mean, share_interval
from nobi.studies.jobs import Job
from nobi.studies.s08.random import RandomStudy as S08RandomStudy
from nobi.studies.s08.random import Sample, boards, transfer_claims, transfer_rows
from nobi.studies.s09.readings import Reading, ReadingJob
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Table

MDLSTM, MDRNN, MLP = "mdlstm:hidden=3", "mdrnn:hidden=3", "mlp:hidden=3,unit=tanh"
CONV = "conv:features=3,width=5"
CONV_2 = f"{CONV},planes=2"
CONVS = (CONV, CONV_2)
"""Both readings of the paper: one signed input plane, which agrees with its number of weights, and separate planes for
own and enemy stones, as in the published code."""
NAMES = {MDLSTM: "MDLSTM", CONV: "CONV (1 plane)", CONV_2: "CONV (2 planes)", MDRNN: "MDRNN", MLP: "MLP"}
CONV_CONDITION = (
    "3 maps of 5x5; with 1 plane of own minus enemy stones (79 weights, the paper's count), and with 2 planes (155 "
    "weights, the published code)"
)
MODES = {"symmetric": MDLSTM, "as in the published code": f"{MDLSTM},mode=original"}
PENTE = "pente:centre=true"
GAME_NAMES = {"atari-go": TITLES["atari-go"], "gomoku": "Go-Moku", PENTE: TITLES["pente"]}
"""As S09 writes them."""
KINDS = {
    # figure 2c: label → network
    "MDLSTM, k = 1": "mdlstm:hidden=1",
    "MDLSTM, k = 3": MDLSTM,
    "MDLSTM, k = 10": "mdlstm:hidden=10",
    "MDRNN, k = 1": "mdrnn:hidden=1",
    "MDRNN, k = 3": MDRNN,
    "MDRNN, k = 10": "mdrnn:hidden=10",
    **{
        f"{NAMES[f'{CONV}{planes}']}, p = {width}": f"conv:features=3,width={width}{planes}"
        for planes in ("", ",planes=2")
        for width in (3, 5, 7)
    },
    "MLP, k = 3": MLP,
}
STRONG = "share with a fitness of 0.5 or more"
TABLE_1 = {
    # boards → correlation on Atari-Go, Go-Moku, Pente
    (5, 7): (0.86, 0.20, 0.47),
    (5, 9): (0.72, 0.09, 0.31),
    (5, 11): (0.67, 0.37, 0.49),
    (5, 19): (0.37, 0.38, 0.46),
    (7, 9): (0.88, 0.83, 0.83),
    (7, 11): (0.82, 0.85, 0.87),
    (7, 19): (0.62, 0.59, 0.64),
    (9, 11): (0.92, 0.92, 0.90),
    (9, 19): (0.71, 0.76, 0.64),
}


class RandomStudy(S08RandomStudy):
    """A study of random networks. S09: 400 networks for figure 2, 100 for table 1; 100 games each."""

    page = "s09-random"
    scales: ClassVar = {"tiny": Sample(8, 4), "quick": Sample(100, 40), "paper": Sample(400, 100)}

    def conditions(self) -> dict[str, str]:
        return {
            "networks": f"{self.settings.networks} of each kind, weights drawn from N(0, 1), greedy",
            "games": f"{self.settings.games} for each network, board and opponent, half with each colour",
            "fitness": "the mean outcome: win 1, draw 0, loss -1",
            "Pente": "starts with a white stone at the centre, as in the published code",
        }


class Figure2(RandomStudy):
    """S09 figure 2: random networks of all kinds on 7x7.

    (a) MDRNNs and (b) perceptrons on all games against all opponents, (c) all kinds on Atari-Go against naive.
    """

    name = "s09-fig2"
    variants: ClassVar[dict[str, dict[str, Any]]] = {
        # possible explanations of the paper's number: label → difference from (a)
        "as in (a)": {},
        "border: a term, as in the published code": {"net": f"{MDRNN},border=bias"},
        "border: a term for each position along it, the default there": {"reading": Reading(border="position")},
        "border: nothing": {"reading": Reading(border="none")},
        "bias: one for each hidden unit": {"reading": Reading(bias=True)},
        "weights of N(0, 0.1)": {"deviation": 0.1},
        "weights of N(0, 0.5)": {"deviation": 0.5},
        "weights of N(0, 2)": {"deviation": 2.0},
        "weights: separate recurrent ones for row and column": {"reading": Reading(separate=True)},
        "output: moves drawn at temperature 0.1": {"reading": Reading(temperature=0.1)},
        "ties: the first of the best moves": {"reading": Reading(ties="first")},
        "k = 1": {"net": "mdrnn:hidden=1"},
        "k = 10": {"net": "mdrnn:hidden=10"},
        "k = 10, border: a term": {"net": "mdrnn:hidden=10,border=bias"},
        "MDLSTM": {"net": MDLSTM},
        "opponent: random": {"opponent": "random"},
        "board: 9x9": {"size": 9},
        "board: 11x11": {"size": 11},
    }
    cases = (*product(GAME_NAMES, ("random", "naive")), ("atari-go", "heuristic"))

    def conditions(self) -> dict[str, str]:
        return {
            **super().conditions(),
            "MDRNN (a), MLP (b)": "k = 3; the perceptron has tanh units",
            "CONV": "3 maps of p x p, with 1 plane of own minus enemy stones and with 2 planes",
            "heuristic": "e = 0",
        }

    def jobs(self) -> Jobs:
        keys = [(net, *case) for net, case in product((MDRNN, MLP), self.cases)]
        keys += [(net, "atari-go", "naive") for net in KINDS.values()]
        jobs: dict[Any, Job] = {(net, g, o): self.job(net, g, 7, o) for net, g, o in keys}
        return {**jobs, **{label: self.variant_job(**changes) for label, changes in self.variants.items()}}

    def variant_job(
        self,
        net: str = MDRNN,
        size: int = 7,
        opponent: str = "naive",
        deviation: float = 1.0,
        reading: Reading | None = None,
    ) -> Job:
        """Return the job of random networks on Go-Moku with a difference from (a)."""
        if reading is None:
            return replace(self.job(net, "gomoku", size, opponent), deviation=deviation)
        s = self.settings
        return ReadingJob(reading, "gomoku", size, opponent, s.networks, s.games, self.seed)

    def report(self, found: Results, out: Path) -> Findings:
        fitness = {key: found[key]["points"] for key in found.jobs}
        panels, rows = [], []
        for part, net in (("(a)", MDRNN), ("(b)", MLP)):
            curves = {f"{GAME_NAMES[game]}, {opponent}": fitness[net, game, opponent] for game, opponent in self.cases}
            panels.append(Panel(f"{part} {NAMES[net]}", curves))
            for game, opponent in self.cases:
                values = fitness[net, game, opponent]
                labels = {"network": NAMES[net], "game": GAME_NAMES[game], "opponent": opponent}
                rows.append(Row(labels, "mean fitness", bounded_mean(values)))
                rows.append(Row(labels, "share above 0", share_interval(int((values > 0).sum()), len(values))))
        kinds = {label: fitness[net, "atari-go", "naive"] for label, net in KINDS.items()}
        panels.append(Panel("(c) Atari-Go, naive", kinds))
        more = [Row({"network": label}, "mean fitness", bounded_mean(values)) for label, values in kinds.items()]
        gaps = {case: bounded_difference(fitness[MDRNN, *case], fitness[MLP, *case]) for case in self.cases}
        lost = float((fitness[MDRNN, "atari-go", "heuristic"] <= -0.98).mean())
        strong = [
            Row(
                {"what is different": label},
                STRONG,
                share_interval(int((fitness[label] >= 0.5).sum()), len(fitness[label])),
                share_interval(100, 400),
            )
            for label in self.variants
        ]
        as_in_paper = strong[0].ours
        claims = [
            Claim(
                "Reasonable initial weights are common for MDRNNs and rare for MLPs.",
                all_positive(gap for (_, opponent), gap in gaps.items() if opponent != "heuristic"),
                "mean fitness of MDRNN minus MLP: "
                + "; ".join(f"{GAME_NAMES[game]}, {opponent}: {gap}" for (game, opponent), gap in gaps.items()),
            ),
            Claim.positive(
                "Small values of k are appropriate for MDRNNs.",
                {
                    f"k = {small} minus k = 10": bounded_difference(
                        kinds[f"MDRNN, k = {small}"], kinds["MDRNN, k = 10"]
                    )
                    for small in (1, 3)
                },
                "mean fitness",
            ),
            Claim(
                "At least 25 % of random MDRNNs win at least three quarters of Go-Moku games against naive.",
                (as_in_paper - 0.25).is_positive,
                f"share with a fitness of 0.5 or more: {as_in_paper}",
            ),
        ]
        notes = [
            "Calibration, not a claim: our heuristic player (e = 0) was built so that almost all random networks lose "
            f"to it, as the paper says of its own; {lost:.0%} of MDRNNs lose at least 99 % of their games."
        ]
        percentile_curves(panels, out / self.figure, "Random networks on 7x7")
        caption = "The percentage of random networks that reach a fitness on 7x7; bands are 95 %."
        tables = [
            Table("All games and opponents, 7x7", rows),
            Table("All kinds, Atari-Go 7x7 against naive", more),
            Table("The paper's number: MDRNNs, k = 3, on Go-Moku 7x7 against naive, and what might change it", strong),
        ]
        return Findings(tables, claims, [Picture(self.figure, caption)], notes)


class Table1(RandomStudy):
    """S09 table 1: do random MDLSTMs play alike on small and large boards?"""

    name = "s09-table1"

    def conditions(self) -> dict[str, str]:
        return {**super().conditions(), "MDLSTM": "k = 3, 93 weights", "opponent": "naive"}

    def jobs(self) -> Jobs:
        sizes = sorted({size for pair in TABLE_1 for size in pair})
        keys = product(MODES, GAME_NAMES, sizes)
        return {(mode, game, size): self.job(MODES[mode], game, size, "naive") for mode, game, size in keys}

    def report(self, found: Results, out: Path) -> Findings:  # noqa: ARG002
        tables, claims = [], []
        for mode in MODES:
            rows = []
            for i, game in enumerate(GAME_NAMES):
                for pair, correlations in TABLE_1.items():
                    labels = {"game": GAME_NAMES[game], "boards": boards(*pair)}
                    small, large = (found[mode, game, size]["points"] for size in pair)
                    rows += transfer_rows(labels, small, large, (correlations[i], None), 100)  # the paper has no p
            tables.append(Table(f"Random MDLSTMs against naive: {mode}", rows))
            claims += transfer_claims(rows, f" ({mode})")
        return Findings(tables, claims)


class Figure4a(RandomStudy):
    """S09 figure 4a: the same random MDLSTMs on two boards."""

    name = "s09-fig4a"
    sizes = (7, 11)

    def jobs(self) -> Jobs:
        return {size: self.job(MDLSTM, "atari-go", size, "naive") for size in self.sizes}

    def report(self, found: Results, out: Path) -> Findings:
        small, large = (found[size]["points"] for size in self.sizes)
        cloud = Cloud("MDLSTM", small, large)
        panel = ScatterPanel("Atari-Go, against naive", "fitness on 7x7", "fitness on 11x11", [cloud])
        scatter_plot([panel], out / self.figure, "The same random MDLSTMs on two boards")
        labels = {"game": "Atari-Go", "boards": boards(*self.sizes)}
        rows = transfer_rows(labels, small, large, (TABLE_1[7, 11][0], None), 100)
        caption = "The fitness of the same random networks on two boards; one point per network."
        return Findings([Table("As in table 1", rows)], pictures=[Picture(self.figure, caption)])
