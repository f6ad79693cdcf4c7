"""Choices of players and their frequencies."""

import numpy as np
from scipy import stats

from nobi.games import variant
from nobi.players import make_player
from nobi.streams import stream_of


def choices_of(spec, game, count=1, seed=0):
    """The moves that a player chooses in this position, each with its own stream."""
    where = variant(game.rules_text(), game.size)
    player = make_player(spec, where)
    moves = np.zeros(1, np.uint16)
    found = []
    for i in range(count):
        player.choose(game.boards, np.zeros(1, np.int64), np.array([stream_of(seed, i)], np.uint64), moves)
        found.append(int(moves[0]))
    return found


def assert_uniform(found, moves):
    """Check that exactly these moves are chosen, with about equal frequencies."""
    assert set(found) == set(moves)
    assert stats.chisquare([found.count(move) for move in moves]).pvalue > 1e-4
