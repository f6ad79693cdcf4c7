"""Networks and model files as policies of a search."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from helpers.policies import started
from nobi.board.stones import board_points
from nobi.encoding import position_planes
from nobi.errors import NobiError
from nobi.features import make_planes
from nobi.games import variant
from nobi.models.model import Model, save_model
from nobi.networks import make_network
from nobi.networks.deep import make_deep
from nobi.nn.torch_layers import leave_cores
from nobi.search.policy import NetworkPolicy, softmax
from nobi.workers import usable_threads


def test_network_policy():
    network = make_network("mdrnn:hidden=3")
    weights = network.random_weights(5, np.random.default_rng(1))
    search = started(NetworkPolicy(network, weights, 2.0), mode="synchronous")
    search.run(1)
    empty = np.zeros((1, 5, 5))
    expected = softmax(network.evaluate(weights, empty, empty).reshape(1, -1), 2.0)[0]
    points = board_points(5)
    found = {child.move: child.prior for child in search.children()}
    assert_allclose([found[int(point)] for point in points], expected, rtol=1e-5)


def test_model_files(tmp_path):
    network = make_network("mlp")
    path = tmp_path / "model.safetensors"
    save_model(path, Model(network, network.random_weights(5, np.random.default_rng(1)), 5))
    started(None, model=str(path)).run(50)
    with pytest.raises(NobiError, match="plays on 5x5 only, not on 7x7"):
        started(None, size=7, model=str(path))
    with pytest.raises(NobiError, match="no model file"):
        started(None, model="nowhere.safetensors")


def test_deep_networks_guide_a_search(tmp_path):
    network = make_deep("nobi-net:width=16,blocks=1", seed=2)
    path = tmp_path / "deep.safetensors"
    save_model(path, Model.from_module(network, 9))
    search = started(None, "go", mode="synchronous", model=str(path))
    search.run(1)
    game = variant("go", 5).new()
    values = network.for_play().evaluate(
        position_planes(game, make_planes(network.planes), rank=9)[None], np.array([False])
    )
    expected = softmax(values, 1.0)[0]
    found = {child.move: child.prior for child in search.children()}
    shares = np.array([found[int(point)] for point in board_points(5)])
    assert_allclose(shares / shares.sum(), expected, rtol=1e-4)
    with pytest.raises(NobiError, match="plays go, not gomoku"):
        started(None, "gomoku", model=str(path))


def test_a_deep_network_does_not_use_the_cores_of_the_search():
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        leave_cores(busy=usable_threads() - 1)
        assert torch.get_num_threads() == 1
        leave_cores(busy=0)  # not more than before
        assert torch.get_num_threads() == 1
        torch.set_num_threads(3)
        leave_cores(busy=10_000)
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)
