"""Tactics of rollouts and priors: self-atari, seki, two liberties, nakade, ladders."""

import numpy as np
import pytest

from helpers.positions import position, rows_position
from nobi.board.stones import BLACK, PASS, WHITE, points_of
from nobi.board.text import point_named, vertex_name
from nobi.games.base import Variant
from nobi.search.search import Search
from nobi.search.settings import SearchSettings
from nobi.search.tactics import add_two_liberty_moves, settle_self_atari, vital_point

SEKI = """
    . X . O . O X . .
    X X X O O O X . .
    O O O X X X X . .
    . O O X . . . . .
    . . O X . . . . .
    O O O X X X X X X
    . . O X . . . . .
    . . O X . . . . .
    . . O X . . . . .
"""
"""The stones in the corner have one eye each and share the liberty C9: the player who plays there is captured."""


def boards_of(diagram, last="", to_move=BLACK):
    game = position("go", diagram, to_move)
    boards = game.boards
    boards.stones.last[0] = point_named(last, game.size) if last else PASS
    return game, boards


def searched(game, playouts, **settings):
    search = Search(Variant(type(game), game.size, game.settings), SearchSettings(**settings))
    search.set_game(game)
    search.run(playouts)
    return search


@pytest.mark.parametrize("to_move", [BLACK, WHITE])
def test_both_sides_of_a_seki_live(to_move):
    # with this komi a draw: a player who loses anyway would play there
    owners = searched(position("go:komi=26", SEKI, to_move), 500).ownership()[1]
    assert (owners[:3] > 0.9).all()
    assert (owners[3:6] < -0.9).all()


def test_a_working_ladder_is_recognised():
    game = rows_position("go", 19, ["C4", "D3", "E3", "D5"], ["D4"], WHITE)
    game.play("E4")
    search = searched(game, 1500)
    visits = {vertex_name(child.move, 19): child.visits for child in search.children()}
    assert visits["F4"] > 5 * visits["E5"]  # the other atari lets the stones escape
    assert search.ownership()[15, 3] > 0.1
    game.play("F4")
    assert searched(game, 1500).ownership()[15, 3] > 0.6


def self_atari(diagram, move, to_move=BLACK, **settings):
    """The move that a rollout plays instead of this self-atari, which is rejected unless a rule allows it."""
    game, boards = boards_of(diagram, to_move=to_move)
    params = SearchSettings(**settings).params("go", game.size).rollouts
    found = settle_self_atari(boards, np.uint16(point_named(move, game.size)), params, False, False)
    return "pass" if found == PASS else vertex_name(int(found), game.size)


THREE_IN_A_ROW = """
    . . . . . .
    O O O O O .
    O . X X O .
    O O O O O .
    . . . . . .
    . . . . . .
"""


def test_large_self_ataris_are_refused_except_nakade():
    outside = """
        . . . . .
        O O O O .
        . X X X .
        O O O O .
        . . . . .
    """
    assert self_atari(outside, "A3", self_atari=3) == "pass"
    assert self_atari(outside, "A3", self_atari=3, other_liberty=True) == "E3"
    inside = """
        . . . . . .
        O O O O O .
        O . . X O .
        O O O X O .
        . . O O O .
        . . . . . .
    """
    assert self_atari(inside, "C4", self_atari=3) == "C4"  # three stones in an eye space of four


def two_liberty_moves(diagram, last, to_move=BLACK):
    game, boards = boards_of(diagram, last, to_move)
    candidates = np.zeros(64, np.uint16)
    count = add_two_liberty_moves(boards, np.uint16(point_named(last, game.size)), candidates, 2)
    return {vertex_name(int(point), game.size) for point in candidates[:count]}


def test_a_chain_with_two_liberties_is_attacked_and_defended_at_its_escape():
    ladder = """
        . . . . . .
        . . . . . .
        . . X . . .
        . X O . . .
        . . X . . .
        . . . . . .
    """
    # the white stone has the liberties D3 only; with D3 occupied by white it has D4, E3 and D2
    assert two_liberty_moves(ladder, "C3") == set()
    edge = """
        . . . . . .
        . . . . . .
        . . . . . .
        . . . . . .
        . X X X . .
        . . O O . .
    """
    assert two_liberty_moves(edge, "D1") == {"E1"}
    assert two_liberty_moves(edge, "D2", WHITE) == {"E1"}  # two new liberties; B1 has one


def test_the_vital_point_of_an_eye_space():
    def vital(diagram, last, to_move=BLACK):
        game, boards = boards_of(diagram, last, to_move)
        found = vital_point(boards, np.uint16(point_named(last, game.size)), np.zeros(points_of(game.size), np.uint16))
        return None if found == PASS else vertex_name(int(found), game.size)

    straight_three = """
        . . . O .
        O O O O .
        . . . . .
        . . . . .
        . . . . .
    """
    assert vital(straight_three, "D5") == "B5"
    straight_four = """
        . . . . O
        O O O O O
        . . . . .
        . . . . .
        . . . . .
    """
    assert vital(straight_four, "E5") is None
    with_own_stone = """
        . . X O .
        O O O O .
        . . . . .
        . . . . .
        . . . . .
    """
    assert vital(with_own_stone, "D5") is None


def test_every_nth_selection_ignores_rave():
    game = position("go:komi=26", SEKI)
    with_rave, without = (searched(game, 400, rave_skip=skip) for skip in (0, 2))
    visited = [sum(child.visits > 0 for child in search.children()) for search in (with_rave, without)]
    assert visited[0] != visited[1]
