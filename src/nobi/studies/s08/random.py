"""S08 sections III, V-A and V-B: networks with random weights (figures 2 to 5, table I)."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nobi.board.text import point_at, row_column
from nobi.figures.comparison import Cloud, Panel, ScatterPanel, percentile_curves, scatter_plot
from nobi.figures.network import inside_figure
from nobi.games import TITLES, variant
from nobi.networks import make_network
from nobi.players.inspection import inspect_network
from nobi.statistics import (
    Interval,
    all_positive,
    bounded_difference,
    bounded_mean,
    correlation_of_networks,
    most_positive,
    published_correlation,
    share_interval,
)
from nobi.studies.jobs import RandomNetworksJob, random_weights
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table

MDRNN = "mdrnn:hidden=10"
MLP = "mlp:hidden=100,unit=sigmoid"
BORDERS = {"border as in the paper's formula": MDRNN, "border as in the published code": f"{MDRNN},border=bias"}
"""A missing predecessor is an output of its own, or a bias; the paper does not say which one its numbers are from."""
GAME_NAMES = {name: title for name, title in TITLES.items() if name != "go"}
GAMES = ("atari-go", "gomoku")
PAIRS = ((5, 9), (7, 11), (9, 19))
"""The pairs of board sizes in table I."""
TABLE_1 = {
    # game, opponent → correlation and p for each of PAIRS
    ("atari-go", "random"): ((0.81, 0.71), (0.78, 0.73), (0.71, 0.76)),
    ("atari-go", "naive"): ((0.70, 0.49), (0.72, 0.56), (0.66, 0.61)),
    ("gomoku", "random"): ((0.12, 0.79), (0.60, 0.78), (0.63, 0.77)),
    ("gomoku", "naive"): ((0.07, 0.42), (0.64, 0.58), (0.62, 0.67)),
}


@dataclass(frozen=True)
class Sample:
    """Sample sizes. S08: at least 200 networks, 100 games each."""

    networks: int
    games: int


def boards(small: int, large: int) -> str:
    """Return a pair of boards as text."""
    return f"{small}x{small} vs {large}x{large}"


def transfer_rows(
    labels: dict[str, str],
    small: NDArray[np.float64],
    large: NDArray[np.float64],
    paper: tuple[float | None, float | None] = (None, None),
    sample: int = 200,
) -> list[Row]:
    """Return correlation and p of independent networks on two boards; `sample` is the paper's number of networks."""
    r, p = published(paper, sample)
    higher = share_interval(int((large > small).sum()), len(small))
    return [
        Row(labels, "correlation", correlation_of_networks(small, large), r, neutral=0.0),
        Row(labels, "p", higher, p, neutral=0.5),
    ]


def published(paper: tuple[float | None, float | None], sample: int) -> tuple[Interval | None, Interval | None]:
    """Return a paper's correlation and p, with the intervals that follow from the number of networks."""
    r, p = paper
    return (
        None if r is None else published_correlation(r, sample),
        None if p is None else share_interval(p * sample, sample),
    )


def transfer_claims(rows: list[Row], suffix: str = "") -> list[Claim]:
    """Return the conclusions of both papers from such rows."""
    correlations = [row.ours for row in rows if row.measure == "correlation"]
    shares = [row.ours - 0.5 for row in rows if row.measure == "p"]
    signs = [share.is_positive for share in shares]
    return [
        Claim(
            f"Performance on a small board predicts that on a large one: the correlation is positive{suffix}.",
            most_positive(correlations),
            f"positive in {sum(r.value > 0 for r in correlations)} of {len(correlations)} cases, "
            f"in {sum(r.low > 0 for r in correlations)} with the whole interval",
        ),
        Claim(
            f"Most networks play better on the larger board: p > 0.5{suffix}.",
            most_positive(shares),
            f"the whole interval is above 0.5 in {signs.count(True)} of {len(shares)} cases, "
            f"below it in {signs.count(False)}",
        ),
    ]


class RandomStudy(Study):
    """A study of random networks."""

    page = "s08-random"
    scales: ClassVar = {"tiny": Sample(8, 4), "quick": Sample(100, 50), "paper": Sample(400, 100)}

    def conditions(self) -> dict[str, str]:
        return {
            "networks": f"{self.settings.networks} of each kind, weights drawn from N(0, 1)",
            "MDRNN": "k = 10, 140 weights, greedy",
            "games": f"{self.settings.games} for each network, board and opponent, half with each colour",
            "fitness": "S08's score, p = 0.2",
            "intervals": "of correlations: bootstrap over networks; of p: Wilson's. The paper's: from its 200 networks",
        }

    def job(self, net: str, game: str, size: int, opponent: str) -> RandomNetworksJob:
        """Return the job of random networks on one board against one opponent."""
        return RandomNetworksJob(net, game, size, opponent, self.settings.networks, self.settings.games, self.seed)


