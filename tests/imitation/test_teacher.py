"""Gradient training on the moves of a player."""

import numpy as np
import torch

from nobi.games import variant
from nobi.imitation.teacher import TeacherGames, agreement, train_on_teacher
from nobi.networks import make_network
from nobi.networks.deep import make_deep

TEACHER = "naive"


def games(seed=0, boards=32):
    return TeacherGames(variant("atari-go", 5), TEACHER, "random", boards, seed)


def test_the_teachers_moves_are_legal():
    positions = games().next_positions()
    assert positions.free[np.arange(32), positions.move].all()
    np.testing.assert_array_equal(positions.planes.sum(axis=1).reshape(32, 25), ~positions.free)
    assert len({tuple(position.ravel()) for position in positions.planes}) > 16
    again = games().next_positions()
    np.testing.assert_array_equal(again.planes, positions.planes)


def test_training_finds_the_moves_of_the_teacher():
    network = make_deep("conv:features=3,width=3,planes=2")
    before = agreement(network, games(1), 8)
    losses = train_on_teacher(network, games(), 60, 0.05)
    assert losses[-10:].mean() < losses[:5].mean()
    assert agreement(network, games(1), 8) > before


def test_the_torch_version_of_conv_equals_the_compiled_network():
    rng = np.random.default_rng(0)
    boards = rng.random((3, 2, 7, 7)) < 0.3
    boards[:, 1] &= ~boards[:, 0]
    for planes in (1, 2):
        twin = make_deep(f"conv:features=2,width=5,planes={planes}", 3)
        with torch.no_grad():
            outputs = twin(torch.from_numpy(boards.astype(np.float32))).numpy()
        compiled = make_network(str(twin.compiled_network()))
        expected = compiled.evaluate(twin.compiled_weights(), boards[:, 0], boards[:, 1])
        np.testing.assert_allclose(outputs.reshape(3, 7, 7), expected, atol=1e-5)
