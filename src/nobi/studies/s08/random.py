"""S08 sections III, V-A and V-B: networks of random weights (figures 2 to 5, table I)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.evolution.transfer import transfer
from nobi.figures.comparison import Cloud, Panel, ScatterPanel, percentile_curves, scatter_plot
from nobi.figures.network import inside_figure
from nobi.games import variant
from nobi.networks import make_network
from nobi.players.inspection import inspect_network
from nobi.statistics import Interval, difference, mean_interval
from nobi.studies.cache import JobCache
from nobi.studies.jobs import Job, RandomNetworks, random_weights
from nobi.studies.study import (
    Claim,
    Findings,
    Picture,
    Row,
    Study,
    Table,
    beyond_half,
    mean_text,
    verdict_of_all,
    verdict_of_most,
)

MDRNN = "mdrnn:hidden=10"
MLP = "mlp:hidden=100,unit=sigmoid"
BORDERS = {"border as in the paper's formula": MDRNN, "border as in the published code": f"{MDRNN},border=bias"}
"""What a missing predecessor is: an output of its own, or a bias; the paper's figures may come from either."""
GAME_NAMES = {"atari-go": "Atari-Go", "gomoku": "Gomoku", "pente": "Pente"}
PAIRS = ((5, 9), (7, 11), (9, 19))
"""The boards that table I compares."""

TABLE_1 = {
    # game, opponent → correlation and p for each of PAIRS
    ("atari-go", "random"): ((0.81, 0.71), (0.78, 0.73), (0.71, 0.76)),
    ("atari-go", "naive"): ((0.70, 0.49), (0.72, 0.56), (0.66, 0.61)),
    ("gomoku", "random"): ((0.12, 0.79), (0.60, 0.78), (0.63, 0.77)),
    ("gomoku", "naive"): ((0.07, 0.42), (0.64, 0.58), (0.62, 0.67)),
}


@dataclass(frozen=True)
class Sample:
    """How much is measured. S08: at least 200 networks, 100 games each."""

    networks: int
    games: int


SCALES = {"tiny": Sample(8, 4), "quick": Sample(100, 50), "paper": Sample(400, 100)}


def boards(small: int, large: int) -> str:
    """How a pair of boards is written."""
    return f"{small}x{small} vs {large}x{large}"


def transfer_rows(
    labels: dict[str, str],
    small: NDArray[np.float64],
    large: NDArray[np.float64],
    paper: tuple[float | None, float | None] = (None, None),
) -> list[Row]:
    """Correlation and p of independent networks on two boards."""
    found = transfer(small, large)
    return [
        Row(labels, "correlation", found.correlation, paper[0], neutral=0.0),
        Row(labels, "p", found.higher, paper[1], neutral=0.5),
    ]


class RandomStudy(Study):
    """What these studies share."""

    group = "s08-random"
    scales = SCALES

    def conditions(self) -> dict[str, str]:
        """Networks, games, fitness."""
        return {
            "networks": f"{self.settings.networks} of each kind, weights drawn from N(0, 1)",
            "MDRNN": "k = 10, 140 weights, greedy",
            "games": f"{self.settings.games} for each network, board and opponent, half with each colour",
            "fitness": "S08's score, p = 0.2",
        }

    def job(self, net: str, game: str, size: int, opponent: str) -> RandomNetworks:
        """The networks on one board against one opponent."""
        return RandomNetworks(net, game, size, opponent, self.settings.networks, self.settings.games, self.seed)


class Figure2(RandomStudy):
    """A board and the output for it."""

    name = "s08-fig2"
    title = "S08 figure 2: a position and what a random network makes of it"
    paper = "S08 figure 2"
    size, stones = 9, ("E5", "E6", "F6", "C3", "D4", "G7", "C7", "B5")

    def conditions(self) -> dict[str, str]:
        """The network and the position."""
        return {"network": "MDRNN, k = 2, weights drawn from N(0, 1)", "position": " ".join(self.stones)}

    def jobs(self) -> Sequence[Job]:
        """None: one pass is all."""
        return []

    def report(self, cache: JobCache, folder: Path) -> Findings:  # noqa: ARG002
        """Draws it."""
        network = make_network("mdrnn:hidden=2")
        weights = random_weights("mdrnn:hidden=2", 1, self.size, self.seed)[0]
        game = variant("atari-go", self.size).new()
        for stone in self.stones:
            game.play(stone)
        found = inspect_network(game, network, weights)
        inside_figure(found, folder / "s08-fig2.png", "What a random MDRNN of two units makes of a position")
        output = found.output
        caption = "Left: the board. Right: the output, brighter is higher. Below: the hidden units of the four sweeps."
        mirrored = inspect_network(_mirrored(game), network, weights).output
        exact = bool(np.array_equal(mirrored[:, ::-1], output))
        claim = Claim(
            "The network treats mirrored boards alike, since all sweeps share their weights.",
            exact,
            "outputs of the mirrored board are the mirrored outputs, " + ("bit for bit" if exact else "not exactly"),
        )
        return Findings(claims=[claim], pictures=[Picture("s08-fig2.png", caption)])


