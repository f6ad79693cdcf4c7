"""Competitive coevolution of two populations: S08 sections IV-A and V-D.

In every generation one population, the hosts, is evaluated against opponents from the other, the parasites, and from
the hall of fame, then selected and mutated; in the next generation the roles are swapped. *Shared fitness*, *shared
sampling* and the *hall of fame* are those of Rosin & Belew, "Methods for competitive co-evolution" (1995).

What the paper leaves open:

* The parasites are the other population as it was evaluated last, before its mutants replaced it: these have results,
  by which they can be sampled. Mutants have met nobody.
* There is one hall of fame, for the champions of both populations, each of them once.
* While the hall holds fewer players than wanted, more parasites take their places: 15 at first.
* Shared fitness selects; between equals relative fitness, the mean score, decides. The champion of a generation, who
  enters the hall, is the host of the best relative fitness.

MERGED evolve/corun.py: Competitive coevolution in a folder that can be left and taken up again (`nobi.evolution.run`).

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
from nobi.evolution.fitness import Fitness, games_seed, play_each_other
from nobi.evolution.run import TrainingRun
from nobi.evolution.transfer import dominance_tournament
from nobi.games import variant
from nobi.networks import make_network
from nobi.trainers.base import Population, mutants, random_weights

_DIGITS = 9
"""Sums of shares are compared after rounding to so many digits, so that the order of adding cannot break a tie."""


@dataclass(frozen=True)
class CoevolutionSettings:
    """The sizes of S08."""

    population: int = 15
    """How many networks each of the two populations has."""
    selected: int = 5
    """How many of the hosts are selected."""
    parasites: int = 5
    """How many opponents come from the other population."""
    hall: int = 10
    """How many opponents come from the hall of fame."""
    elitist: bool = True
    """Whether those selected stay, beside their mutants, or are replaced by mutants."""
    mutation: float = 0.1
    """The standard deviation of the change of every weight."""

    def __post_init__(self) -> None:
        if not 1 <= self.selected <= self.population:
            raise ValueError(f"selected must be 1 to population, not {self.selected} of {self.population}")
        if self.elitist and self.selected == self.population:
            raise ValueError("with elitism selected must be less than population, or nothing would ever change")
        if not 1 <= self.parasites <= self.population:
            raise ValueError(f"parasites must be 1 to population, not {self.parasites} of {self.population}")
        if self.hall < 0:
            raise ValueError(f"hall must be 0 or more, not {self.hall}")
        if not 0 < self.mutation < np.inf:
            raise ValueError(f"mutation must be above 0, not {self.mutation}")


def shared_fitness(wins: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The fitness of hosts where a win over an opponent is shared by all hosts who beat him.

    Args:
        wins: [host, opponent] whether the host beat the opponent.

    Returns:
        [host] Σ over the opponents it beat of 1 / (number of hosts that beat this opponent).
    """
    beaten_by = wins.sum(axis=0)
    return (wins / np.maximum(beaten_by, 1)).sum(axis=1)


def shared_sample(wins: NDArray[np.bool_], count: int) -> NDArray[np.int64]:
    """Chooses parasites that together beat as many different hosts as possible, one after the other.

    A host is worth 1 / (1 + number of parasites chosen so far that beat it); the next chosen is the parasite that beats
    the most worth, the first of equals.

    Args:
        wins: [parasite, host] whether the parasite beat the host.
        count: how many to choose; all if there are fewer.

    Returns:
        [i] the parasites in the order they were chosen.
    """
    parasites, hosts = wins.shape
    covered = np.zeros(hosts)
    chosen: list[int] = []
    for _ in range(min(count, parasites)):
        worth = np.round((wins / (1 + covered)).sum(axis=1), _DIGITS)
        worth[chosen] = -1
        best = int(np.argmax(worth))
        chosen.append(best)
        covered += wins[best]
    return np.array(chosen, np.int64)


