"""The plain MDRNN for the readings of S09: comparison with the compiled networks, and its choice of moves."""

import numpy as np
import pytest

from networks.shared import joined
from nobi.board.stones import EMPTY
from nobi.games import variant
from nobi.networks import make_network
from nobi.streams import stream_of
from nobi.studies.s09.readings import Reading, ReadingJob, ReadingPlayer

SIZE = 7
WHERE = variant("gomoku", SIZE)


def player_of(**settings):
    return ReadingPlayer(WHERE, Reading(**settings), range(2), 1, 0)


def planes(seed=0):
    """Own and enemy stones on two boards, [board, row, column, plane]."""
    stone = np.random.default_rng(seed).integers(0, 3, (2, SIZE, SIZE))
    return np.stack([stone == 1, stone == 2], -1).astype(float)


@pytest.mark.parametrize("border", ["value", "bias"])
def test_the_values_are_those_of_the_compiled_network(border):
    player, boards = player_of(border=border), planes()
    found = player.values(boards, np.arange(2)).reshape(2, SIZE, SIZE)
    network = make_network(f"mdrnn:hidden=3,border={border}")
    for i in range(2):
        parts = player._w_in[i], player._beside[i], player._border[i, 0], player._w_out[i]
        groups = dict(zip(("input", "recurrent", "border", "output"), parts, strict=True))
        assert list(network.groups(SIZE)) == list(groups)
        [expected] = network.evaluate(joined(groups), boards[i : i + 1, ..., 0], boards[i : i + 1, ..., 1])
        np.testing.assert_allclose(found[i], expected, atol=1e-3)  # single precision there


@pytest.mark.parametrize(
    ("settings", "same"), [({"separate": True}, False), ({"bias": True}, False), ({"ties": "first"}, True)]
)
def test_readings_change_values_or_only_the_choice_of_moves(settings, same):
    usual, other = (player_of(**one).values(planes(), np.arange(2)) for one in ({}, settings))
    assert np.allclose(usual, other) == same


def test_the_first_of_equal_moves_or_a_random_one():
    game = WHERE.new()
    values = player_of().values(np.zeros((1, SIZE, SIZE, 2)), np.zeros(1, np.int64))[0]
    best = set(np.flatnonzero(np.isclose(values, values.max(), rtol=0, atol=1e-12)).tolist())
    assert len(best) > 1  # an empty board is symmetric
    found = {"first": set(), "random": set()}
    for ties, seed in ((ties, seed) for ties in found for seed in range(20)):
        moves = np.zeros(1, np.uint16)
        streams = np.array([stream_of(seed, 0)], np.uint64)
        player_of(ties=ties).choose(game.boards, np.zeros(1, np.int64), streams, moves)
        assert game.boards.stones.colour[0, moves[0]] == EMPTY
        found[ties].add(int(moves[0]))
    assert len(found["random"]) > len(found["first"])
    assert len(found["random"]) <= len(best)


def test_games_depend_only_on_the_settings():
    job = ReadingJob(Reading(temperature=0.5), "gomoku", SIZE, "naive", 3, 4, 1)
    one, other = (job.make(None, lambda _: None)["points"] for _ in range(2))
    assert one.tolist() == other.tolist()
    assert len(one) == 3
