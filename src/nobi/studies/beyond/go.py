"""S09's announced next step, Go itself: swiping networks evolved on small boards, measured on larger ones."""

from itertools import product
from pathlib import Path
from typing import ClassVar

from nobi.evolution.settings import EvolutionSettings
from nobi.figures.comparison import size_lines
from nobi.statistics import bounded_mean, per_run, single_runs
from nobi.studies.jobs import Measurement, Training, evolution_runs
from nobi.studies.s09.random import MDLSTM, MDRNN, NAMES
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table


class Go(Study):
    """Go by evolution, with MDLSTM and MDRNN evolved on 5x5 and 7x7, on boards up to 19x19."""

    name = "beyond-go"
    page = "beyond"
    scales: ClassVar = {
        "tiny": Measurement(Training(2, 3, 4), 2, 1, 4),
        "quick": Measurement(Training(2, 20, 20), 19, 1, 40),
        "day": Measurement(Training(3, 80, 30), 79, 1, 100),
        "paper": Measurement(Training(5, 300), 299, 1, 200),
    }
    trained = (5, 7)
    sizes = (5, 7, 9, 13, 19)
    game = "go"
    opponent = "playout"

    def conditions(self) -> dict[str, str]:
        s = self.settings
        return {
            "networks": "MDLSTM and MDRNN of 3 units (93 and 21 weights)",
            "game": "Go by area scoring, komi 7.5",
            "trainer": f"CMA-ES, {s.training.runs} runs of {s.training.generations} generations, "
            f"{s.training.games} games of each network against `playout`",
            "playout": "random legal moves that do not fill own eyes; it passes when no other move is left",
            "measured": f"the champion of the last generation of each run, {s.games} new games against `playout`",
        }

    def jobs(self) -> Jobs:
        jobs = {}
        for net, trained in product((MDLSTM, MDRNN), self.trained):
            settings = EvolutionSettings(game=self.game, sizes=(trained,), net=net, opponents=(self.opponent,))
            runs = evolution_runs(self.settings.training, settings, self.seed)
            for size in self.sizes:
                if size >= trained:
                    jobs[net, trained, size] = self.settings.champions(runs, size, self.opponent, self.seed)
        return jobs

    def report(self, found: Results, out: Path) -> Findings:
        rows, lines, fitness = [], {}, {}
        for net, trained, size in found.jobs:
            champions = found[net, trained, size]
            values = per_run(champions["points"], champions["run"])
            fitness[net, trained, size] = bounded_mean(values)
            each = single_runs(values)
            labels = {"network": NAMES[net], "trained on": f"{trained}x{trained}", "board": f"{size}x{size}"}
            rows.append(Row(labels, "fitness", fitness[net, trained, size], neutral=0.0, each=each))
        larger = [size for size in self.sizes if size >= max(self.trained)]
        for net, trained in product((MDLSTM, MDRNN), self.trained):
            label = f"{NAMES[net]}, trained on {trained}x{trained}"
            lines[label] = [fitness[net, trained, size] for size in larger]
        claims = [
            Claim.positive(
                f"{NAMES[net]} evolved on {trained}x{trained} wins most games of Go against playout on {size}x{size}.",
                fitness[net, trained, size],
                "fitness",
            )
            for net, trained in product((MDLSTM, MDRNN), self.trained)
            for size in (trained, 19)
        ]
        file = f"{self.name}.png"
        size_lines(lines, larger, out / file, "Go by evolution: champions against playout")
        caption = "Fitness of the last champions on boards that they were not trained on; 95 % intervals over runs."
        return Findings([Table("Champions against playout", rows)], claims, [Picture(file, caption)])
