"""S09's announced next step, Go itself: swiping networks evolved on small boards, measured on larger ones."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

from nobi.evolution.settings import EvolutionSettings
from nobi.figures.comparison import SharePanel, share_panels
from nobi.statistics import Interval
from nobi.studies.beyond.engine_games import EngineEvolutionJob, EngineGamesJob, PlayoutGamesJob, engine_title
from nobi.studies.jobs import EvolutionJob, Measurement, Training, evolution_runs, run_seed
from nobi.studies.resources import GNUGO, Engine
from nobi.studies.s09.random import MDLSTM, MDRNN, NAMES
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table

NETS = (MDLSTM, MDRNN)
PLAYOUT, ENGINE = "playout", "GNU Go, level 0"
OPPONENTS = (PLAYOUT, ENGINE)
"""The opponents in training and in the measurement."""


@dataclass(frozen=True)
class GoScale:
    """Training and measurement against both opponents. GNU Go is several hundred times slower than playouts."""

    playout: Measurement
    engine: Training
    measured: int
    """Games of a champion against GNU Go on a board."""
    sizes: tuple[int, ...] = (5, 7, 9, 13, 19)


class Go(Study):
    """Go by evolution, with MDLSTM and MDRNN evolved on 5x5 and 7x7, on boards up to 19x19."""

    name = "beyond-go"
    page = "beyond"
    plays_against = (GNUGO,)
    scales: ClassVar = {
        "tiny": GoScale(Measurement(Training(2, 3, 4), 2, 1, 4), Training(2, 1, 1), 1, (5, 7)),
        "quick": GoScale(Measurement(Training(2, 20, 20), 19, 1, 40), Training(2, 2, 2), 2),
        "day": GoScale(Measurement(Training(3, 80, 30), 79, 1, 100), Training(2, 8, 4), 2),
        "paper": GoScale(Measurement(Training(5, 300), 299, 1, 200), Training(5, 200, 20), 100),
    }
    trained = (5, 7)

    @property
    def engine(self) -> Engine | None:
        """GNU Go; None at the scale `tiny`, which uses `playout` instead."""
        return None if self.scale == "tiny" else self.engines[GNUGO]

    def conditions(self) -> dict[str, str]:
        s, training = self.settings, self.settings.playout.training
        return {
            "networks": "MDLSTM and MDRNN of 3 units (93 and 21 weights); they never pass while they have another "
            "legal move, and may fill own eyes",
            "game": "Go by area scoring, komi 7.5; scored by nobi",
            "against playout": f"CMA-ES, {training}, {training.games} games of each network in each generation",
            "against GNU Go": f"CMA-ES, {s.engine}, {s.engine.games} games; {engine_title(self.engine)}",
            "playout": "random legal moves that do not fill own eyes; it passes when no other move is left",
            "measured": f"the champion of the last generation of each run, {s.playout.games} new games against "
            f"playout and {s.measured} against GNU Go, alternating colours",
            "intervals": "over runs",
        }

    def runs(self, net: str, trained: int, opponent: str) -> tuple[EvolutionJob, ...] | tuple[EngineEvolutionJob, ...]:
        """Return the runs of a network on a board against an opponent."""
        s = self.settings
        if opponent == PLAYOUT:
            settings = EvolutionSettings(game="go", sizes=(trained,), net=net, opponents=(PLAYOUT,))
            return evolution_runs(s.playout.training, settings, self.seed)
        return tuple(
            EngineEvolutionJob(
                net, trained, self.engine, s.engine.generations, s.engine.games, run_seed(self.seed, run)
            )
            for run in range(s.engine.runs)
        )

    def jobs(self) -> Jobs:
        s = self.settings
        jobs: dict[Any, Any] = {}
        for net, trained, opponent in product(NETS, self.trained, OPPONENTS):
            runs = self.runs(net, trained, opponent)
            for size in s.sizes:
                if size >= trained:
                    key = net, trained, opponent, size
                    jobs[*key, PLAYOUT] = PlayoutGamesJob(runs, net, size, s.playout.games, self.seed)
                    jobs[*key, ENGINE] = EngineGamesJob(runs, net, size, self.engine, s.measured, self.seed)
        return jobs

    def report(self, found: Results, out: Path) -> Findings:
        rows, fitness = [], {}
        for key in found.jobs:
            net, trained, opponent, size, against = key
            labels = {
                "network": NAMES[net],
                "trained on": f"{trained}x{trained}",
                "trained against": opponent,
                "board": f"{size}x{size}",
                "measured against": against,
            }
            rows.append(Row.over_runs(labels, "fitness", found.per_run(key), neutral=0.0))
            fitness[key] = rows[-1].ours
        larger = [size for size in self.settings.sizes if size >= max(self.trained)]
        panels = [
            SharePanel(
                f"trained against {opponent},\nmeasured against {against}",
                {
                    f"{NAMES[net]}, trained on {trained}x{trained}": [
                        _share(fitness[net, trained, opponent, size, against]) for size in larger
                    ]
                    for net, trained in product(NETS, self.trained)
                },
            )
            for opponent, against in product(OPPONENTS, OPPONENTS)
        ]
        claims = [
            Claim.positive(
                f"{NAMES[net]} evolved on {trained}x{trained} against {opponent} wins most games of Go against it on "
                f"{size}x{size}.",
                fitness[net, trained, opponent, size, opponent],
                "fitness",
            )
            for opponent, net, trained in product(OPPONENTS, NETS, self.trained)
            for size in dict.fromkeys((trained, max(self.settings.sizes)))
        ]
        share_panels(panels, larger, out / self.figure, "Go by evolution: champions on larger boards")
        caption = "Games won by the last champions, by board; 95 % intervals over runs."
        return Findings([Table("Champions on all boards", rows)], claims, [Picture(self.figure, caption)])


def _share(fitness: Interval) -> Interval:
    """Return the share of points, draws counting half, of a mean outcome."""
    return 0.5 * (fitness - (-1.0))
