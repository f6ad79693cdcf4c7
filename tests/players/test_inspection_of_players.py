"""What a network makes of a position is what the network player plays."""

import numpy as np
import pytest

from nobi.board.stones import PASS, WHITE
from nobi.games import variant
from nobi.games.go import Go
from nobi.networks import make_network
from nobi.players.inspection import inspect_network
from nobi.players.network import NetworkPlayer
from nobi.streams import stream_of


def choice(board, network, weights, game, seed):
    player = NetworkPlayer(board, network, weights)
    moves, streams = np.zeros(1, np.uint16), np.array([stream_of(seed, 0)])
    player.batch_chooser()(game.boards, np.zeros(1, np.int64), streams, player.workspace(), moves)
    return int(moves[0])


@pytest.mark.parametrize("spec", ["atari-go", "gomoku", "go"])
def test_the_best_moves_are_those_that_the_player_chooses(spec):
    board, network, rng = variant(spec, 5), make_network("mdrnn:hidden=3"), np.random.default_rng(1)
    weights = network.random_weights(5, rng)
    game = board.new()
    while not game.is_over and len(game.moves) < 20:
        found = inspect_network(game, network, weights)
        assert found.legal == game.legal_moves()
        assert {choice(board, network, weights, game, seed) for seed in range(40)} == set(found.best)
        game.play(int(rng.choice(game.legal_moves())))


def test_the_network_sees_with_the_eyes_of_the_player_to_move():
    text = "A B C D E\n. . . . .\n. X O . .\n. . . . .\n. O . . .\n. . . . ."
    other = text.replace("X", "?").replace("O", "X").replace("?", "O")
    network = make_network("mdrnn:hidden=3")
    weights = network.random_weights(5, np.random.default_rng(1))
    black = inspect_network(Go.from_text(text), network, weights).output
    np.testing.assert_array_equal(inspect_network(Go.from_text(other, WHITE), network, weights).output, black)
    assert not np.array_equal(inspect_network(Go.from_text(text, WHITE), network, weights).output, black)


def test_a_pass_is_best_only_if_nothing_else_is_legal():
    network = make_network("mdrnn:hidden=3")
    weights = network.random_weights(5, np.random.default_rng(1))
    eyes = Go.from_text("A B C D E\n. X . X X\nX X X X X\nX X X X X\nX X X X X\nX X X X .", WHITE)
    assert inspect_network(eyes, network, weights).best == [PASS]
    eyes.play("pass")
    eyes.play("pass")
    over = inspect_network(eyes, network, weights)
    assert (over.legal, over.best) == ([], [])
