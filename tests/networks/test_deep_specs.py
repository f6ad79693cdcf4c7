"""Specs of deep networks: numbers of weights, supported boards, and errors."""

import numpy as np
import pytest
import torch

from networks.deep_shared import colours, lively, outputs, random_planes
from nobi.errors import NobiError
from nobi.features import check_planes
from nobi.networks.deep import find, make_deep, names

PAIRS = 16_471
"""Orbits of the pairs of cells of a 19x19 board: by Burnside's lemma (361² + 1 + 2·1 + 4·19²) / 8."""

COUNTS = [
    # tied: 10, 6 and 3 weights in a filter of 7x7, 5x5 and 3x3; 55 biases on 19x19
    ("c14-small", 8 * 48 * 10 + 48 + 48 * 32 * 6 + 32 + 2 * (32 * 32 * 6 + 32) + 32 * PAIRS + 55),
    ("c14-small:edge=false", 7 * 48 * 10 + 48 + 48 * 32 * 6 + 32 + 2 * (32 * 32 * 6 + 32) + 32 * PAIRS + 55),
    ("c14-small:ko=false", 7 * 48 * 10 + 48 + 48 * 32 * 6 + 32 + 2 * (32 * 32 * 6 + 32) + 32 * PAIRS + 55),
    ("c14-small:liberties=false", 4 * 48 * 10 + 48 + 48 * 32 * 6 + 32 + 2 * (32 * 32 * 6 + 32) + 32 * PAIRS + 55),
    ("c14-small:reflection=false",
     8 * 48 * 49 + 48 + 48 * 32 * 25 + 32 + 2 * (32 * 32 * 25 + 32) + 361 * (32 * 361 + 1)),
    ("c14-small:edge=false,enemy_edge=true",
     7 * 48 * 10 + 48 + 48 * 32 * 6 + 32 + 2 * (32 * 32 * 6 + 32) + 32 * PAIRS + 55),
    ("c14-small:latest=true", 9 * 48 * 10 + 48 + 48 * 32 * 6 + 32 + 2 * (32 * 32 * 6 + 32) + 32 * PAIRS + 55),
    ("c14-small:top=conv", 8 * 48 * 10 + 48 + 48 * 32 * 6 + 32 + 2 * (32 * 32 * 6 + 32) + 32 * 6 + 1),
    ("c14-small:dense=2", 8 * 48 * 10 + 48 + 48 * 32 * 6 + 32 + 2 * (32 * 32 * 6 + 32) + 33 * PAIRS + 2 * 55),
    ("c14-small:filters=4/3,widths=9/3,unit=tanh", 8 * 4 * 15 + 4 + 4 * 3 * 3 + 3 + 3 * PAIRS + 55),
    ("c14-large:reflection=false,size=9",
     8 * 64 * 49 + 64 + 2 * (64 * 64 * 25 + 64) + 64 * 48 * 25 + 48 + 48 * 48 * 25 + 48 + 48 * 32 * 25 + 32
     + 32 * 32 * 25 + 32 + 81 * (32 * 81 + 1)),
    # M15 section 4: "2.3 million parameters"
    ("m15", 36 * 25 * 128 + 11 * 128 * 128 * 9 + 128 * 2 * 9 + 361 * (12 * 128 + 2)),
    ("m15:layers=3,filters=16", 36 * 25 * 16 + 2 * 16 * 16 * 9 + 16 * 2 * 9 + 361 * (3 * 16 + 2)),
    ("m15:layers=3,filters=16,position=false", 36 * 25 * 16 + 2 * 16 * 16 * 9 + 16 * 2 * 9 + 3 * 16 + 2),
    ("m15:layers=3,filters=16,symmetric=true", 36 * 6 * 16 + 2 * 16 * 16 * 3 + 16 * 2 * 3 + 55 * (3 * 16 + 2)),
    ("m15:layers=1,filters=2,colours=false,planes=m15-reduced", 9 * 25 * 2 + 2 * 9 + 361 * (2 + 1)),
    ("nobi-net-v1:width=8,blocks=1", 28 * 25 * 8 + 8 + 2 * (8 * 8 * 9 + 8) + (8 * 4 + 4) + (4 * 2 + 2) + (2 + 1)),
    ("nobi-net-v1:width=8,blocks=2", 28 * 25 * 8 + 8 + 2 * (8 * 8 * 9 + 8) + (8 * 10 * 9 + 10) + (8 * 8 * 9 + 8)
     + (4 * 8 + 8) + (8 * 4 + 4) + (4 * 2 + 2) + (2 + 1)),
    ("nobi-net:width=32,blocks=2", 9 * 32 * (32 + 4 * 32) + 5 * 2 * 32 + 32 * 64
     + 32 * (32 + 1) + 16 * 32 + 2 * (16 + 1) + 32 * (32 + 1) + 32 + 1),
    ("mdrnn", 140),
    ("mdlstm", 93),
    ("mdlstm:mode=tied", 75),
    ("stacked:cell=mdlstm,hidden=3,layers=2", 198),
    ("mdlstm:planes=m15-reduced", 93 + 15 * 7),
]  # fmt: skip


def test_names():
    ours = {"nobi-net", "nobi-net-v1", "mdrnn", "mdlstm", "stacked", "conv"}
    assert set(names()) == {"c14-small", "c14-large", "m15", *ours}


