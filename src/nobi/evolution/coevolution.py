"""Competitive coevolution of two populations: S08 sections IV-A and V-D.

In every generation one population, the hosts, is evaluated against opponents from the other, the parasites, and from
the hall of fame; then it is selected and mutated. In the next generation the roles are swapped. *Shared fitness*,
*shared sampling* and the *hall of fame* are those of Rosin & Belew, "Methods for competitive co-evolution" (1995).

Choices that the paper leaves open:

* The parasites are the other population as it was last evaluated, before its mutants replaced it: its members have
  results, which sampling requires.
* There is one hall of fame, with the champions of both populations, without duplicates.
* While the hall has fewer members than required, more parasites are used: 15 at first.
* Selection is by shared fitness; ties are broken by relative fitness, the mean score. The champion of a generation,
  which enters the hall, is the host with the best relative fitness.

The published code (PyBrain's `CompetitiveCoevolution`) differs in some of these. Each difference is a setting, so that
a study can find out which of them matters; `PUBLISHED_RULES` contains all of them. Its shared sampling compares the
candidates with members of their own population, which they never meet; in effect it selects by mean score.

Besides `champion.safetensors`, the folder of a run contains the latest champions of the two populations, `champion-a`
and `champion-b`. Population a is host first: the champion of generation g belongs to population g % 2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.evolution.fitness import Fitness, games_seed, play_each_other
from nobi.evolution.run import TrainingRun
from nobi.evolution.settings import CoevolutionSettings
from nobi.evolution.transfer import dominance_tournament
from nobi.games import variant
from nobi.networks import make_network
from nobi.nn.network import Weights
from nobi.trainers.base import Population, mutants, normal_population
from nobi.workers import Executor, ThreadExecutor

_DIGITS = 9
"""Sums of shares are rounded to this many digits, so that the order of summation cannot break a tie."""
POPULATIONS = "ab"
AFTER_TRAINING = 2**62
"""Generation number that seeds games played after training."""


def shared_fitness(wins: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the fitness of hosts where a win over an opponent is shared by all hosts that beat it.

    Args:
        wins: [host, opponent] whether the host beat the opponent.

    Returns:
        [host] Σ over the opponents it beat of 1 / (number of hosts that beat this opponent).
    """
    beaten_by = wins.sum(axis=0)
    return (wins / np.maximum(beaten_by, 1)).sum(axis=1)


def shared_sample(wins: NDArray[np.bool_], count: int) -> NDArray[np.int64]:
    """Choose parasites that together beat as many different hosts as possible, greedily.

    The weight of a host is 1 / (1 + number of parasites chosen so far that beat it); the next parasite is the one with
    the largest sum over the hosts that it beats, the first one in a tie.

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
        value = np.round((wins / (1 + covered)).sum(axis=1), _DIGITS)
        value[chosen] = -1
        best = int(np.argmax(value))
        chosen.append(best)
        covered += wins[best]
    return np.array(chosen, np.int64)


def best_first(shared: NDArray[np.float64], relative: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the hosts ordered by shared fitness [host]; ties are broken by relative fitness [host], then by index."""
    return np.lexsort((-relative, -np.round(shared, _DIGITS)))


