"""The results of all games of a coevolution, by pairs of networks, for the rules of the published code of S08."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nobi.nn.network import Weights
from nobi.trainers.base import Population


class Record:
    """The mean scores of pairs of networks; a network is identified by its weights."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[bytes, bytes], tuple[float, int]] = {}
        self._totals: dict[bytes, tuple[float, int]] = {}

    def add(self, hosts: Population, opponents: NDArray[np.float32], scores: NDArray[np.float64]) -> None:
        """Add results: hosts [h, weight], opponents [h, o, weight], and the hosts' scores [h, o]."""
        for host, row, found in zip(hosts, opponents, scores, strict=True):
            for opponent, score in zip(row, found.tolist(), strict=True):
                a, b = host.tobytes(), opponent.tobytes()
                for one, other, value in ((a, b, score), (b, a, -score)):
                    total, count = self._pairs.get((one, other), (0.0, 0))
                    self._pairs[one, other] = total + value, count + 1
                    total, count = self._totals.get(one, (0.0, 0))
                    self._totals[one] = total + value, count + 1

    def score(self, one: Weights, other: Weights) -> float:
        """The mean score of a network against another; 0 if they never met."""
        total, count = self._pairs.get((one.tobytes(), other.tobytes()), (0.0, 0))
        return total / count if count else 0.0

    def mean_score(self, one: Weights) -> float:
        """The mean score of a network over all its games; 0 if it has none."""
        total, count = self._totals.get(one.tobytes(), (0.0, 0))
        return total / count if count else 0.0

    def shared_wins(self, hosts: Population, opponents: Sequence[Weights] | Population) -> NDArray[np.float64]:
        """[host] Σ over the opponents that it beats of 1 / (number of hosts that beat this opponent)."""
        wins = self._scores(hosts, opponents) > 0
        return (wins / np.maximum(wins.sum(axis=0), 1)).sum(axis=1)

    def shared_fitness(self, hosts: Population, opponents: Sequence[Weights] | Population) -> NDArray[np.float64]:
        """[host] the shared wins, divided by the number of opponents that the host has met without a tie.

        The published code divides so that a host that was kept, and has met more opponents, has no advantage.
        """
        met = (self._scores(hosts, opponents) != 0).sum(axis=1)
        return self.shared_wins(hosts, opponents) / np.maximum(met, 1)

    def _scores(self, hosts: Population, opponents: Sequence[Weights] | Population) -> NDArray[np.float64]:
        """[host, opponent]."""
        found = [[self.score(host, opponent) for opponent in opponents] for host in hosts]
        return np.array(found, np.float64).reshape(len(hosts), len(opponents))
