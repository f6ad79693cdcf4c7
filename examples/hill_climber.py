"""A complete new trainer in one file: hill climbing.

`nobi evolve runs/hill --method hill-climb:step=0.2 --load examples/hill_climber.py` trains with it.
"""

from dataclasses import dataclass

import numpy as np

import nobi
from nobi.plugins import Trainer, mutants, normal_population, register_trainer


@dataclass(frozen=True)
class HillClimbSettings:
    """The settings, usable as in `hill-climb:step=0.2`."""

    candidates: int = 20
    """Networks per generation."""
    step: float = 0.3
    """The standard deviation of the change of every weight."""


@register_trainer
class HillClimb(Trainer):
    """Mutants of the best network of the previous generation, which remains a candidate."""

    name = "hill-climb"
    settings_type = HillClimbSettings
    best = None

    def propose(self):
        """[candidate, weight] the networks to evaluate next."""
        settings = self.settings
        if self.best is None:
            return normal_population(settings.candidates, self.weights, self.rng)
        return np.concatenate([self.best, mutants(self.best, settings.candidates - 1, settings.step, self.rng)])

    def learn(self, candidates, fitness):
        """Keep the best candidate."""
        self.best = candidates[[np.argmax(fitness)]]


if __name__ == "__main__":
    run = nobi.evolve(sizes=[5], net="mdrnn:hidden=3", method="hill-climb", generations=15, games=50, progress=False)
    first, last = run.metrics()[0], run.metrics()[-1]
    print(f"mean fitness {first['mean']:+.2f} in the first generation, {last['mean']:+.2f} in the last")
