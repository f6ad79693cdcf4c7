"""Every plane, on random games and random positions of several sizes, compared with the reference implementation."""

import numpy as np
import pytest
from hypothesis import given, settings

from helpers.diagrams import SEND_TWO
from helpers.positions import play, position
from helpers.records import collection_of, random_records
from helpers.twins import COLOURS, MARKS, as_dict, crowded_positions, game_of
from nobi.board.stones import BLACK, WHITE
from nobi.board.text import row_column
from nobi.encoding import position_planes
from nobi.features import make_planes, names
from nobi.games.go import Go, GoSettings
from nobi.memory import copy_state
from nobi.records.encoder import Encoder
from reference import planes as plain
from reference import surround

WORDS = {
    "own-enemy": "own-enemy",
    "c14-3": "c14-3",
    "c14-3:edge=true": "c14-3:edge",
    "c14-7": "c14-7",
    "c14-7:edge=true": "c14-7:edge",
    "m15-reduced": "m15-reduced",
    "m15-norank": "m15-norank",
    "m15-noladder": "m15-noladder",
    "c14-7:latest=true": "c14-7:latest",
    "m15": "m15",
    "nobi": "nobi",
}
COUNTS = [2, 3, 4, 7, 8, 9, 27, 35, 8, 36, 31]


def test_all_sets_are_tested():
    assert {spec.partition(":")[0] for spec in WORDS} == set(names()) - {"tactics"}  # which the documentation makes
    assert [make_planes(spec).count for spec in WORDS] == COUNTS


def assert_same(found, expected, channels, where=""):
    assert sorted(channels) == sorted(expected)
    for plane, values in zip(channels, found, strict=True):
        np.testing.assert_array_equal(values, expected[plane], f"{plane} {where}")


@pytest.mark.parametrize("spec", WORDS)
@pytest.mark.parametrize(("size", "games", "step"), [(5, 2, 1), (9, 1, 7), (13, 1, 31)])
def test_random_games(spec, size, games, step):
    planes = make_planes(spec)
    records = random_records(size, games, seed=size)
    encoder = Encoder(collection_of(records), planes)
    for number, record in enumerate(records):
        plies = np.arange(0, len(record["moves"]), step)
        found = encoder.samples(number, plies)
        marked = [(MARKS[colour], point) for colour, point in record["moves"]]
        for i, ply in enumerate(plies):
            game = plain.replay(size, {}, marked[:ply])
            me, move = marked[ply]
            history = [point for _, point in marked[:ply]]
            rank = record["ranks"][me == surround.WHITE]
            expected = plain.planes_of(WORDS[spec], game, me, history, rank)
            assert_same(found.planes[i], expected, planes.channels, f"at move {ply}")
            legal = {(r, c) for r in range(size) for c in range(size) if game.is_legal((r, c))}
            assert set(zip(*np.divmod(np.flatnonzero(found.legal[i]), size), strict=True)) == legal
            assert found.target[i] == (-1 if move is None else move[0] * size + move[1])


@settings(max_examples=60, deadline=None)
@given(crowded_positions())
def test_made_up_positions(drawn):
    size, board, me = drawn
    twin = plain.replay(size, board, [])
    for name in ("m15", "nobi"):
        planes = make_planes(name)
        found = position_planes(game_of(size, board, me), planes, rank=4)
        assert_same(found, plain.planes_of(name, twin, me, [], 4, komi=7.5), planes.channels)


@pytest.mark.parametrize("komi", [-5.0, -4.0, -3.5, -0.5, 0.0, 0.5, 3.5, 4.0, 6.5, 7.5, 200.0])
@pytest.mark.parametrize("me", [surround.BLACK, surround.WHITE])
def test_komi(komi, me):
    planes = make_planes("nobi")
    game = Go(5, GoSettings(ko="simple", komi=komi))
    game.set_up([], COLOURS[me])
    expected = plain.planes_of("nobi", plain.replay(5, {}, []), me, [], 0, komi=komi)
    assert_same(position_planes(game, planes), expected, planes.channels)


@pytest.mark.parametrize(("ko", "allowed"), [("simple", True), ("situational", True), ("positional", False)])
def test_a_single_game_follows_its_own_rules(ko, allowed):
    """White sends two stones and may retake one if only the start position may not be recreated with white to move."""
    planes = make_planes("m15")
    game = play(position(f"go:ko={ko}", SEND_TWO, WHITE), "A1 C1")
    assert game.is_legal("B1") == allowed
    twin = plain.replay(5, as_dict(game), [])
    legal = {row_column(move, 5) for move in game.legal_moves() if move}
    history = [row_column(move, 5) for move in game.moves]
    expected = plain.planes_of("m15", twin, surround.WHITE, history, 9, legal)
    assert (expected["legal"][4, 1], expected["captures 1"][4, 1]) == (allowed, allowed)
    assert_same(position_planes(game, planes, rank=10), expected, planes.channels)


def test_computing_planes_does_not_change_the_game():
    game = Go(9)
    for move in ["E5", "E4", "D4", "F4", "C4", "D3"]:
        game.play(move)
    before = copy_state(game.boards)
    position_planes(game, make_planes("m15"))
    for kept in ("colour", "empty", "slot"):
        np.testing.assert_array_equal(getattr(game.boards.stones, kept), getattr(before.stones, kept))
    assert game.to_move == BLACK
