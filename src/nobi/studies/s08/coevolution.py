"""S08 section V-D: competitive coevolution on 5x5 (table II, figures 7 to 9)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nobi.evolution.settings import CoevolutionSettings
from nobi.figures.board import games_figure
from nobi.figures.training import champions_curve, ciao_plot
from nobi.games import variant
from nobi.games.base import Game
from nobi.networks import make_network
from nobi.players.network import NetworkPlayer
from nobi.records.sgf_writer import sgf_of
from nobi.statistics import difference, mean_interval
from nobi.storage import atomic_write
from nobi.studies.cache import JobCache
from nobi.studies.jobs import Coevolution, Job
from nobi.studies.s08.random import GAME_NAMES, MDRNN
from nobi.studies.study import Claim, Findings, Picture, Row, Study, Table, mean_text, verdict

GAMES = ("atari-go", "gomoku")
TABLE_2 = {("atari-go", False): 14.8, ("atari-go", True): 27.6, ("gomoku", False): 11.0, ("gomoku", True): 15.6}
"""(game, elitist) → the dominance number."""

KINDS = {False: "non-elitist", True: "elitist"}


@dataclass(frozen=True)
class Training:
    """How much is trained. S08: 5 runs of 400 generations."""

    runs: int
    generations: int
    measure_games: int
    """Games of a champion against the naive player; they select nobody."""


SCALES = {"tiny": Training(2, 8, 4), "quick": Training(2, 60, 40), "paper": Training(5, 400, 100)}


def coevolution_runs(settings: Training, net: str, game: str, elitist: bool, seed: int) -> tuple[Coevolution, ...]:
    """The runs of one kind; table III uses them too."""
    return tuple(
        Coevolution(
            CoevolutionSettings(
                game=game,
                size=5,
                net=net,
                elitist=elitist,
                generations=settings.generations,
                measure_against="naive",
                measure_games=settings.measure_games,
                seed=1000 * seed + run,
            )
        )
        for run in range(settings.runs)
    )


class CoevolutionStudy(Study):
    """What these studies share."""

    group = "s08-coevolution"
    scales = SCALES

    def conditions(self) -> dict[str, str]:
        """The method and the sample."""
        s = self.settings
        return {
            "network": "MDRNN, k = 10, 140 weights, greedy, on 5x5",
            "populations": "two of 15, host in turn; the best 5 by shared fitness are selected",
            "opponents": "15 a host: 5 by shared sampling, 10 from the hall of fame; two games with each",
            "elitist": "5 kept and 10 mutants; non-elitist: 15 mutants; mutation N(0, 0.1)",
            "runs": f"{s.runs} of {s.generations} generations",
            "absolute fitness": f"S08's score over {s.measure_games} games against naive, which select nobody",
        }

    def runs(self, game: str, elitist: bool) -> tuple[Coevolution, ...]:
        """The runs of one kind."""
        return coevolution_runs(self.settings, MDRNN, game, elitist, self.seed)

    def example(self) -> Coevolution:
        """The run that is shown: the first elitist one of Atari-Go, whatever it looks like."""
        return self.runs("atari-go", elitist=True)[0]


class Table2(CoevolutionStudy):
    """Dominance numbers."""

    name = "s08-table2"
    title = "S08 table II: dominance numbers of coevolution"
    paper = "S08 table II"

    def jobs(self) -> Sequence[Job]:
        """All runs."""
        return [run for game, elitist in TABLE_2 for run in self.runs(game, elitist)]

    def report(self, cache: JobCache, folder: Path) -> Findings:  # noqa: ARG002
        """The table."""
        rows, claims = [], []
        numbers = {
            key: np.array([float(len(cache.arrays(run)["dominant"])) for run in self.runs(*key)]) for key in TABLE_2
        }
        for (game, elitist), paper in TABLE_2.items():
            labels = {"game": GAME_NAMES[game], "selection": KINDS[elitist]}
            rows.append(Row(labels, "dominance number", mean_interval(numbers[game, elitist]), paper))
        for game in GAMES:
            gap = difference(numbers[game, True], numbers[game, False])
            claims.append(
                Claim(
                    f"Elitist selection reaches higher dominance numbers: {GAME_NAMES[game]}.",
                    verdict(gap),
                    f"elitist minus non-elitist: {mean_text(gap, 1)}",
                )
            )
        return Findings([Table("Dominance numbers", rows)], claims)


class Figure7(CoevolutionStudy):
    """A run, its champions against the naive player."""

    name = "s08-fig7"
    title = "S08 figure 7: a run of coevolution"
    paper = "S08 figure 7"

    def jobs(self) -> Sequence[Job]:
        """The example."""
        return [self.example()]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """The curve, with the dominant champions circled."""
        arrays = cache.arrays(self.example())
        metrics: list[dict[str, Any]] = [
            {"generation": g, "population": "ab"[g % 2], "absolute": value}
            for g, value in enumerate(arrays["absolute"].tolist())
        ]
        dominant = arrays["dominant"].tolist()
        champions_curve(
            metrics, dominant, folder / "s08-fig7.png", "Champions of elitist coevolution on Atari-Go 5x5", "naive"
        )
        caption = "The generations' champions against the naive player; the dominant ones are circled."
        absolute = arrays["absolute"]
        tenth = max(1, len(absolute) // 10)
        gain = difference(absolute[-tenth:], absolute[:tenth])
        claim = Claim(
            "Absolute fitness does not rise strictly: coevolution looks for other strategies than evolution.",
            bool((np.diff(np.maximum.accumulate(absolute)) == 0).any()),
            f"last tenth minus first tenth of the generations: {mean_text(gain)}",
        )
        return Findings(claims=[claim], pictures=[Picture("s08-fig7.png", caption)])


class Figure8(CoevolutionStudy):
    """All champions of one population against all of the other."""

    name = "s08-fig8"
    title = "S08 figure 8: the CIAO plot of that run"
    paper = "S08 figure 8"

    def jobs(self) -> Sequence[Job]:
        """The example."""
        return [self.example()]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """The plot; and whether later champions beat earlier ones."""
        scores = cache.arrays(self.example())["ciao"]
        ciao_plot(
            scores,
            folder / "s08-fig8.png",
            "Champions of one population against the other's,\nelitist coevolution on Atari-Go 5x5",
        )
        late, early = np.tril(np.ones_like(scores), -1) > 0, np.triu(np.ones_like(scores), 1) > 0
        later, earlier = scores[late], scores[early]  # a's champion is the later one, the earlier one
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
                f"mean size of the score between first halves {young.mean():.3f}, second halves {old.mean():.3f}",
            ),
        ]
        caption = "Every champion of population a against every one of b. Bright: a's champion wins."
        return Findings(claims=claims, pictures=[Picture("s08-fig8.png", caption)])


class Figure9(CoevolutionStudy):
    """Games of champions on the board of their training and on a larger one."""

    name = "s08-fig9"
    title = "S08 figure 9: games of champions on 5x5 and 9x9"
    paper = "S08 figure 9"
    sizes = (5, 9)

    def jobs(self) -> Sequence[Job]:
        """The example."""
        return [self.example()]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """Black is a's last dominant champion; white are two of b's, the first and the last dominant one."""
        run = self.example()
        arrays = cache.arrays(run)
        black = int(arrays["dominant_a"][-1])
        whites = [int(arrays["dominant_b"][0]), int(arrays["dominant_b"][-1])]
        pictures, games = [], []
        for white in whites:
            for size in self.sizes:
                game = _game_between(arrays["champions"][black], arrays["champions"][white], size)
                names = f"champion of generation {black}", f"champion of generation {white}"
                games.append((game, f"black {black}, white {white}: {game.result()}, {len(game.moves)} moves"))
                file = f"s08-fig9-{white}-{size}x{size}.sgf"
                atomic_write(folder / file, sgf_of(game, *names, event="S08 figure 9"))
                pictures.append(Picture(file, f"White: champion of generation {white}, {size}x{size}, {game.result()}"))
        title = "Champions of one run, Atari-Go; numbers are generations"
        games_figure(games, folder / "s08-fig9.png", title, columns=2)
        caption = "Black is always the same network; the white players of the two rows are different."
        return Findings(pictures=[Picture("s08-fig9.png", caption), *pictures])


def _game_between(black: Any, white: Any, size: int) -> Game:
    """A game of Atari-Go between two networks."""
    from nobi.arena.play import play_games

    where, network = variant("atari-go", size), make_network(MDRNN)
    players = NetworkPlayer(where, network, black), NetworkPlayer(where, network, white)
    return play_games(where, *players, 1, threads=1, keep_moves=True).replay(0)
