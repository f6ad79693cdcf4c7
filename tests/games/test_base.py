"""Common behaviour of single games: invalid moves, undo and copies."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nobi.board.stones import PASS
from nobi.errors import NobiError
from nobi.games import variant


@pytest.mark.parametrize("spec", ["atari-go", "gomoku", "pente"])
def test_games_without_a_pass(spec):
    game = variant(spec, 5).new()
    assert not game.is_legal("pass")
    assert PASS not in game.legal_moves()
    with pytest.raises(NobiError, match=rf"pass cannot be played: {spec} has no pass\."):
        game.play("pass")


@pytest.mark.parametrize("move", [-1, 1, 6, 12, 43, 500, 70_000])
def test_a_number_that_is_not_a_point_is_refused(move):
    game = variant("gomoku", 5).new()
    for use in (game.is_legal, game.play, game.colour):
        with pytest.raises(NobiError, match=f"^{move} is not a point of a 5x5 board.$"):
            use(move)


@pytest.mark.parametrize("spec", ["atari-go:captures=2", "gomoku", "pente", "go:suicide=true,komi=0.5"])
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(5, 7), back=st.integers(1, 30))
def test_undo_and_copy(spec, seed, size, back):
    """Undoing moves and playing them again ends in the same position, and a copy is independent."""
    rng = random.Random(seed)
    game = variant(spec, size).new()
    pictures = [str(game)]
    while not game.is_over and len(game.moves) < 60:
        game.play(rng.choice(game.legal_moves()))
        pictures.append(str(game))
    moves, end = game.moves.copy(), game.outcome
    twin = game.copy()
    for _ in range(min(back, len(moves))):
        game.undo()
        assert str(game) == pictures[len(game.moves)]
        assert not game.is_over
    assert twin.moves == moves
    assert str(twin) == pictures[-1]
    for move in moves[len(game.moves) :]:
        game.play(move)
    assert (str(game), game.outcome, game.legal_moves()) == (pictures[-1], end, twin.legal_moves())
