"""S08 sections V-C and V-D: evolution against the naive player (figure 6), coevolution (table II, figures 7 to 9)."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from nobi.arena.play import play_games
from nobi.evolution.settings import CoevolutionSettings, EvolutionSettings
from nobi.figures.board import games_figure
from nobi.figures.training import LearningPanel, champions_curve, ciao_plot, learning_bands
from nobi.games import variant
from nobi.networks import make_network
from nobi.players.network import NetworkPlayer
from nobi.records.sgf_writer import sgf_of
from nobi.statistics import difference, last_tenth, mean_interval
from nobi.storage import atomic_write
from nobi.studies.jobs import CoevolutionJob, EvolutionJob, Training, coevolution_runs, evolution_runs, learning_curves
from nobi.studies.s08.random import GAME_NAMES, GAMES, MDRNN
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table

EVOLUTION_SIZES = (5, 7)
"""The boards of the evolved networks of table III; the paper does not say which one figure 6 shows."""
EVOLUTION = {"tiny": Training(2, 6, 4), "quick": Training(3, 40, 40), "paper": Training(10, 200)}
"""S08: 10 runs; it does not say how many generations."""
COEVOLUTION = {"tiny": Training(2, 8, 4), "quick": Training(2, 60, 40), "paper": Training(5, 400)}
"""S08: 5 runs of 400 generations. The games of champions against the naive player have no influence on the run."""
TABLE_2 = {("atari-go", False): 14.8, ("atari-go", True): 27.6, ("gomoku", False): 11.0, ("gomoku", True): 15.6}
"""(game, elitist) → dominance number."""
LEARNING_CAPTION = "Solid: mean fitness of a generation. Dashed: the best. Means over the runs, with 95 % bands."


def evolved_networks(study: Study, net: str, game: str, size: int) -> tuple[EvolutionJob, ...]:
    """Runs of a (10+10) evolution strategy that measures all candidates again in every generation."""
    method = "es:parents=10,offspring=10,mutation=0.1"
    settings = EvolutionSettings(game=game, sizes=(size,), net=net, method=method, measures=("score",))
    return evolution_runs(EVOLUTION[study.scale], settings, study.seed)


def coevolved_networks(study: Study, net: str, game: str, *, elitist: bool = True) -> tuple[CoevolutionJob, ...]:
    """Runs of coevolution on 5x5."""
    settings = CoevolutionSettings(game=game, size=5, net=net, elitist=elitist, measure_against="naive")
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
                top = mean_interval(last_tenth(best))
                labels = {"game": GAME_NAMES[game], "board": board}
                rows.append(Row(labels, "mean fitness, first generation", mean_interval(mean[:, 0])))
                rows.append(Row(labels, "mean fitness, last tenth", mean_interval(last_tenth(mean))))
                rows.append(Row(labels, "best fitness, last tenth", top))
                text = f"Evolution finds weights that beat the naive player in most games: {GAME_NAMES[game]} {board}."
                claims.append(Claim.positive(text, top, "best fitness of a generation, over the last tenth"))
            panels.append(LearningPanel(GAME_NAMES[game], curves))
        title = "Learning of MDRNNs by a (10+10) evolution strategy, against the naive player"
        learning_bands(panels, out / "s08-fig6.png", title)
        picture = Picture("s08-fig6.png", LEARNING_CAPTION)
        return Findings([Table("What evolution reaches", rows)], claims, [picture])


class CoevolutionStudy(Study):
    """A study of coevolution; `jobs` is one run, elitist on Atari-Go."""

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
        return {"run": coevolved_networks(self, MDRNN, "atari-go")[0]}


class Table2(CoevolutionStudy):
    """S08 table II: dominance numbers of coevolution."""

    name = "s08-table2"

    def jobs(self) -> Jobs:
        return {(game, elitist): coevolved_networks(self, MDRNN, game, elitist=elitist) for game, elitist in TABLE_2}

    def report(self, found: Results, out: Path) -> Findings:  # noqa: ARG002
        rows, claims = [], []
        numbers = {key: np.array([float(len(run["dominant"])) for run in found.runs(key)]) for key in TABLE_2}
        for (game, elitist), paper in TABLE_2.items():
            labels = {"game": GAME_NAMES[game], "selection": "elitist" if elitist else "non-elitist"}
            rows.append(Row(labels, "dominance number", mean_interval(numbers[game, elitist]), paper))
        for game in GAMES:
            gap = difference(numbers[game, True], numbers[game, False])
            text = f"Elitist selection reaches higher dominance numbers: {GAME_NAMES[game]}."
            claims.append(Claim(text, gap.is_positive, f"elitist minus non-elitist: {gap:.1f}"))
        return Findings([Table("Dominance numbers", rows)], claims)


class Figure7(CoevolutionStudy):
    """S08 figure 7: a run of coevolution."""

    name = "s08-fig7"

    def report(self, found: Results, out: Path) -> Findings:
        absolute = found["run"]["absolute"]
        metrics: list[dict[str, Any]] = [
            {"generation": g, "population": "ab"[g % 2], "absolute": value} for g, value in enumerate(absolute.tolist())
        ]
        title = "Champions of elitist coevolution on Atari-Go 5x5"
        champions_curve(metrics, found["run"]["dominant"].tolist(), out / "s08-fig7.png", title, "naive")
        tenth = max(1, len(absolute) // 10)
        claim = Claim(
            "Absolute fitness does not rise strictly: coevolution looks for other strategies than evolution.",
            bool((np.diff(np.maximum.accumulate(absolute)) == 0).any()),
            f"last tenth minus first tenth of the generations: {difference(absolute[-tenth:], absolute[:tenth])}",
        )
        caption = "The champion of each generation against the naive player; dominant ones are circled."
        return Findings(claims=[claim], pictures=[Picture("s08-fig7.png", caption)])


class Figure8(CoevolutionStudy):
    """S08 figure 8: the CIAO plot of that run."""

    name = "s08-fig8"

    def report(self, found: Results, out: Path) -> Findings:
        scores = found["run"]["ciao"]
        title = "Champions of one population against the other's,\nelitist coevolution on Atari-Go 5x5"
        ciao_plot(scores, out / "s08-fig8.png", title)
        # a's champion is the later one below the diagonal, the earlier one above it
        later, earlier = scores[np.tril_indices_from(scores, -1)], scores[np.triu_indices_from(scores, 1)]
        half = len(scores) // 2
        young, old = np.abs(scores[:half, :half]), np.abs(scores[half:, half:])
        claims = [
            Claim(
                "Later champions do better against earlier ones than the other way round.",
                bool(later.mean() > earlier.mean()),
                f"mean score of a's champion where it is the later one {later.mean():+.2f}, "
                f"where it is the earlier one {earlier.mean():+.2f}",
            ),
            Claim(
                "Scores are more extreme, games shorter, between champions of early generations.",
                bool(young.mean() > old.mean()),
                f"mean absolute score between first halves {young.mean():.3f}, second halves {old.mean():.3f}",
            ),
        ]
        caption = "Every champion of population a against every one of b. Bright: a's champion wins."
        return Findings(claims=claims, pictures=[Picture("s08-fig8.png", caption)])


class Figure9(CoevolutionStudy):
    """S08 figure 9: games of champions on 5x5 and 9x9."""

    name = "s08-fig9"
    sizes = (5, 9)

    def report(self, found: Results, out: Path) -> Findings:
        # black is a's last dominant champion; white are the first and the last dominant one of b
        run, network = found["run"], make_network(MDRNN)
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
        games_figure(games, out / "s08-fig9.png", "Champions of one run, Atari-Go; numbers are generations", columns=2)
        caption = "Black is always the same network; the white players of the two rows are different."
        return Findings(pictures=[Picture("s08-fig9.png", caption), *pictures])
