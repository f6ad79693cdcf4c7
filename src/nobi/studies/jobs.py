"""The pieces of work that studies are made of. Each is a pure function of its settings.

A piece is a frozen dataclass. Its name, and that of its file, is made of its kind and a hash of its settings: the same
piece is the same file, whichever study asks for it.
"""

import dataclasses
import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nobi.evolution.coevolution import CoevolutionRun
from nobi.evolution.fitness import MEASURES, Fitness
from nobi.evolution.run import EvolutionRun
from nobi.evolution.settings import CoevolutionSettings, EvolutionSettings
from nobi.networks import make_network
from nobi.nn.network import Weights
from nobi.streams import stream_of

if TYPE_CHECKING:
    from nobi.studies.cache import JobCache


Arrays = dict[str, NDArray[Any]]

PER_SECOND = 3e8
"""Cells of boards that all cores together pass through a small network in a second, very roughly: for time left."""


@dataclass(frozen=True)
class Job(ABC):
    """A piece of work."""

    kind: ClassVar[str]

    @property
    def description(self) -> str:
        """All settings, as text."""
        return json.dumps({"kind": self.kind, **dataclasses.asdict(self)}, sort_keys=True)

    @property
    def name(self) -> str:
        """A name that no other piece has."""
        digest = hashlib.blake2b(self.description.encode(), digest_size=6).hexdigest()
        return f"{self.label}-{digest}".replace(":", "-").replace("=", "").replace(",", "-").replace(" ", "-")

    @property
    @abstractmethod
    def label(self) -> str:
        """A few words for people."""

    @property
    @abstractmethod
    def cost(self) -> float:
        """About how many seconds it takes; only the time left is worked out from it."""

    @abstractmethod
    def make(self, cache: "JobCache", progress: Callable[[float], None]) -> Arrays:
        """Does the work; progress is told the share that is done."""


def _games_cost(net: str, size: int, opponent: str, games: int) -> float:
    """Seconds for so many games of a network, very roughly."""
    network = make_network(net)
    units = getattr(network.settings, "hidden", 3)
    per_cell = 2.0 + (3 * units if net.startswith("mlp") else units**2 / 4) + (8 if net.startswith("mdlstm") else 0)
    plies = size * size * (0.3 if size < 12 else 0.2)
    seconds = games * plies * size * size * per_cell / PER_SECOND
    return seconds * (3 if opponent.startswith("heuristic") else 1)


def random_weights(net: str, networks: int, size: int, seed: int) -> Weights:
    """[network, weight] networks of random weights; of a scalable network the same ones on every board."""
    network = make_network(net)
    rows = [
        network.random_weights(size, np.random.Generator(np.random.PCG64([seed, number]))) for number in range(networks)
    ]
    return np.stack(rows)


def measured(
    net: str,
    weights: Weights,
    game: str,
    size: int,
    opponent: str,
    games: int,
    seed: int,
    threads: int,
    progress: Callable[[float], None],
) -> Arrays:
    """`points` and `score` [network]: the fitness of S09 and of S08."""
    fitness = Fitness(game, (size,), make_network(net), (opponent,), games, seed, threads)
    found: dict[str, list[float]] = {"points": [], "score": []}
    few = 16
    for begin in range(0, len(weights), few):
        for (played,) in fitness.play(weights[begin : begin + few], 0):
            for measure, values in found.items():
                values.append(float(MEASURES[measure](played).mean()))
        progress(min(1.0, (begin + few) / len(weights)))
    return {measure: np.array(values) for measure, values in found.items()}


