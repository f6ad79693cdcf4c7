"""Positions as diagrams, X black and O white, and helpers of the rule cases."""

import numpy as np
import pytest

from nobi.board.stones import BLACK, WHITE
from nobi.board.text import COLUMNS, point_named
from nobi.errors import NobiError
from nobi.games import variant

GAMES = ["atari-go", "go", "gomoku", "pente"]
KO_RULES = ["simple", "positional", "situational"]

SETTLED = """
    . X . X O . O
    X X X X O O .
    . . O X O O O
    X X X X O . .
    . X . X O O O
    X X X X O . X
    . X . X O O .
"""
"""A finished game of Go: 28 points for black, 21 for white; the white stone at C5 and the black one at G2 are dead."""


def drawn(diagram):
    """The rows of a diagram without blanks, from the top."""
    return ["".join(row.split()) for row in diagram.split("\n") if row.strip()]


def side_by_side(diagrams):
    """The diagrams of `left | middle | right` lines, as many as there are columns."""
    rows = [row.split("|") for row in diagrams.split("\n") if row.strip()]
    return ["\n".join(column) for column in zip(*rows, strict=True)]


def position(spec, diagram, to_move=BLACK):
    """A game of the variant `spec` that starts from a diagram."""
    chosen = variant(spec, len(drawn(diagram)))
    return chosen.game.from_text(diagram, to_move, chosen.settings)


def rows_position(spec, size, black, white=(), to_move=BLACK):
    """A game that starts from the stones on the named points."""
    game = variant(spec, size).new()
    stones = [(point_named(name, size), BLACK) for name in black]
    game.set_up(stones + [(point_named(name, size), WHITE) for name in white], to_move)
    return game


def step(name, right, up, times=1):
    """The name of the point at this offset."""
    return f"{COLUMNS[COLUMNS.index(name[0]) + right * times]}{int(name[1:]) + up * times}"


def points(names, size):
    return [point_named(name, size) for name in names.split()]


def picture(game):
    """The rows of the board, for comparison with `drawn`."""
    size = game.size
    return ["".join(".XO"[game.colour(f"{x}{y}")] for x in COLUMNS[:size]) for y in range(size, 0, -1)]


def play(game, moves):
    for move in moves.split():
        game.play(move)
    return game


def prisoners(game):
    """The numbers of captured black and white stones."""
    return [int(game.boards.prisoners[0, colour]) for colour in (BLACK, WHITE)]


def immediate_outcome(game, move):
    """The immediate outcome of a move that is not played."""
    return game.rules.immediate_outcome(game.boards, 0, np.uint16(point_named(move, game.size)))


def assert_forbidden(game, move):
    before = picture(game)
    assert not game.is_legal(move)
    assert point_named(move, game.size) not in game.legal_moves()
    with pytest.raises(NobiError, match=rf"{move} cannot be played: .+\.$"):
        game.play(move)
    assert picture(game) == before
