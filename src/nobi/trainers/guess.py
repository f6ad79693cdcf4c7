"""Random search, the baseline of other trainers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nobi.trainers.base import Population, Trainer, normal_population


@dataclass(frozen=True)
class GuessSettings:
    """The number of candidates."""

    candidates: int = 20
    """Networks drawn in a generation."""

    def __post_init__(self) -> None:
        if self.candidates < 1:
            raise ValueError(f"candidates must be 1 or more, not {self.candidates}")


class Guess(Trainer):
    """Draws all weights from N(0, 1) and learns nothing."""

    name = "guess"
    settings_type = GuessSettings
    settings: GuessSettings

    def propose(self) -> Population:
        return normal_population(self.settings.candidates, self.weights, self.rng)

    def learn(self, candidates: Population, fitness: NDArray[np.float64]) -> None:
        """Random search learns nothing."""