@dataclass(frozen=True)
class RandomNetworks(Job):
    """Networks of random weights against an opponent on a board: `points` and `score` [network].

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

    @property
    def label(self) -> str:
        """A few words for people."""
        return f"random {self.net} {self.game} {self.size} {self.opponent}"

    @property
    def cost(self) -> float:
        """Seconds, roughly."""
        return self.networks * _games_cost(self.net, self.size, self.opponent, self.games)

    def make(self, cache: "JobCache", progress: Callable[[float], None]) -> Arrays:
        """Lets all networks play."""
        weights = random_weights(self.net, self.networks, self.size, self.seed)
        seed = int(stream_of(self.seed, self.size)) >> 1
        return measured(
            self.net, weights, self.game, self.size, self.opponent, self.games, seed, cache.threads, progress
        )


@dataclass(frozen=True)
class Evolution(Job):
    """A run of evolution: `mean`, `best` and perhaps `e` [generation], `champions` [generation, weight]."""

    kind = "evolution"
    settings: EvolutionSettings

    @property
    def label(self) -> str:
        """A few words for people."""
        s = self.settings
        sizes = "+".join(map(str, s.sizes))
        return f"evolve {s.net} {s.game} {sizes} {s.opponents[0]} {s.method.split(':')[0]} {s.seed}"

    @property
    def cost(self) -> float:
        """Seconds, roughly."""
        s = self.settings
        weights = make_network(s.net).weight_count(s.sizes[0])
        candidates = 20 if s.method.startswith("es") else 4 + 3 * np.log(weights)
        heuristic = "heuristic" if s.curriculum else s.opponents[0]
        games = sum(_games_cost(s.net, size, heuristic, s.games) for size in s.sizes)
        return float(s.generations * (candidates * games + 1e-9 * weights**2.5))

    def make(self, cache: "JobCache", progress: Callable[[float], None]) -> Arrays:
        """Trains, or goes on training."""
        folder = cache.run_folder(self.name)
        run = EvolutionRun(folder, self.settings, resume=True, threads=cache.threads)
        run.train(lambda run: progress(run.generation / self.settings.generations))
        lines = run.metrics()
        arrays: Arrays = {key: np.array([line[key] for line in lines]) for key in lines[0] if key != "generation"}
        return {**arrays, "champions": np.stack([one.champion for one in run.done])}


@dataclass(frozen=True)
class Coevolution(Job):
    """A run of coevolution.

    `absolute`, `score`, `shared` [generation] and `champions` [generation, weight] of the generations' champions,
    `dominant`, `dominant_a`, `dominant_b` [i] the generations of the dominant ones, `ciao` [i, j] the scores of
    population a's champions against b's.
    """

    kind = "coevolution"
    settings: CoevolutionSettings

    @property
    def label(self) -> str:
        """A few words for people."""
        s = self.settings
        return f"coevolve {s.net} {s.game} {s.size} {'elitist' if s.elitist else 'non-elitist'} {s.seed}"

    @property
    def cost(self) -> float:
        """Seconds, roughly."""
        s = self.settings
        games = s.population * (s.parasites + s.hall) * s.games + s.measure_games
        return s.generations * 3 * _games_cost(s.net, s.size, "naive", games)

    def make(self, cache: "JobCache", progress: Callable[[float], None]) -> Arrays:
        """Trains, or goes on training; then the tournaments."""
        folder = cache.run_folder(self.name)
        run = CoevolutionRun(folder, self.settings, resume=True, threads=cache.threads)
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
class Champions(Job):
    """Champions of runs measured anew on a board: `points` and `score` [champion], `run` [champion] whose they are.

    The fitness that made a network champion is the luckiest of many; it is never used again.
    """

    kind = "champions"
    runs: tuple[Evolution | Coevolution, ...]
    first: int
    """The first generation whose champion is taken."""
    step: int
    """Every how many generations one is taken."""
    size: int
    opponent: str
    games: int
    seed: int

    @property
    def label(self) -> str:
        """A few words for people."""
        s = self.runs[0].settings
        method = self.runs[0].kind
        return f"champions {method} {s.net} {s.game} on {self.size} {self.opponent}"

    @property
    def description(self) -> str:
        """The runs by their names, which tell all."""
        own = {key: value for key, value in vars(self).items() if key != "runs"}
        return json.dumps({"kind": self.kind, **own, "runs": [run.name for run in self.runs]}, sort_keys=True)

    @property
    def chosen(self) -> range:
        """The generations whose champions are taken."""
        return range(self.first, self.runs[0].settings.generations, self.step)

    @property
    def cost(self) -> float:
        """Seconds, roughly."""
        s = self.runs[0].settings
        return len(self.runs) * len(self.chosen) * _games_cost(s.net, self.size, self.opponent, self.games)

    def make(self, cache: "JobCache", progress: Callable[[float], None]) -> Arrays:
        """Lets the champions play."""
        s = self.runs[0].settings
        chosen = list(self.chosen)
        weights = np.concatenate([cache.arrays(run)["champions"][chosen] for run in self.runs])
        run = np.repeat(np.arange(len(self.runs)), len(chosen))
        seed = int(stream_of(self.seed, 1000 + self.size)) >> 1
        found = measured(s.net, weights, s.game, self.size, self.opponent, self.games, seed, cache.threads, progress)
        return {**found, "run": run}
