"""The gates that the page shows are those that the network computes."""

import numpy as np
import pytest

from nobi.networks import make_network
from nobi.players.network import NetworkPlayer
from nobi.web.setup import Setup
from nobi.web.sweeps import gates_of


def player_and_game(net, size=6):
    setup = Setup(size=size)
    network = make_network(net)
    weights = np.random.default_rng(5).normal(size=network.weight_count(size)).astype(np.float32)
    game = setup.new_game()
    for name in ("C3", "D4", "B2", "E5", "C5"):
        game.play(name)
    return NetworkPlayer(setup.variant(), network, weights), game


@pytest.mark.parametrize("mode", ["symmetric", "tied", "original"])
def test_the_gates_give_the_outputs_of_the_pass(mode):
    player, game = player_and_game(f"mdlstm:hidden=2,mode={mode}")
    gates = gates_of(player, game)
    layer = player.inspect(game).layers[0]
    size = game.size
    directions = {"↘": (1, 1), "↙": (1, -1), "↗": (-1, 1), "↖": (-1, -1)}
    for d, label in enumerate(layer.sweeps):
        down, right = directions[label.arrow]
        rows = range(size)[::down]
        columns = range(size)[::right]
        for unit in range(2):
            named = dict(zip(gates.names, gates.values[d, unit].astype(np.float64), strict=True))
            state = np.zeros((size, size))
            for row in rows:
                for column in columns:
                    at = row, column
                    left = state[row, column - right] if 0 <= column - right < size else 0.0
                    above = state[row - down, column] if 0 <= row - down < size else 0.0
                    kept = named.get("forget row", named.get("forget"))[at] * left
                    kept += named.get("forget column", named.get("forget"))[at] * above
                    state[at] = named["input"][at] * named["cell"][at] + kept
            hidden = named["output"] * np.tanh(state)
            np.testing.assert_allclose(hidden, layer.hidden[d, unit], atol=2e-5)


def test_other_networks_have_no_gates():
    assert gates_of(*player_and_game("mdrnn:hidden=2")) is None
