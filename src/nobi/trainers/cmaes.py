"""CMA-ES, the trainer of S09: a normal distribution whose mean, step size and covariance are adapted.

The algorithm is that of Hansen's tutorial (arXiv:1604.00772, 2016), with its default parameters, which agree with those
stated in S09: λ = 4 + ⌊3 ln n⌋ and μ = λ/2. Equation numbers below are the tutorial's.

Candidates are drawn by the symmetric root of the covariance matrix, x = m + σ·C^½·z. The root is unique, whereas the
eigenvectors of a nearly spherical matrix are not, and C^−½ is never needed: C^−½·(C^½·z) is z. The arithmetic,
`nobi.trainers.covariance`, has a fixed order of operations: the same seed gives identical results on every processor.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nobi.trainers.base import Population, Trainer

_LARGEST = 1e32
"""The upper limit of the step size."""
_SMALLEST = 1e-300
"""The lower limit of eigenvalues, which could become negative by rounding."""


@dataclass(frozen=True)
class CmaesSettings:
    """The initial distribution and the number of candidates."""

    sigma: float = 0.5
    """σ₀: standard deviation of every weight in the first generation."""
    candidates: int = 0
    """λ: candidates in a generation; 0: 4 + ⌊3 ln n⌋ for n weights."""
    start: Literal["zero", "normal"] = "zero"
    """The initial mean: zero, or weights drawn from N(0, 1), as those of a network are in the published code of S09."""

    def __post_init__(self) -> None:
        if not 0 < self.sigma < np.inf:
            raise ValueError(f"sigma must be above 0, not {self.sigma}")
        if self.candidates != 0 and self.candidates < 4:
            raise ValueError(f"candidates must be 4 or more, or 0 for the usual number, not {self.candidates}")


class Cmaes(Trainer):
    """The covariance matrix adaptation evolution strategy.

    S09 does not state its initial mean; by default it is zero, so that σ₀ alone sets the scale.

    There are no stopping criteria. Against a strong opponent all candidates of a generation may have the same fitness,
    because all games are lost. The distribution is not updated after such a generation; otherwise its step size would
    change at random.
    """

    name = "cmaes"
    version = 2  # version 1 used the library `cmaes`, with the eigenvectors of the BLAS
    settings_type = CmaesSettings
    settings: CmaesSettings

    def __init__(self, settings: CmaesSettings | None, weights: int, seed: int) -> None:
        super().__init__(settings, weights, seed)
        n = weights
        self._count = count = self.settings.candidates or 4 + math.floor(3 * math.log(n))
        self._constants = Constants.of(n, count)
        self._mean = self.rng.standard_normal(n) if self.settings.start == "normal" else np.zeros(n)
        self._sigma = self.settings.sigma
        self._covariance = np.eye(n)
        self._vectors, self._roots = np.eye(n), np.ones(n)
        self._path_sigma, self._path_c = np.zeros(n), np.zeros(n)
        self._updates = 0
        self._decomposed = 0
        """The number of updates of the covariance matrix that the eigenvectors include."""
        self._z = np.empty((n, count))
        self._steps = np.empty((count, n))
        """[candidate, weight] (x − m)/σ of the candidates, before they are rounded to float32."""

    @property
    def mean(self) -> NDArray[np.float64]:
        """[weight] the mean of the distribution."""
        return self._mean.copy()

    def propose(self) -> NDArray[np.float64]:
        from nobi.trainers import covariance

        n, count = self.weights, self._count
        if self._updates - self._decomposed >= self._constants.interval:
            self._decompose()
        self._z[:] = self.rng.standard_normal((count, n)).T
        y, scratch = np.empty((n, count)), np.empty((n, count))
        covariance.multiply_by_root(self._roots, self._vectors, self._z, scratch, y)
        self._steps[:] = y.T
        return self._mean + self._sigma * self._steps

    def learn(self, candidates: Population, fitness: NDArray[np.float64]) -> None:  # noqa: ARG002
        if np.ptp(fitness) == 0:
            return
        from nobi.trainers import covariance

        k, n = self._constants, self.weights
        best_first = np.argsort(-fitness, kind="stable")
        steps = np.ascontiguousarray(self._steps[best_first])
        z = np.ascontiguousarray(self._z.T[best_first])
        mean_step, mean_z = np.empty(n), np.empty(n)
        covariance.combine(k.weights[: k.parents], steps[: k.parents], mean_step)
        covariance.combine(k.weights[: k.parents], z[: k.parents], mean_z)
        self._mean = self._mean + self._sigma * mean_step
        # equation 43: the path of the step size; C^−½ times the step of the mean is the mean of z
        self._path_sigma = (1 - k.c_sigma) * self._path_sigma + k.path_factor_sigma * mean_z
        norm = covariance.norm_of(self._path_sigma)
        self._updates += 1
        # equation 44: the step size
        self._sigma *= math.exp(min(1.0, k.c_sigma / k.d_sigma * (norm / k.expected_norm - 1)))
        self._sigma = min(self._sigma, _LARGEST)
        # equation 45: the path of the covariance matrix, held while the step size grows fast
        norm /= math.sqrt(1 - (1 - k.c_sigma) ** (2 * (self._updates + 1)))
        moves = norm < (1.4 + 2 / (n + 1)) * k.expected_norm
        self._path_c = (1 - k.c_c) * self._path_c + (k.path_factor_c if moves else 0.0) * mean_step
        # equations 46 and 47: the covariance matrix; bad candidates count negative, in proportion to their distance
        weights = k.c_mu * k.weights
        for i in range(k.parents, self._count):
            length = covariance.norm_of(z[i])
            weights[i] *= n / (length * length + 2.0**-52)
        lost = 0.0 if moves else k.c_1 * k.c_c * (2 - k.c_c)
        keep = 1 + lost - k.c_1 - k.c_mu * k.total
        rows = np.concatenate([self._path_c[None], steps])
        covariance.update_covariance(self._covariance, keep, np.concatenate([[k.c_1], weights]), rows)

    def _decompose(self) -> None:
        from nobi.trainers import covariance

        n = self.weights
        values, vectors = np.empty(n), np.empty((n, n))
        if covariance.decompose(self._covariance.copy(), values, vectors, np.empty((n, n)), np.empty((4, n))):
            self._vectors, self._roots = vectors, np.sqrt(np.maximum(values, _SMALLEST))
        self._decomposed = self._updates


@dataclass(frozen=True)
class Constants:
    """The default parameters of the tutorial (table 1), for n weights and λ candidates."""

    parents: int
    """μ, the candidates with positive weights."""
    weights: NDArray[np.float64]
    """[candidate] w, best first; those of the parents sum to 1."""
    total: float
    """The sum of all weights."""
    c_sigma: float
    d_sigma: float
    c_c: float
    c_1: float
    c_mu: float
    expected_norm: float
    """The expected norm of a vector drawn from N(0, I)."""
    path_factor_sigma: float
    path_factor_c: float
    interval: int
    """Updates of the covariance matrix between two decompositions (section B.2)."""

    @classmethod
    def of(cls, n: int, count: int) -> "Constants":
        """Compute the constants by equations 49 to 58."""
        raw = [math.log((count + 1) / 2) - math.log(i + 1) for i in range(count)]
        parents = count // 2
        mass = _effective(raw[:parents])
        negative_mass = _effective(raw[parents:])
        c_1 = 2 / ((n + 1.3) ** 2 + mass)
        c_mu = min(1 - c_1 - 1e-8, 2 * (mass - 2 + 1 / mass) / ((n + 2) ** 2 + mass))
        limit = min(1 + c_1 / c_mu, 1 + 2 * negative_mass / (mass + 2), (1 - c_1 - c_mu) / (n * c_mu))
        positive, negative = sum(w for w in raw if w > 0), -sum(w for w in raw if w < 0)
        weights = np.array([w / positive if w > 0 else limit * w / negative for w in raw])
        c_sigma = (mass + 2) / (n + mass + 5)
        c_c = (4 + mass / n) / (n + 4 + 2 * mass / n)
        return cls(
            parents=parents,
            weights=weights,
            total=math.fsum(weights),
            c_sigma=c_sigma,
            d_sigma=1 + 2 * max(0.0, math.sqrt((mass - 1) / (n + 1)) - 1) + c_sigma,
            c_c=c_c,
            c_1=c_1,
            c_mu=c_mu,
            expected_norm=math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n)),
            path_factor_sigma=math.sqrt(c_sigma * (2 - c_sigma) * mass),
            path_factor_c=math.sqrt(c_c * (2 - c_c) * mass),
            interval=max(1, math.floor(1 / (10 * n * (c_1 + c_mu)))),
        )


def _effective(weights: list[float]) -> float:
    """Return μ_eff = (Σw)² / Σw²."""
    return math.fsum(weights) ** 2 / math.fsum(w * w for w in weights)
