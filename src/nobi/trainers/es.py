"""Evolution strategies, (μ+λ) and (μ,λ): S08 sections IV-A and V-C.

S08 describes its setting as "population size of 15, with an elitist selection of ½, i.e. a (10+10) evolution strategy",
which is contradictory: (10+10) is a population of 20, and half of 15 is not 10. Here μ and λ are settings, by default
(10+10).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nobi.trainers.base import Population, Trainer, mutants, normal_population


@dataclass(frozen=True)
class EsSettings:
    """The numbers of parents and offspring, and the mutation."""

    parents: int = 10
    """μ: networks selected in every generation."""
    offspring: int = 10
    """λ: evaluated mutants of the parents."""
    elitist: bool = True
    """Whether parents compete with their offspring, (μ+λ), or not, (μ,λ)."""
    mutation: float = 0.1
    """Standard deviation of the change of every weight."""

    def __post_init__(self) -> None:
        if self.parents < 1 or self.offspring < 1:
            raise ValueError(f"parents and offspring must be 1 or more, not {self.parents} and {self.offspring}")
        if not self.elitist and self.offspring < self.parents:
            raise ValueError(
                f"without elitism the {self.parents} parents come from the offspring, and {self.offspring} are too few"
            )
        if not 0 < self.mutation < np.inf:
            raise ValueError(f"mutation must be above 0, not {self.mutation}")


class EvolutionStrategy(Trainer):
    """Mutation and selection; no crossover, no self-adaptation.

    The first parents are drawn from N(0, 1). With elitism a generation consists of λ offspring followed by the μ
    parents, which are evaluated again: fitness is noisy, and the new value replaces the old one (S08 V-C). Without
    elitism a generation consists of the offspring. In a tie the earlier candidate is selected, hence an offspring
    before a parent: the population changes even if all fitness values are equal.
    """

    name = "es"
    settings_type = EsSettings
    settings: EsSettings

    def __init__(self, settings: EsSettings | None, weights: int, seed: int) -> None:
        super().__init__(settings, weights, seed)
        self._parents = normal_population(self.settings.parents, weights, self.rng)

    def propose(self) -> Population:
        offspring = mutants(self._parents, self.settings.offspring, self.settings.mutation, self.rng)
        return np.concatenate([offspring, self._parents]) if self.settings.elitist else offspring

    def learn(self, candidates: Population, fitness: NDArray[np.float64]) -> None:
        best_first = np.argsort(-fitness, kind="stable")
        self._parents = candidates[best_first[: self.settings.parents]]
