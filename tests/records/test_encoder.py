"""Samples from records: independent of order, number of threads and type; symmetries; errors."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from helpers.records import collection_of, random_records
from nobi.board.stones import BLACK, WHITE
from nobi.board.symmetry import SYMMETRIES, cells_after, transformed
from nobi.errors import NobiError
from nobi.features import make_planes
from nobi.records.encoder import Encoder

M15 = make_planes("m15")


@pytest.fixture(scope="module")
def collection():
    return collection_of([*random_records(9, 6, seed=1), *random_records(5, 2, seed=2)])


def all_samples(collection, size):
    """Games and plies of all positions on boards of a size."""
    games = np.flatnonzero(collection.size == size)
    plies = [np.arange(length) for length in np.diff(collection.start)[games]]
    return np.repeat(games, [len(p) for p in plies]), np.concatenate(plies)


def test_neither_order_nor_threads_change_anything(collection):
    game, ply = all_samples(collection, 9)
    symmetry = np.arange(len(game)) % SYMMETRIES
    whole = Encoder(collection, M15).samples(game, ply, symmetry)
    order = np.random.default_rng(0).permutation(len(game))
    encoder = Encoder(collection, M15)
    with ThreadPoolExecutor(3) as pool:
        parts = np.array_split(order, 12)
        found = list(pool.map(lambda part: encoder.samples(game[part], ply[part], symmetry[part]), parts))
    for part, samples in zip(parts, found, strict=True):
        for name, values in samples._asdict().items():
            np.testing.assert_array_equal(values, getattr(whole, name)[part], name)


def test_planes_as_uint8_are_the_same(collection):
    game, ply = all_samples(collection, 5)
    encoder = Encoder(collection, M15)
    small = encoder.samples(game, ply, 3, np.uint8)
    assert small.planes.dtype == np.uint8
    np.testing.assert_array_equal(small.planes, encoder.samples(game, ply, 3).planes)


@pytest.mark.parametrize("symmetry", range(SYMMETRIES))
def test_planes_moves_and_legality_are_transformed_together(collection, symmetry):
    game, ply = (values[::9] for values in all_samples(collection, 9))
    encoder = Encoder(collection, M15)
    plain, turned = encoder.samples(game, ply), encoder.samples(game, ply, symmetry)
    np.testing.assert_array_equal(turned.planes, transformed(plain.planes, symmetry))
    np.testing.assert_array_equal(turned.legal.reshape(-1, 9, 9), transformed(plain.legal.reshape(-1, 9, 9), symmetry))
    moves = plain.target >= 0
    np.testing.assert_array_equal(turned.target[moves], cells_after(9)[symmetry, plain.target[moves]])
    assert (turned.target[~moves] == -1).all()
    assert turned.legal[moves, turned.target[moves]].all()


def test_the_eight_symmetries_differ_and_one_is_the_identity():
    table = cells_after(5)
    assert len({tuple(row) for row in table}) == SYMMETRIES
    assert (table[0] == np.arange(25)).all()
    assert (np.sort(table) == np.arange(25)).all()


def test_set_up_stones_and_two_moves_in_a_row():
    record = {
        "size": 5,
        "setup": [(BLACK, (2, 2)), (WHITE, (1, 1))],
        "moves": [(BLACK, (0, 0)), (BLACK, (0, 1)), (BLACK, None), (WHITE, None), (WHITE, (1, 0)), (BLACK, (4, 4))],
        "ranks": (7, 10),
    }
    encoder = Encoder(collection_of([record]), M15)
    found = encoder.samples(0, np.arange(6))
    own, enemy = found.planes[4, :2]
    assert sorted(zip(*np.nonzero(enemy), strict=True)) == [(0, 0), (0, 1), (2, 2)]
    assert list(zip(*np.nonzero(own), strict=True)) == [(1, 1)]
    assert found.target.tolist() == [0, 1, -1, -1, 5, 24]
    ranks = found.planes[:, -9:, 0, 0].argmax(1) + 1
    assert ranks.tolist() == [7, 7, 7, 9, 9, 7]
    turns = {name: i for i, name in enumerate(M15.channels) if name.startswith("turns")}
    assert found.planes[4, turns["turns since 3"], 0, 1] == 1
    assert found.planes[4, turns["turns since 4"], 0, 0] == 1
    assert found.planes[4, turns["turns since 5+"]].sum() == 2
    assert Encoder(collection_of([record]), M15, rank=3).samples(0, 0).planes[0, -9:, 0, 0].argmax() == 2


ILLEGAL = {
    "taken": ([(BLACK, (2, 2)), (WHITE, (2, 2)), (BLACK, (0, 0))], 2),
    "suicide": ([(BLACK, (0, 1)), (BLACK, (1, 0)), (WHITE, (0, 0)), (BLACK, (4, 4))], 3),
    "off the board": ([(BLACK, (5, 0)), (WHITE, (0, 0))], 1),
}


@pytest.mark.parametrize("name", ILLEGAL)
def test_records_that_cannot_be_replayed(name):
    moves, number = ILLEGAL[name]
    sound = {"size": 5, "moves": [(BLACK, (0, 0))]}
    encoder = Encoder(collection_of([sound, {"size": 5, "moves": moves}]), M15)
    with pytest.raises(NobiError, match=rf"^Game 1 of the collection cannot be replayed: move {number} is illegal;"):
        encoder.samples([0, 1], [0, len(moves) - 1])
    assert encoder.samples(0, 0).planes[0, 2].all()


@pytest.mark.parametrize(
    "setup", [[(BLACK, (2, 2)), (WHITE, (2, 2))], [(WHITE, (0, 0)), (BLACK, (0, 1)), (BLACK, (1, 0))]]
)
def test_invalid_set_ups(setup):
    encoder = Encoder(collection_of([{"size": 5, "setup": setup, "moves": [(BLACK, (4, 4))]}]), M15)
    with pytest.raises(NobiError, match="the set-up is illegal"):
        encoder.samples(0, 0)


@pytest.mark.parametrize(
    ("game", "ply", "symmetry", "sentence"),
    [
        (8, 0, 0, "Games are numbered 0 to 7."),
        (-1, 0, 0, "Games are numbered 0 to 7."),
        ([0, 7], 0, 0, "board size of the planes, 9x9"),
        (0, 5000, 0, "fewer moves"),
        (0, -1, 0, "fewer moves"),
        (0, 0, 8, "A symmetry is a number from 0 to 7."),
    ],
)
def test_invalid_arguments(collection, game, ply, symmetry, sentence):
    with pytest.raises(NobiError, match=sentence):
        Encoder(collection, M15).samples(game, ply, symmetry)


def test_arrays_that_do_not_fit(collection):
    encoder = Encoder(collection, M15)
    one = np.zeros(1, np.int64)
    good = [np.zeros((1, 36, 9, 9), np.float32), one.copy(), np.zeros((1, 81), np.bool_)]
    encoder.fill(one, one, one.astype(np.uint8), *good)
    for bad in ([np.zeros((1, 35, 9, 9), np.float32), *good[1:]], [*good[:2], np.zeros((1, 80), np.bool_)]):
        with pytest.raises(ValueError, match="must have the shape"):
            encoder.fill(one, one, one.astype(np.uint8), *bad)


def test_no_samples(collection):
    none = np.zeros(0, np.int64)
    Encoder(collection, M15).fill(
        none, none, none.astype(np.uint8), np.zeros((0, 36, 9, 9), np.float32), none, np.zeros((0, 81), np.bool_)
    )
