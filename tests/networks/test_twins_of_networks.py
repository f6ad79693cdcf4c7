"""The compiled networks agree with their reference implementations and the published code."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.closeness import SINGLE, assert_close, largest
from networks.shared import calm_weights, joined, random_boards, twin_outputs
from nobi.networks import make_network
from reference.networks import sigmoid

UNITS = [1, 3, 10]  # and 16 once for each cell, because every number of units is compiled separately
MODES = ["symmetric", "tied", "original"]
BORDERS = ["value", "bias"]
MDRNN = [*(f"mdrnn:hidden={k},border={border}" for k in UNITS for border in BORDERS), "mdrnn:hidden=16,border=value"]
MDLSTM = [*(f"mdlstm:hidden={k},mode={mode}" for k in UNITS for mode in MODES), "mdlstm:hidden=16,mode=symmetric"]
OF_THREE_UNITS = [spec for spec in MDRNN + MDLSTM if "hidden=3," in spec]
STACKED = [
    *(f"stacked:cell=mdrnn,hidden=3,layers=2,border={border}" for border in BORDERS),
    *(f"stacked:cell=mdlstm,hidden=3,layers=2,mode={mode}" for mode in MODES),
    "stacked:cell=mdrnn,hidden=3,layers=3,border=bias",
    "stacked:cell=mdlstm,hidden=3,layers=3,mode=original",
]
CONV = [f"conv:features={k},width={p},planes={planes}" for k, p in [(1, 3), (3, 5), (10, 7)] for planes in (1, 2)]
MLP = [f"mlp:hidden={k},unit={unit}" for k in (1, 10, 100) for unit in ("tanh", "sigmoid")]

ON_LARGE_BOARDS = [
    *(f"mdrnn:hidden={k},border={border}" for k in (3, 10) for border in BORDERS),
    *(f"mdlstm:hidden={k},mode={mode}" for k in (3, 10) for mode in MODES),
    "stacked:cell=mdrnn,hidden=3,layers=2,border=value",
    "stacked:cell=mdlstm,hidden=3,layers=2,mode=symmetric",
    "conv:features=3,width=5,planes=1",
    "conv:features=3,width=5,planes=2",
    "mlp:hidden=100,unit=tanh",
]

PUBLISHED = np.load(Path(__file__).parent.parent / "data" / "swiping.npz")


def assert_like_the_twin(spec, weights, own, enemy, within):
    """Check for equality with the reference except for rounding: within `within`, or many times the effect of rounding.

    With open forget gates, the states of an MDLSTM grow from cell to cell, and about one network in a thousand on the
    largest boards is that sensitive.
    """
    outputs = make_network(spec).evaluate(weights, own, enemy)
    assert outputs.dtype == np.float32
    for output, mine, theirs in zip(outputs, own, enemy, strict=True):
        expected = twin_outputs(spec, weights, mine, theirs)
        if np.abs(output - expected).max() > within * largest(expected):
            moved = rounding_of(spec, weights, mine, theirs, expected)
            within = max(within, 50 * moved / largest(expected))
        assert_close(output, expected, within)


def rounding_of(spec, weights, own, enemy, expected):
    """The change of the reference outputs if every weight changes to the next floating-point number."""
    rng = np.random.default_rng(0)
    return max(
        np.abs(twin_outputs(spec, np.nextafter(weights, toward), own, enemy) - expected).max()
        for toward in rng.choice(np.array([-np.inf, np.inf], np.float32), (4, len(weights)))
    )


def compare_calm(spec, size, batch):
    rng = np.random.default_rng(size)
    weights = calm_weights(make_network(spec), size, rng)
    assert_like_the_twin(spec, weights, *random_boards(batch, size, rng), within=SINGLE)


@pytest.mark.parametrize("size", [5, 6, 7, 9])
@pytest.mark.parametrize("spec", MDRNN + MDLSTM + STACKED + CONV + MLP)
def test_like_the_reference(spec, size):
    compare_calm(spec, size, batch=2)


@pytest.mark.parametrize("size", [13, 19, 25])
@pytest.mark.parametrize("spec", ON_LARGE_BOARDS)
def test_like_the_reference_on_large_boards(spec, size):
    compare_calm(spec, size, batch=1)


@pytest.mark.parametrize("spec", [*OF_THREE_UNITS, *CONV[2:4], *MLP[2:4]])
@settings(max_examples=20, deadline=None)
@given(size=st.integers(5, 25), seed=st.integers(0, 2**32))
def test_like_the_reference_on_any_size(spec, size, seed):
    rng = np.random.default_rng(seed)
    weights = calm_weights(make_network(spec), size, rng)
    assert_like_the_twin(spec, weights, *random_boards(1, size, rng), within=SINGLE)


@pytest.mark.parametrize("spec", [*OF_THREE_UNITS, *STACKED[:5], *CONV, *MLP])
def test_like_the_reference_with_random_weights(spec):
    """N(0, 1) weights, on a board too small for chaotic behaviour."""
    rng = np.random.default_rng(1)
    weights = make_network(spec).random_weights(5, rng)
    assert_like_the_twin(spec, weights, *random_boards(5, 5, rng), within=2e-4)


@pytest.mark.parametrize(
    ("key", "spec"),
    [
        ("mdrnn_k3_n5", "mdrnn:hidden=3,border=bias"),
        ("mdrnn_k10_n7", "mdrnn:hidden=10,border=bias"),
        ("mdlstm_k3_n5", "mdlstm:hidden=3,mode=original"),
    ],
)
def test_like_the_published_code(key, spec):
    enemy, own = np.moveaxis(PUBLISHED[f"{key}_board"], -1, 0)[:, None]
    parts = {
        "input": PUBLISHED[f"{key}_W_in"][:, ::-1],
        "recurrent": PUBLISHED[f"{key}_W_h"],
        "output": PUBLISHED[f"{key}_W_out"],
        "border": PUBLISHED[f"{key}_W_b"],
    }
    net = make_network(spec)
    weights = joined({group: parts[group] for group in net.groups(len(own[0]))})
    outputs = sigmoid(net.evaluate(weights, own, enemy)[0])
    assert_close(outputs, PUBLISHED[f"{key}_output"], 1e-4)  # ten units amplify rounding


@pytest.mark.parametrize(
    ("single", "stack"),
    [
        ("mdrnn:hidden=3,border=bias", "stacked:cell=mdrnn,hidden=3,layers=1,border=bias"),
        ("mdlstm:hidden=3,mode=tied", "stacked:cell=mdlstm,hidden=3,layers=1,mode=tied"),
    ],
)
def test_a_stack_of_one_layer_is_that_layer(single, stack):
    rng = np.random.default_rng(1)
    weights = make_network(single).random_weights(7, rng)
    own, enemy = random_boards(3, 7, rng)
    outputs = [make_network(spec).evaluate(weights, own, enemy) for spec in (single, stack)]
    np.testing.assert_array_equal(*outputs)
