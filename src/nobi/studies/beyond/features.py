"""S08's "domain-specific features instead of the raw board": liberties, atari and the latest move as inputs."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import ClassVar

from nobi.evolution.settings import EvolutionSettings
from nobi.figures.comparison import runs_by_size
from nobi.networks import make_network
from nobi.statistics import bounded_difference
from nobi.studies.jobs import Measurement, Training, evolution_runs
from nobi.studies.s09.random import MDLSTM, MDRNN, NAMES
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table

RAW = "stones only"
INPUTS = {
    RAW: "",
    "latest move": "last",
    "atari": "atari",
    "liberties": "liberties",
    "all three": "liberties+atari+last",
}
"""Case → additional inputs."""


def with_inputs(net: str, case: str) -> str:
    """Return the spec of a network with the inputs of a case."""
    return f"{net},inputs={INPUTS[case]}" if INPUTS[case] else net


@dataclass(frozen=True)
class FeaturesScale:
    """Training and measurement."""

    measurement: Measurement
    candidates: int
    """Candidates of a generation, the same for all numbers of weights."""


class Features(Study):
    """Features instead of the raw board, with liberties, atari and the latest move as inputs of swiping networks."""

    name = "beyond-features"
    page = "beyond"
    scales: ClassVar = {
        "tiny": FeaturesScale(Measurement(Training(2, 2, 4), 1, 1, 4), 6),
        "quick": FeaturesScale(Measurement(Training(2, 10, 10), 9, 1, 40), 18),
        "day": FeaturesScale(Measurement(Training(5, 200, 20), 199, 1, 200), 18),
        "paper": FeaturesScale(Measurement(Training(10, 1000), 999, 1, 1000), 18),
    }
    sizes = (5, 7, 9, 13, 19)
    opponent = "heuristic:e=0.2"
    nets: ClassVar = {MDLSTM: tuple(INPUTS), MDRNN: (RAW, "all three")}

    def cases(self) -> list[tuple[str, str]]:
        """Return pairs of network and inputs."""
        return [(net, case) for net, cases in self.nets.items() for case in cases]

    def conditions(self) -> dict[str, str]:
        s = self.settings.measurement
        counts = ", ".join(
            f"{NAMES[net]}, {case}: {make_network(with_inputs(net, case)).weight_count(7)}"
            for net, case in self.cases()
        )
        return {
            "inputs": "own and enemy stones; liberties of each stone's chain, up to 4, divided by 4, and chains in "
            "atari, each for own and enemy stones; the latest move",
            "weights": f"{counts}; independent of the board size",
            "trainer": f"CMA-ES with {self.settings.candidates} candidates for all, {s.training.runs} runs of "
            f"{s.training.generations} generations on Atari-Go 7x7, {s.training.games} games of each network: equal "
            "games for all",
            "opponent": "heuristic, e = 0.2, in training and in the measurement",
            "measured": f"the champion of the last generation of each run, {s.games} new games on each board",
        }

    def jobs(self) -> Jobs:
        s, jobs = self.settings.measurement, {}
        for net, case in self.cases():
            settings = EvolutionSettings(
                sizes=(7,),
                net=with_inputs(net, case),
                method=f"cmaes:candidates={self.settings.candidates}",
                opponents=(self.opponent,),
            )
            runs = evolution_runs(s.training, settings, self.seed)
            for size in self.sizes:
                jobs[net, case, size] = s.champions(runs, size, self.opponent, self.seed)
        return jobs

    def report(self, found: Results, out: Path) -> Findings:
        rows, values = [], {}
        for (net, case), size in product(self.cases(), self.sizes):
            values[net, case, size] = found.per_run((net, case, size))
            labels = {"network": NAMES[net], "inputs": case, "board": f"{size}x{size}"}
            rows.append(Row.over_runs(labels, "fitness", values[net, case, size], neutral=0.0))
        claims = [
            Claim.positive(
                f"{NAMES[net]} with further inputs plays better than with stones only at equal games: {case}.",
                {f"{n}x{n}": bounded_difference(values[net, case, n], values[net, RAW, n]) for n in self.sizes},
                "difference of fitness",
            )
            for net, case in self.cases()
            if case != RAW
        ]
        runs = {f"{NAMES[net]}, {case}": [values[net, case, size] for size in self.sizes] for net, case in self.cases()}
        runs_by_size(runs, self.sizes, out / self.figure, "Atari-Go against heuristic e = 0.2, by inputs", 7)
        caption = "Champions evolved on 7x7 with different inputs, on boards from 5x5 to 19x19: means and single runs."
        return Findings([Table("Fitness on all boards", rows)], claims, [Picture(self.figure, caption)])
