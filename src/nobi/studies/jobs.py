"""The jobs of studies: random networks, evolution, coevolution, champions on other boards.

A job is a frozen dataclass, and its result is a deterministic function of its settings. The name of a job and of its
file consists of a label and a hash of the settings: equal jobs of different studies share a file.
"""

import dataclasses
import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nobi.evolution.coevolution import CoevolutionRun
from nobi.evolution.fitness import MEASURES, Fitness, games_seed, play_each_other
from nobi.evolution.run import EvolutionRun
from nobi.evolution.settings import PUBLISHED_RULES, CoevolutionSettings, EvolutionSettings
from nobi.games import variant
from nobi.networks import make_network
from nobi.nn.network import Weights
from nobi.streams import derive_seed
from nobi.trainers import find as find_trainer

if TYPE_CHECKING:
    from nobi.studies.cache import JobCache

Arrays = dict[str, NDArray[Any]]
Progress = Callable[[float], None]
"""Function that receives the completed fraction of a job."""

BATCH = 16
"""Number of networks that play between two progress reports."""


@dataclass(frozen=True)
class Job(ABC):
    """A computation whose result is stored."""

    kind: ClassVar[str]

    def identity(self) -> dict[str, Any]:
        """Return the settings that the result depends on."""
        return dataclasses.asdict(self)

    @property
    def description(self) -> str:
        """Kind and identity as JSON; the hash in the name is computed from it."""
        return json.dumps({"kind": self.kind, **self.identity()}, sort_keys=True)

    @property
    def name(self) -> str:
        """A unique name: label and hash."""
        digest = hashlib.blake2b(self.description.encode(), digest_size=6).hexdigest()
        return f"{self.label}-{digest}".translate(str.maketrans(":, /", "----", "="))

    @property
    @abstractmethod
    def label(self) -> str:
        """A short readable description."""

    @property
    def dependencies(self) -> "Sequence[Job]":
        """The jobs whose results it needs: those among its settings."""
        settings = (getattr(self, one.name) for one in dataclasses.fields(self))
        groups = (value if isinstance(value, tuple) else (value,) for value in settings)
        return [job for group in groups for job in group if isinstance(job, Job)]

    @abstractmethod
    def make(self, cache: "JobCache", progress: Progress) -> Arrays:
        """Compute the result."""


def run_seed(seed: int, run: int) -> int:
    """Return the seed of a run of a study."""
    return 1000 * seed + run


def random_weights(net: str, networks: int, size: int, seed: int) -> Weights:
    """Return random weights, [network, weight]; those of a scalable network are the same for every board size."""
    network = make_network(net)
    rngs = [np.random.Generator(np.random.PCG64([seed, number])) for number in range(networks)]
    return np.stack([network.random_weights(size, rng) for rng in rngs])


def measure_networks(fitness: Fitness, weights: Weights, progress: Progress) -> Arrays:
    """Return `points` and `score` [network]: the fitness of S09 and of S08 on one board against one opponent."""
    found: dict[str, list[float]] = {"points": [], "score": []}
    for begin in range(0, len(weights), BATCH):
        for (played,) in fitness.play(weights[begin : begin + BATCH], 0):
            for measure, values in found.items():
                values.append(float(MEASURES[measure](played).mean()))
        progress(min(1.0, (begin + BATCH) / len(weights)))
    return {measure: np.array(values) for measure, values in found.items()}


@dataclass(frozen=True)
class RandomNetworksJob(Job):
    """Games of random networks against an opponent: `points` and `score` [network].

    The networks are the same on every board and against every opponent; the games are not.
    """

    kind = "random"
    net: str
    game: str
    size: int
    opponent: str
    networks: int
    games: int
    seed: int
    deviation: float = 1.0
    """The standard deviation of the weights."""

    def identity(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "deviation" or value != 1.0}

    @property
    def label(self) -> str:
        return f"random {self.net} {self.game} {self.size} {self.opponent}"

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:
        seed = derive_seed(self.seed, self.size)
        network, opponents = make_network(self.net), (self.opponent,)
        fitness = Fitness(self.game, (self.size,), network, opponents, self.games, seed, executor=cache.executor)
        weights = random_weights(self.net, self.networks, self.size, self.seed)
        return measure_networks(fitness, (self.deviation * weights).astype(np.float32), progress)


