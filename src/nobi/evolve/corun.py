"""Competitive coevolution in a folder that can be left and taken up again (`nobi.evolve.folder`).

Beside `champion.safetensors`, the champion of the latest generation, stand `champion-a` and `champion-b`, the latest of
either population. The populations are host in turn, a first: the champion of generation g is of population g % 2.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.errors import NobiError
from nobi.evolve.base import Weights
from nobi.evolve.coevolve import Coevolution, CoevolutionSettings, shared_fitness
from nobi.evolve.fitness import Fitness, games_seed
from nobi.evolve.folder import FolderRun
from nobi.evolve.measures import dominance_tournament
from nobi.evolve.relative import play_each_other
from nobi.games import variant
from nobi.networks import make_network

POPULATIONS = "ab"

AFTERWARDS = 2**62
"""The number of the generation, as it were, that measures what a run came to."""


@dataclass(frozen=True)
class CorunSettings(CoevolutionSettings):
    """What a run of coevolution depends on, all of it; the sizes are those of S08."""

    game: str = "atari-go"
    """The game, with its settings."""
    size: int = 5
    """The board."""
    net: str = "mdrnn"
    """The network, with its settings: `mdrnn:hidden=10`, `mdlstm:hidden=3` …"""
    generations: int = 400
    """How many generations."""
    games: int = 2
    """Games of a host with an opponent; two are enough if the networks are greedy."""
    temperature: float = 0.0
    """Of the networks' choice of moves; 0 for greedy ones."""
    measure_against: str = ""
    """A player against whom every champion is measured, which selects nobody; none if empty."""
    measure_games: int = 100
    """Games for that."""
    seed: int = 0
    """Chooses everything that is random."""

    def check(self) -> None:
        """Refuses what makes no run."""
        if self.generations < 1:
            raise NobiError(f"generations must be 1 or more, not {self.generations}.")
        for name in ("games", "measure_games"):
            if (number := getattr(self, name)) < 2 or number % 2:
                raise NobiError(f"{name.replace('_', '-')} must be an even number, half for each colour, not {number}.")
        if not 0 <= self.temperature < np.inf:
            raise NobiError(f"temperature must be 0 or more, not {self.temperature}.")


@dataclass(frozen=True)
class Dominance:
    """The dominant generation champions, as the numbers of their generations; the dominance number is how many."""

    all: list[int]
    """Of the tournament of all champions: S08's."""
    a: list[int]
    """Of that of one population's champions."""
    b: list[int]


class Corun(FolderRun):
    """A run of coevolution, in memory and in its folder.

    A line of its metrics has the host population, its champion's shared fitness and mean score, and the champion's
    `absolute` fitness, S08's score against the player of `measure_against`, if there is one.
    """

    format = "nobi-corun-1"

    def __init__(self, folder: Path, settings: CorunSettings, *, resume: bool, threads: int = 0) -> None:
        settings.check()
        self._settings = settings
        self._threads = threads
        self._variant = variant(settings.game, settings.size)
        network = make_network(settings.net)
        self.coevolution = Coevolution(settings, network.weight_count(settings.size), settings.seed)
        super().__init__(folder, settings, self.coevolution, network, settings.size)
        self._fitness: Fitness | None = None
        if settings.measure_against:
            self._fitness = Fitness(
                settings.game,
                (settings.size,),
                network,
                (settings.measure_against,),
                settings.measure_games,
                settings.seed,
                threads,
            )
        self._measured: list[float] = []
        """[generation] of those that were measured before the run was resumed."""
        self.open(resume=resume)

    def play(self, asked: tuple[Weights, Weights]) -> NDArray[np.float64]:
        """[host, opponent] the relative fitness."""
        return self._relative(*asked, self.generation)

    def describe(self, asked: tuple[Weights, Weights], told: NDArray[np.float64]) -> tuple[Weights, dict[str, Any]]:
        """The champion, its population, its fitness."""
        host = self.coevolution.champion_index
        line = {
            "population": POPULATIONS[self.coevolution.champion_population],
            "shared": float(shared_fitness(told > 0)[host]),
            "score": float(told[host].mean()),
        }
        champion = asked[0][host]
        if self._fitness:
            line["absolute"] = self._absolute(self._fitness, champion)
        return champion, line

    def models(self) -> dict[str, Weights]:
        """The latest champion, and the latest of each population."""
        latest = {
            POPULATIONS[g % 2]: self.done[g].champion for g in range(max(0, self.generation - 2), self.generation)
        }
        return {**super().models(), **{f"champion-{population}": latest[population] for population in sorted(latest)}}

    def more_tensors(self) -> dict[str, NDArray[Any]]:
        """What took games to measure."""
        return {"absolute": np.array([one.line["absolute"] for one in self.done])} if self._fitness else {}

    def take_tensors(self, tensors: dict[str, NDArray[Any]]) -> None:
        """Takes it back."""
        if self._fitness:
            self._measured = tensors["absolute"].tolist()

    def champions(self, population: str) -> Weights:
        """[i, weight] the champions of population a or b, in the order of their generations."""
        own = [one.champion for one in self.done[POPULATIONS.index(population) :: 2]]
        return np.stack(own) if own else np.zeros((0, self.network.weight_count(self.size)), np.float32)

    def dominance(self) -> Dominance:
        """The dominance tournaments of the generation champions."""
        champions = [one.champion for one in self.done]

        @cache
        def score(i: int, j: int) -> float:
            if np.array_equal(champions[i], champions[j]):
                return 0.0  # nobody beats himself, however ties are broken
            return float(self._relative(champions[i][None], champions[j][None], AFTERWARDS)[0, 0])

        def tournament(first: int, step: int) -> list[int]:
            numbers = range(first, len(champions), step)
            return [numbers[i] for i in dominance_tournament(lambda i, j: score(numbers[i], numbers[j]), len(numbers))]

        return Dominance(tournament(0, 1), tournament(0, 2), tournament(1, 2))

    def ciao(self) -> NDArray[np.float64]:
        """[i, j] the score of champion i of population a against champion j of population b: S08's figure 8."""
        return self._relative(self.champions("a"), self.champions("b"), AFTERWARDS)

    @property
    def games_done(self) -> int:
        """How many games the run has taken so far, those that measure not counted."""
        return sum(one.told.size for one in self.done) * self._settings.games

    def _relative(self, firsts: Weights, seconds: Weights, generation: int) -> NDArray[np.float64]:
        settings = self._settings
        seed = games_seed(settings.seed, generation)
        return play_each_other(
            self._variant, self.network, firsts, seconds, settings.games, seed, self._threads, settings.temperature
        )

    def _absolute(self, fitness: Fitness, champion: Weights) -> float:
        if self.generation < len(self._measured):
            return self._measured[self.generation]
        return float(fitness.measure(champion[None], self.generation, "score")[0])
