"""Every plane of a set on one position: the board, and a small map for each plane.

`python -m nobi.figures.planes docs/images` draws the pictures of the documentation.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import PASS
from nobi.board.vertices import row_column
from nobi.features import planes_named
from nobi.features.base import Planes
from nobi.features.position import position_planes
from nobi.figures.board import draw_board, draw_stones, ready_axes
from nobi.figures.style import COLOURS, blank_figure, place_axes, place_text, save_figure
from nobi.files import ready_folder
from nobi.games.base import COLOUR_NAMES, Game
from nobi.games.go import Go
from nobi.players.view import colours_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, MARGIN, GAP, LABEL = 7.2, 0.25, 0.14, 0.2
"""Inches: the figure, the space at its edges and between maps, the line of text above a map."""
ACROSS = 7
BOARD = 2.35
"""The side of the board; the first maps stand beside it."""

EXAMPLE = """
    O X . . . . . . .
    O X . . . . . . .
    . . . . . X O . .
    X . . . X . X O .
    . . . . . X O . .
    . . . . . . . . .
    . X O . . . . O X
    . . X X . . . O O
    . . . . . . O O .
"""
EXAMPLE_MOVES = ("G3", "H4", "F2", "F6")
"""A position that comes to nearly all the planes tell: a ko, two stones to capture, a ladder, a stone in atari."""


def planes_figure(game: Game, planes: Planes, path: Path, rank: int = 0) -> None:
    """Draws the position of a game, and every plane of a set on it."""
    values = position_planes(game, planes, rank)
    side = (WIDTH - 2 * MARGIN - (ACROSS - 1) * GAP) / ACROSS
    step = side + LABEL + GAP
    beside = int((WIDTH - 2 * MARGIN - BOARD) // (side + GAP))  # maps in a line beside the board
    lines = int((BOARD + LABEL) // step)
    first = beside * lines
    rest = -(-max(0, planes.count - first) // ACROSS)
    top = 0.62
    with blank_figure(WIDTH, top + max(lines * step, BOARD + 0.35) + rest * step - LABEL) as figure:
        place_text(figure, MARGIN, 0.12, f"The {planes.count} planes of {planes}", fontsize=11, weight="bold")
        turn = f"{COLOUR_NAMES[game.to_move]} to move" + (f", taken for {rank} dan" if rank else "")
        place_text(figure, MARGIN, 0.36, f"position, {turn}", fontsize=8)
        last = game.moves[-1] if game.moves else PASS
        at = None if last == PASS else row_column(last, game.size)
        draw_board(place_axes(figure, MARGIN + 0.1, top, BOARD - 0.2, BOARD - 0.2), colours_of(game), last=at)
        for i, name in enumerate(planes.channels):
            if i < first:
                line, place = divmod(i, beside)
                x = WIDTH - MARGIN - (beside - place) * (side + GAP) + GAP
                y = top - LABEL + line * step
            else:
                line, place = divmod(i - first, ACROSS)
                x = MARGIN + place * (side + GAP)
                y = top - LABEL + max(lines * step, BOARD + 0.35) + line * step
            place_text(figure, x, y + 0.02, name, fontsize=6)
            _draw_plane(place_axes(figure, x, y + LABEL, side, side), values[i], colours_of(game))
        save_figure(figure, path)


def _draw_plane(axes: "Axes", values: NDArray[np.float32], colours: NDArray[np.uint8]) -> None:
    """One plane: squares where it is 1, over the stones in faint ink."""
    from matplotlib.patches import Rectangle

    size = len(values)
    ready_axes(axes, size)
    axes.set(xticks=[], yticks=[])
    frame = Rectangle((-0.5, -0.5), size, size, facecolor="0.965", edgecolor="0.55", linewidth=0.5, zorder=0)
    axes.add_patch(frame)
    for row, column in zip(*np.nonzero(values), strict=True):
        axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=COLOURS[4], linewidth=0, zorder=1))
    draw_stones(axes, colours, radius=0.27, line=0.35)


def example_game() -> Go:
    """The position of the documentation's picture."""
    game = Go.from_text(EXAMPLE)
    for move in EXAMPLE_MOVES:
        game.play(move)
    return game


if __name__ == "__main__":
    place = ready_folder(Path(sys.argv[1]))
    planes_figure(example_game(), planes_named("m15"), place / "planes-m15.png", rank=5)
    planes_figure(example_game(), planes_named("c14-7:edge=true"), place / "planes-c14.png")
