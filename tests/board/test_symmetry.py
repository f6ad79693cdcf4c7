"""The eight symmetries of the board: permutations of its cells, and their orbits."""

import numpy as np
import pytest

from nobi.board.symmetry import averaged, cell_orbits, cells_after, pair_orbits


@pytest.mark.parametrize("size", [1, 3, 5, 6, 7, 19])
def test_symmetries_are_a_group_of_permutations(size):
    found = {tuple(s) for s in cells_after(size)}
    assert len(found) == (8 if size > 1 else 1)
    assert all(sorted(s) == list(range(size * size)) for s in found)
    for one in found:
        for other in found:
            assert tuple(one[i] for i in other) in found


@pytest.mark.parametrize(("size", "orbits"), [(1, 1), (3, 3), (5, 6), (7, 10), (19, 55), (6, 6)])
def test_cells_are_alike_exactly_if_a_symmetry_takes_one_to_the_other(size, orbits):
    number = cell_orbits(size)
    assert number.max() + 1 == orbits
    for cell in range(size * size):
        images = {int(s[cell]) for s in cells_after(size)}
        assert set(np.flatnonzero(number == number[cell])) == images


@pytest.mark.parametrize("size", [5, 6])
def test_pairs_are_alike_exactly_if_a_symmetry_takes_one_to_the_other(size):
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