@dataclass(frozen=True)
class EvolutionJob(Job):
    """A run of evolution: `mean`, `best` and perhaps `e` [generation], `champions` [generation, weight]."""

    kind = "evolution"
    settings: EvolutionSettings

    def identity(self) -> dict[str, Any]:
        """Return all settings, and the version of a trainer that was changed, so that its jobs are computed again."""
        version = find_trainer(self.settings.method.partition(":")[0]).version
        return {**super().identity(), **({"trainer_version": version} if version > 1 else {})}

    @property
    def label(self) -> str:
        s = self.settings
        sizes = "+".join(map(str, s.sizes))
        return f"evolve {s.net} {s.game} {sizes} {s.opponents[0]} {s.method.split(':')[0]} {s.seed}"

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:
        run = EvolutionRun(cache.run_folder(self), self.settings, resume=True, executor=cache.executor)
        run.train(lambda run: progress(run.generation / self.settings.generations))
        lines = run.metrics()
        arrays: Arrays = {key: np.array([line[key] for line in lines]) for key in lines[0] if key != "generation"}
        return {**arrays, "champions": np.stack([one.champion for one in run.done])}


@dataclass(frozen=True)
class CoevolutionJob(Job):
    """A run of coevolution.

    The result: `absolute`, `score`, `shared` [generation] and `champions` [generation, weight] of the generations'
    champions; `dominant`, `dominant_a`, `dominant_b` [i], the generations of the dominant ones; `ciao` [i, j], the
    scores of population a's champions against b's.
    """

    kind = "coevolution"
    settings: CoevolutionSettings

    def identity(self) -> dict[str, Any]:
        """Return the settings; published rules that are not used are omitted, so that older names stay the same."""
        settings = dataclasses.asdict(self.settings)
        for name in PUBLISHED_RULES:
            if settings[name] == getattr(CoevolutionSettings, name):
                del settings[name]
        return {"settings": settings}

    @property
    def label(self) -> str:
        s = self.settings
        rules = [getattr(s, name) for name, value in PUBLISHED_RULES.items() if getattr(s, name) == value]
        selection = "elitist" if s.elitist else "non-elitist"
        return " ".join(["coevolve", s.net, s.game, str(s.size), selection, *rules, str(s.seed)])

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:
        run = CoevolutionRun(cache.run_folder(self), self.settings, resume=True, executor=cache.executor)
        run.train(lambda run: progress(0.8 * run.generation / self.settings.generations))
        lines = run.metrics()
        dominance = run.dominance()
        return {
            **{key: np.array([line[key] for line in lines]) for key in ("absolute", "score", "shared")},
            "champions": np.stack([one.champion for one in run.done]),
            "dominant": np.array(dominance.all),
            "dominant_a": np.array(dominance.a),
            "dominant_b": np.array(dominance.b),
            "ciao": run.ciao(),
        }


@dataclass(frozen=True)
class TournamentJob(Job):
    """All champions of a run of coevolution against each other: `scores` [i, j], the mean score of i over two games.

    Each of the two networks starts one game. Scores are antisymmetric, so half of the pairs are played.
    """

    kind = "tournament"
    run: CoevolutionJob

    def identity(self) -> dict[str, Any]:
        return {"run": self.run.name}

    @property
    def label(self) -> str:
        return f"tournament {self.run.label}"

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:
        s = self.run.settings
        champions = cache.arrays(self.run)["champions"]
        board, network = variant(s.game, s.size), make_network(s.net)
        count = len(champions)
        scores = np.zeros((count, count))
        for begin in range(0, count, BATCH):
            rows, columns = champions[begin : begin + BATCH], champions[begin:]
            seed = games_seed(s.seed, begin)
            found = play_each_other(
                board, network, rows, columns, 2, seed, temperature=s.temperature, executor=cache.executor
            )
            scores[begin : begin + BATCH, begin:] = found
            progress(min(1.0, (begin + BATCH) / count))
        upper = np.triu(scores, 1)
        same = (champions[:, None] == champions[None]).all(axis=2)  # a champion does not beat itself
        return {"scores": np.where(same, 0.0, upper - upper.T)}


