"""The sequential probability ratio test of two players."""

import math
from dataclasses import dataclass

import numpy as np

from nobi.matches.settings import SprtSettings
from nobi.statistics import Values, expected_share


@dataclass(frozen=True)
class Sprt(SprtSettings):
    """A sequential probability ratio test (Wald 1945) of two Elo differences.

    The log-likelihood ratio is that of the normal approximation over pairs of games: N (s₁ − s₀)(2m − s₀ − s₁) / 2v,
    where s₀ and s₁ are the expected shares of the points, and m and v mean and variance of the points of N pairs.
    """

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which `elo0` and `elo1` are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def log_likelihood_ratios(self, pairs: Values) -> Values:
        """Return the ratio after each pair of games, [pair]; `pairs` holds mean points from 0 to 1.

        Two pairs of variance ¼ are added, so that a few equal results are not decisive.
        """
        s0, s1 = expected_share(self.elo0), expected_share(self.elo1)
        count = np.arange(1, len(pairs) + 1)
        mean = np.cumsum(pairs) / count
        squares = np.maximum(0.0, np.cumsum(pairs**2) - count * mean**2)
        variance = (squares + 0.5) / (count + 2)
        ratios: Values = count * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
        return ratios

    def decision(self, pairs: Values) -> tuple[int, int]:
        """Return (decision, number of pairs after which it was reached): 1 accepts `elo1`, −1 `elo0`, 0 neither."""
        ratios = self.log_likelihood_ratios(pairs)
        low, high = self.bounds
        crossed = np.flatnonzero((ratios <= low) | (ratios >= high))
        if len(crossed) == 0:
            return 0, len(pairs)
        return (1 if ratios[crossed[0]] >= high else -1), int(crossed[0]) + 1
