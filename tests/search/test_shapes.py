"""Shapes around a point: their sizes, symmetries and colours, and the table of their strengths."""

import numpy as np
import pytest

from nobi.board.stones import BLACK, WHITE, board_points
from nobi.board.symmetry import cells_after
from nobi.compiling import compiled
from nobi.games import variant
from nobi.search.shapes import (
    MOST_SHAPES,
    SHAPE_SIZES,
    allocate_shape_workspace,
    measure_shapes,
    shape_gamma,
    shape_table,
)

SIZE = 11
CENTRE = SIZE * SIZE // 2


def stones_of(colours):
    """A board with these colours [cell], Black to move."""
    stones = variant("go", SIZE).new().boards.stones
    stones.colour[0, board_points(SIZE)] = colours
    return stones


def shapes_at(stones, cell):
    workspace = allocate_shape_workspace(SIZE)
    measure_shapes(stones, workspace, np.uint16(board_points(SIZE)[cell]))
    return workspace.found.copy()


def random_colours(seed):
    colours = np.random.default_rng(seed).integers(0, 3, SIZE * SIZE)
    colours[CENTRE] = 0
    return colours


def test_shape_sizes_are_those_of_distances_4_to_8():
    assert SHAPE_SIZES == (12, 20, 28, 36, 48)


@pytest.mark.parametrize("cell", [0, 5, 13, 40, CENTRE])
def test_all_images_of_a_position_have_the_same_shapes(cell):
    colours = random_colours(1)
    colours[cell] = 0
    expected = shapes_at(stones_of(colours), cell)
    assert len(set(expected.tolist())) == len(SHAPE_SIZES)
    for image in cells_after(SIZE):
        turned = np.zeros_like(colours)
        turned[image] = colours
        assert (shapes_at(stones_of(turned), image[cell]) == expected).all()


def test_shapes_are_seen_by_the_player_to_move():
    colours = random_colours(2)
    exchanged = np.array([0, WHITE, BLACK])[colours]
    stones = stones_of(exchanged)
    assert (shapes_at(stones, CENTRE) != shapes_at(stones_of(colours), CENTRE)).all()
    stones.to_move[0] = WHITE
    assert (shapes_at(stones, CENTRE) == shapes_at(stones_of(colours), CENTRE)).all()


def test_a_stone_changes_the_shapes_that_reach_it():
    empty = np.zeros(SIZE * SIZE, int)
    expected = shapes_at(stones_of(empty), CENTRE)
    changed = {}
    for down, right in [(0, 2), (1, 2), (2, 2), (3, 0), (3, 1), (3, 2), (4, 0), (3, 3), (4, 1), (5, 0)]:
        colours = empty.copy()
        colours[CENTRE + down * SIZE + right] = BLACK
        changed[down, right] = int((shapes_at(stones_of(colours), CENTRE) != expected).sum())
    assert list(changed.values()) == [5, 4, 3, 3, 2, 1, 1, 0, 0, 0]


def test_the_strength_is_that_of_the_largest_known_shape():
    stones = stones_of(random_colours(3))
    first, second, third, *_ = shapes_at(stones, CENTRE)

    def strength(shapes, gammas):
        workspace = allocate_shape_workspace(SIZE)
        tables = shape_table(np.array(shapes, np.uint32), np.array(gammas))
        return gamma_at(stones, workspace, np.uint16(board_points(SIZE)[CENTRE]), *tables)

    assert strength([], []) == 1
    assert strength([first], [2.0]) == 2
    assert strength([first, second], [2.0, 3.0]) == 3
    assert strength([first, third], [2.0, 3.0]) == 2
    others = np.unique(np.random.default_rng(4).integers(1, 1 << 32, MOST_SHAPES - 2, np.uint32)).tolist()
    assert strength([*others, first, second], [5.0] * len(others) + [2.0, 3.0]) == 3


@compiled
def gamma_at(stones, workspace, point, shapes, gammas):
    return shape_gamma(stones, workspace, point, shapes, gammas)
