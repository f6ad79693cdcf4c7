"""NSGA-II: several objectives at once, as S08 section VI proposes (win rates by colour, length, opponents, sizes).

K. Deb, A. Pratap, S. Agarwal, T. Meyarivan: *A fast and elitist multiobjective genetic algorithm: NSGA-II*, IEEE
Transactions on Evolutionary Computation 6(2), 2002. Parents are chosen by binary tournament, crossed (simulated binary
crossover) and mutated (polynomial mutation); the population of the next generation is chosen by rank and crowding
distance. The parameters of the operators and the order of the random draws are those of the library pymoo.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nobi.trainers.base import Population, Trainer, normal_population

CROSSOVER_RATE = 0.9
"""The probability that two parents are crossed; otherwise they are copied."""
CROSSOVER_RATE_PER_WEIGHT = 0.5
CROSSOVER_INDEX = 15.0
"""The distribution index of simulated binary crossover: the larger it is, the closer children are to their parents."""
MUTATION_RATE = 0.9
"""The probability that a child is mutated."""
MUTATION_INDEX = 20.0
"""The distribution index of polynomial mutation: the larger it is, the smaller the changes are."""
NEAREST = 1e-14
"""Weights of two parents that differ by no more than this are not crossed."""
MOST_MATINGS = 100
"""How often parents are mated to obtain new children, before random weights replace the missing ones."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Nsga2Settings:
    """The size of the population and the range of weights."""

    population: int = 20
    """Networks that survive a generation, and the number of their offspring."""
    bound: float = 5.0
    """Limit of the absolute value of every weight; the operators' steps are proportional to it."""

    def __post_init__(self) -> None:
        if self.population < 2:
            raise ValueError(f"population must be 2 or more, not {self.population}")
        if not 0 < self.bound < np.inf:
            raise ValueError(f"bound must be above 0, not {self.bound}")


