"""NSGA-II: several objectives at once, which S08 section VI proposes (win rates by colour, length, opponents, sizes).

The algorithm is the library `pymoo` (Blank & Deb, 2020) with its usual operators: binary tournament, simulated binary
crossover, polynomial mutation, survival by rank and crowding.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.evolve import register
from nobi.evolve.base import Trainer, Weights
from nobi.evolve.mutation import random_weights


@dataclass(frozen=True)
class Nsga2Settings:
    """How many are kept, and how far weights may go."""

    population: int = 20
    """How many networks survive a generation, and how many are bred from them."""
    bound: float = 5.0
    """Every weight stays within ±bound; the operators' steps are in proportion to it."""

    def __post_init__(self) -> None:
        if self.population < 2:
            raise ValueError(f"population must be 2 or more, not {self.population}")
        if not 0 < self.bound < np.inf:
            raise ValueError(f"bound must be above 0, not {self.bound}")


@register
class Nsga2(Trainer):
    """Keeps the networks that no other beats in all objectives.

    The first set is drawn from N(0, 1), twice the population, and one half survives. From then on the set is the
    offspring followed by the population, whose objectives are measured again and replaced, as for S08's evolution
    strategy: otherwise one lucky measurement would survive for ever. `pymoo` itself would keep the old values.
    """

    name = "nsga2"
    settings_type = Nsga2Settings
    objectives_wanted = True
    settings: Nsga2Settings

    def __init__(self, settings: Nsga2Settings | None, weights: int, seed: int) -> None:
        from pymoo.algorithms.moo.nsga2 import NSGA2
        from pymoo.core.problem import Problem
        from pymoo.core.termination import NoTermination

        super().__init__(settings, weights, seed)
        bound = self.settings.bound
        self._algorithm = NSGA2(pop_size=self.settings.population, sampling=self._guess(2 * self.settings.population))
        # the number of objectives is known, and of interest, only when the first are told
        problem = Problem(n_var=weights, n_obj=1, xl=-bound, xu=bound)
        self._algorithm.setup(problem, seed=int(self.rng.integers(2**63)), termination=NoTermination())
        self._objectives: int | None = None

    def propose(self) -> NDArray[np.float64]:
        """[2 · population, weight]."""
        from pymoo.core.population import Population

        bred = self._algorithm.ask()
        # a network that is there already is not bred again; should too few others be found, guesses take their places
        missing = 2 * self.settings.population - len(self._algorithm.pop) - (0 if bred is None else len(bred))
        if missing:
            guesses = Population.new("X", self._guess(missing))
            bred = guesses if bred is None else Population.merge(bred, guesses)
        self._offspring = bred
        return np.stack([one.X for one in self._members()])

    def learn(self, candidates: Weights, fitness: NDArray[np.float64]) -> None:  # noqa: ARG002
        """Selects by rank and crowding; the library minimises."""
        if fitness.shape[1] != (self._objectives or fitness.shape[1]):
            raise ValueError(f"the objectives were {self._objectives} so far, not {fitness.shape[1]}")
        self._objectives = fitness.shape[1]
        for one, values in zip(self._members(), fitness, strict=True):
            one.F = -values
        algorithm = self._algorithm
        algorithm.tell(infills=self._offspring)
        if self.generation == 0:  # the library would keep all of the first set
            algorithm.pop = algorithm.survival.do(
                algorithm.problem,
                algorithm.pop,
                n_survive=self.settings.population,
                algorithm=algorithm,
                random_state=algorithm.random_state,
            )

    def _members(self) -> list[Any]:
        """The individuals of this generation in the order of the set; the population is empty at first."""
        return [*self._offspring, *self._algorithm.pop]

    def _guess(self, count: int) -> NDArray[np.float64]:
        bound = self.settings.bound
        return random_weights(count, self.weights, self.rng).astype(np.float64).clip(-bound, bound)
