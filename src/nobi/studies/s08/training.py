"""S08 sections V-C and V-D: evolution against the naive player (figure 6), coevolution (table II, figures 7 to 9)."""

from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nobi.arena.play import play_games
from nobi.evolution.settings import PUBLISHED_RULES, CoevolutionSettings, EvolutionSettings
from nobi.figures.board import games_figure
from nobi.figures.comparison import PaperComparison, compare_with_paper
from nobi.figures.training import LearningPanel, champions_curve, ciao_plot, learning_bands
from nobi.games import variant
from nobi.networks import make_network
from nobi.players.network import NetworkPlayer
from nobi.records.sgf_writer import sgf_of
from nobi.statistics import (
    bounded_mean,
    correlation_of_networks,
    difference,
    higher_over_runs,
    last_tenth,
    mean_interval,
    mean_of_published,
    per_run,
    single_runs,
)
from nobi.storage import atomic_write
from nobi.studies.jobs import (
    Arrays,
    CoevolutionJob,
    EvolutionJob,
    Measurement,
    TournamentJob,
    Training,
    coevolution_runs,
    evolution_runs,
    learning_curves,
)
from nobi.studies.s08.random import GAME_NAMES, GAMES, MDRNN, published
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table

EVOLUTION_SIZES = (5, 7)
"""The boards of the evolved networks of table III; the paper does not state which one is shown in figure 6."""
EVOLUTION = {"tiny": Training(2, 6, 4), "quick": Training(3, 40, 40), "paper": Training(10, 200)}
"""S08: 10 runs; the number of generations is not stated."""
COEVOLUTION = {"tiny": Training(2, 8, 4), "quick": Training(2, 60, 40), "paper": Training(5, 400)}
"""S08: 5 runs of 400 generations. The games of champions against the naive player do not affect the run."""
TABLE_2 = {
    ("atari-go", False): (14.8, 3.0),
    ("atari-go", True): (27.6, 14.0),
    ("gomoku", False): (11.0, 5.0),
    ("gomoku", True): (15.6, 11.0),
}
"""(game, elitist) → the paper's dominance number and its ±."""
RUNS = 5
"""Number of runs of the paper's table II."""
SELECTION = {True: "elitist", False: "non-elitist"}


def dominant(scores: NDArray[np.float64], least: float, latest: int = 0) -> list[int]:
    """Return the champions that join the list of dominant ones, in order.

    Args:
        scores: [i, j] the mean score of champion i against j over two games, each of them starting once.
        least: a champion beats another if its score is above this. A game won scores 0.8 or more, so a score above 0.5
            means two wins, above 0 two wins or a win that is quicker than the loss, above -0.5 at least one win.
        latest: compare only with this number of the latest members; 0: with all.
    """
    members: list[int] = []
    for champion in range(len(scores)):
        if all(scores[champion, member] > least for member in members[-latest:]):
            members.append(champion)
    return members


def dominant_of_both(scores: NDArray[np.float64]) -> list[int]:
    """Return the dominant champions of the two populations, with a separate list for each."""
    return [population + 2 * i for population in (0, 1) for i in dominant(scores[population::2, population::2], 0.0)]


BEATS: dict[str, Callable[[NDArray[np.float64]], list[int]]] = {
    "its mean score against all members is above 0": lambda scores: dominant(scores, 0.0),
    "it wins both games against all members": lambda scores: dominant(scores, 0.5),
    "it wins a game against each member": lambda scores: dominant(scores, -0.5),
    "its mean score against the latest member is above 0": lambda scores: dominant(scores, 0.0, 1),
    "its mean score against all members is above 0, a list for each population": dominant_of_both,
}
"""What the paper's "can beat all previous dominant individuals" may mean → the list."""
FIRST_MEANING = next(iter(BEATS))
LEARNING_CAPTION = (
    "Solid: mean fitness of a generation. Dashed: the best. Means over the runs, with 95 % bands. Points: single runs."
)


def dominance_numbers(runs: Sequence[Arrays], meaning: str = FIRST_MEANING) -> NDArray[np.float64]:
    """Return the number of dominant champions, [run], in the tournaments of runs, by a meaning of "beats"."""
    return np.array([float(len(BEATS[meaning](run["scores"]))) for run in runs])


def dominance_row(labels: dict[str, str], numbers: NDArray[np.float64], game: str, *, elitist: bool) -> Row:
    """Return the row of dominance numbers [run], beside the paper's."""
    paper = mean_of_published(*TABLE_2[game, elitist], RUNS)
    return Row(labels, "dominance number", mean_interval(numbers), paper, each=single_runs(numbers))


