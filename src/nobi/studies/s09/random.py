"""S09 section 4.1: networks of random weights (figures 2 and 4a, table 1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nobi.figures.comparison import Cloud, Panel, ScatterPanel, percentile_curves, scatter_plot
from nobi.statistics import difference, mean_interval, share_interval
from nobi.studies.cache import JobCache
from nobi.studies.jobs import Job, RandomNetworks
from nobi.studies.s08.random import boards, claims_of_tables, transfer_rows
from nobi.studies.study import Claim, Findings, Picture, Row, Study, Table, mean_text, verdict_of_all

MDLSTM, MDRNN, CONV, MLP = "mdlstm:hidden=3", "mdrnn:hidden=3", "conv:features=3,width=5", "mlp:hidden=3,unit=tanh"
MODES = {"symmetric": MDLSTM, "as in the published code": f"{MDLSTM},mode=original"}
PENTE = "pente:centre=true"
GAME_NAMES = {"atari-go": "Atari-Go", "gomoku": "Go-Moku", PENTE: "Pente"}
KINDS = {
    # figure 2c: label → network
    "MDLSTM, k = 1": "mdlstm:hidden=1",
    "MDLSTM, k = 3": MDLSTM,
    "MDLSTM, k = 10": "mdlstm:hidden=10",
    "MDRNN, k = 1": "mdrnn:hidden=1",
    "MDRNN, k = 3": MDRNN,
    "MDRNN, k = 10": "mdrnn:hidden=10",
    "CONV, p = 3": "conv:features=3,width=3",
    "CONV, p = 5": CONV,
    "CONV, p = 7": "conv:features=3,width=7",
    "MLP, k = 3": MLP,
}
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


@dataclass(frozen=True)
class Sample:
    """How much is measured. S09: 400 networks for figure 2, 100 for table 1; 100 games each."""

    networks: int
    games: int


SCALES = {"tiny": Sample(8, 4), "quick": Sample(100, 40), "paper": Sample(400, 100)}


class RandomStudy(Study):
    """What these studies share."""

    group = "s09-random"
    scales = SCALES

    def conditions(self) -> dict[str, str]:
        """Networks, games, fitness."""
        return {
            "networks": f"{self.settings.networks} of each kind, weights drawn from N(0, 1), greedy",
            "games": f"{self.settings.games} for each network, board and opponent, half with each colour",
            "fitness": "the mean outcome: win 1, draw 0, loss -1",
            "Pente": "starts with a white stone at the centre, as in the published code",
        }

    def job(self, net: str, game: str, size: int, opponent: str) -> RandomNetworks:
        """The networks on one board against one opponent."""
        return RandomNetworks(net, game, size, opponent, self.settings.networks, self.settings.games, self.seed)


class Figure2(RandomStudy):
    """(a) MDRNNs and (b) perceptrons on all games against all opponents, (c) all kinds on Atari-Go against naive."""

    name = "s09-fig2"
    title = "S09 figure 2: random networks of all kinds on 7x7"
    paper = "S09 figure 2"
    size = 7
    cases = (
        *((game, opponent) for game in GAME_NAMES for opponent in ("random", "naive")),
        ("atari-go", "heuristic"),
    )

    def conditions(self) -> dict[str, str]:
        """And the sizes of the networks."""
        return {
            **super().conditions(),
            "MDRNN (a), MLP (b)": "k = 3; the perceptron has tanh units",
            "CONV": "3 feature maps, one signed input plane",
            "heuristic": "e = 0",
        }

    def jobs(self) -> Sequence[Job]:
        """All curves."""
        both = [self.job(net, game, self.size, opponent) for net in (MDRNN, MLP) for game, opponent in self.cases]
        return [*both, *(self.job(net, "atari-go", self.size, "naive") for net in KINDS.values())]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """Percentiles, mean fitness, and the share of networks that win more than they lose."""
        panels, rows, claims = [], [], []
        fitness = {
            (net, game, opponent): cache.arrays(self.job(net, game, self.size, opponent))["points"]
            for net in (MDRNN, MLP)
            for game, opponent in self.cases
        }
        for label, net in (("MDRNN", MDRNN), ("MLP", MLP)):
            curves = {f"{GAME_NAMES[game]}, {opponent}": fitness[net, game, opponent] for game, opponent in self.cases}
            panels.append(Panel(f"({'a' if net == MDRNN else 'b'}) {label}", curves))
            for game, opponent in self.cases:
                values = fitness[net, game, opponent]
                labels = {"network": label, "game": GAME_NAMES[game], "opponent": opponent}
                good = share_interval(int((values > 0).sum()), len(values))
                rows.append(Row(labels, "mean fitness", mean_interval(values)))
                rows.append(Row(labels, "share above 0", good))
        kinds = {
            label: cache.arrays(self.job(net, "atari-go", self.size, "naive"))["points"] for label, net in KINDS.items()
        }
        panels.append(Panel("(c) Atari-Go, naive", kinds))
        more = [Row({"network": label}, "mean fitness", mean_interval(values)) for label, values in kinds.items()]
        gaps = {case: difference(fitness[MDRNN, *case], fitness[MLP, *case]) for case in self.cases}
        evidence = "; ".join(f"{GAME_NAMES[game]}, {o}: {mean_text(gap)}" for (game, o), gap in gaps.items())
        not_heuristic = [gap for (_, opponent), gap in gaps.items() if opponent != "heuristic"]
        claims.append(
            Claim(
                "Reasonable initial weights are common for MDRNNs and rare for MLPs.",
                verdict_of_all(not_heuristic),
                "mean fitness of MDRNN minus MLP: " + evidence,
            )
        )
        lost = float((fitness[MDRNN, "atari-go", "heuristic"] <= -0.98).mean())
        claims.append(
            Claim(
                "Against the heuristic player (e = 0) almost all random networks lose almost all games.",
                lost > 0.9,
                f"{lost:.0%} of MDRNNs lose at least 99 % of their games",
            )
        )
        percentile_curves(panels, folder / "s09-fig2.png", "Random networks on 7x7", columns=3, ylabel="fitness")
        caption = "Which share of random networks reaches which fitness on 7x7; bands are 95 %."
        tables = [Table("All games and opponents, 7x7", rows), Table("All kinds, Atari-Go 7x7 against naive", more)]
        return Findings(tables, claims, [Picture("s09-fig2.png", caption)])


class Table1(RandomStudy):
    """Correlations of random MDLSTMs."""

    name = "s09-table1"
    title = "S09 table 1: do random MDLSTMs play alike on small and large boards?"
    paper = "S09 table 1"

    def conditions(self) -> dict[str, str]:
        """And the network."""
        return {**super().conditions(), "MDLSTM": "k = 3, 93 weights", "opponent": "naive"}

    def jobs(self) -> Sequence[Job]:
        """All boards and games."""
        sizes = sorted({size for pair in TABLE_1 for size in pair})
        return [self.job(net, game, size, "naive") for net in MODES.values() for game in GAME_NAMES for size in sizes]

    def report(self, cache: JobCache, folder: Path) -> Findings:  # noqa: ARG002
        """The table; the paper gives no p."""
        tables = []
        for mode, net in MODES.items():
            rows = []
            for i, game in enumerate(GAME_NAMES):
                for (small, large), correlations in TABLE_1.items():
                    labels = {"game": GAME_NAMES[game], "boards": boards(small, large)}
                    both = [cache.arrays(self.job(net, game, size, "naive"))["points"] for size in (small, large)]
                    rows.extend(transfer_rows(labels, both[0], both[1], (correlations[i], None)))
            tables.append(Table(f"Random MDLSTMs against naive: {mode}", rows))
        return Findings(tables, claims_of_tables(dict(zip(MODES, tables, strict=True))))


class Figure4a(RandomStudy):
    """Random MDLSTMs on two boards."""

    name = "s09-fig4a"
    title = "S09 figure 4a: the same random MDLSTMs on two boards"
    paper = "S09 figure 4a"
    sizes = (7, 11)

    def jobs(self) -> Sequence[Job]:
        """Two boards."""
        return [self.job(MDLSTM, "atari-go", size, "naive") for size in self.sizes]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """A point a network."""
        small, large = (cache.arrays(job)["points"] for job in self.jobs())
        panel = ScatterPanel(
            "Atari-Go, against naive", "fitness on 7x7", "fitness on 11x11", [Cloud("MDLSTM", small, large)]
        )
        scatter_plot([panel], folder / "s09-fig4a.png", "The same random MDLSTMs on two boards", columns=1)
        rows = transfer_rows(
            {"game": "Atari-Go", "boards": boards(*self.sizes)}, small, large, (TABLE_1[7, 11][0], None)
        )
        caption = "The fitness of the same random networks on two boards; a point a network."
        return Findings([Table("As in table 1", rows)], pictures=[Picture("s09-fig4a.png", caption)])