@pytest.mark.parametrize(("spec", "count"), COUNTS)
def test_weight_counts(spec, count):
    assert make_deep(spec).weight_count() == count


def test_the_best_network_of_m15_is_as_large_as_the_paper_says():
    net = make_deep("m15")
    connections = 361 * sum(p.numel() for name, p in net.named_parameters() if "filters" in name)
    assert round(net.weight_count() / 1e6, 1) == 2.3
    assert round(connections / 1e6, -1) == 630
    assert round(361 * 12 * 128, -4) == 550_000


@pytest.mark.parametrize(("spec", "_"), COUNTS)
def test_specs_are_reproduced(spec, _):
    net = make_deep(spec)
    assert str(make_deep(str(net))) == str(net)
    assert make_deep(str(net)).weight_count() == net.weight_count()


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("c14-small:size=4", "size"),
        ("c14-small:edge=maybe", "edge"),
        ("c14-medium", "c14-small"),
        ("c14-small:enemy_edge=true", "edge=false"),
        ("c14-small:dense=3", "dense"),
        ("c14-small:dense=2,top=conv", "dense"),
        ("c14-small:filters=8/x", "filters"),
        ("c14-small:filters=8/0", "filters"),
        ("c14-small:filters=8/8,widths=7/4", "odd"),
        ("c14-small:filters=8/8,widths=7", "as many"),
        ("m15:absolute=true,planes=c14-7", "own and enemy"),
        ("m15:layers=0", "layers"),
        ("m15:filters=0", "filters"),
        ("m15:size=26", "26"),
        ("m15:planes=m16", "m16"),
        ("nobi-net:width=24", "width"),
        ("nobi-net:blocks=0", "blocks"),
        ("mdlstm:hidden=0", "hidden"),
        ("mdlstm:planes=none", "none"),
        ("conv:planes=3", "planes"),
    ],
)
def test_bad_specs_are_refused(spec, says):
    with pytest.raises(NobiError, match=says):
        make_deep(spec)


PLANES = {
    "c14-small": "c14-7",
    "c14-small:ko=false": "c14-7",
    "c14-large:liberties=false": "c14-3",
    "c14-small:latest=true": "c14-7:latest=true",
    "m15": "m15",
    "nobi-net": "nobi",
    "nobi-net-v1": "m15-norank",
    "stacked": "own-enemy",
}


@pytest.mark.parametrize("spec", PLANES)
def test_planes(spec):
    assert make_deep(spec).planes == PLANES[spec]


def test_masks_are_settings():
    assert make_deep("c14-small").masked
    assert not make_deep("c14-small:mask=false").masked
    assert not make_deep("m15:layers=1,filters=1").masked


ANY_SIZE = [
    "m15:layers=2,filters=4,position=false",
    "nobi-net:width=16,blocks=2",
    "mdrnn:hidden=2",
    "mdlstm:hidden=2",
    "stacked:hidden=2",
]
ONE_SIZE = ["c14-small:size=7", "m15:layers=2,filters=4,size=7", "m15:layers=1,filters=2,size=7,symmetric=true"]


@pytest.mark.parametrize("spec", ANY_SIZE)
def test_networks_for_every_size(spec):
    net = lively(spec)
    assert net.sizes is None
    for size in (5, 6, 9, 19, 25):
        net.check_size(size)
        found = outputs(net, random_planes(net, 2, size))
        assert found.shape == (2, size, size)
        assert np.isfinite(found).all()
        assert found.std() > 0
    for size in (4, 26):
        with pytest.raises(NobiError, match="5 to 25"):
            net.check_size(size)


@pytest.mark.parametrize("spec", ONE_SIZE)
def test_networks_for_one_size(spec):
    net = lively(spec)
    assert net.sizes == (7,)
    assert outputs(net, random_planes(net, 2, 7)).std() > 0
    for size in (5, 9, 19):
        with pytest.raises(NobiError, match=rf"plays on 7x7 only, not on {size}x{size}\.$"):
            net(random_planes(net, 2, size), colours(2))


@pytest.mark.parametrize("spec", ["c14-small:size=9", "m15:layers=2,filters=8,size=9", "nobi-net:width=16", "mdlstm"])
def test_the_seed_chooses_the_weights(spec):
    def weights(seed):
        return torch.cat([p.detach().flatten() for p in make_deep(spec, seed).parameters()])

    assert torch.equal(weights(1), weights(1))
    assert not torch.equal(weights(1), weights(2))


def test_first_weights_are_those_of_the_papers():
    for name, weights in make_deep("c14-small", 1).named_parameters():
        if name.endswith("bias"):
            assert (weights == 0).all()
        else:
            assert abs(float(weights.detach().std()) - 0.01) < 0.0005
            assert abs(float(weights.detach().mean())) < 0.0005
    for weights in make_deep("m15:layers=3,filters=32", 1).parameters():
        assert -0.05 <= weights.min() < -0.045
        assert 0.045 < weights.max() <= 0.05
        assert abs(float(weights.detach().std()) - 0.05 / 3**0.5) < 0.002


def test_every_kind_has_a_docstring():
    assert all(find(name).__doc__ for name in names())


def test_planes_with_an_edge_are_refused_by_networks_that_do_not_pad_it():
    with pytest.raises(NobiError, match="does not pad with ones"):
        check_planes("c14-3:edge=true")
    check_planes("c14-3")
