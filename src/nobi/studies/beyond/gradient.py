"""Architecture or optimiser? The same networks trained by gradient on a player's moves, and evolved against it."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from nobi.evolution.settings import EvolutionSettings
from nobi.figures.comparison import runs_by_size
from nobi.games import variant
from nobi.players import make_player
from nobi.statistics import bounded_difference, bounded_mean
from nobi.streams import derive_seed
from nobi.studies.jobs import Arrays, GamesOfRuns, Job, Measurement, Progress, Training, evolution_runs, run_seed
from nobi.studies.s09.random import CONV_2, MDLSTM
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table
from nobi.studies.training_jobs import weight_count

if TYPE_CHECKING:
    from nobi.networks.deep.base import DeepNetwork
    from nobi.studies.cache import JobCache

GAME, TRAINED = "atari-go", 7
TEACHER = "heuristic:e=0"
PLAYER = "heuristic:e=0.2"
"""The player of the games from which positions are taken, and the opponent of the measurement."""
BOARDS = 128
"""Number of games that are played at once, and the batch size."""


@dataclass(frozen=True)
class TeacherJob(Job):
    """A network trained by gradient on a teacher's moves: `loss` [step], and its weights by name."""

    kind = "teacher"
    net: str
    teacher: str
    player: str
    size: int
    steps: int
    rate: float
    seed: int

    @property
    def label(self) -> str:
        return f"teacher {self.net} {self.teacher} {self.seed}"

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:
        from nobi.imitation.step import use_threads
        from nobi.imitation.teacher import TeacherGames, train_on_teacher, weights_of
        from nobi.networks.deep import make_deep

        use_threads(cache.threads, 1)  # the networks are small
        network = make_deep(self.net, self.seed)
        games = TeacherGames(variant(GAME, self.size), self.teacher, self.player, BOARDS, self.seed)
        loss = train_on_teacher(network, games, self.steps, self.rate, progress)
        return {"loss": loss, **{f"weight.{name}": array for name, array in weights_of(network).items()}}

    def network(self, arrays: Arrays) -> "DeepNetwork":
        """Return the trained network."""
        from nobi.imitation.teacher import network_with

        found = {name.removeprefix("weight."): array for name, array in arrays.items() if name.startswith("weight.")}
        return network_with(self.net, found)


