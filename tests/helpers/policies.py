"""Policies for searches in tests."""

import time

import numpy as np

from nobi.games import variant
from nobi.search.policy import PolicyOutput
from nobi.search.search import Search
from nobi.search.settings import SearchSettings


class Favourite:
    """Prefers one point in every position; records its inputs."""

    planes = None

    def __init__(self, size, cell, delay=0.0):
        self.size, self.cell, self.delay, self.seen = size, cell, delay, []

    def evaluate(self, positions):
        self.seen.append(positions)
        time.sleep(self.delay)
        weights = np.full((len(positions), self.size**2), 0.01, np.float32)
        weights[:, self.cell] = 1.0
        return PolicyOutput(weights)


def started(policy, spec="go", size=5, **settings):
    """A search with this policy, at the start of a game."""
    search = Search(variant(spec, size), SearchSettings(**settings), policy=policy)
    search.set_game(variant(spec, size).new())
    return search