class Record:
    """The results of all games so far, by pairs of networks, for the rules of the published code.

    A network is identified by its weights.
    """

    def __init__(self) -> None:
        self._pairs: dict[tuple[bytes, bytes], tuple[float, int]] = {}
        self._totals: dict[bytes, tuple[float, int]] = {}

    def add(self, hosts: Population, opponents: NDArray[np.float32], scores: NDArray[np.float64]) -> None:
        """Add results: hosts [h, weight], opponents [h, o, weight], and the hosts' scores [h, o]."""
        for host, row, found in zip(hosts, opponents, scores, strict=True):
            for opponent, score in zip(row, found.tolist(), strict=True):
                a, b = host.tobytes(), opponent.tobytes()
                for one, other, value in ((a, b, score), (b, a, -score)):
                    total, count = self._pairs.get((one, other), (0.0, 0))
                    self._pairs[one, other] = total + value, count + 1
                    total, count = self._totals.get(one, (0.0, 0))
                    self._totals[one] = total + value, count + 1

    def score(self, one: Weights, other: Weights) -> float:
        """Return the mean score of a network against another; 0 if they never met."""
        total, count = self._pairs.get((one.tobytes(), other.tobytes()), (0.0, 0))
        return total / count if count else 0.0

    def mean_score(self, one: Weights) -> float:
        """Return the mean score of a network over all its games; 0 if it has none."""
        total, count = self._totals.get(one.tobytes(), (0.0, 0))
        return total / count if count else 0.0

    def shared_wins(self, hosts: Population, opponents: Sequence[Weights] | Population) -> NDArray[np.float64]:
        """Return the shared fitness, [host], from all results against these opponents."""
        return shared_fitness(self._scores(hosts, opponents) > 0)

    def shared_fitness(self, hosts: Population, opponents: Sequence[Weights] | Population) -> NDArray[np.float64]:
        """Return the shared wins, [host], divided by the number of opponents that the host has met without a tie.

        The published code divides by this number so that a host kept for several generations, which has met more
        opponents, has no advantage.
        """
        met = (self._scores(hosts, opponents) != 0).sum(axis=1)
        return self.shared_wins(hosts, opponents) / np.maximum(met, 1)

    def _scores(self, hosts: Population, opponents: Sequence[Weights] | Population) -> NDArray[np.float64]:
        """Return the mean scores, [host, opponent]."""
        found = [[self.score(host, opponent) for opponent in opponents] for host in hosts]
        return np.array(found, np.float64).reshape(len(hosts), len(opponents))


