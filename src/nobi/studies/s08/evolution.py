"""S08 section V-C: evolution against the naive player (figure 6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nobi.evolution.settings import EvolutionSettings
from nobi.figures.training import LearningPanel, learning_bands
from nobi.statistics import last_tenth, mean_interval
from nobi.studies.cache import JobCache, learning_curves
from nobi.studies.jobs import Evolution, Job
from nobi.studies.s08.random import GAME_NAMES, MDRNN
from nobi.studies.study import Claim, Findings, Picture, Row, Study, Table, mean_text, verdict

STRATEGY = "es:parents=10,offspring=10,mutation=0.1"
"""(10+10), mutation N(0, 0.1) of every weight, all measured again in every generation."""

GAMES = ("atari-go", "gomoku")
SIZES = (5, 7)
"""The boards of the evolved networks of table III; the paper does not say which one figure 6 shows."""


@dataclass(frozen=True)
class Training:
    """How much is trained. S08: 10 runs; it does not say how many generations."""

    runs: int
    generations: int
    games: int


SCALES = {"tiny": Training(2, 6, 4), "quick": Training(3, 40, 40), "paper": Training(10, 200, 100)}


def evolution_runs(settings: Training, net: str, game: str, size: int, seed: int) -> tuple[Evolution, ...]:
    """The runs on one board; table III uses them too."""
    return tuple(
        Evolution(
            EvolutionSettings(
                game=game,
                sizes=(size,),
                net=net,
                method=STRATEGY,
                opponents=("naive",),
                generations=settings.generations,
                games=settings.games,
                measures=("score",),
                seed=1000 * seed + run,
            )
        )
        for run in range(settings.runs)
    )


class Figure6(Study):
    """Mean and best fitness of every generation, averaged over the runs."""

    name = "s08-fig6"
    group = "s08-evolution"
    title = "S08 figure 6: evolution against the naive player"
    paper = "S08 figure 6"
    scales = SCALES

    def conditions(self) -> dict[str, str]:
        """The strategy and the sample."""
        s = self.settings
        return {
            "network": "MDRNN, k = 10, 140 weights",
            "trainer": "(10+10) evolution strategy, mutation N(0, 0.1), fitness measured anew in every generation",
            "runs": f"{s.runs} for each game and board, {s.generations} generations",
            "games": f"{s.games} of each network in each generation, against the naive player",
            "fitness": "S08's score, p = 0.2",
        }

    def runs(self, game: str, size: int) -> tuple[Evolution, ...]:
        """The runs on one board."""
        return evolution_runs(self.settings, MDRNN, game, size, self.seed)

    def jobs(self) -> Sequence[Job]:
        """All runs."""
        return [run for game in GAMES for size in SIZES for run in self.runs(game, size)]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """Curves, and what the last generations reach."""
        panels, rows, claims = [], [], []
        for game in GAMES:
            curves = {}
            for size in SIZES:
                mean, best = curves[f"{size}x{size}"] = learning_curves(cache, self.runs(game, size))
                reached, top = mean_interval(last_tenth(mean)), mean_interval(last_tenth(best))
                labels = {"game": GAME_NAMES[game], "board": f"{size}x{size}"}
                rows.append(Row(labels, "mean fitness, first generation", mean_interval(mean[:, 0])))
                rows.append(Row(labels, "mean fitness, last tenth", reached))
                rows.append(Row(labels, "best fitness, last tenth", top))
                where = f"{GAME_NAMES[game]} {size}x{size}"
                claims.append(
                    Claim(
                        f"Evolution finds weights that beat the naive player in most games: {where}.",
                        verdict(top),
                        f"best fitness of a generation, over the last tenth: {mean_text(top)}",
                    )
                )
            panels.append(LearningPanel(GAME_NAMES[game], curves))
        title = "Learning of MDRNNs by a (10+10) evolution strategy, against the naive player"
        learning_bands(panels, folder / "s08-fig6.png", title, columns=2, ylabel="fitness")
        caption = "Solid: mean fitness of a generation. Broken: the best. Averages over the runs, with 95 % bands."
        return Findings([Table("What evolution reaches", rows)], claims, [Picture("s08-fig6.png", caption)])
