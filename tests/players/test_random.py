"""The random, naive and playout players choose the documented moves with the documented probabilities."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.players import assert_uniform, choices_of
from nobi.board.stones import BLACK, PASS, WHITE
from nobi.games import variant


def random_position(spec, size, seed, most):
    rng = random.Random(seed)
    game = variant(spec, size).new()
    for _ in range(rng.randrange(most)):
        if game.is_over:
            game.undo()
            break
        game.play(rng.choice(game.legal_moves()))
    return game if not game.is_over else random_position(spec, size, seed + 1, most)


def outcome_after(game, move):
    """1 if the move wins at once for the player to move, −1 if it loses, else 0."""
    me = game.to_move
    after = game.copy()
    after.play(move)
    if after.outcome == me:
        return 1
    return -1 if after.outcome in (BLACK, WHITE) else 0


GAMES = ["atari-go", "atari-go:captures=3", "gomoku", "pente", "go"]


@pytest.mark.parametrize("spec", GAMES)
def test_random_is_uniform_over_all_legal_moves(spec):
    game = random_position(spec, 5, seed=3, most=20)
    legal = game.legal_moves()
    assert_uniform(choices_of("random", game, 200 * len(legal)), legal)


@pytest.mark.parametrize("spec", GAMES)
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_naive_wins_at_once_if_possible_and_avoids_an_immediate_loss(spec, seed):
    game = random_position(spec, 6, seed, most=40)
    outcome = {move: outcome_after(game, move) for move in game.legal_moves()}
    best = [m for m in outcome if outcome[m] == 1] or [m for m in outcome if outcome[m] == 0] or list(outcome)
    assert set(choices_of("naive", game, 5, seed)) <= set(best)


def test_naive_is_uniform_over_its_winning_moves_and_over_the_rest():
    three_wins = variant("gomoku", 7).game.from_text(
        """
        X X X X . . .
        . . . . . . .
        X X X X . . .
        . . . . . . .
        . X X X X . .
        . . . . . . .
        O O O O . . .
        """
    )
    wins = [three_wins._as_point(name) for name in ("E7", "E5", "A3", "F3")]
    assert_uniform(choices_of("naive", three_wins, 2000), wins)
    quiet = random_position("atari-go", 5, seed=8, most=6)
    safe = [m for m in quiet.legal_moves() if outcome_after(quiet, m) == 0]
    assert_uniform(choices_of("naive", quiet, 200 * len(safe)), safe)


def test_naive_does_not_block():
    """The enemy threatens to win at E9; naive treats this point like any other."""
    game = variant("gomoku", 9).game.from_text("O O O O . . . . .\n" + ". . . . . . . . .\n" * 8)
    found = choices_of("naive", game, 3000)
    assert 10 < found.count(game._as_point("E9")) < 80  # expected: 3000 / 77 = 39


def test_naive_passes_if_that_wins():
    game = variant("go:komi=0.5", 5).new()
    game.play("C3")
    game.play("pass")
    assert set(choices_of("naive", game, 20)) == {PASS}  # black owns everything
    game = variant("go:komi=0.5", 5).new()
    game.play("pass")
    game.play("C3")
    game.play("pass")
    assert PASS in choices_of("naive", game, 20)  # white wins by passing now
    game = variant("go:komi=0.5", 5).new()
    game.play("C3")
    game.undo()
    game.play("pass")
    assert set(choices_of("naive", game, 200)) == {PASS}  # the empty board: komi decides for white


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_playout_never_fills_an_eye_and_passes_only_without_other_moves(seed):
    """Definition of an eye: all orthogonal neighbours own, at most one diagonal enemy, none at the edge."""
    game = random_position("go", 5, seed, most=60)
    size, me = game.size, game.to_move
    stride = size + 1

    def eye(point):
        around = [game.boards.stones.colour[0, point + d] for d in (-1, 1, -stride, stride)]
        corners = [game.boards.stones.colour[0, point + d] for d in (-stride - 1, stride + 1, stride - 1, 1 - stride)]
        enemies = sum(c == 3 - me for c in corners)
        return all(c in (me, 3) for c in around) and enemies <= (0 if 3 in around else 1)

    sensible = {m for m in game.legal_moves() if m != PASS and not eye(m)}
    found = set(choices_of("playout", game, 30 * (len(sensible) + 1)))
    assert found == (sensible or {PASS})