class Figure2(RandomStudy):
    """S08 figure 2: a position and the output of a random network."""

    name = "s08-fig2"
    size, stones = 9, ("E5", "E6", "F6", "C3", "D4", "G7", "C7", "B5")

    def conditions(self) -> dict[str, str]:
        return {"network": "MDRNN, k = 2, weights drawn from N(0, 1)", "position": " ".join(self.stones)}

    def jobs(self) -> Jobs:
        return {}

    def report(self, found: Results, out: Path) -> Findings:  # noqa: ARG002
        spec = "mdrnn:hidden=2"
        network, weights = make_network(spec), random_weights(spec, 1, self.size, self.seed)[0]
        game, mirrored = (variant("atari-go", self.size).new() for _ in range(2))
        for stone in self.stones:
            game.play(stone)
            row, column = row_column(game.moves[-1], self.size)
            mirrored.play(point_at(row, self.size - 1 - column, self.size))
        inside = inspect_network(game, network, weights)
        inside_figure(inside, out / self.figure, "What a random MDRNN of two units makes of a position")
        exact = bool(np.array_equal(inspect_network(mirrored, network, weights).output[:, ::-1], inside.output))
        note = (
            "By construction, not a claim: all sweeps share their weights, so mirrored boards are treated alike. "
            f"The outputs of the mirrored board are the mirrored outputs, {'bit for bit' if exact else 'not exactly'}."
        )
        caption = "Left: the board. Right: the output, brighter is higher. Below: the hidden units of the four sweeps."
        return Findings(pictures=[Picture(self.figure, caption)], notes=[note])


class Percentiles(RandomStudy):
    """MDRNN and MLP on two boards against two opponents."""

    game: str
    nets: ClassVar = {"MDRNN": MDRNN, "MLP": MLP}
    opponents, sizes = ("naive", "random"), (5, 9)

    def conditions(self) -> dict[str, str]:
        return {**super().conditions(), "MLP": "one hidden layer of 100 sigmoid units"}

    def jobs(self) -> Jobs:
        keys = product(self.nets, self.sizes, self.opponents)
        return {(net, size, o): self.job(self.nets[net], self.game, size, o) for net, size, o in keys}

    def report(self, found: Results, out: Path) -> Findings:
        fitness = {key: found[key]["score"] for key in found.jobs}
        rows = [
            Row({"network": net, "board": f"{n}x{n}", "opponent": o}, "mean fitness", bounded_mean(fitness[net, n, o]))
            for net, o, n in product(self.nets, self.opponents, self.sizes)
        ]
        panels = [
            Panel(net, {f"{n}x{n}, {o}": fitness[net, n, o] for o, n in product(self.opponents, self.sizes)})
            for net in self.nets
        ]
        name = GAME_NAMES[self.game]
        percentile_curves(panels, out / self.figure, f"Random networks on {name}")
        gaps = {
            f"{n}x{n}, {o}": bounded_difference(fitness["MDRNN", n, o], fitness["MLP", n, o])
            for n, o in product(self.sizes, self.opponents)
        }
        small, large = self.sizes
        growth = {
            (net, o): bounded_difference(fitness[net, large, o], fitness[net, small, o])
            for net, o in product(self.nets, self.opponents)
        }
        claims = [
            Claim.positive(
                "Random MDRNNs play better than random perceptrons on both boards.", gaps, "mean difference of fitness"
            ),
            Claim(
                "From 5x5 to 9x9 fitness goes up for MDRNNs and down for perceptrons.",
                all_positive(gap if net == "MDRNN" else -gap for (net, _), gap in growth.items()),
                "; ".join(f"{net}, {o}: {gap}" for (net, o), gap in growth.items()),
            ),
        ]
        caption = f"{name}: the percentage of random networks that reach a fitness; bands are 95 %."
        return Findings([Table("Mean fitness of random networks", rows)], claims, [Picture(self.figure, caption)])


class Figure3(Percentiles):
    """S08 figure 3: random networks and perceptrons on Atari-Go."""

    name = "s08-fig3"
    game = "atari-go"


class Figure4(Percentiles):
    """S08 figure 4: random networks and perceptrons on Gomoku."""

    name = "s08-fig4"
    game = "gomoku"


class Figure5(RandomStudy):
    """S08 figure 5: the same random networks on 5x5 and 9x9."""

    name = "s08-fig5"

    def jobs(self) -> Jobs:
        return {(game, size): self.job(MDRNN, game, size, "random") for game, size in product(GAMES, (5, 9))}

    def report(self, found: Results, out: Path) -> Findings:
        panels, rows = [], []
        for game in GAMES:
            small, large, name = found[game, 5]["score"], found[game, 9]["score"], GAME_NAMES[game]
            panels.append(ScatterPanel(name, "fitness on 5x5", "fitness on 9x9", [Cloud("MDRNN", small, large)]))
            labels = {"game": name, "opponent": "random", "boards": boards(5, 9)}
            rows += transfer_rows(labels, small, large, TABLE_1[game, "random"][0])
        scatter_plot(panels, out / self.figure, "The same random MDRNNs on two boards, against the random player")
        caption = "Fitness of the same random networks on two boards against the random player; one point per network."
        return Findings([Table("As in table I", rows)], pictures=[Picture(self.figure, caption)])


class Table1(RandomStudy):
    """S08 table I: does a random network play alike on small and large boards?"""

    name = "s08-table1"

    def jobs(self) -> Jobs:
        sizes = sorted({size for pair in PAIRS for size in pair})
        keys = product(BORDERS, TABLE_1, sizes)
        return {(border, *case, n): self.job(BORDERS[border], case[0], n, case[1]) for border, case, n in keys}

    def report(self, found: Results, out: Path) -> Findings:  # noqa: ARG002
        tables, claims = [], []
        for border in BORDERS:
            rows = []
            for (game, opponent), paper in TABLE_1.items():
                for pair, numbers in zip(PAIRS, paper, strict=True):
                    labels = {"game": GAME_NAMES[game], "opponent": opponent, "boards": boards(*pair)}
                    small, large = (found[border, game, opponent, size]["score"] for size in pair)
                    rows += transfer_rows(labels, small, large, numbers)
            tables.append(Table(f"Correlation of fitness, and share p better on the larger board: {border}", rows))
            claims += transfer_claims(rows, f" ({border})")
        return Findings(tables, claims)
