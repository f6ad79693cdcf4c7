"""Random weights, and random changes of them (S08: both normal, on every weight)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.evolve.base import Weights


def random_weights(count: int, weights: int, rng: np.random.Generator) -> Weights:
    """[count, weights] drawn from N(0, 1), as both S08 and S09 start."""
    return rng.standard_normal((count, weights)).astype(np.float32)


def mutants(parents: NDArray[np.floating[Any]], count: int, deviation: float, rng: np.random.Generator) -> Weights:
    """Copies of randomly chosen parents, each weight changed by a number drawn from N(0, deviation).

    Args:
        parents: [parent, weight]; each is as likely to be chosen as any other, and can be chosen more than once.
        count: how many mutants.
        deviation: the standard deviation of the change.
        rng: where the chance comes from.

    Returns:
        [count, weight].
    """
    chosen = rng.integers(len(parents), size=count)
    change = deviation * rng.standard_normal((count, parents.shape[1]))
    return (parents[chosen] + change).astype(np.float32)
