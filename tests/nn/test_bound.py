"""Forward passes called by address: the same values as the pass itself, one type for all networks."""

import gc
import pickle

import numba
import numpy as np
import pytest

from nobi.games import variant
from nobi.networks import make_network
from nobi.nn.bound import bind_pass, run_pass
from nobi.nn.lanes import LANES
from nobi.players.network import NetworkPlayer

SPECS = ["mdrnn:hidden=3", "mdlstm:hidden=3", "conv", "mlp", "stacked:cell=mdrnn,hidden=3,layers=2"]


def random_pass(spec, size=5, seed=0):
    network, rng = make_network(spec), np.random.default_rng(seed)
    workspace = network.new_workspace(network.random_weights(size, rng), size)
    workspace.x[:] = rng.integers(0, 2, workspace.x.shape)
    return network, workspace


@pytest.mark.parametrize("spec", SPECS)
def test_values_equal_those_of_the_pass(spec):
    network, workspace = random_pass(spec)
    bound = bind_pass(network.forward(), workspace)
    run_pass(bound, LANES)
    by_address = bound.out.copy()
    workspace.out[:] = 0
    network.forward()(workspace, LANES)
    np.testing.assert_array_equal(by_address, workspace.out)
    assert np.ptp(by_address) > 0


def test_the_arrays_of_the_workspace_stay_alive():
    network, workspace = random_pass("mdlstm:hidden=3")
    bound = bind_pass(network.forward(), workspace)
    run_pass(bound, LANES)
    expected = bound.out.copy()
    del workspace
    gc.collect()
    rubbish = [np.full(2000, np.nan, np.float32) for _ in range(1000)]
    run_pass(bound, LANES)
    np.testing.assert_array_equal(bound.out, expected)
    assert len(rubbish) == 1000


def test_all_networks_share_the_compiled_loops_of_a_game():
    game = variant("gomoku", 5)
    players = []
    for spec in SPECS:
        network = make_network(spec)
        players.append(NetworkPlayer(game, network, network.random_weights(5, np.random.default_rng(0))))
    assert len({player.batch_chooser() for player in players}) == 1
    assert len({numba.typeof(player.workspace()) for player in players}) == 1


def test_workspaces_of_one_type_and_other_sizes_share_a_pass():
    small, large = (random_pass("mdrnn:hidden=3", size) for size in (5, 9))
    bounds = [bind_pass(network.forward(), workspace) for network, workspace in (small, large)]
    assert bounds[0].code == bounds[1].code
    for bound, (network, workspace) in zip(bounds, (small, large), strict=True):
        run_pass(bound, 3)
        found = bound.out[:, :3].copy()
        network.forward()(workspace, 3)
        np.testing.assert_array_equal(found, workspace.out[:, :3])


def test_a_bound_pass_stays_in_its_process():
    network, workspace = random_pass("mdrnn:hidden=3")
    with pytest.raises(TypeError, match="addresses"):
        pickle.dumps(bind_pass(network.forward(), workspace))
