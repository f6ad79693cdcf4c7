"""CMA-ES, the trainer of S09: a normal distribution whose mean, step size and covariance are adapted.

The algorithm is the library `cmaes` (Nomura & Shibata, 2024), which follows Hansen's tutorial (2016); its defaults are
S09's: λ = 4 + ⌊3 ln n⌋ and μ = λ/2.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nobi.trainers.base import Population, Trainer


@dataclass(frozen=True)
class CmaesSettings:
    """The initial step size and the number of candidates."""

    sigma: float = 0.5
    """σ₀: standard deviation of every weight in the first generation."""
    candidates: int = 0
    """λ: candidates in a generation; 0: 4 + ⌊3 ln n⌋ for n weights."""

    def __post_init__(self) -> None:
        if not 0 < self.sigma < np.inf:
            raise ValueError(f"sigma must be above 0, not {self.sigma}")
        if self.candidates != 0 and self.candidates < 4:
            raise ValueError(f"candidates must be 4 or more, or 0 for the usual number, not {self.candidates}")


class Cmaes(Trainer):
    """The covariance matrix adaptation evolution strategy.

    The initial mean is zero, so that σ₀ alone sets the scale; S09 does not state its initial mean.

    The library's stopping criteria, such as ties in the last generations, are not used. Against a strong opponent whole
    generations do tie, because all games are lost. The distribution is not updated by such a generation; otherwise its
    step size would drift at random.
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

    @property
    def mean(self) -> NDArray[np.float64]:
        """[weight] the mean of the distribution."""
        return np.array(self._cma.mean, np.float64)

    def propose(self) -> NDArray[np.float64]:
        with self._libraries.limit(limits=1, user_api="blas"):
            self._drawn = [self._cma.ask() for _ in range(self._cma.population_size)]
        return np.stack(self._drawn)

    def learn(self, candidates: Population, fitness: NDArray[np.float64]) -> None:  # noqa: ARG002
        if np.ptp(fitness) > 0:  # the library minimises, and takes the draws before they are rounded to float32
            with self._libraries.limit(limits=1, user_api="blas"):
                self._cma.tell([(draw, -float(value)) for draw, value in zip(self._drawn, fitness, strict=True)])