def hall_sample(members: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """[i] the members of a hall of fame to meet: different ones, all equally likely; all if there are fewer."""
    return rng.permutation(members)[:count]


def best_first(shared: NDArray[np.float64], relative: NDArray[np.float64]) -> NDArray[np.int64]:
    """[i] the hosts by shared [host] fitness; between equals by relative [host] fitness, then in their order."""
    return np.lexsort((-relative, -np.round(shared, _DIGITS)))


class Coevolution:
    """Two populations that train each other. Asked and told in turn like a trainer; see `nobi.trainers.base.replay`."""

    def __init__(self, settings: CoevolutionSettings | None, weights: int, seed: int) -> None:
        if weights < 1:
            raise ValueError(f"a network has 1 weight or more, not {weights}")
        self.settings = CoevolutionSettings() if settings is None else settings
        self.rng = np.random.Generator(np.random.PCG64(seed))
        self.generation = 0
        """How many generations have been told."""
        self.champions: list[Population] = []
        """[generation] the weights of its champion, who is of population generation % 2."""
        size = self.settings.population
        self._populations = [random_weights(size, weights, self.rng) for _ in range(2)]
        # each population as it was evaluated last, and [member, met] whom of the other population it beat then
        self._evaluated = list(self._populations)
        self._wins = [np.zeros((size, 0), np.bool_) for _ in range(2)]
        self._hall: list[Population] = []
        self._asked: tuple[Population, Population] | None = None
        self._parasites_met = 0
        self._champion: int | None = None

    @property
    def host_population(self) -> int:
        """Which population, 0 or 1, is the hosts of the generation to come."""
        return self.generation % 2

    @property
    def champion(self) -> Population:
        """[weight] the host of the best relative fitness in the generation that was told last."""
        if not self.champions:
            raise RuntimeError("no generation has been told yet")
        return self.champions[-1]

    @property
    def champion_index(self) -> int:
        """Which of the hosts that were told last this champion is."""
        if self._champion is None:
            raise RuntimeError("no generation has been told yet")
        return self._champion

    @property
    def champion_population(self) -> int:
        """Which population, 0 or 1, this champion is of."""
        return (self.generation - 1) % 2

    def ask(self) -> tuple[Population, Population]:
        """(hosts [h, weight], opponents [o, weight]): each host is to meet each opponent; the same until it is told."""
        if self._asked is None:
            hall = hall_sample(len(self._hall), self.settings.hall, self.rng)
            other = 1 - self.host_population
            wanted = self.settings.parasites + self.settings.hall - len(hall)
            parasites = self._evaluated[other][shared_sample(self._wins[other], wanted)]
            self._parasites_met = len(parasites)
            opponents = np.concatenate([parasites, *(self._hall[i][None] for i in hall)])
            self._asked = self._populations[self.host_population], opponents
        hosts, opponents = self._asked
        return hosts.copy(), opponents.copy()

    def tell(self, scores: NDArray[np.float64]) -> None:
        """Takes the results of what was asked last, selects among the hosts and mutates them.

        Args:
            scores: [host, opponent] the mean score of the host, −1 to 1, over games with each side starting; above 0 is
                a win.
        """
        if self._asked is None:
            raise RuntimeError("ask before you tell")
        hosts, opponents = self._asked
        scores = np.array(scores, np.float64)
        if scores.shape != (len(hosts), len(opponents)):
            raise ValueError(f"the scores must have the shape {[len(hosts), len(opponents)]}, not {list(scores.shape)}")
        if not np.isfinite(scores).all():
            raise ValueError("the scores must be finite")
        wins, relative = scores > 0, scores.mean(axis=1)
        self._champion = int(np.argmax(relative))
        self._enter_hall(hosts[self._champion])
        population = self.host_population
        self._evaluated[population] = hosts
        self._wins[population] = wins[:, : self._parasites_met]
        selected = hosts[best_first(shared_fitness(wins), relative)[: self.settings.selected]]
        self._populations[population] = self._reproduce(selected)
        self._asked = None
        self.generation += 1

    def _enter_hall(self, champion: Population) -> None:
        self.champions.append(champion)
        if not any(np.array_equal(champion, member) for member in self._hall):
            self._hall.append(champion)

    def _reproduce(self, selected: Population) -> Population:
        """S08: elitist, 5 kept and 10 mutants of them; else 15 mutants."""
        kept = selected if self.settings.elitist else selected[:0]
        bred = mutants(selected, self.settings.population - len(kept), self.settings.mutation, self.rng)
        return np.concatenate([kept, bred])


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


class CoevolutionRun(TrainingRun):
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

    def play(self, asked: tuple[Population, Population]) -> NDArray[np.float64]:
        """[host, opponent] the relative fitness."""
        return self._relative(*asked, self.generation)

    def describe(
        self, asked: tuple[Population, Population], told: NDArray[np.float64]
    ) -> tuple[Population, dict[str, Any]]:
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

    def models(self) -> dict[str, Population]:
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

    def champions(self, population: str) -> Population:
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

    def _relative(self, firsts: Population, seconds: Population, generation: int) -> NDArray[np.float64]:
        settings = self._settings
        seed = games_seed(settings.seed, generation)
        return play_each_other(
            self._variant, self.network, firsts, seconds, settings.games, seed, self._threads, settings.temperature
        )

    def _absolute(self, fitness: Fitness, champion: Population) -> float:
        if self.generation < len(self._measured):
            return self._measured[self.generation]
        return float(fitness.measure(champion[None], self.generation, "score")[0])