def evolved_networks(study: Study, net: str, game: str, size: int) -> tuple[EvolutionJob, ...]:
    """Return runs of a (10+10) evolution strategy that evaluates all candidates again in every generation."""
    method = "es:parents=10,offspring=10,mutation=0.1"
    settings = EvolutionSettings(game=game, sizes=(size,), net=net, method=method, measures=("score",))
    return evolution_runs(EVOLUTION[study.scale], settings, study.seed)


def coevolved_networks(
    study: Study, net: str, game: str, *, elitist: bool = True, **rules: Any
) -> tuple[CoevolutionJob, ...]:
    """Return runs of coevolution on 5x5; `rules` are fields of `CoevolutionSettings`."""
    settings = CoevolutionSettings(game=game, size=5, net=net, elitist=elitist, measure_against="naive", **rules)
    return coevolution_runs(COEVOLUTION[study.scale], settings, study.seed)


class Figure6(Study):
    """S08 figure 6: evolution against the naive player."""

    name = "s08-fig6"
    page = "s08-evolution"
    scales = EVOLUTION

    def conditions(self) -> dict[str, str]:
        s = self.settings
        return {
            "network": "MDRNN, k = 10, 140 weights",
            "trainer": "(10+10) evolution strategy, mutation N(0, 0.1), fitness measured anew in every generation",
            "runs": f"{s.runs} for each game and board, {s.generations} generations",
            "games": f"{s.games} of each network in each generation, against the naive player",
            "fitness": "S08's score, p = 0.2",
        }

    def jobs(self) -> Jobs:
        return {key: evolved_networks(self, MDRNN, *key) for key in product(GAMES, EVOLUTION_SIZES)}

    def report(self, found: Results, out: Path) -> Findings:
        panels, rows, claims = [], [], []
        for game in GAMES:
            curves = {}
            for size in EVOLUTION_SIZES:
                board = f"{size}x{size}"
                mean, best = curves[board] = learning_curves(found.runs((game, size)))
                reached = bounded_mean(last_tenth(mean))
                top = bounded_mean(last_tenth(best))
                labels = {"game": GAME_NAMES[game], "board": board}
                rows.append(Row(labels, "mean fitness, first generation", bounded_mean(mean[:, 0])))
                rows.append(Row(labels, "mean fitness, last tenth", reached))
                rows.append(Row(labels, "best fitness, last tenth", top))
                text = f"Evolution finds weights that beat the naive player in most games: {GAME_NAMES[game]} {board}."
                # the best fitness of a generation is the maximum of several noisy values, hence biased
                claims.append(Claim.positive(text, reached, "mean fitness over the last tenth of the generations"))
            panels.append(LearningPanel(GAME_NAMES[game], curves))
        title = "Learning of MDRNNs by a (10+10) evolution strategy, against the naive player"
        learning_bands(panels, out / self.figure, title)
        picture = Picture(self.figure, LEARNING_CAPTION)
        return Findings([Table("What evolution reaches", rows)], claims, [picture])


class CoevolutionStudy(Study):
    """A study of coevolution; `jobs` are the elitist runs on Atari-Go."""

    page = "s08-coevolution"
    scales = COEVOLUTION

    def conditions(self) -> dict[str, str]:
        s = self.settings
        return {
            "network": "MDRNN, k = 10, 140 weights, greedy, on 5x5",
            "populations": "two of 15, host in turn; the best 5 by shared fitness are selected",
            "opponents": "15 for each host: 5 by shared sampling, 10 from the hall of fame; two games with each",
            "elitist": "5 kept and 10 mutants; non-elitist: 15 mutants; mutation N(0, 0.1)",
            "runs": f"{s.runs} of {s.generations} generations",
            "absolute fitness": f"S08's score over {s.games} games against naive, not used for selection",
        }

    def jobs(self) -> Jobs:
        return {"runs": coevolved_networks(self, MDRNN, "atari-go")}


class Table2(CoevolutionStudy):
    """S08 table II: dominance numbers of coevolution, by several meanings of "beats"."""

    name = "s08-table2"

    def conditions(self) -> dict[str, str]:
        return {**super().conditions(), "the paper's ±": "taken as the standard deviation over its 5 runs"}

    def jobs(self) -> Jobs:
        runs = {key: coevolved_networks(self, MDRNN, key[0], elitist=key[1]) for key in TABLE_2}
        return {key: tuple(TournamentJob(run) for run in found) for key, found in runs.items()}

    def report(self, found: Results, out: Path) -> Findings:  # noqa: ARG002
        rows, claims = [], []
        numbers = {
            (meaning, *key): dominance_numbers(found.runs(key), meaning) for meaning, key in product(BEATS, TABLE_2)
        }
        for meaning, (game, elitist) in product(BEATS, TABLE_2):
            labels = {"a champion joins if": meaning, "game": GAME_NAMES[game], "selection": SELECTION[elitist]}
            rows.append(dominance_row(labels, numbers[meaning, game, elitist], game, elitist=elitist))
        for meaning, game in product(BEATS, GAMES):
            gap = difference(numbers[meaning, game, True], numbers[meaning, game, False])
            text = f"Elitist selection reaches higher dominance numbers: {GAME_NAMES[game]}, {meaning}."
            claims.append(Claim(text, gap.is_positive, f"elitist minus non-elitist: {gap:.1f}"))
        return Findings([Table("Dominance numbers", rows)], claims)


