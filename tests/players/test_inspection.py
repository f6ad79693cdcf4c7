"""Inspection agrees with the values of the network and with the moves of the network player."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.closeness import SINGLE, assert_close
from networks.shared import calm_weights, layer_of, random_boards
from nobi.board.stones import PASS, WHITE
from nobi.games import variant
from nobi.games.go import Go
from nobi.networks import make_network
from nobi.players.inspection import SATURATED, evaluate_layers, inspect_network
from nobi.players.network import NetworkPlayer
from nobi.streams import stream_of
from reference import networks as plain

SWIPING = [
    *(f"mdrnn:hidden={k},border={border}" for k in (1, 10) for border in ("value", "bias")),
    *(f"mdlstm:hidden=3,mode={mode}" for mode in ("symmetric", "tied", "original")),
    "stacked:cell=mdrnn,hidden=3,layers=2",
    "stacked:cell=mdlstm,hidden=3,layers=3,mode=original",
    "stacked:cell=mdlstm,hidden=3,layers=2,mode=symmetric",
]
OTHERS = ["conv:features=3,width=5", "mlp:hidden=10,unit=tanh"]
WAYS = {"↘": (1, 1), "↙": (1, -1), "↗": (-1, 1), "↖": (-1, -1)}
GATES = {
    "row 0, column 1": lambda before, point: int(before[0] != point[0]),
    "row 1, column 0": lambda before, point: int(before[0] == point[0]),
}


def one_board(size, rng):
    return [planes[0] for planes in random_boards(1, size, rng)]


@pytest.mark.parametrize("spec", SWIPING + OTHERS)
@settings(max_examples=10, deadline=None)
@given(size=st.integers(5, 13), seed=st.integers(0, 2**32))
def test_the_output_is_bit_identical_to_the_networks(spec, size, seed):
    net, rng = make_network(spec), np.random.default_rng(seed)
    weights = net.random_weights(size, rng)
    own, enemy = one_board(size, rng)
    output, _ = evaluate_layers(net, weights, own, enemy)
    np.testing.assert_array_equal(output, net.evaluate(weights, own[None], enemy[None])[0])


@pytest.mark.parametrize("size", [5, 9])
@pytest.mark.parametrize("spec", SWIPING)
def test_the_readouts_of_the_last_layers_sweeps_sum_to_the_output(spec, size):
    net, rng = make_network(spec), np.random.default_rng(size)
    weights = net.random_weights(size, rng)
    output, layers = evaluate_layers(net, weights, *one_board(size, rng))
    readouts = np.einsum("skrc,k->src", layers[-1].hidden.astype(float), net.split(weights, size)["output"])
    assert_close(readouts.sum(axis=0), output, 1e-4)  # sums of up to 80 terms in single precision
    assert np.abs(readouts[0] - readouts[-1]).max() > 1e-3


@pytest.mark.parametrize("spec", SWIPING)
def test_shapes_and_labels(spec):
    net, rng = make_network(spec), np.random.default_rng(1)
    _, layers = evaluate_layers(net, net.random_weights(6, rng), *one_board(6, rng))
    assert len(layers) == len(net.layers())
    symmetric = net.name != "mdrnn" and getattr(net.settings, "cell", "mdlstm") == "mdlstm" and "mode" not in spec
    symmetric |= "symmetric" in spec
    for layer in layers:
        assert layer.hidden.shape == ((8 if symmetric else 4), net.settings.hidden, 6, 6)
        assert len(layer.sweeps) == len(set(layer.sweeps)) == len(layer.hidden)
        assert {label.arrow for label in layer.sweeps} == set(WAYS)
        gates = set(GATES) if symmetric else {"as in the published code"} if "original" in spec else {""}
        assert {label.gates for label in layer.sweeps} == gates


@pytest.mark.parametrize("spec", OTHERS)
def test_other_networks_have_no_sweeps(spec):
    net, rng = make_network(spec), np.random.default_rng(1)
    assert evaluate_layers(net, net.random_weights(6, rng), *one_board(6, rng))[1] == []


def test_sweeps_of_an_mdrnn_are_those_of_its_reference():
    net, rng = make_network("mdrnn:hidden=10"), np.random.default_rng(2)
    weights = calm_weights(net, 9, rng)
    own, enemy = one_board(9, rng)
    groups = layer_of(net.split(weights, 9), "")
    [layer] = evaluate_layers(net, weights, own, enemy)[1]
    for label, hidden in zip(layer.sweeps, layer.hidden, strict=True):
        expected = plain.mdrnn_sweep(plain.board_inputs(own, enemy), *groups, "value", WAYS[label.arrow])
        assert_close(hidden, expected.transpose(2, 0, 1), SINGLE)


def test_sweeps_of_a_stack_of_mdlstms_are_those_of_its_reference():
    net, rng = make_network("stacked:cell=mdlstm,hidden=3,layers=2,mode=symmetric"), np.random.default_rng(2)
    weights = calm_weights(net, 7, rng)
    own, enemy = one_board(7, rng)
    seen = plain.board_inputs(own, enemy)
    for number, layer in enumerate(evaluate_layers(net, weights, own, enemy)[1], 1):
        groups = layer_of(net.split(weights, 7), f"layer{number}.")
        for label, hidden in zip(layer.sweeps, layer.hidden, strict=True):
            expected = plain.mdlstm_sweep(seen, *groups, WAYS[label.arrow], GATES[label.gates])
            assert_close(hidden, expected.transpose(2, 0, 1), SINGLE)
        seen = plain.mdlstm_layer(seen, *groups)


def test_inputs_of_tanh_units_are_recovered_from_their_outputs():
    net, rng = make_network("mdrnn:hidden=10"), np.random.default_rng(2)
    weights = net.random_weights(7, rng) * 2
    [layer] = evaluate_layers(net, weights, *one_board(7, rng))[1]
    assert layer.is_tanh
    assert (np.abs(layer.hidden) > 0.999).mean() > 0.5  # maps of these would all look the same
    inputs = layer.inputs()
    assert_close(np.tanh(inputs.astype(float)), layer.hidden, SINGLE)
    assert np.abs(inputs).max() <= SATURATED
    assert np.abs(inputs).std() > 1
    [other] = evaluate_layers(
        make_network("mdlstm"), make_network("mdlstm").random_weights(7, rng), *one_board(7, rng)
    )[1]
    assert not other.is_tanh


# --- positions of games --------------------------------------------------------------------------------------------


def choice(board, network, weights, game, seed):
    player = NetworkPlayer(board, network, weights)
    moves, streams = np.zeros(1, np.uint16), np.array([stream_of(seed, 0)])
    player.batch_chooser()(game.boards, np.zeros(1, np.int64), streams, player.workspace(), moves)
    return int(moves[0])


@pytest.mark.parametrize("spec", ["atari-go", "gomoku", "go"])
def test_the_best_moves_are_those_of_the_player(spec):
    board, network, rng = variant(spec, 5), make_network("mdrnn:hidden=3"), np.random.default_rng(1)
    weights = network.random_weights(5, rng)
    game = board.new()
    while not game.is_over and len(game.moves) < 20:
        found = inspect_network(game, network, weights)
        assert found.legal == game.legal_moves()
        assert {choice(board, network, weights, game, seed) for seed in range(40)} == set(found.best)
        game.play(int(rng.choice(game.legal_moves())))


def test_the_network_evaluates_for_the_player_to_move():
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
