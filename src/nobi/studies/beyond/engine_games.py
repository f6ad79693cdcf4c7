"""Evolved networks against a Go engine: as the opponent of evolution, and to measure champions."""

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nobi.evolution.fitness import Fitness, games_seed
from nobi.games import variant
from nobi.games.base import Variant
from nobi.gtp.client import PREFIX
from nobi.matches.series import Entrant, Series, pairings
from nobi.matches.settings import SeriesSettings
from nobi.networks import make_network
from nobi.nn.network import Weights
from nobi.players.base import Bot, PlayerBot
from nobi.players.network import NetworkPlayer
from nobi.streams import derive_seed
from nobi.studies.jobs import Arrays, EvolutionJob, Job, JobOnRuns, Progress, measure_networks
from nobi.studies.resources import Engine
from nobi.trainers import make_trainer

if TYPE_CHECKING:
    from nobi.studies.cache import JobCache

GAME = "go:komi=7.5"
OPTIONS = "--level 0 --chinese-rules --positional-superko"
"""Options of GNU Go: the weakest level, and the same rules of Go as ours."""
STAND_IN = "playout"
"""The opponent at the scale `tiny`, which does not need an engine."""
ANSWER_SECONDS = 60.0


@dataclass(frozen=True)
class WeightsEntrant(Entrant):
    """An entrant with a network that is not in a file."""

    network: str = ""
    weights: Weights = field(default_factory=lambda: np.zeros(0, np.float32), compare=False)

    def make(self, game: int = 0) -> Bot:
        player = NetworkPlayer(self.variant, make_network(self.network), self.weights)
        return PlayerBot(player, self.seed, game)


def engine_spec(engine: Engine | None, cache: "JobCache") -> str:
    """Return the spec of the opponent."""
    return f"{PREFIX}{cache.command(engine.name)} {OPTIONS}" if engine else STAND_IN


def engine_title(engine: Engine | None) -> str:
    """Return the name of the opponent in tables."""
    return f"{engine.title} level 0" if engine else f"{STAND_IN}, instead of an engine"


def points_against(
    where: Variant, net: str, weights: Weights, opponent: str, games: int, seed: int
) -> NDArray[np.float64]:
    """Return the outcomes 1, 0 or -1, [game], of a network against an opponent, played one game after the other.

    Games without a result count as 0.
    """
    entrants = [
        WeightsEntrant("network", where, derive_seed(seed, 0), ANSWER_SECONDS, "network", net, weights),
        Entrant(opponent, where, derive_seed(seed, 1), ANSWER_SECONDS, "opponent"),
    ]
    with Series(SeriesSettings(), entrants) as series:
        series.play(pairings(2, games))
    points = [result.points(0) for result in series.results]
    return np.array([0.0 if made is None else 2 * made - 1 for made in points], np.float64)


@dataclass(frozen=True)
class EngineEvolutionJob(Job):
    """CMA-ES against an engine: `champions` [generation, weight], and `mean` and `best` [generation]."""

    kind = "engine-evolution"
    net: str
    size: int
    engine: Engine | None
    generations: int
    games: int
    seed: int

    @property
    def label(self) -> str:
        return f"evolve {self.net} go {self.size} {self.engine.name if self.engine else STAND_IN} {self.seed}"

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:
        where, network = variant(GAME, self.size), make_network(self.net)
        trainer = make_trainer("cmaes", network.weight_count(self.size), self.seed)
        opponent, champions, lines = engine_spec(self.engine, cache), [], []
        for generation in range(self.generations):
            candidates, seed = trainer.ask(), games_seed(self.seed, generation)
            points = np.empty(len(candidates))
            for i, weights in enumerate(candidates):
                points[i] = points_against(where, self.net, weights, opponent, self.games, seed).mean()
                progress((generation + (i + 1) / len(candidates)) / self.generations)
            trainer.tell(points)
            champions.append(candidates[trainer.champion])
            lines.append((points.mean(), points.max()))
        mean, best = np.array(lines).T
        return {"champions": np.stack(champions), "mean": mean, "best": best}


@dataclass(frozen=True)
class EngineGamesJob(JobOnRuns):
    """New games of the champions of the last generations of runs on one board: `points` and `run` [run]."""

    kind = "engine-games"
    runs: tuple[EvolutionJob, ...] | tuple[EngineEvolutionJob, ...]
    net: str
    size: int
    engine: Engine | None
    games: int
    seed: int

    def identity(self) -> dict[str, Any]:
        return {**super().identity(), "engine": asdict(self.engine) if self.engine else None}

    @property
    def label(self) -> str:
        return f"engine games {self.runs[0].label} on {self.size} {self.engine.name if self.engine else STAND_IN}"

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:
        where, opponent = variant(GAME, self.size), engine_spec(self.engine, cache)
        points = []
        for i, run in enumerate(self.runs):
            champion = cache.arrays(run)["champions"][-1]
            seed = derive_seed(self.seed, 4000 + 100 * self.size + i)
            points.append(points_against(where, self.net, champion, opponent, self.games, seed).mean())
            progress((i + 1) / len(self.runs))
        return {"points": np.array(points), "run": np.arange(len(self.runs))}


@dataclass(frozen=True)
class PlayoutGamesJob(JobOnRuns):
    """New games of the champions of the last generations of runs against `playout`: `points` and `run` [run]."""

    kind = "playout-games"
    runs: tuple[EvolutionJob, ...] | tuple[EngineEvolutionJob, ...]
    net: str
    size: int
    games: int
    seed: int

    @property
    def label(self) -> str:
        return f"playout games {self.runs[0].label} on {self.size}"

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:
        seed = derive_seed(self.seed, 5000 + self.size)
        network = make_network(self.net)
        fitness = Fitness(GAME, (self.size,), network, ("playout",), self.games, seed, executor=cache.executor)
        weights = np.stack([cache.arrays(run)["champions"][-1] for run in self.runs])
        return {"points": measure_networks(fitness, weights, progress)["points"], "run": np.arange(len(self.runs))}