class Figure7(CoevolutionStudy):
    """S08 figure 7: a run of coevolution."""

    name = "s08-fig7"
    tenths = 10

    def report(self, found: Results, out: Path) -> Findings:
        runs = found.runs("runs")
        absolute = runs[0]["absolute"]
        metrics: list[dict[str, Any]] = [
            {"generation": g, "population": "ab"[g % 2], "absolute": value} for g, value in enumerate(absolute.tolist())
        ]
        title = "Champions of elitist coevolution on Atari-Go 5x5"
        champions_curve(metrics, runs[0]["dominant"].tolist(), out / self.figure, title, "naive")
        parts = min(self.tenths, len(absolute))
        means = [[part.mean() for part in np.array_split(run["absolute"], parts)] for run in runs]
        steps = np.diff(np.array(means), axis=1)
        falls = bounded_mean((steps < 0).mean(axis=1), 0.0, 1.0)
        gains = np.array([values[-1] - values[0] for values in means])
        dominant = np.array([run["absolute"][run["dominant"]].mean() - run["absolute"].mean() for run in runs])
        claims = [
            Claim(
                "Absolute fitness does not rise steadily: from one tenth of a run to the next it falls in more than a "
                "quarter of the cases.",
                (falls - 0.25).is_positive,
                f"share of falls: {falls}; last tenth minus first tenth: {mean_interval(gains)}",
            ),
            Claim(
                "Dominant champions are not better against the naive player than others.",
                (-mean_interval(dominant)).is_positive,
                f"mean absolute fitness of dominant champions minus that of all: {mean_interval(dominant)}",
            ),
        ]
        what, each = "gain in absolute fitness, first to last tenth", tuple(gains.tolist())
        rows = [Row({"runs": str(len(runs))}, what, mean_interval(gains), neutral=0.0, each=each)]
        caption = "The champion of each generation against the naive player; dominant ones are circled. The first run."
        return Findings([Table("All runs", rows)], claims, [Picture(self.figure, caption)])


class Figure8(CoevolutionStudy):
    """S08 figure 8: the CIAO plot of that run."""

    name = "s08-fig8"

    def jobs(self) -> Jobs:
        runs = coevolved_networks(self, MDRNN, "atari-go")
        return {"runs": runs, "tournaments": tuple(TournamentJob(run) for run in runs)}

    def report(self, found: Results, out: Path) -> Findings:
        plots = [run["ciao"] for run in found.runs("runs")]
        title = "Champions of one population against the other's,\nelitist coevolution on Atari-Go 5x5"
        ciao_plot(plots[0], out / self.figure, title)
        later, calmer = [], []
        for scores in plots:
            # a's champion is the later one below the diagonal and the earlier one above it
            below, above = scores[np.tril_indices_from(scores, -1)], scores[np.triu_indices_from(scores, 1)]
            later.append(float(below.mean() - above.mean()) / 2)
            half = len(scores) // 2
            calmer.append(float(np.abs(scores[:half, :half]).mean() - np.abs(scores[half:, half:]).mean()))
        cyclic = np.array([cyclic_share(run["scores"]) for run in found.runs("tournaments")])
        share = bounded_mean(cyclic, 0.0, 1.0)
        rows = [
            Row(
                {"champions": "those of both populations"},
                "cyclic share of triples",
                share,
                each=tuple(cyclic.tolist()),
            )
        ]
        claims = [
            Claim.positive(
                "Later champions do better against earlier ones than the other way round.",
                mean_interval(np.array(later)),
                "mean score of the later champion, over runs",
            ),
            Claim.positive(
                "Scores are more extreme, games shorter, between champions of early generations.",
                mean_interval(np.array(calmer)),
                "mean absolute score between first halves minus second halves, over runs",
            ),
            Claim.positive(
                "There are rock-paper-scissors situations: some triples of champions beat each other in a circle.",
                share,
                "share of triples; 0 if strength were a number, 0.25 if results were random",
                null=0.01,
            ),
        ]
        caption = "Every champion of population a against every one of b. Bright: a's champion wins. The first run."
        return Findings([Table("Triples of champions", rows)], claims, [Picture(self.figure, caption)])


