"""Start positions for the rule cases of several games: X is black, O is white."""

from typing import NamedTuple

from helpers.positions import side_by_side

EMPTY_BOARD, ONE_STONE, HALVES = side_by_side(
    """
    . . . . . | . . . . . | . X . O .
    . . . . . | . . . . . | . X . O .
    . . . . . | . . X . . | . X . O .
    . . . . . | . . . . . | . X . O .
    . . . . . | . . . . . | . X . O .
    """
)

ONE_STONE_SUICIDE, FOUR_STONE_SUICIDE, CONNECTION = side_by_side(
    """
    . O . . . | X X O . . | . X O . .
    O . . . . | . X O . . | X X O . .
    . . . . . | O O . . . | O . O . .
    . . . . . | . . . . . | O O . . .
    . . . . . | . . . . . | . . . . .
    """
)
"""Black at A5, at A4, and at A5 with a liberty at B3."""

KO, SEND_TWO = side_by_side(
    """
    . . . . . | . . . . .
    . . . . . | . . . . .
    . . . . . | . . . . .
    . X O . . | X X O . .
    X O . O . | . O . O .
    """
)
"""Black takes the ko at C1; white sends two stones at A1."""


class Capture(NamedTuple):
    """A move of black that captures this number of stones."""

    move: str
    taken: int
    before: str
    after: str


CAPTURES = {
    name: Capture(move, taken, *side_by_side(before_and_after))
    for name, move, taken, before_and_after in [
        (
            "one stone",
            "C2",
            1,
            """
            . . . . . | . . . . .
            . . X . . | . . X . .
            . X O X . | . X . X .
            . . . . . | . . X . .
            . . . . . | . . . . .
            """,
        ),
        (
            "two chains, filling the own last liberty in the corner",
            "A1",
            2,
            """
            . . . . . | . . . . .
            . . . . . | . . . . .
            X . . . . | X . . . .
            O X . . . | . X . . .
            . O X . . | X . X . .
            """,
        ),
        (
            "four chains, filling the own last liberty",
            "C3",
            4,
            """
            . . X . . | . . X . .
            . X O X . | . X . X .
            X O . O X | X . X . X
            . X O X . | . X . X .
            . . X . . | . . X . .
            """,
        ),
        (
            "a chain that touches the point on two sides counts once",
            "A1",
            3,
            """
            . . . . . | . . . . .
            . . . . . | . . . . .
            X X . . . | X X . . .
            O O X . . | . . X . .
            . O X . . | X . X . .
            """,
        ),
        (
            "a chain that touches the point on three sides counts once",
            "C1",
            5,
            """
            . . . . . | . . . . .
            . . . . . | . . . . .
            . X X X . | . X X X .
            X O O O X | X . . . X
            X O . O X | X . X . X
            """,
        ),
        (
            "a chain that touches the point on all sides counts once",
            "D4",
            8,
            """
            . . . . . . . | . . . . . . .
            . . X X X . . | . . X X X . .
            . X O O O X . | . X . . . X .
            . X O . O X . | . X . X . X .
            . X O O O X . | . X . . . X .
            . . X X X . . | . . X X X . .
            . . . . . . . | . . . . . . .
            """,
        ),
        (
            "a chain on two sides and another on the third",
            "A2",
            4,
            """
            . . . . . | . . . . .
            X X . . . | X X . . .
            O O X . . | . . X . .
            . O X . . | X . X . .
            O X . . . | . X . . .
            """,
        ),
    ]
}

ENDLESS_LADDER = """
. . . . . . . .
. . . . . . . .
. . . . X . . X
X . X X . . . O
. . O O X O O X
. O . . O . X .
O X . X . X . .
. X X X . . . .
"""
"""A ladder in which captures and recaptures repeat the position."""

LADDER = """
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. X O . . . . . .
. . X X . . . . .
. . . . . . . . .
"""
"""Black drives the stone at C3 to the upper right, beginning at C4."""
