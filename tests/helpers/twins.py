"""A game in the format of the reference implementations."""

import numpy as np
from hypothesis import strategies as st

from nobi.board.stones import BLACK, WHITE
from nobi.board.text import point_at, row_column
from nobi.games.go import Go, GoSettings
from reference import surround

MARKS = {BLACK: surround.BLACK, WHITE: surround.WHITE}
COLOURS = {mark: colour for colour, mark in MARKS.items()}


def as_dict(game):
    """The stones on the board, as {(row, column): mark}."""
    return {row_column(p, game.size): MARKS[game.colour(p)] for p in game.points() if game.colour(p)}


@st.composite
def crowded_positions(draw):
    """A crowded position without dead chains, as a twin's board, and the player to move."""
    size = draw(st.integers(5, 9))
    filled = draw(st.floats(0.2, 0.8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    board = {}
    for r, c in np.ndindex(size, size):
        if rng.random() < filled:
            board[(r, c)] = str(rng.choice([surround.BLACK, surround.WHITE]))
    for point in list(board):
        if point in board and not surround.chain_and_liberties(board, point, size)[1]:
            for stone in surround.chain_and_liberties(board, point, size)[0]:
                del board[stone]
    return size, board, draw(st.sampled_from([surround.BLACK, surround.WHITE]))


def game_of(size, board, me):
    """The game of Go that starts from a twin's board."""
    game = Go(size, GoSettings(ko="simple"))
    game.set_up([(point_at(*p, size), COLOURS[mark]) for p, mark in board.items()], COLOURS[me])
    return game
