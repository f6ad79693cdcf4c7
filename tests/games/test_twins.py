"""Random games: compiled rules and reference implementations agree on every legal move, board and result."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.twins import MARKS, as_dict
from nobi.board.stones import BLACK, DRAW, PASS, RUNNING, WHITE
from nobi.board.text import point_at, row_column
from nobi.games import variant
from reference import rows, surround

WINNERS = {RUNNING: None, BLACK: surround.BLACK, WHITE: surround.WHITE, DRAW: "draw"}

ATARI_GO = [("atari-go", {}), ("atari-go:captures=3", {"captures": 3}), ("atari-go:captures=10", {"captures": 10})]
ROWS = [("gomoku", {}), ("pente", {}), ("pente:centre=false", {"centre": False})]
GO = [
    (f"go:ko={ko},suicide={str(suicide).lower()},scoring={scoring},komi={komi}",
     {"ko": ko, "suicide": suicide, "scoring": scoring, "komi": komi})
    for ko in ("simple", "positional", "situational")
    for suicide in (False, True)
    for scoring, komi in (("area", 0.0), ("territory", 6.5))
]  # fmt: skip
TWINS = {"atari-go": surround.AtariGo, "gomoku": rows.Gomoku, "pente": rows.Pente, "go": surround.Go}


def as_move(point, size):
    return surround.PASS if point == PASS else row_column(point, size)


def as_point(move, size):
    return PASS if move == surround.PASS else point_at(*move, size)


def assert_same(game, twin):
    size = game.size
    assert {as_move(p, size) for p in game.legal_moves()} == twin.legal()
    assert as_dict(game) == twin.board
    assert WINNERS[game.outcome] == twin.winner
    assert MARKS[game.to_move] == twin.to_move


def compare_random_game(spec, options, size, seed, most=400, pass_chance=0.0):
    """Play a random game on both; in Go with few empty points left, ko and superko are frequent."""
    game, twin = variant(spec, size).new(), TWINS[spec.partition(":")[0]](size, **options)
    rng = random.Random(seed)
    while not game.is_over and len(game.moves) < most:
        moves = sorted(twin.legal(), key=str)
        if surround.PASS in moves and len(moves) > 1 and rng.random() >= pass_chance:
            moves.remove(surround.PASS)
        move = rng.choice(moves)
        game.play(as_point(move, size))
        twin.play(move)
        assert_same(game, twin)
    return game, twin


@pytest.mark.parametrize(("spec", "options"), ATARI_GO + ROWS)
@settings(max_examples=150, deadline=None)
@given(size=st.integers(5, 9), seed=st.integers(0, 2**32))
def test_random_games(spec, options, size, seed):
    game, twin = compare_random_game(spec, options, size, seed)
    assert game.is_over
    assert len(game.moves) <= variant(spec, size).most_moves
    if spec.startswith("pente"):
        assert [game.pairs[BLACK], game.pairs[WHITE]] == [twin.pairs[surround.BLACK], twin.pairs[surround.WHITE]]


@pytest.mark.parametrize(("spec", "options"), GO)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_random_games_of_go(spec, options, seed):
    game, twin = compare_random_game(spec, options, 5, seed, most=150, pass_chance=0.02)
    assert game.margin() == twin.margin()


@pytest.mark.parametrize(("spec", "options"), [*ATARI_GO[:1], *ROWS[:2], GO[4]])
@pytest.mark.parametrize("size", [13, 19, 25])
def test_random_games_on_large_boards(spec, options, size):
    compare_random_game(spec, options, size, seed=size, most=60)
