"""Forced wins of Gomoku and Pente, ladders of Atari-Go, and the first move of Go on 5x5."""

import pytest

from helpers.positions import rows_position
from nobi.board.stones import BLACK, WHITE
from nobi.board.text import vertex_name
from nobi.games import variant
from nobi.search.search import Search


def searched(game, playouts):
    search = Search(variant(game.rules_text(), game.size))
    search.set_game(game)
    search.run(playouts)
    return search


def best(game, playouts):
    child = searched(game, playouts).children()[0]
    return vertex_name(child.move, game.size), child


@pytest.mark.parametrize(
    ("spec", "black", "white", "to_move", "playouts", "right"),
    [
        ("gomoku", "C3 C4 C5 C6", "D5 D6 D7 E5", BLACK, 10, "C2 C7"),  # five
        ("gomoku", "C2 C3 C4 C5", "C1 D5 E6 F8", WHITE, 200, "C6"),  # block a four
        ("gomoku", "D5 E5 F5", "D6 E6 A1", BLACK, 500, "C5 G5"),  # an open four
        ("pente", "D5 A1", "E5 F5", BLACK, 3000, "G5"),  # capture the pair
        ("atari-go", "B3 C2 D3", "C3", BLACK, 10, "C4"),  # capture
        ("atari-go", "B3 B4 C2", "C3", BLACK, 1000, "D3 C4"),  # a ladder
        ("atari-go", "D4", "C4 E4 D5", BLACK, 1000, "D3"),  # escape
    ],
)
def test_the_deciding_move(spec, black, white, to_move, playouts, right):
    game = rows_position(spec, 9, black.split(), white.split(), to_move)
    assert best(game, playouts)[0] in right.split()


def test_a_forced_win_is_proved():
    move, child = best(rows_position("gomoku", 9, ["D5", "E5", "F5"], ["D6", "E6", "A1"]), 1000)
    assert (child.solved, child.winrate) == (1, 1.0)
    line = child.variation
    assert move in ("C5", "G5")
    assert len(line) == 1 or len(line) == 3  # black makes four, white blocks one end, black makes five


def test_a_lost_position_is_proved_to_be_lost():
    game = rows_position("gomoku", 7, ["A1", "A7", "G1", "G7"], ["B4", "C4", "D4", "E4"], BLACK)
    children = searched(game, 6000).children()
    assert all(child.solved == -1 for child in children)


def test_the_first_move_on_5x5_is_the_centre():
    move, child = best(variant("go", 5).new(), 1000)
    assert move == "C3"
    assert child.winrate > 0.55


def test_the_whole_5x5_board_is_black_s():
    """Solved by van der Werf, van den Herik & Uiterwijk in 2003: black wins by 25."""
    move, child = best(variant("go:komi=24.5", 5).new(), 3000)
    assert move == "C3"
    assert child.winrate > 0.55