class Coevolution:
    """Two populations that train each other, with `ask` and `tell` like a trainer; see `nobi.trainers.base.replay`."""

    def __init__(self, settings: CoevolutionSettings | None, weights: int, seed: int) -> None:
        if weights < 1:
            raise ValueError(f"a network has 1 weight or more, not {weights}")
        self.settings = CoevolutionSettings() if settings is None else settings
        self.rng = np.random.Generator(np.random.PCG64(seed))
        self.generation = 0
        """Number of finished generations."""
        self.champions: list[Weights] = []
        """[generation] the weights of the champion, which belongs to population generation % 2."""
        size = self.settings.population
        self._populations = [self._first_population(size, weights) for _ in range(2)]
        self._record = Record()
        # each population as it was last evaluated, and its wins [member, opponent] against the other population
        self._evaluated = list(self._populations)
        self._wins = [np.zeros((size, 0), np.bool_) for _ in range(2)]
        self._hall: list[Weights] = []
        self._asked: tuple[Population, Population] | None = None
        self._parasites_met = 0
        self._champion: int | None = None

    @property
    def host_population(self) -> int:
        """The population, 0 or 1, that is host in the next generation."""
        return self.generation % 2

    @property
    def champion(self) -> Weights:
        """[weight] the best host of the latest generation, by relative or by shared fitness."""
        if not self.champions:
            raise RuntimeError("no generation is done yet")
        return self.champions[-1]

    @property
    def champion_index(self) -> int:
        """The index of this champion among the hosts."""
        if self._champion is None:
            raise RuntimeError("no generation is done yet")
        return self._champion

    @property
    def champion_population(self) -> int:
        """The population, 0 or 1, of this champion."""
        return (self.generation - 1) % 2

    def ask(self) -> tuple[Population, Population]:
        """Return (hosts [h, weight], opponents [o, weight]): each host plays each opponent; unchanged until `tell`.

        If each host draws its own members of the hall of fame, the opponents are [h, o, weight].
        """
        if self._asked is None:
            hosts = self._populations[self.host_population]
            drawn = min(self.settings.hall, len(self._hall))
            parasites = self._choose_parasites(self.settings.parasites + self.settings.hall - drawn)
            self._parasites_met = len(parasites)
            if self.settings.hall_draw == "own":
                opponents = np.stack([np.concatenate([parasites, *self._draw_hall()]) for _ in hosts])
            else:
                opponents = np.concatenate([parasites, *self._draw_hall()])
            self._asked = hosts, opponents
        hosts, opponents = self._asked
        return hosts.copy(), opponents.copy()

    def _draw_hall(self) -> list[Population]:
        """Draw members of the hall of fame, each [1, weight], without replacement; all if there are fewer."""
        return [self._hall[i][None] for i in self.rng.permutation(len(self._hall))[: self.settings.hall]]

    def _choose_parasites(self, wanted: int) -> Population:
        """Return opponents from the other population, [parasite, weight]."""
        other = 1 - self.host_population
        if self.settings.parasites_from == "evaluated":
            return self._evaluated[other][shared_sample(self._wins[other], wanted)]
        members = self._populations[other]
        scores = np.array([self._record.mean_score(member) for member in members])
        order = self.rng.permutation(len(members))  # ties, as of mutants without games, are broken at random
        return members[order[np.argsort(-scores[order], kind="stable")][:wanted]]

    def tell(self, scores: NDArray[np.float64]) -> None:
        """Select and mutate the hosts by their results.

        Args:
            scores: [host, opponent] the mean score of the host, −1 to 1, over games with each side starting; above 0 is
                a win.
        """
        if self._asked is None:
            raise RuntimeError("call ask before tell")
        hosts, opponents = self._asked
        scores = np.array(scores, np.float64)
        shape = len(hosts), opponents.shape[-2]
        if scores.shape != shape:
            raise ValueError(f"the scores must have the shape {list(shape)}, not {list(scores.shape)}")
        if not np.isfinite(scores).all():
            raise ValueError("the scores must be finite")
        wins, relative = scores > 0, scores.mean(axis=1)
        population = self.host_population
        shared = self._shared_fitness(hosts, opponents, scores)
        by_shared = best_first(shared, relative)
        self._champion = int(by_shared[0] if self.settings.champion_by == "shared" else np.argmax(relative))
        self._enter_hall(hosts[self._champion])
        self._evaluated[population] = hosts
        self._wins[population] = wins[:, : self._parasites_met]
        selected = hosts[by_shared[: self.settings.selected]]
        self._populations[population] = self._reproduce(selected)
        self._asked = None
        self.generation += 1

    def _shared_fitness(
        self, hosts: Population, opponents: NDArray[np.float32], scores: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the shared fitness, [host], from the results of this generation, or from all results so far."""
        s = self.settings
        own = np.broadcast_to(opponents, (len(hosts), *opponents.shape[-2:]))
        if s.results == "all" or s.parasites_from == "current":
            self._record.add(hosts, own, scores)
        if s.results == "generation" and s.hall_draw == "common":
            return shared_fitness(scores > 0)
        other = 1 - self.host_population
        parasites = (self._evaluated if s.parasites_from == "evaluated" else self._populations)[other]
        if s.results == "generation":
            now = Record()
            now.add(hosts, own, scores)
            return now.shared_wins(hosts, parasites) + now.shared_wins(hosts, self._hall)
        from_hall = opponents.shape[-2] - self._parasites_met
        record = self._record
        return self._parasites_met * record.shared_fitness(hosts, parasites) + from_hall * record.shared_fitness(
            hosts, self._hall
        )

    def _first_population(self, size: int, weights: int) -> Population:
        if self.settings.first == "random":
            return normal_population(size, weights, self.rng)
        one = normal_population(1, weights, self.rng)
        return np.concatenate([one, mutants(one, size - 1, self.settings.mutation, self.rng)])

    def _enter_hall(self, champion: Weights) -> None:
        self.champions.append(champion)
        if not any(np.array_equal(champion, member) for member in self._hall):
            self._hall.append(champion)

    def _reproduce(self, selected: Population) -> Population:
        """Return the next population; S08: 5 selected hosts and 10 mutants of them (elitist), or 15 mutants."""
        kept = selected if self.settings.elitist else selected[:0]
        bred = mutants(selected, self.settings.population - len(kept), self.settings.mutation, self.rng)
        return np.concatenate([kept, bred])


@dataclass(frozen=True)
class Dominance:
    """The generations of the dominant champions; their number is the dominance number."""

    all: list[int]
    """Of all champions, as in S08."""
    a: list[int]
    """Of the champions of one population."""
    b: list[int]


class CoevolutionRun(TrainingRun):
    """Coevolution in a folder.

    Each line of metrics has the host population, the champion's shared fitness and mean score and, with
    `measure_against`, the champion's `absolute` fitness: S08's score against this player.
    """

    format = "nobi-corun-1"

    def __init__(
        self,
        folder: Path,
        settings: CoevolutionSettings,
        *,
        resume: bool,
        executor: Executor | None = None,
    ) -> None:
        """`executor` plays the games; by default threads of this process, one per core."""
        self._settings = settings
        self._executor = executor or ThreadExecutor()
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
                executor=self._executor,
            )
        self._measured: list[float] = []
        """[generation] the absolute fitness of champions that were measured before the run was resumed."""
        self.open(resume=resume)

    def play(self, candidates: tuple[Population, Population]) -> NDArray[np.float64]:
        return self._relative(*candidates, self.generation)

    def describe(
        self, candidates: tuple[Population, Population], results: NDArray[np.float64]
    ) -> tuple[Weights, dict[str, Any]]:
        host = self.coevolution.champion_index
        line = {
            "population": POPULATIONS[self.coevolution.champion_population],
            "shared": float(shared_fitness(results > 0)[host]),
            "score": float(results[host].mean()),
        }
        champion = candidates[0][host]
        if self._fitness:
            line["absolute"] = self._absolute(self._fitness, champion)
        return champion, line

    def models(self) -> dict[str, Weights]:
        """Return the latest champion, and the latest of each population."""
        latest = {
            POPULATIONS[g % 2]: self.done[g].champion for g in range(max(0, self.generation - 2), self.generation)
        }
        return {**super().models(), **{f"champion-{population}": latest[population] for population in sorted(latest)}}

    def extra_tensors(self) -> dict[str, NDArray[Any]]:
        return {"absolute": np.array([one.line["absolute"] for one in self.done])} if self._fitness else {}

    def restore_extra(self, tensors: dict[str, NDArray[Any]]) -> None:
        if self._fitness:
            self._measured = tensors["absolute"].tolist()

    def champions(self, population: str) -> Population:
        """Return the champions of population a or b, [i, weight], in the order of their generations."""
        own = [one.champion for one in self.done[POPULATIONS.index(population) :: 2]]
        return np.stack(own) if own else np.zeros((0, self.network.weight_count(self.size)), np.float32)

    def dominance(self) -> Dominance:
        """Return the dominance tournaments of the generation champions."""
        champions = [one.champion for one in self.done]

        @cache
        def score(i: int, j: int) -> float:
            if np.array_equal(champions[i], champions[j]):
                return 0.0  # a champion does not beat itself, however ties are broken
            return float(self._relative(champions[i][None], champions[j][None], AFTER_TRAINING)[0, 0])

        def tournament(first: int, step: int) -> list[int]:
            numbers = range(first, len(champions), step)
            return [numbers[i] for i in dominance_tournament(lambda i, j: score(numbers[i], numbers[j]), len(numbers))]

        return Dominance(tournament(0, 1), tournament(0, 2), tournament(1, 2))

    def ciao(self) -> NDArray[np.float64]:
        """Return the score of champion i of population a against champion j of population b, [i, j]: S08's figure 8."""
        return self._relative(self.champions("a"), self.champions("b"), AFTER_TRAINING)

    @property
    def games_done(self) -> int:
        """Return the number of training games played so far."""
        return sum(one.results.size for one in self.done) * self._settings.games

    def _relative(self, firsts: Population, seconds: Population, generation: int) -> NDArray[np.float64]:
        settings = self._settings
        seed = games_seed(settings.seed, generation)
        return play_each_other(
            self._variant,
            self.network,
            firsts,
            seconds,
            settings.games,
            seed,
            temperature=settings.temperature,
            executor=self._executor,
        )

    def _absolute(self, fitness: Fitness, champion: Weights) -> float:
        if self.generation < len(self._measured):
            return self._measured[self.generation]
        return float(fitness.measure(champion[None], self.generation, "score")[0])
