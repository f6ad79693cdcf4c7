"""Duplicates, including rotated and reflected ones, and the split by hash."""

import itertools

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.making import image
from nobi.records.collection import PASS_CODE, WHITE_BIT
from nobi.records.dataset import SPLITS
from nobi.records.importing import identify, split_of

GAMES = st.integers(5, 19).flatmap(
    lambda size: st.tuples(
        st.just(size),
        st.lists(st.none() | st.integers(0, size * size - 1), min_size=1, max_size=40),
        st.sets(st.integers(0, size * size - 1), max_size=4),
    )
)


def identity(size, cells, setup=(), symmetry=0, colours=None):
    def turned(cell):
        return PASS_CODE if cell is None else image(cell, size, symmetry)

    colours = colours or itertools.cycle([0, WHITE_BIT])
    moves = np.array([turned(cell) | colour for cell, colour in zip(cells, colours, strict=False)], np.uint16)
    return identify(size, moves, np.array(sorted(turned(cell) for cell in setup), np.uint16))


@settings(suppress_health_check=[HealthCheck.too_slow])  # the first example compiles
@given(GAMES, st.integers(1, 7))
def test_all_images_of_a_game_have_one_identity(game, symmetry):
    size, cells, setup = game
    assert identity(size, cells, setup).up_to_symmetry == identity(size, cells, setup, symmetry).up_to_symmetry


@given(GAMES, GAMES)
def test_different_games_differ(one, other):
    def images(size, cells, setup):
        while cells and cells[-1] is None:
            cells = cells[:-1]
        turn = [lambda c, s=s: c if c is None else image(c, size, s) for s in range(8)]
        return {(size, tuple(map(t, cells)), tuple(sorted(map(t, setup)))) for t in turn}

    same = images(*one) == images(*other)
    assert (identity(*one).up_to_symmetry == identity(*other).up_to_symmetry) == same


def test_exact_and_symmetric():
    cells = [0, 10, 5]
    for symmetry in range(1, 8):
        assert identity(9, cells).exact != identity(9, cells, (), symmetry).exact
    assert identity(9, cells) == identity(9, [*cells, None, None])  # passes at the end do not count
    assert identity(9, cells) != identity(9, [0, None, 10, 5])
    assert identity(9, cells) != identity(9, cells, colours=[0, 0, 0])
    assert identity(9, cells) != identity(9, cells, setup=[7])
    assert identity(9, [0]).up_to_symmetry == identity(9, [80]).up_to_symmetry
    assert identity(9, [0]) != identity(13, [0])


def test_a_symmetric_opening_is_distinguished_by_later_moves():
    centre = [4 * 9 + 4] + [None] * 15
    assert identity(9, [*centre, 1]).up_to_symmetry == identity(9, [*centre, 7]).up_to_symmetry
    assert identity(9, [*centre, 1]).up_to_symmetry != identity(9, [*centre, 2]).up_to_symmetry
    assert identity(9, centre, [1]).up_to_symmetry == identity(9, centre, [9]).up_to_symmetry


def test_shares_are_met():
    games = [identity(9, [i, j]).up_to_symmetry for i in range(81) for j in range(81) if i != j]
    games = sorted(set(games))
    counts = np.bincount([split_of(5, game, (88, 4, 8)) for game in games], minlength=3) / len(games)
    assert np.abs(counts - [0.88, 0.04, 0.08]).max() < 0.03
    other = [split_of(6, game, (88, 4, 8)) for game in games]
    assert other != [split_of(5, game, (88, 4, 8)) for game in games]
    assert {split_of(5, game, (0, 0, 1)) for game in games} == {SPLITS.index("test")}
    assert {split_of(5, game, (1, 0, 0)) for game in games} == {SPLITS.index("train")}


def test_the_split_of_a_game_never_changes():
    """Existing datasets must remain compatible with new ones."""
    game = identity(9, [20, 60, 24, 56])
    assert game.up_to_symmetry.hex() == "cbd1095e15a66892b6f81884be6dc3b8"
    splits = [split_of(seed, game.up_to_symmetry, (88, 4, 8)) for seed in range(30)]
    assert "".join(map(str, splits)) == "200000000010000000000000000000"
