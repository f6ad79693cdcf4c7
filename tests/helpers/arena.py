"""Matches between players given by their specs, and artificial or lockstep games for comparison."""

import numpy as np
from numpy.testing import assert_array_equal

from nobi.arena.play import Lockstep, play_games
from nobi.arena.results import PlayedGames
from nobi.games import variant
from nobi.players import make_player


def match(game, size, a, b, games=600, **options):
    where = variant(game, size)
    return play_games(where, make_player(a, where), make_player(b, where), games, keep_moves=True, **options)


def match_in_lockstep(where, a, b, games, batch):
    """Play the games of seed 0 in lockstep, regardless of the players."""
    width = where.most_moves
    played = PlayedGames(
        where, 0, np.zeros(games, np.int8), np.zeros(games, np.int32), np.zeros((games, width), np.uint16)
    )
    Lockstep(where, a, b, 0, batch).play(0, played.outcome, played.length, played.moves)
    return played


def results(where, outcome, length, first=0):
    """Games with outcomes and lengths only."""
    return PlayedGames(
        where, first, np.array(outcome, np.int8), np.array(length, np.int32), np.zeros((len(outcome), 0), np.uint16)
    )


def assert_same_games(one, other):
    assert_array_equal(one.outcome, other.outcome)
    assert_array_equal(one.length, other.length)
    assert_array_equal(one.moves, other.moves)
