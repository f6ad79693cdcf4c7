"""A network as a value function, one and two moves ahead."""

import numpy as np
import pytest

from nobi.board.stones import BLACK, WHITE
from nobi.games import variant
from nobi.networks import make_network
from nobi.players.inspection import colours_of
from nobi.players.value import ValuePlayer, ValueSettings

SPEC = "mdrnn:hidden=3"


def choice(player, game):
    moves = np.zeros(1, np.uint16)
    player.choose(game.boards, np.zeros(1, np.int64), np.ones(1, np.uint64), moves)
    return int(moves[0])


def played(moves, game="atari-go", size=5):
    found = variant(game, size).new()
    for move in moves.split():
        found.play(move)
    return found


def value_of(game, network, weights):
    """The value of a position for the player to move."""
    colours = colours_of(game)
    own, enemy = colours == game.to_move, colours == 3 - game.to_move
    return float(network.evaluate(weights, own[None], enemy[None]).mean(dtype=np.float64))


def after(game, move):
    copy = game.copy()
    copy.play(move)
    return copy


def judged(game, network, weights, depth):
    """The value of a position for the player to move, by plain recursion."""
    if game.is_over:
        return -1e9 if game.outcome in (BLACK, WHITE) else 0.0
    if depth == 0:
        return value_of(game, network, weights)
    return max(-judged(after(game, move), network, weights, depth - 1) for move in game.legal_moves())


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_choice_is_that_of_a_plain_recursion(depth, seed):
    network = make_network(SPEC)
    weights = network.random_weights(5, np.random.default_rng(seed))
    game = played("B2 C2 B3 C3", size=5)
    player = ValuePlayer(variant("atari-go", 5), network, weights, ValueSettings(depth, width=25))
    values = {m: -judged(after(game, m), network, weights, depth - 1) for m in game.legal_moves()}
    assert values[choice(player, game)] == pytest.approx(max(values.values()), abs=1e-5)


def test_wins_are_taken_and_threats_are_seen():
    network = make_network(SPEC)
    weights = network.random_weights(5, np.random.default_rng(2))
    winning = played("B1 A1 E5")  # White's stone at A1 has one liberty, A2
    winning.play("D5")
    player = ValuePlayer(variant("atari-go", 5), network, weights)
    assert after(winning, choice(player, winning)).is_over
    threatened = played("A1 B1")  # Black's stone at A1 has one liberty, A2
    careful = ValuePlayer(variant("atari-go", 5), network, weights, ValueSettings(2, width=25))
    answered = after(threatened, choice(careful, threatened))
    assert not any(after(answered, move).is_over for move in answered.legal_moves())