def cyclic_share(scores: NDArray[np.float64]) -> float:
    """Return the share of triples without ties that beat each other cyclically; scores [i, j] are antisymmetric."""
    wins, decided = (scores > 0).astype(np.float64), (scores != 0).astype(np.float64)
    circles = float(np.einsum("ij,ji->", wins @ wins, wins)) / 3
    triples = float(np.einsum("ij,ji->", decided @ decided, decided)) / 6
    return circles / triples if triples else 0.0


class Rules(CoevolutionStudy):
    """S08 tables II and III: coevolution by the rules of the published code, one difference at a time."""

    name = "s08-rules"
    sizes = (5, 9)
    variants: ClassVar[dict[str, dict[str, Any]]] = {
        "ours": {},
        "results of all generations count": {"results": "all"},
        "each host draws its own hall of fame": {"hall_draw": "own"},
        "champion by shared fitness": {"champion_by": "shared"},
        "parasites from the current population": {"parasites_from": "current"},
        "first population of one network and its mutants": {"first": "mutants"},
        "the published code: all of these": PUBLISHED_RULES,
    }

    @property
    def measurement(self) -> Measurement:
        """The champions that are measured."""
        s = self.settings
        return Measurement(s, s.generations // 8, s.generations // 40 or 1, s.games)

    def conditions(self) -> dict[str, str]:
        s = self.settings
        return {
            **super().conditions(),
            "rules": "each difference of the published code from ours alone, and all together; elitist, Atari-Go",
            "champions": f"{self.measurement.describe()}, {s.games} games against naive on 5x5 and 9x9",
            "intervals": "over runs; of correlations: bootstrap over champions",
        }

    def jobs(self) -> Jobs:
        jobs: dict[Any, Any] = {}
        for label, changes in self.variants.items():
            runs = coevolved_networks(self, MDRNN, "atari-go", **changes)
            jobs[label] = tuple(TournamentJob(run) for run in runs)
            for size in self.sizes:
                jobs[label, size] = self.measurement.champions(runs, size, "naive", self.seed)
        return jobs

    def report(self, found: Results, out: Path) -> Findings:
        rows, bars, higher = [], [], {}
        r, p = published((0.45, 0.92), 200)
        for label in self.variants:
            small, large = (found[label, size] for size in self.sizes)
            gained = (large["score"] > small["score"]).astype(np.float64)
            each = single_runs(per_run(gained, small["run"]))
            higher[label] = higher_over_runs(small["score"], large["score"], small["run"])
            labels = {"rules": label}
            rows.append(Row(labels, "p", higher[label], p, 0.5, each))
            rows.append(Row(labels, "correlation", correlation_of_networks(small["score"], large["score"]), r, 0.0))
            rows.append(dominance_row(labels, dominance_numbers(found.runs(label)), "atari-go", elitist=True))
            bars.append(PaperComparison(label, higher[label], p, each))
        title = "Coevolved networks that are better on 9x9 than on 5x5"
        compare_with_paper(bars, out / self.figure, title, "share p of champions")
        names = list(self.variants)
        claim = Claim.positive(
            "With all rules of the published code more champions are better on the larger board than with ours.",
            higher[names[-1]] - higher[names[0]],
            "difference of p",
        )
        caption = "The share p for each rule of the published code alone, and for all together."
        return Findings([Table("Elitist coevolution on Atari-Go 5x5", rows)], [claim], [Picture(self.figure, caption)])


class Figure9(CoevolutionStudy):
    """S08 figure 9: games of champions on 5x5 and 9x9."""

    name = "s08-fig9"
    sizes = (5, 9)

    def report(self, found: Results, out: Path) -> Findings:
        # black is a's last dominant champion; white are the first and the last dominant one of b
        run, network = found.runs("runs")[0], make_network(MDRNN)
        black = int(run["dominant_a"][-1])
        pictures, games = [], []
        for white, size in product((int(run["dominant_b"][0]), int(run["dominant_b"][-1])), self.sizes):
            rules = variant("atari-go", size)
            a, b = (NetworkPlayer(rules, network, run["champions"][generation]) for generation in (black, white))
            game = play_games(rules, a, b, 1, threads=1, keep_moves=True).replay(0)
            games.append((game, f"black {black}, white {white}: {game.result()}, {len(game.moves)} moves"))
            file = f"s08-fig9-{white}-{size}x{size}.sgf"
            names = f"champion of generation {black}", f"champion of generation {white}"
            atomic_write(out / file, sgf_of(game, *names, event="S08 figure 9"))
            pictures.append(Picture(file, f"White: {names[1]}, {size}x{size}, {game.result()}"))
        games_figure(games, out / self.figure, "Champions of one run, Atari-Go; numbers are generations", columns=2)
        caption = "Black is always the same network; the white players of the two rows are different."
        return Findings(pictures=[Picture(self.figure, caption), *pictures])
