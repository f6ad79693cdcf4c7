"""Every plane, on random games and random positions of several sizes, compared with the reference implementation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.diagrams import SEND_TWO
from helpers.positions import play, position
from helpers.records import collection_of, random_records
from helpers.twins import MARKS, as_dict
from nobi.board.ladders import allocate_ladder_workspace, captures_in_ladder, ladder_limit_hits
from nobi.board.stones import BLACK, WHITE
from nobi.board.text import point_at, row_column
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
MARKED = {mark: colour for colour, mark in MARKS.items()}


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


@st.composite
def positions(draw):
    """A crowded position without dead chains, as a twin's board, and the player to move."""
    size = draw(st.integers(5, 9))
    filled = draw(st.floats(0.2, 0.8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    board = {}
    for r, c in np.ndindex(size, size):
        if rng.random() < filled:
            board[(r, c)] = str(rng.choice([surround.BLACK, surround.WHITE]))
    for point in list(board):
        if point in board and not plain.chain_and_liberties(board, point, size)[1]:
            for stone in plain.chain_and_liberties(board, point, size)[0]:
                del board[stone]
    return size, board, draw(st.sampled_from([surround.BLACK, surround.WHITE]))


def set_up(size, board, me):
    game = Go(size, GoSettings(ko="simple"))
    game.set_up([(point_at(*p, size), MARKED[mark]) for p, mark in board.items()], MARKED[me])
    return game


@settings(max_examples=60, deadline=None)
@given(positions())
def test_made_up_positions(drawn):
    size, board, me = drawn
    twin = plain.replay(size, board, [])
    for name in ("m15", "nobi"):
        planes = make_planes(name)
        found = position_planes(set_up(size, board, me), planes, rank=4)
        assert_same(found, plain.planes_of(name, twin, me, [], 4, komi=7.5), planes.channels)


@pytest.mark.parametrize("komi", [-5.0, -4.0, -3.5, -0.5, 0.0, 0.5, 3.5, 4.0, 6.5, 7.5, 200.0])
@pytest.mark.parametrize("me", [surround.BLACK, surround.WHITE])
def test_komi(komi, me):
    planes = make_planes("nobi")
    game = Go(5, GoSettings(ko="simple", komi=komi))
    game.set_up([], MARKED[me])
    expected = plain.planes_of("nobi", plain.replay(5, {}, []), me, [], 0, komi=komi)
    assert_same(position_planes(game, planes), expected, planes.channels)


@settings(max_examples=40, deadline=None)
@given(positions())
def test_reading_a_ladder_leaves_the_board_as_it_was(drawn):
    size, board, me = drawn
    game = set_up(size, board, me)
    boards = game.boards
    before = copy_state(boards)
    workspace, limit_hits = allocate_ladder_workspace(size), ladder_limit_hits()
    for target, mark in board.items():
        liberties = plain.chain_and_liberties(board, target, size)[1]
        if mark == surround.OTHER[me] and len(liberties) == 2:
            for move in liberties:
                point, stone = (np.uint16(point_at(*p, size)) for p in (move, target))
                if game.is_legal(int(point)):
                    works = captures_in_ladder(boards.stones, boards.chains, 0, workspace, point, stone)
                    assert works == plain.attack_succeeds(board, size, move, target, me, None)
                    assert ladder_limit_hits() == limit_hits
                    assert not workspace.undo.height.any()
    np.testing.assert_array_equal(boards.stones.colour, before.stones.colour)
    np.testing.assert_array_equal(boards.chains.head, before.chains.head)
    np.testing.assert_array_equal(boards.chains.around[0], before.chains.around[0])
    stones = [point_at(*p, size) for p in board]
    np.testing.assert_array_equal(boards.chains.next[0, stones], before.chains.next[0, stones])
    heads = sorted({int(boards.chains.head[0, p]) for p in stones})
    for kept in ("stones", "liberties"):
        np.testing.assert_array_equal(
            getattr(boards.chains, kept)[0, heads], getattr(before.chains, kept)[0, heads], kept
        )


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