@dataclass(frozen=True)
class StudentGamesJob(GamesOfRuns):
    """New games of networks trained by gradient on one board: `points` [run] and `agreement` with the teacher [run]."""

    kind = "student-games"
    runs: tuple[TeacherJob, ...]

    @property
    def label(self) -> str:
        return f"students {self.runs[0].net} on {self.size}"

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:
        from nobi.arena.play import play_games
        from nobi.imitation.teacher import TeacherGames, agreement
        from nobi.networks.deep.conv import ConvTwin
        from nobi.networks.deep.swiping import SwipingTwin
        from nobi.players.base import Player
        from nobi.players.network import NetworkPlayer, StonesPolicyPlayer

        where, seed = variant(GAME, self.size), derive_seed(self.seed, 3000 + self.size)
        points, agreed = [], []
        for i, run in enumerate(self.runs):
            network = run.network(cache.arrays(run))
            player: Player
            if isinstance(network, SwipingTwin | ConvTwin):
                player = NetworkPlayer(where, network.compiled_network(), network.compiled_weights())
            else:
                player = StonesPolicyPlayer(where, network)
            opponent = make_player(self.opponent, where)
            played = play_games(where, player, opponent, self.games, seed=seed, threads=cache.threads)
            points.append(float(played.points_of_a.mean()))
            games = TeacherGames(where, run.teacher, run.player, BOARDS, seed)
            agreed.append(agreement(network, games, max(1, self.games // 20)))
            progress((i + 1) / len(self.runs))
        return {"points": np.array(points), "agreement": np.array(agreed)}


@dataclass(frozen=True)
class GradientScale:
    """The amount of training by gradient and by evolution."""

    evolution: Measurement
    runs: int
    steps: int
    deep: str
    """The spec of the nobi-net."""


class Gradient(Study):
    """Architecture or optimiser? Networks trained by gradient on 7x7 beside evolved ones, from 5x5 to 25x25."""

    name = "beyond-gradient"
    page = "beyond"
    scales: ClassVar = {
        "tiny": GradientScale(Measurement(Training(2, 2, 4), 1, 1, 4), 2, 2, "nobi-net:width=16,blocks=1"),
        "quick": GradientScale(Measurement(Training(2, 10, 10), 9, 1, 40), 2, 50, "nobi-net:width=16,blocks=1"),
        "day": GradientScale(Measurement(Training(5, 400, 30), 399, 1, 100), 5, 6000, "nobi-net:width=16,blocks=2"),
        "paper": GradientScale(Measurement(Training(5, 1000), 999, 1, 1000), 5, 50_000, "nobi-net:width=64,blocks=6"),
    }
    sizes = (5, 7, 9, 13, 19, 25)
    rates: ClassVar = {"MDLSTM": 0.02, "CONV": 0.02, "nobi-net": 0.005}

    @property
    def nets(self) -> dict[str, str]:
        """Return name → network for training by gradient."""
        return {"MDLSTM": MDLSTM, "CONV": CONV_2, "nobi-net": f"{self.settings.deep},planes=own-enemy"}

    def conditions(self) -> dict[str, str]:
        s = self.settings
        training = s.evolution.training
        nets = "; ".join(f"{name}: {net}, {weight_count(net)} weights" for name, net in self.nets.items())
        return {
            "networks": f"{nets}; all see own and enemy stones only",
            "by gradient": f"{s.runs} runs of {s.steps:,} steps with {BOARDS} new positions each, AdamW, rates "
            + ", ".join(f"{rate:g} ({name})" for name, rate in self.rates.items()),
            "data": f"Atari-Go {TRAINED}x{TRAINED}, positions of games between heuristic players with e = 0.2, each "
            "with the move of heuristic e = 0; every step has new ones",
            "evolved": f"CMA-ES, {training} on 7x7 against heuristic "
            f"e = 0.2, {training.games} games of each network; the champion of the last generation",
            "measured": f"{s.evolution.games} new games of each network on each board against heuristic e = 0.2",
        }

    def jobs(self) -> Jobs:
        s, jobs = self.settings, {}
        for (name, net), size in product(self.nets.items(), self.sizes):
            runs = tuple(
                TeacherJob(net, TEACHER, PLAYER, TRAINED, s.steps, self.rates[name], run_seed(self.seed, run))
                for run in range(s.runs)
            )
            job: Job = StudentGamesJob(runs, size, PLAYER, s.evolution.games, self.seed)
            jobs[f"{name} by gradient", size] = job
        for name, net in list(self.nets.items())[:2]:
            settings = EvolutionSettings(game=GAME, sizes=(TRAINED,), net=net, opponents=(PLAYER,))
            evolved = evolution_runs(s.evolution.training, settings, self.seed)
            for size in self.sizes:
                jobs[f"{name} evolved", size] = s.evolution.champions(evolved, size, PLAYER, self.seed)
        return jobs

    def report(self, found: Results, out: Path) -> Findings:
        rows, agreements, values = [], [], {}
        kinds = list(dict.fromkeys(kind for kind, _ in found.jobs))
        for kind, size in found.jobs:
            arrays = found[kind, size]
            values[kind, size] = found.per_run((kind, size)) if "run" in arrays else arrays["points"]
            labels = {"network": kind, "board": f"{size}x{size}"}
            rows.append(Row.over_runs(labels, "fitness", values[kind, size], neutral=0.0))
            if "agreement" in arrays:
                share = 100 * bounded_mean(arrays["agreement"], 0.0, 1.0)
                agreements.append(Row(labels, "moves of the teacher found, %", share))
        large = [size for size in self.sizes if size > TRAINED]
        claims = [
            Claim.positive(
                f"{name} plays better trained by gradient than evolved, on every board.",
                {
                    f"{n}x{n}": bounded_difference(values[f"{name} by gradient", n], values[f"{name} evolved", n])
                    for n in self.sizes
                },
                "difference of fitness",
            )
            for name in list(self.nets)[:2]
        ]
        claims += [
            Claim.positive(
                f"Of the networks {how}, MDLSTM plays better than CONV on the boards larger than 7x7.",
                {f"{n}x{n}": bounded_difference(values[f"MDLSTM {how}", n], values[f"CONV {how}", n]) for n in large},
                "difference of fitness",
            )
            for how in ("by gradient", "evolved")
        ]
        runs = {kind: [values[kind, size] for size in self.sizes] for kind in kinds}
        runs_by_size(runs, self.sizes, out / self.figure, "Atari-Go against heuristic e = 0.2", TRAINED)
        caption = "Networks trained by gradient on the heuristic player's moves and evolved against it: means and runs."
        tables = [Table("Fitness on all boards", rows), Table("Agreement with the teacher, e = 0", agreements)]
        return Findings(tables, claims, [Picture(self.figure, caption)])
