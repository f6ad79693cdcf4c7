"""CMA-ES, the trainer of S09: a normal distribution that learns its centre, its size and its shape.

The algorithm is the library `cmaes` (Nomura & Shibata, 2024), which follows Hansen's tutorial (2016); its defaults are
S09's: λ = 4 + ⌊3 ln n⌋ and μ = λ/2.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nobi.trainers.base import Population, Trainer


@dataclass(frozen=True)
class CmaesSettings:
    """Where the search begins, and how many are tried."""

    sigma: float = 0.5
    """σ₀: the standard deviation of every weight in the first generation."""
    candidates: int = 0
    """λ: how many networks a generation has; 0 for 4 + ⌊3 ln n⌋ of n weights."""

    def __post_init__(self) -> None:
        if not 0 < self.sigma < np.inf:
            raise ValueError(f"sigma must be above 0, not {self.sigma}")
        if self.candidates != 0 and self.candidates < 4:
            raise ValueError(f"candidates must be 4 or more, or 0 for the usual number, not {self.candidates}")


class Cmaes(Trainer):
    """The covariance matrix adaptation evolution strategy.

    The distribution starts around zero, so that no seed begins with a preference and σ₀ alone sets the scale; S09 does
    not say where its own began.

    It never stops by itself: the library's stopping rules, one of which is that the last generations tied, are not
    asked. Against a strong opponent whole generations do tie, losing every game. Such a generation says nothing, and
    the distribution stays as it is until some network does better or worse than another; were it updated, its size
    would wander at random, in the long run out of all numbers.
    """

    name = "cmaes"
    settings_type = CmaesSettings
    settings: CmaesSettings

    def __init__(self, settings: CmaesSettings | None, weights: int, seed: int) -> None:
        from cmaes import CMA
        from threadpoolctl import ThreadpoolController

        super().__init__(settings, weights, seed)
        self._cma = CMA(
            mean=np.zeros(weights),
            sigma=self.settings.sigma,
            population_size=self.settings.candidates or None,
            seed=int(self.rng.integers(2**32)),
        )
        self._drawn: list[NDArray[np.float64]] = []
        # matrix products and eigenvectors differ in their last bits, or in sign, with the number of BLAS threads
        self._libraries = ThreadpoolController()

    def propose(self) -> NDArray[np.float64]:
        """λ draws from the distribution."""
        with self._libraries.limit(limits=1, user_api="blas"):
            self._drawn = [self._cma.ask() for _ in range(self._cma.population_size)]
        return np.stack(self._drawn)

    def learn(self, candidates: Population, fitness: NDArray[np.float64]) -> None:  # noqa: ARG002
        """Moves the distribution; the library minimises, and takes the draws as they were before rounding."""
        if np.ptp(fitness) > 0:
            with self._libraries.limit(limits=1, user_api="blas"):
                self._cma.tell([(draw, -float(value)) for draw, value in zip(self._drawn, fitness, strict=True)])
