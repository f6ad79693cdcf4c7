"""The reference implementations: outputs of the published code, and the claimed symmetries."""

from pathlib import Path

import numpy as np
import pytest

from helpers.closeness import DOUBLE, assert_close
from networks.shared import SYMMETRIES, random_boards, transformed
from reference import networks as plain

PUBLISHED = np.load(Path(__file__).parent.parent / "data" / "swiping.npz")
MIRRORED = SYMMETRIES["mirrored, 0 quarter turns"]


def random_arrays(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


def mdrnn_weights(seed, k=3):
    return random_arrays(seed, (k, 2), (k, k), k, k)


def mdlstm_weights(seed, k=3, gates=5):
    return random_arrays(seed, (gates * k, 2), (gates * k, k), k, gates * k)


def one_board(size=5, seed=0):
    own, enemy = random_boards(1, size, np.random.default_rng(seed))
    return own[0].astype(float), enemy[0].astype(float)


@pytest.mark.parametrize(
    ("key", "network", "settings"),
    [
        ("mdrnn_k3_n5", plain.mdrnn, {"border": "bias"}),
        ("mdrnn_k10_n7", plain.mdrnn, {"border": "bias"}),
        ("mdlstm_k3_n5", plain.mdlstm, {"mode": "original"}),
    ],
)
def test_the_references_give_the_published_codes_outputs(key, network, settings):
    enemy, own = np.moveaxis(PUBLISHED[f"{key}_board"], -1, 0)
    w_in, w_h, w_out, w_b = (PUBLISHED[f"{key}_{part}"] for part in ("W_in", "W_h", "W_out", "W_b"))
    outputs = plain.sigmoid(network(own, enemy, w_in[:, ::-1], w_h, w_out, w_b, **settings))
    assert_close(outputs, PUBLISHED[f"{key}_output"])


def stacked_mdrnn(own, enemy):
    first, second = random_arrays(1, (3, 2), (3, 3), 3), random_arrays(2, (3, 3), (3, 3), 3)
    return plain.stacked(own, enemy, [first, second], np.ones(3), cell="mdrnn")


def stacked_mdlstm(own, enemy):
    first, second = random_arrays(1, (15, 2), (15, 3), 15), random_arrays(2, (15, 3), (15, 3), 15)
    return plain.stacked(own, enemy, [first, second], np.ones(3), mode="symmetric")


@pytest.mark.parametrize("symmetry", SYMMETRIES.values(), ids=SYMMETRIES)
@pytest.mark.parametrize(
    "network",
    [
        pytest.param(lambda own, enemy: plain.mdrnn(own, enemy, *mdrnn_weights(1)), id="mdrnn, value"),
        pytest.param(lambda own, enemy: plain.mdrnn(own, enemy, *mdrnn_weights(1), border="bias"), id="mdrnn, bias"),
        pytest.param(lambda own, enemy: plain.mdlstm(own, enemy, *mdlstm_weights(1)), id="mdlstm, symmetric"),
        pytest.param(
            lambda own, enemy: plain.mdlstm(own, enemy, *mdlstm_weights(1, gates=4), mode="tied"), id="mdlstm, tied"
        ),
        pytest.param(stacked_mdrnn, id="stacked mdrnn"),
        pytest.param(stacked_mdlstm, id="stacked mdlstm"),
    ],
)
def test_a_transformed_board_has_the_transformed_outputs(network, symmetry):
    own, enemy = one_board()
    outputs = network(transformed(own, *symmetry), transformed(enemy, *symmetry))
    assert_close(outputs, transformed(network(own, enemy), *symmetry))


@pytest.mark.parametrize("symmetry", SYMMETRIES.values(), ids=SYMMETRIES)
def test_the_published_mdlstm_has_only_the_left_right_symmetry(symmetry):
    own, enemy = one_board()
    weights = mdlstm_weights(1)
    outputs = plain.mdlstm(transformed(own, *symmetry), transformed(enemy, *symmetry), *weights, mode="original")
    error = np.abs(outputs - transformed(plain.mdlstm(own, enemy, *weights, mode="original"), *symmetry)).max()
    assert error < DOUBLE if symmetry in ((0, 0), MIRRORED) else error > 1e-3


ROW_THEN_COLUMN = {  # the gates of the states from the row and from the column: inside, last row, last column
    (1, 1): [(0, 1), (0, 1), (0, 0)],
    (1, -1): [(0, 1), (0, 1), (0, 0)],
    (-1, 1): [(1, 0), (0, 0), (1, 0)],
    (-1, -1): [(1, 0), (0, 0), (1, 0)],
}


@pytest.mark.parametrize(("sweep", "gates"), ROW_THEN_COLUMN.items())
def test_the_published_forget_gates(sweep, gates):
    size = 5
    last_row, last_column = (size - 1 if step == 1 else 0 for step in sweep)
    for point, expected in zip([(2, 2), (last_row, 2), (2, last_column)], gates, strict=True):
        before = plain.beside_in_row(point, sweep), plain.beside_in_column(point, sweep)
        assert tuple(plain.published_gate(p, point, size, sweep) for p in before) == expected


def test_both_borders_agree_for_equal_contributions():
    own, enemy = one_board()
    w_in, w_h, w_out, w_b = mdrnn_weights(1)
    by_value = plain.mdrnn(own, enemy, w_in, w_h, w_out, w_b, border="value")
    by_bias = plain.mdrnn(own, enemy, w_in, w_h, w_out, w_h @ w_b, border="bias")
    assert_close(by_value, by_bias)


def test_all_modes_agree_if_the_two_forget_gates_are_equal():
    own, enemy = one_board()
    w_in, w_h, w_out, w_b = mdlstm_weights(1, gates=4)
    five = [np.concatenate([w[:6], w[3:]]) for w in (w_in, w_h, w_b)]
    tied = plain.mdlstm(own, enemy, w_in, w_h, w_out, w_b, mode="tied")
    original = plain.mdlstm(own, enemy, five[0], five[1], w_out, five[2], mode="original")
    symmetric = plain.mdlstm(own, enemy, five[0], five[1], w_out, five[2], mode="symmetric")
    assert_close(original, tied)
    assert_close(symmetric, 2 * tied)


def test_conv_by_hand():
    """A filter with a weight only on the right, and one with a weight only above."""
    own, enemy = np.zeros((3, 3)), np.zeros((3, 3))
    own[1, 1], enemy[0, 2] = 1, 1
    filters = np.zeros((2, 1, 3, 3))
    filters[0, 0, 1, 2], filters[1, 0, 0, 1] = 1, 2
    right = np.tanh([[0, -1, 0.5], [1, 0, 0.5], [0, 0, 0.5]])
    up = np.tanh([[1, 1, 1], [0, 0, -2], [0, 2, 0]])
    outputs = plain.conv(own, enemy, filters, np.array([1, 10]), np.array([0.5]), planes=1)
    assert_close(outputs, right + 10 * up)


def test_mlp_by_hand():
    own, enemy = np.array([[1, 0], [0, 0]]), np.array([[0, 0], [1, 0]])
    w_in = np.arange(8.0)[None] - 3  # the own stone is input 0 and the enemy's input 4 + 2
    outputs = plain.mlp(own, enemy, w_in, np.array([0.5]), np.array([[1.0], [2], [3], [4]]), np.array([0, 0, 0, 1.0]))
    assert_close(outputs, np.tanh(0.5) * np.array([[1, 2], [3, 4]]) + [[0, 0], [0, 1]])