@dataclass(frozen=True)
class JobOnRuns(Job):
    """A job on the results of runs; its description contains their names instead of their settings."""

    runs: Sequence[Job]

    def identity(self) -> dict[str, Any]:
        return {**vars(self), "runs": [run.name for run in self.runs]}


@dataclass(frozen=True)
class GamesOfRuns(JobOnRuns):
    """New games of the trained networks of runs, on one board against one opponent."""

    size: int
    opponent: str
    games: int
    seed: int


@dataclass(frozen=True)
class ChampionsJob(JobOnRuns):
    """New games of the champions of runs on one board: `points`, `score` and `run` [champion].

    The fitness by which a champion was selected is the maximum of many noisy values and therefore biased; it is not
    used.
    """

    kind = "champions"
    runs: tuple[EvolutionJob, ...] | tuple[CoevolutionJob, ...]
    first: int
    """The first generation whose champion is used."""
    step: int
    """The number of generations between two champions."""
    size: int
    opponent: str
    games: int
    seed: int

    @property
    def label(self) -> str:
        s = self.runs[0].settings
        return f"champions {self.runs[0].kind} {s.net} {s.game} on {self.size} {self.opponent}"

    @property
    def chosen(self) -> range:
        """The generations whose champions are used."""
        return range(self.first, self.runs[0].settings.generations, self.step)

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:
        s = self.runs[0].settings
        chosen = list(self.chosen)
        weights = np.concatenate([cache.arrays(run)["champions"][chosen] for run in self.runs])
        seed = derive_seed(self.seed, 1000 + self.size)
        network, opponents = make_network(s.net), (self.opponent,)
        fitness = Fitness(s.game, (self.size,), network, opponents, self.games, seed, executor=cache.executor)
        found = measure_networks(fitness, weights, progress)
        return {**found, "run": np.repeat(np.arange(len(self.runs)), len(chosen))}


@dataclass(frozen=True)
class Training:
    """The amount of training."""

    runs: int
    generations: int
    games: int = 100
    """Games of every candidate in every generation; in coevolution, of every champion against a fixed opponent."""

    def __str__(self) -> str:
        return f"{self.runs} runs of {self.generations} generations"


def evolution_runs(training: Training, settings: EvolutionSettings, seed: int) -> tuple[EvolutionJob, ...]:
    """Return runs with the same settings and different seeds."""
    settings = replace(settings, generations=training.generations, games=training.games)
    return tuple(EvolutionJob(replace(settings, seed=run_seed(seed, run))) for run in range(training.runs))


def coevolution_runs(training: Training, settings: CoevolutionSettings, seed: int) -> tuple[CoevolutionJob, ...]:
    """Return runs with the same settings and different seeds."""
    settings = replace(settings, generations=training.generations, measure_games=training.games)
    return tuple(CoevolutionJob(replace(settings, seed=run_seed(seed, run))) for run in range(training.runs))


@dataclass(frozen=True)
class Measurement:
    """Training, and the champions and random networks that are measured."""

    training: Training
    first: int
    """The first generation whose champion is measured."""
    step: int
    games: int
    networks: int = 0
    """Number of random networks."""

    def champions(
        self, runs: tuple[EvolutionJob, ...] | tuple[CoevolutionJob, ...], size: int, opponent: str, seed: int
    ) -> ChampionsJob:
        """Return the measurement of champions on a board."""
        return ChampionsJob(runs, self.first, self.step, size, opponent, self.games, seed)

    def random_networks(self, net: str, game: str, size: int, opponent: str, seed: int) -> RandomNetworksJob:
        """Return the measurement of random networks on a board."""
        return RandomNetworksJob(net, game, size, opponent, self.networks, self.games, seed)

    def describe(self) -> str:
        """Return text such as `one champion every 7 generations from generation 50 on`."""
        step = "every champion" if self.step == 1 else f"one champion every {self.step} generations"
        return f"{step} from generation {self.first} on"


def learning_curves(runs: Sequence[Arrays]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean and the best fitness of runs of evolution, [run, generation] each."""
    mean, best = (np.stack([run[key] for run in runs]) for key in ("mean", "best"))
    return mean, best
