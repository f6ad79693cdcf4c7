"""Specs of networks: numbers and groups of weights, and errors."""

from math import prod

import numpy as np
import pytest

from networks.shared import random_boards
from nobi.errors import NobiError
from nobi.networks import make_network, names

SCALABLE = [
    ("mdrnn:hidden=10", 140),
    ("mdrnn:hidden=3,border=value", 21),
    ("mdrnn:hidden=3,border=bias", 21),
    ("mdrnn:hidden=1", 5),
    ("mdlstm:hidden=3", 93),
    ("mdlstm:hidden=3,mode=symmetric", 93),
    ("mdlstm:hidden=3,mode=original", 93),
    ("mdlstm:hidden=10,mode=original", 660),
    ("mdlstm:hidden=3,mode=tied", 75),
    ("mdlstm:hidden=10,mode=tied", 530),
    ("conv:features=3,width=3,planes=1", 31),
    ("conv:features=5,width=7,planes=1", 251),
    ("conv:features=3,width=3,planes=2", 59),
    ("conv:features=5,width=7,planes=2", 497),
    ("stacked:cell=mdrnn,hidden=3,layers=1", 21),
    ("stacked:cell=mdrnn,hidden=3,layers=2", 18 + 21 + 3),
    ("stacked:cell=mdlstm,hidden=3,layers=2", 90 + 105 + 3),
    ("stacked:cell=mdlstm,hidden=3,layers=3", 90 + 2 * 105 + 3),
    ("stacked:cell=mdlstm,hidden=3,layers=2,mode=tied", 72 + 84 + 3),
]
MLP = [
    ("mlp:hidden=100,unit=tanh", 5, 100 * (50 + 1) + 25 * (100 + 1)),
    ("mlp:hidden=100,unit=sigmoid", 9, 100 * (162 + 1) + 81 * (100 + 1)),
    ("mlp:hidden=1,unit=tanh", 25, 1251 + 625 * 2),
]
ALL = [*((spec, size, count) for spec, count in SCALABLE for size in (5, 9, 25)), *MLP]


def test_names():
    assert set(names()) >= {"mdrnn", "mdlstm", "conv", "mlp", "stacked"}


@pytest.mark.parametrize(("spec", "size", "count"), ALL)
def test_weight_counts(spec, size, count):
    net = make_network(spec)
    assert net.weight_count(size) == count
    assert sum(prod(shape) for shape in net.groups(size).values()) == count


@pytest.mark.parametrize(
    ("spec", "groups"),
    [
        ("mdrnn:hidden=4", {"input": (4, 2), "recurrent": (4, 4), "border": (4,), "output": (4,)}),
        ("mdlstm:hidden=4", {"input": (20, 2), "recurrent": (20, 4), "border": (20,), "output": (4,)}),
        ("mdlstm:hidden=4,mode=tied", {"input": (16, 2), "recurrent": (16, 4), "border": (16,), "output": (4,)}),
    ],
)
def test_groups(spec, groups):
    assert make_network(spec).groups(9) == groups


@pytest.mark.parametrize(("spec", "size", "count"), ALL)
def test_split_divides_the_vector_into_the_groups_in_order(spec, size, count):
    net = make_network(spec)
    weights = np.arange(count, dtype=np.float32)
    parts = net.split(weights, size)
    assert {group: part.shape for group, part in parts.items()} == net.groups(size)
    assert list(parts) == list(net.groups(size))
    np.testing.assert_array_equal(np.concatenate([part.ravel() for part in parts.values()]), weights)


def test_random_weights_are_normal():
    net = make_network("mlp:hidden=100,unit=tanh")
    weights = net.random_weights(19, np.random.default_rng(1))
    assert weights.dtype == np.float32
    assert weights.shape == (net.weight_count(19),)
    assert abs(weights.mean()) < 0.02
    assert abs(weights.std() - 1) < 0.02
    assert abs((weights**4).mean() - 3) < 0.2
    np.testing.assert_array_equal(weights, net.random_weights(19, np.random.default_rng(1)))


@pytest.mark.parametrize("spec", [spec for spec, _ in SCALABLE])
def test_the_same_weights_play_on_every_size(spec):
    net = make_network(spec)
    rng = np.random.default_rng(1)
    weights = net.random_weights(5, rng)
    for size in (5, 8, 19, 25):
        outputs = net.evaluate(weights, *random_boards(2, size, rng))
        assert outputs.shape == (2, size, size)
        assert np.isfinite(outputs).all()
        assert outputs.std() > 0


def test_an_mlp_refuses_another_size():
    net = make_network("mlp:hidden=10,unit=tanh")
    weights = net.random_weights(7, np.random.default_rng(1))
    own, enemy = random_boards(2, 9, np.random.default_rng(1))
    with pytest.raises(NobiError, match=r"9x9.*\.$"):
        net.evaluate(weights, own, enemy)


@pytest.mark.parametrize("spec", [spec for spec, _ in SCALABLE] + [spec for spec, _, _ in MLP])
@pytest.mark.parametrize("surplus", [-1, 1])
def test_weights_of_the_wrong_length_are_refused(spec, surplus):
    net = make_network(spec)
    count = net.weight_count(5)
    weights = np.zeros(count + surplus, np.float32)
    with pytest.raises(NobiError, match=rf"{count} weights, not {count + surplus}\b.*\.$"):
        net.evaluate(weights, *random_boards(1, 5, np.random.default_rng(1)))
    with pytest.raises(NobiError):
        net.split(weights, 5)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("mdrnn:hidden=0", "hidden"),
        ("mdlstm:hidden=-1", "hidden"),
        ("mlp:hidden=0", "hidden"),
        ("stacked:hidden=0", "hidden"),
        ("stacked:layers=0", "layers"),
        ("conv:features=0", "features"),
        ("conv:width=0", "width"),
        ("conv:width=4", "width"),
        ("conv:width=-3", "width"),
        ("conv:planes=3", "planes"),
        ("conv:planes=0", "planes"),
        ("mdrnn:hidden=many", "hidden"),
        ("mdrnn:border=none", "border"),
        ("mdlstm:mode=other", "mode"),
        ("mlp:unit=relu", "unit"),
        ("stacked:cell=conv", "cell"),
        ("mdrnn:mode=tied", "mode"),
        ("mdrn", "mdrnn"),
    ],
)
def test_bad_specs_are_refused(spec, says):
    with pytest.raises(NobiError, match=says):
        make_network(spec)


def test_networks_are_printed_as_their_specs():
    for spec, count in SCALABLE:
        net = make_network(str(make_network(spec)))
        assert net.weight_count(5) == count
        assert str(net) == str(make_network(spec))
