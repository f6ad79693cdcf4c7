"""Tied weights: the values of a rotated or reflected position are the rotated or reflected values."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.closeness import DOUBLE, SINGLE, assert_close
from networks.deep_shared import lively, outputs, random_planes
from networks.shared import SYMMETRIES, transformed
from nobi.board.symmetry import averaged, cell_orbits, cells_after, pair_orbits

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


@pytest.mark.parametrize("size", [1, 3, 5, 6, 7, 19])
def test_symmetries_are_a_group_of_permutations(size):
    found = {tuple(s) for s in cells_after(size)}
    assert len(found) == (8 if size > 1 else 1)
    assert all(sorted(s) == list(range(size * size)) for s in found)
    for one in found:
        for other in found:
            assert tuple(one[i] for i in other) in found


@pytest.mark.parametrize(("size", "orbits"), [(1, 1), (3, 3), (5, 6), (7, 10), (19, 55), (6, 6)])
def test_cells_are_equivalent_exactly_if_a_symmetry_maps_one_to_the_other(size, orbits):
    number = cell_orbits(size)
    assert number.max() + 1 == orbits
    for cell in range(size * size):
        images = {int(s[cell]) for s in cells_after(size)}
        assert set(np.flatnonzero(number == number[cell])) == images


@pytest.mark.parametrize("size", [5, 6])
def test_pairs_are_equivalent_exactly_if_a_symmetry_maps_one_to_the_other(size):
    number = pair_orbits(size)
    cells = size * size
    fixed = sum(int((s == np.arange(cells)).sum()) ** 2 for s in cells_after(size))
    assert number.max() + 1 == fixed // 8  # Burnside's lemma
    for one, other in ((0, 1), (3, 11), (7, cells - 1), (12, 12)):
        images = {(int(s[one]), int(s[other])) for s in cells_after(size)}
        assert {tuple(map(int, at)) for at in np.argwhere(number == number[one, other])} == images


def test_values_averaged_over_the_images_of_a_board_are_equivariant():
    rng = np.random.default_rng(2)
    weights = rng.normal(size=(3, 25, 25)).astype(np.float32)

    def evaluate(planes):
        return np.einsum("bpi,pij->bj", planes.reshape(len(planes), 3, 25), weights).astype(np.float32)

    planes = rng.normal(size=(2, 3, 5, 5)).astype(np.float32)
    found = averaged(evaluate, planes).reshape(2, 5, 5)
    one_by_one = [np.rot90(evaluate(np.rot90(planes, k, (2, 3))).reshape(2, 5, 5), -k, (1, 2)) for k in range(4)]
    mirrored = planes[..., ::-1]
    for k in range(4):
        turned = evaluate(np.rot90(mirrored, k, (2, 3))).reshape(2, 5, 5)
        one_by_one.append(np.rot90(turned, -k, (1, 2))[..., ::-1])
    np.testing.assert_allclose(found, np.mean(one_by_one, axis=0), rtol=1e-4, atol=1e-5)
    again = averaged(evaluate, np.rot90(mirrored, 1, (2, 3))).reshape(2, 5, 5)
    np.testing.assert_allclose(again, np.rot90(found[..., ::-1], 1, (1, 2)), rtol=1e-4, atol=1e-4)
