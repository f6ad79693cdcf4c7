"""Tied weights: the values of a rotated or reflected position are the rotated or reflected values."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.closeness import DOUBLE, SINGLE, assert_close
from networks.deep_shared import lively, outputs, random_planes
from networks.shared import SYMMETRIES, transformed

EQUIVARIANT = [
    "c14-small:size={n}",
    "c14-small:size={n},liberties=false,ko=false,edge=false",
    "c14-large:size={n}",
    "m15:size={n},layers=3,filters=6,symmetric=true",
    "m15:layers=2,filters=6,symmetric=true,position=false,planes=m15-reduced",
    "nobi-net:width=16,blocks=2,symmetric=true",
    "mdrnn:hidden=3",
    "mdlstm:hidden=2",
    "mdlstm:hidden=2,mode=tied",
    "stacked:hidden=2",
    "c14-small:size={n},edge=false,enemy_edge=true,filters=4/3,widths=3/5,top=conv,latest=true,unit=tanh",
    "c14-small:size={n},filters=4/3,dense=2",
]
NOT_EQUIVARIANT = [
    "c14-small:size={n},reflection=false",
    "m15:size={n},layers=2,filters=4",
    "nobi-net:width=16,blocks=2",
    "mdlstm:hidden=2,mode=original",
]


def differences(net, size, seed):
    """For each symmetry the largest difference, relative to the largest value."""
    planes = random_planes(net, 2, size, seed)
    values = outputs(net, planes)
    return [
        np.abs(
            outputs(net, torch.from_numpy(transformed(planes.numpy(), *s).copy())) - transformed(values, *s)
        ).max() / np.abs(values).max()
        for s in SYMMETRIES.values()
    ]  # fmt: skip


@pytest.mark.parametrize("spec", EQUIVARIANT)
@settings(max_examples=4, deadline=None)
@given(size=st.integers(5, 11), seed=st.integers(0, 2**31))
def test_equivariance_is_exact_up_to_the_order_of_sums(spec, size, seed):
    """In double precision, so that rounding cannot hide a misplaced weight."""
    net = lively(spec.format(n=size), seed)
    assert max(differences(net, size, seed)) < DOUBLE


@pytest.mark.parametrize("spec", EQUIVARIANT[:1] + EQUIVARIANT[3:6])
def test_equivariance_in_single_precision_on_the_full_board(spec):
    net = lively(spec.format(n=19)).float()
    planes = random_planes(net, 2, 19).float()
    values = outputs(net, planes)
    for s in SYMMETRIES.values():
        turned = outputs(net, torch.from_numpy(transformed(planes.numpy(), *s).copy()))
        assert_close(turned, transformed(values, *s), SINGLE)


@pytest.mark.parametrize("spec", NOT_EQUIVARIANT)
def test_other_networks_are_not_equivariant(spec):
    assert max(differences(lively(spec.format(n=7)), 7, 1)) > 1e-3