def _mirrored(game: Any) -> Any:
    """The game on the board seen in a mirror, left and right exchanged."""
    from nobi.board.text import point_at, row_column

    twin = type(game)(game.size, game.settings)
    for move in game.moves:
        row, column = row_column(move, game.size)
        twin.play(point_at(row, game.size - 1 - column, game.size))
    return twin


class Percentiles(RandomStudy):
    """Figures 3 and 4: MDRNN above, MLP below; two boards and two opponents each."""

    game: str
    opponents, sizes = ("naive", "random"), (5, 9)

    def conditions(self) -> dict[str, str]:
        """And the perceptron."""
        return {**super().conditions(), "MLP": "one hidden layer of 100 sigmoid units"}

    def jobs(self) -> Sequence[Job]:
        """Both kinds, on both boards, against both opponents."""
        return [self.job(net, self.game, s, o) for net in (MDRNN, MLP) for s in self.sizes for o in self.opponents]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """Mean fitness of all, the percentile curves, and whether the MDRNN is better."""
        panels, rows = [], []
        means: dict[tuple[str, int, str], NDArray[np.float64]] = {}
        for label, net in (("MDRNN", MDRNN), ("MLP", MLP)):
            curves = {}
            for opponent in self.opponents:
                for size in self.sizes:
                    fitness = cache.arrays(self.job(net, self.game, size, opponent))["score"]
                    means[label, size, opponent] = fitness
                    curves[f"{size}x{size}, {opponent}"] = fitness
                    labels = {"network": label, "board": f"{size}x{size}", "opponent": opponent}
                    rows.append(Row(labels, "mean fitness", mean_interval(fitness)))
            panels.append(Panel(label, curves))
        file = f"{self.name}.png"
        title = f"Random networks on {GAME_NAMES[self.game]}"
        percentile_curves(panels, folder / file, title, columns=2, ylabel="fitness")
        claims = [self._better(means), self._growth(means)]
        caption = f"{GAME_NAMES[self.game]}: which share of random networks reaches which fitness; bands are 95 %."
        return Findings([Table("Mean fitness of random networks", rows)], claims, [Picture(file, caption)])

    def _better(self, means: dict[tuple[str, int, str], NDArray[np.float64]]) -> Claim:
        gaps = {
            (size, opponent): difference(means["MDRNN", size, opponent], means["MLP", size, opponent])
            for size in self.sizes
            for opponent in self.opponents
        }
        evidence = "; ".join(f"{s}x{s}, {o}: mean difference {mean_text(gap)}" for (s, o), gap in gaps.items())
        return Claim(
            "Random MDRNNs play better than random perceptrons on both boards.", verdict_of_all(gaps.values()), evidence
        )

    def _growth(self, means: dict[tuple[str, int, str], NDArray[np.float64]]) -> Claim:
        small, large = self.sizes
        grows = {
            (net, opponent): difference(means[net, large, opponent], means[net, small, opponent])
            for net in ("MDRNN", "MLP")
            for opponent in self.opponents
        }
        evidence = "; ".join(f"{net}, {o}: {mean_text(gap)}" for (net, o), gap in grows.items())
        falls = {key: Interval(-gap.value, -gap.high, -gap.low) for key, gap in grows.items()}
        holds = verdict_of_all(grows[key] if key[0] == "MDRNN" else falls[key] for key in grows)
        return Claim("From 5x5 to 9x9 fitness goes up for MDRNNs and down for perceptrons.", holds, evidence)


