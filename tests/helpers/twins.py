"""A game in the format of the reference implementations."""

from nobi.board.stones import BLACK, WHITE
from nobi.board.text import row_column
from reference import surround

MARKS = {BLACK: surround.BLACK, WHITE: surround.WHITE}


def as_dict(game):
    """The stones on the board, as {(row, column): mark}."""
    return {row_column(p, game.size): MARKS[game.colour(p)] for p in game.points() if game.colour(p)}
