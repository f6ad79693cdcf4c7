"""Guessing: every generation is drawn anew. What a trainer must beat."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nobi.trainers.base import Population, Trainer, random_weights


@dataclass(frozen=True)
class GuessSettings:
    """How many guesses at once."""

    candidates: int = 20
    """How many networks are drawn in a generation."""

    def __post_init__(self) -> None:
        if self.candidates < 1:
            raise ValueError(f"candidates must be 1 or more, not {self.candidates}")


class Guess(Trainer):
    """Draws all weights from N(0, 1) and learns nothing."""

    name = "guess"
    settings_type = GuessSettings
    settings: GuessSettings

    def propose(self) -> Population:
        """New guesses."""
        return random_weights(self.settings.candidates, self.weights, self.rng)

    def learn(self, candidates: Population, fitness: NDArray[np.float64]) -> None:
        """Does nothing."""
