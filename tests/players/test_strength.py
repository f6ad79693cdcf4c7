"""Strength of the built-in players."""

from itertools import pairwise

import pytest

from helpers.arena import match
from nobi.arena.results import summarise


@pytest.mark.parametrize("size", [7, 9])
def test_the_order_of_the_built_in_players(size):
    """random < naive < heuristic(0.2) < heuristic(0.05) < heuristic(0), each far stronger than the previous one."""
    words = ["random", "naive", "heuristic:e=0.2", "heuristic:e=0.05", "heuristic"]
    for weaker, stronger in pairwise(words):
        assert summarise(match("atari-go", size, stronger, weaker, games=2000))["all"].win_rate.low > 0.55