class Figure3(Percentiles):
    """Atari-Go."""

    name = "s08-fig3"
    title = "S08 figure 3: random networks and perceptrons on Atari-Go"
    paper = "S08 figure 3"
    game = "atari-go"


class Figure4(Percentiles):
    """Gomoku."""

    name = "s08-fig4"
    title = "S08 figure 4: random networks and perceptrons on Gomoku"
    paper = "S08 figure 4"
    game = "gomoku"


class Figure5(RandomStudy):
    """5x5 against 9x9, random opponent."""

    name = "s08-fig5"
    title = "S08 figure 5: the same random networks on 5x5 and 9x9"
    paper = "S08 figure 5"

    def jobs(self) -> Sequence[Job]:
        """Both games on both boards."""
        return [self.job(MDRNN, game, size, "random") for game in ("atari-go", "gomoku") for size in (5, 9)]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """A point a network."""
        panels, rows = [], []
        for game in ("atari-go", "gomoku"):
            small, large = (cache.arrays(self.job(MDRNN, game, size, "random"))["score"] for size in (5, 9))
            name = GAME_NAMES[game]
            cloud = Cloud("MDRNN", small, large)
            panels.append(ScatterPanel(name, "fitness on 5x5", "fitness on 9x9", [cloud]))
            paper = TABLE_1[game, "random"][0]
            rows.extend(
                transfer_rows({"game": name, "opponent": "random", "boards": boards(5, 9)}, small, large, paper)
            )
        scatter_plot(
            panels,
            folder / "s08-fig5.png",
            "The same random MDRNNs on two boards, against the random player",
            columns=2,
        )
        caption = "The fitness of the same random networks on two boards against the random player; a point a network."
        return Findings([Table("As in table I", rows)], pictures=[Picture("s08-fig5.png", caption)])


class Table1(RandomStudy):
    """Correlation and p for all games, opponents and pairs of boards."""

    name = "s08-table1"
    title = "S08 table I: does a random network play alike on small and large boards?"
    paper = "S08 table I"

    def jobs(self) -> Sequence[Job]:
        """All boards of all pairs."""
        sizes = sorted({size for pair in PAIRS for size in pair})
        nets = BORDERS.values()
        return [self.job(net, game, size, opponent) for net in nets for game, opponent in TABLE_1 for size in sizes]

    def report(self, cache: JobCache, folder: Path) -> Findings:  # noqa: ARG002
        """The table."""
        tables = {}
        for border, net in BORDERS.items():
            rows = []
            for (game, opponent), paper in TABLE_1.items():
                for (small, large), figures in zip(PAIRS, paper, strict=True):
                    labels = {"game": GAME_NAMES[game], "opponent": opponent, "boards": boards(small, large)}
                    both = [cache.arrays(self.job(net, game, s, opponent))["score"] for s in (small, large)]
                    rows.extend(transfer_rows(labels, both[0], both[1], figures))
            tables[border] = Table(f"Correlation of fitness, and share p better on the larger board: {border}", rows)
        return Findings(list(tables.values()), claims_of_tables(tables))


def claims_of_tables(tables: dict[str, Table]) -> list[Claim]:
    """What both papers conclude, of several tables that differ in one thing."""
    return [
        Claim(f"{claim.text[:-1]} ({what}).", claim.holds, claim.evidence)
        for what, table in tables.items()
        for claim in transfer_claims(table.rows)
    ]


def transfer_claims(rows: list[Row]) -> list[Claim]:
    """What both papers conclude from such tables."""
    correlations = [row.ours for row in rows if row.measure == "correlation"]
    shares = [row.ours for row in rows if row.measure == "p"]
    surely = sum(interval.low > 0 for interval in correlations)
    above, below = sum(interval.low > 0.5 for interval in shares), sum(interval.high < 0.5 for interval in shares)
    return [
        Claim(
            "Performance on a small board predicts that on a large one: the correlation is positive.",
            verdict_of_most(correlations),
            f"positive in {sum(i.value > 0 for i in correlations)} of {len(correlations)} cases, "
            f"in {surely} with the whole interval",
        ),
        Claim(
            "Most networks play better on the larger board: p > 0.5.",
            verdict_of_most([beyond_half(share) for share in shares]),
            f"the whole interval is above 0.5 in {above} of {len(shares)} cases, below it in {below}",
        ),
    ]
