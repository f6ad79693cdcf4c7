"""Boards with stones: positions, and whole games with numbered stones (S08 figure 9)."""

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nobi.board.diagram import is_star
from nobi.board.stones import BLACK, EMPTY, PASS, enemy_of
from nobi.board.vertices import COLUMNS, row_column, vertex_name
from nobi.figures.style import blank_figure, place_axes, place_text, save_figure
from nobi.games.base import Game
from nobi.players.view import colours_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, PAPER = "black", "white"
CELL = 0.32
"""Inches between the lines of a board that is a figure of its own."""


def ready_axes(axes: "Axes", size: int) -> float:
    """Gives the axes the coordinates of a board: point (row, column) is at x = column, y = row, row 0 at the top.

    Returns:
        The distance between two lines in typographic points, which sizes of letters are measured by.
    """
    axes.set(xlim=(-0.6, size - 0.4), ylim=(size - 0.4, -0.6), aspect="equal")
    axes.grid(False)
    axes.spines[:].set_visible(False)
    step = 72 * axes.bbox.width / axes.figure.dpi / (size + 0.2)
    axes.set_xticks(range(size), COLUMNS[:size])
    axes.set_yticks(range(size), [str(size - row) for row in range(size)])
    axes.tick_params(length=0, pad=2, labelsize=min(8.0, 0.6 * step))
    return step


def draw_stones(axes: "Axes", colours: NDArray[np.uint8], radius: float = 0.46, line: float = 0.8) -> None:
    """Puts the stones, [n, n] of EMPTY, BLACK or WHITE, on axes made ready by `ready_axes`."""
    from matplotlib.patches import Circle

    for row, column in zip(*np.nonzero(colours != EMPTY), strict=True):
        fill = INK if colours[row, column] == BLACK else PAPER
        axes.add_patch(Circle((column, row), radius, facecolor=fill, edgecolor=INK, linewidth=line, zorder=3))


def draw_board(
    axes: "Axes",
    colours: NDArray[np.uint8],
    *,
    last: tuple[int, int] | None = None,
    numbers: NDArray[np.int64] | None = None,
) -> None:
    """Draws a board.

    Args:
        axes: where, square.
        colours: [n, n] EMPTY, BLACK or WHITE.
        last: row and column of the stone to mark as the latest.
        numbers: [n, n] what to write on the stones; nothing where 0.
    """
    from matplotlib.patches import Circle

    size = len(colours)
    step = ready_axes(axes, size)
    for line in range(size):
        width = 1.0 if line in (0, size - 1) else 0.5
        for x, y in (([line, line], [0, size - 1]), ([0, size - 1], [line, line])):
            axes.plot(x, y, color=INK, linewidth=width, zorder=1, solid_capstyle="projecting")
    for row, column in np.ndindex(size, size):
        if is_star(row, column, size):
            axes.add_patch(Circle((column, row), 0.09, color=INK, linewidth=0, zorder=2))
    draw_stones(axes, colours)
    if numbers is not None:
        for row, column in zip(*np.nonzero(numbers), strict=True):
            text = str(numbers[row, column])
            letters = step * (0.5 if len(text) < 3 else 0.38)
            ink = _ink_on(int(colours[row, column]))
            axes.text(column, row, text, color=ink, fontsize=letters, ha="center", va="center_baseline", zorder=4)
    if last:
        ink = _ink_on(int(colours[last]))
        axes.add_patch(Circle((last[1], last[0]), 0.22, fill=False, edgecolor=ink, linewidth=0.06 * step, zorder=4))


def _ink_on(colour: int) -> str:
    """What can be read on a stone of this colour."""
    return PAPER if colour == BLACK else INK


def numbered_stones(game: Game) -> tuple[NDArray[np.uint8], NDArray[np.int64], list[str]]:
    """A whole game in one diagram, as in books: all stones ever played, numbered by their moves.

    Returns:
        The colours and the numbers, [n, n] each, and in words the moves that found no room: passes, and stones on
        points where others had been captured.
    """
    colours = np.zeros((game.size, game.size), np.uint8)
    numbers = np.zeros((game.size, game.size), np.int64)
    for point, colour in game.start:
        colours[row_column(point, game.size)] = colour
    notes = []
    for number, move in enumerate(game.moves, 1):
        at = row_column(move, game.size)
        if move == PASS:
            notes.append(f"{number} pass")
        elif colours[at] != EMPTY:
            notes.append(f"{number} at {numbers[at] or vertex_name(move, game.size)}")
        else:
            even = (len(game.moves) - number) % 2 == 1  # turns alternate, and the next is game.to_move's
            colours[at] = game.to_move if even else enemy_of(game.to_move)
            numbers[at] = number
    return colours, numbers, notes


def board_figure(game: Game, path: Path, title: str, *, numbers: bool = False) -> None:
    """Draws a game as a figure of its own: the present position, or with `numbers` all its moves in one diagram."""
    side = CELL * (game.size + 0.2)
    colours, numbering, notes = numbered_stones(game) if numbers else (colours_of(game), None, [])
    last = game.moves[-1] if game.moves and not numbers else PASS
    heading = textwrap.wrap(title, int(side / 0.07))
    lines = textwrap.wrap(", ".join(note.replace(" ", "\N{NO-BREAK SPACE}") for note in notes), int(side / 0.06))
    top = 0.12 + 0.15 * len(heading)
    below = top + side + 0.25
    with blank_figure(side + 0.5, below + 0.1 + 0.14 * len(lines)) as figure:
        place_text(figure, 0.35, 0.1, "\n".join(heading))
        at = None if last == PASS else row_column(last, game.size)
        draw_board(place_axes(figure, 0.35, top, side, side), colours, last=at, numbers=numbering)
        place_text(figure, 0.35, below, "\n".join(lines), fontsize=8)
        save_figure(figure, path)
