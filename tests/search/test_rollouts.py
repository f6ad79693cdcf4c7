"""Tactics of Go: positions in which one move decides the game, each with a budget of playouts."""

from typing import NamedTuple

import pytest

from helpers.positions import position
from nobi.board.stones import BLACK, WHITE
from nobi.board.text import vertex_name
from nobi.search.search import Search
from nobi.search.settings import SearchSettings


class Case(NamedTuple):
    right: str
    """The moves that win."""
    to_move: int
    komi: float
    """Komi for which the correct move wins and others lose."""
    playouts: int
    diagram: str
    before: str = ""
    """Moves played first, starting with `to_move`."""


EYES = """
    . O . O . O .
    O O O O O O O
    O O O O O O O
    O O O O O O O
    O O O O O O O
    X X X X X O O
    . . . X X O .
"""
"""Black's three points in a row: the player who plays in the middle decides."""

SNAPBACK = """
    . . O X . . . . .
    . O O X . X . X .
    . . O X . . . . .
    . . O X . . . . .
    . O O X . X . X .
    . . O X . . . . .
    . . O X X X X . .
    . . O X O O X X .
    . . O O . . X . .
"""
"""Black throws in at E1; at F1 the white stones connect."""

BROKEN_LADDER = """
    . X . X . O . O .
    X X X X . O O O O
    . . X . . . . O .
    . . X X . . . O O
    X X X . . . . O .
    X O O O . . O O O
    X O O O X . . O .
    X O O O X . . O O
    . X X X . . . O .
"""
"""From D5 black drives nine stones towards G4, where they escape; from E4, or E5, they are captured."""


def mirrored(diagram):
    """The diagram with rows and columns exchanged: D5 becomes E4."""
    rows = [row.split() for row in diagram.strip().split("\n")][::-1]
    columns = [list(column) for column in zip(*rows, strict=True)]
    return "\n".join(" ".join(row) for row in columns[::-1])


CASES = {
    "make two eyes": Case("B1", BLACK, -39.5, 300, EYES),
    "take the second eye": Case("B1", WHITE, -39.5, 300, EYES),
    "snapback": Case("E1", BLACK, 22.5, 1000, SNAPBACK),
    "capture first in a race": Case(
        "A4",
        BLACK,
        3.5,
        300,
        """
        X . X O . O .
        X X X O O O O
        O O O X X X X
        . X X O O O .
        X X . X O . O
        X X X X O O O
        . X . X O O .
        """,
    ),
    "start a ladder": Case(
        "C4",
        BLACK,
        4.5,
        1000,
        """
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        X . . . . . . . .
        O O . . . . . . .
        X X O . . . . . .
        . X O X X . . . .
        . X O X . . . . .
        """,
    ),
    "take the ko": Case(
        "D4",
        BLACK,
        -7.5,
        300,
        """
        . X O . O . O
        X X O O O O O
        X X X O O O O
        . X O . O O O
        X X X O O O O
        X X X X O O O
        . X . X O O .
        """,
    ),
    "do not start a broken ladder": Case("E4 E5", BLACK, 0.5, 300, BROKEN_LADDER),
    "nor its mirror image": Case("D5 E5", BLACK, 0.5, 300, mirrored(BROKEN_LADDER)),
    "threaten, to take a ko back": Case(
        "D1",  # where white must answer at H1; all other moves let white fill the ko
        WHITE,
        4.5,
        300,
        """
        . X . X . O . O .
        X X X X . O O O O
        X X X X O O O O O
        X X X . X O O O O
        X X X X O O O O O
        X X X X . O O O O
        . X X X X X O O O
        X X X X X X X O O
        . X X . O O O . O
        """,
        before="D6",
    ),
}


def chosen(case, **settings):
    game = position(f"go:komi={case.komi}", case.diagram, case.to_move)
    for move in case.before.split():
        game.play(move)
    search = Search(type_of(game), SearchSettings(**settings))
    search.set_game(game)
    search.run(case.playouts)
    return vertex_name(search.children()[0].move, game.size), search.children()[0]


def type_of(game):
    from nobi.games.base import Variant

    return Variant(type(game), game.size, game.settings)


@pytest.mark.parametrize("name", CASES)
def test_the_deciding_move(name):
    case = CASES[name]
    move, child = chosen(case)
    assert move in case.right.split()
    assert child.winrate > 0.6
