"""Outputs are bit-exactly equivariant under the symmetries, and independent of the other boards of a batch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from networks.shared import SYMMETRIES, joined, random_boards, transformed
from nobi.networks import make_network

EQUIVARIANT = [
    *(f"mdrnn:hidden={k},border={border}" for k in (1, 3, 10) for border in ("value", "bias")),
    *(f"mdlstm:hidden={k},mode={mode}" for k in (1, 3, 10) for mode in ("symmetric", "tied")),
    "stacked:cell=mdrnn,hidden=3,layers=2,border=value",
    "stacked:cell=mdlstm,hidden=3,layers=2,mode=symmetric",
    "stacked:cell=mdlstm,hidden=3,layers=2,mode=tied",
]
ALL_KINDS = [
    "mdrnn:hidden=10",
    "mdlstm:hidden=3,mode=symmetric",
    "mdlstm:hidden=3,mode=tied",
    "mdlstm:hidden=3,mode=original",
    "stacked:cell=mdrnn,hidden=3,layers=2",
    "stacked:cell=mdlstm,hidden=3,layers=2",
    "conv:features=3,width=5,planes=1",
    "conv:features=3,width=5,planes=2",
    "mlp:hidden=10,unit=tanh",
]


def outputs_of_transformed_boards(spec, size, rng, boards=3, spread=1.0):
    """By symmetry: the outputs for transformed boards, and the transformed outputs."""
    net = make_network(spec)
    weights = net.random_weights(size, rng) * np.float32(spread)
    own, enemy = random_boards(boards, size, rng)
    outputs = net.evaluate(weights, own, enemy)
    return {
        symmetry: (
            net.evaluate(weights, transformed(own, *symmetry), transformed(enemy, *symmetry)),
            transformed(outputs, *symmetry),
        )
        for symmetry in SYMMETRIES.values()
    }


@pytest.mark.parametrize("spec", EQUIVARIANT)
@settings(max_examples=20, deadline=None)
@given(size=st.integers(5, 25), seed=st.integers(0, 2**32), spread=st.sampled_from([0.1, 1.0, 10.0, 100.0]))
def test_equivariant_to_the_last_bit(spec, size, seed, spread):
    pairs = outputs_of_transformed_boards(spec, size, np.random.default_rng(seed), spread=spread)
    for symmetry, (outputs, expected) in pairs.items():
        np.testing.assert_array_equal(outputs, expected, err_msg=str(symmetry))


@pytest.mark.parametrize("spread", [1, 10, 100])
@pytest.mark.parametrize("spec", EQUIVARIANT)
def test_equivariant_to_the_last_bit_on_many_boards(spec, spread):
    """Large weights give sums of large and tiny terms, whose last bit depends on the order of the sweeps."""
    pairs = outputs_of_transformed_boards(spec, 9, np.random.default_rng(3), boards=1000, spread=spread)
    for symmetry, (outputs, expected) in pairs.items():
        np.testing.assert_array_equal(outputs, expected, err_msg=str(symmetry))


def test_the_empty_board_has_symmetric_outputs():
    net = make_network("mdlstm:hidden=3,mode=symmetric")
    empty = np.zeros((1, 9, 9), np.int8)
    outputs = net.evaluate(net.random_weights(9, np.random.default_rng(1)), empty, empty)
    for symmetry in SYMMETRIES.values():
        np.testing.assert_array_equal(outputs, transformed(outputs, *symmetry))


def test_the_published_mdlstm_is_not_equivariant():
    """It has only the left-right symmetry: its two downward sweeps are equal, and so are the upward ones."""
    pairs = outputs_of_transformed_boards("mdlstm:hidden=3,mode=original", 7, np.random.default_rng(1))
    kept = {symmetry for symmetry, pair in pairs.items() if np.allclose(*pair, rtol=0, atol=1e-4)}
    assert kept == {SYMMETRIES["0 quarter turns"], SYMMETRIES["mirrored, 0 quarter turns"]}


@pytest.mark.parametrize("spec", ["conv:features=3,width=3,planes=1", "mlp:hidden=10,unit=tanh"])
def test_conv_and_mlp_are_not_symmetric(spec):
    pairs = outputs_of_transformed_boards(spec, 5, np.random.default_rng(1))
    kept = {symmetry for symmetry, pair in pairs.items() if np.allclose(*pair, rtol=0, atol=1e-4)}
    assert kept == {SYMMETRIES["0 quarter turns"]}


def test_symmetric_mdlstm_is_invariant_under_exchange_of_forget_gates():
    net = make_network("mdlstm:hidden=3,mode=symmetric")
    rng = np.random.default_rng(1)
    weights = net.random_weights(7, rng)
    boards = random_boards(5, 7, rng)
    groups = net.split(weights, 7)
    other_rows = [0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11, 12, 13, 14]  # input gate, forget gates, cell, output gate
    exchanged = joined({name: w if name == "output" else w[other_rows] for name, w in groups.items()})
    assert not np.array_equal(weights, exchanged)
    np.testing.assert_array_equal(net.evaluate(weights, *boards), net.evaluate(exchanged, *boards))


@pytest.mark.parametrize("spec", ALL_KINDS)
@settings(max_examples=15, deadline=None)
@given(batch=st.integers(1, 150), size=st.integers(5, 9), seed=st.integers(0, 2**32))
def test_a_board_has_the_same_outputs_alone_and_in_any_batch(spec, batch, size, seed):
    net = make_network(spec)
    rng = np.random.default_rng(seed)
    weights = net.random_weights(size, rng)
    own, enemy = random_boards(batch, size, rng)
    together = net.evaluate(weights, own, enemy)
    assert together.shape == (batch, size, size)
    for i in {0, batch // 2, batch - 1}:
        np.testing.assert_array_equal(net.evaluate(weights, own[i : i + 1], enemy[i : i + 1])[0], together[i])
    order = rng.permutation(batch)
    np.testing.assert_array_equal(net.evaluate(weights, own[order], enemy[order]), together[order])


@pytest.mark.parametrize("spec", ALL_KINDS)
def test_the_dtype_of_the_boards_has_no_effect(spec):
    net = make_network(spec)
    rng = np.random.default_rng(1)
    weights = net.random_weights(6, rng)
    own, enemy = random_boards(4, 6, rng)
    expected = net.evaluate(weights, own, enemy)
    for kind in (bool, np.uint8, np.int64, np.float32, np.float64):
        np.testing.assert_array_equal(net.evaluate(weights, own.astype(kind), enemy.astype(kind)), expected)