class Nsga2(Trainer):
    """Keeps the networks that are not dominated by others.

    The first candidates, twice the population, are drawn from N(0, 1), and half of them survive. After that the
    candidates are the offspring followed by the population, whose objectives are measured again, as in S08's evolution
    strategy: otherwise a single lucky measurement would persist.
    """

    name = "nsga2"
    settings_type = Nsga2Settings
    objectives_wanted = True
    settings: Nsga2Settings

    def __init__(self, settings: Nsga2Settings | None, weights: int, seed: int) -> None:
        super().__init__(settings, weights, seed)
        first = self._guess(2 * self.settings.population)
        self._offspring = first[_new_rows(first, [])]
        self._population = np.zeros((0, weights))
        self._objectives = np.zeros((0, 0))
        self._crowding = np.zeros(0)
        # the draws of the operators do not depend on the number of random candidates
        self._operator_rng = np.random.default_rng(int(self.rng.integers(2**63)))

    def propose(self) -> Array:
        if self.generation:
            self._offspring = self._breed()
        # children equal to existing networks are discarded; random ones replace them if too few are left
        missing = 2 * self.settings.population - len(self._population) - len(self._offspring)
        if missing:
            self._offspring = np.concatenate([self._offspring, self._guess(missing)])
        return np.concatenate([self._offspring, self._population])

    def learn(self, candidates: Population, fitness: Array) -> None:  # noqa: ARG002
        known = self._objectives.shape[1]
        if fitness.shape[1] != (known or fitness.shape[1]):
            raise ValueError(f"there were {known} objectives before, not {fitness.shape[1]}")
        bred = len(self._offspring)
        members = np.concatenate([self._population, self._offspring])
        objectives = np.concatenate([fitness[bred:], fitness[:bred]])
        chosen, crowding = select(objectives, self.settings.population, self._operator_rng)
        self._population, self._objectives, self._crowding = members[chosen], objectives[chosen], crowding

    def _breed(self) -> Array:
        """Return children that differ from each other and from the population, [population or fewer, weight]."""
        wanted, bound, rng = self.settings.population, self.settings.bound, self._operator_rng
        offspring = np.zeros((0, self.weights))
        for _ in range(MOST_MATINGS):
            pairs = -(-(wanted - len(offspring)) // 2)
            parents = self._population[self._tournaments(2 * pairs).reshape(pairs, 2).T]
            children = mutate(cross(parents, bound, rng), bound, rng)
            new = _new_rows(children, [self._population, offspring])
            offspring = np.concatenate([offspring, children[new]])[:wanted]
            if len(offspring) == wanted:
                break
        return offspring

    def _tournaments(self, count: int) -> NDArray[np.int64]:
        """Return the winners of binary tournaments, [count], by dominance, then by crowding distance."""
        rng, size = self._operator_rng, len(self._population)
        order = [rng.permutation(size) for _ in range(-(-2 * count // size))]
        pairs = np.concatenate(order)[: 2 * count].reshape(count, 2)
        beats = dominance(self._objectives)
        winners = np.empty(count, np.int64)
        for i, (a, b) in enumerate(pairs):
            if beats[a, b] or beats[b, a]:
                winners[i] = a if beats[a, b] else b
            elif self._crowding[a] != self._crowding[b]:
                winners[i] = a if self._crowding[a] > self._crowding[b] else b
            else:
                winners[i] = rng.choice([a, b])
        return winners

    def _guess(self, count: int) -> Array:
        bound = self.settings.bound
        return normal_population(count, self.weights, self.rng).astype(np.float64).clip(-bound, bound)


def dominance(objectives: Array) -> NDArray[np.bool_]:
    """Return [i, j] whether i is at least as good as j in all objectives [i, objective], and better in one."""
    one, other = objectives[:, None], objectives[None]
    return np.asarray((one >= other).all(axis=2) & (one > other).any(axis=2))


def fronts(objectives: Array) -> list[NDArray[np.int64]]:
    """Return the indices of the non-dominated candidates, of those dominated only by these, and so on."""
    beats, left, found = dominance(objectives), np.full(len(objectives), True), []
    while left.any():
        front = left & ~beats[left].any(axis=0)
        found.append(np.flatnonzero(front))
        left &= ~front
    return found


def crowding_distance(objectives: Array) -> Array:
    """Return the distance between the neighbours of i as a share of the range, averaged over the objectives, [i].

    The first and the last candidate by an objective have an infinite distance.
    """
    count, kinds = objectives.shape
    if count <= 2:
        return np.full(count, np.inf)
    columns = np.arange(kinds)
    order = np.argsort(-objectives, axis=0, kind="stable")
    values = -objectives[order, columns]
    beyond = np.full((1, kinds), np.inf)
    steps = np.concatenate([values, beyond]) - np.concatenate([-beyond, values])
    with np.errstate(invalid="ignore", divide="ignore"):
        extent = values[-1] - values[0]
        steps /= np.where(extent == 0, np.nan, extent)
    steps[np.isnan(steps)] = 0.0  # a constant objective
    index = np.argsort(order, axis=0)
    return np.asarray((steps[:-1][index, columns] + steps[1:][index, columns]).sum(axis=1) / kinds)


def select(objectives: Array, count: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], Array]:
    """Return the indices of `count` candidates, front by front, least crowded of the last; and their crowding."""
    chosen: list[NDArray[np.int64]] = []
    crowding: list[Array] = []
    left = count
    for front in fronts(objectives):
        distance = crowding_distance(objectives[front])
        if len(front) > left:
            order = rng.permutation(len(front))  # breaks ties at random
            # not a stable sort: ties stay in pymoo's order, on which recorded runs depend
            kept = order[np.argsort(distance[order])][::-1][:left]
            front, distance = front[kept], distance[kept]
        chosen.append(front)
        crowding.append(distance)
        left -= len(front)
        if not left:
            break
    return np.concatenate(chosen), np.concatenate(crowding)


def cross(parents: Array, bound: float, rng: np.random.Generator) -> Array:
    """Return the children by simulated binary crossover, [2 · pair, weight]: all first ones, then all second ones.

    Args:
        parents: [2, pair, weight].
        bound: the weights of children are within ±bound.
        rng: random numbers.
    """
    _, pairs, weights = parents.shape
    crossed: NDArray[np.bool_] = np.asarray(rng.random(pairs) < CROSSOVER_RATE)
    if not crossed.any():
        return parents.reshape(-1, weights)
    rng.random((pairs, 1))  # pymoo's draw for an exchange that always happens
    where = (rng.random((pairs, weights)) < CROSSOVER_RATE_PER_WEIGHT) & (np.abs(parents[0] - parents[1]) > NEAREST)
    first, second = parents[0][where], parents[1][where]
    ascending = first < second
    low, high = np.where(ascending, first, second), np.where(ascending, second, first)
    uniform = rng.random(len(low))
    gap = high - low

    def spread(margin: Array) -> Array:
        """Return the children's distance relative to the parents' distance; `margin` is from a parent to its bound."""
        alpha = 2.0 - np.power(1.0 + 2.0 * margin / gap, -(CROSSOVER_INDEX + 1.0))
        power = 1.0 / (CROSSOVER_INDEX + 1.0)
        inside = uniform <= 1.0 / alpha
        base = np.where(inside, uniform * alpha, 1.0 / np.where(inside, 1.0, 2.0 - uniform * alpha))
        return np.asarray(np.power(base, power))

    lower = 0.5 * ((low + high) - spread(low + bound) * gap)
    upper = 0.5 * ((low + high) + spread(bound - high) * gap)
    own = np.where(ascending, lower, upper), np.where(ascending, upper, lower)
    exchanged = (rng.random(len(low)) < 0.5) ^ (first > second)
    children = parents.copy()
    children[0][where] = np.where(exchanged, own[1], own[0])
    children[1][where] = np.where(exchanged, own[0], own[1])
    children = children.clip(-bound, bound)
    children[:, ~crossed] = parents[:, ~crossed]
    return children.reshape(-1, weights)


def mutate(children: Array, bound: float, rng: np.random.Generator) -> Array:
    """Return children [child, weight] after polynomial mutation of each weight with the probability 1 / weights."""
    count, weights = children.shape
    where = rng.random((count, weights)) < min(0.5, 1 / weights)
    before, extent = children[where], 2 * bound
    uniform = rng.random(len(before))
    power = MUTATION_INDEX + 1.0
    down = 2.0 * uniform + (1.0 - 2.0 * uniform) * np.power(1.0 - (before + bound) / extent, power)
    up = 2.0 * (1.0 - uniform) + 2.0 * (uniform - 0.5) * np.power(1.0 - (bound - before) / extent, power)
    with np.errstate(invalid="ignore"):  # each is valid for one half of the uniform numbers
        change = np.where(uniform <= 0.5, np.power(down, 1.0 / power) - 1.0, 1.0 - np.power(up, 1.0 / power))
    mutated = children.copy()
    mutated[where] = (before + change * extent).clip(-bound, bound)
    kept = rng.random(count) > MUTATION_RATE
    mutated[kept] = children[kept]
    return mutated


def _new_rows(rows: Array, others: list[Array]) -> NDArray[np.int64]:
    """Return the indices of the rows that differ from all earlier rows and from the others."""
    seen = {(row + 0.0).tobytes() for array in others for row in array}  # −0 equals 0
    found = []
    for i, row in enumerate(rows):
        key = (row + 0.0).tobytes()
        if key not in seen:
            seen.add(key)
            found.append(i)
    return np.array(found, np.int64)
