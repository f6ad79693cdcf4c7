"""Boards with stones: positions, and whole games with numbered stones (S08 figure 9).

MERGED figures/planes.py: Every plane of a set on one position: the board, and a small map for each plane.

`python -m nobi.figures.board docs/images` draws the pictures of the documentation.
"""

import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, EMPTY, PASS, enemy_of
from nobi.board.text import COLUMNS, is_star, row_column, vertex_name
from nobi.encoding import position_planes
from nobi.features import make_planes
from nobi.features.base import Planes
from nobi.figures.style import COLOURS, blank_figure, place_axes, place_text, save_figure
from nobi.games.base import COLOUR_NAMES, Game
from nobi.games.go import Go
from nobi.players.inspection import colours_of
from nobi.storage import make_writable_folder

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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


@dataclass(frozen=True)
class _Diagram:
    """A board with its heading above it and notes below."""

    colours: NDArray[np.uint8]
    numbers: NDArray[np.int64] | None
    last: tuple[int, int] | None
    heading: list[str]
    notes: list[str]

    @property
    def side(self) -> float:
        """Inches of the board itself."""
        return CELL * (len(self.colours) + 0.2)

    @property
    def width(self) -> float:
        """Inches, with the numbers of the rows."""
        return self.side + 0.5

    @property
    def top(self) -> float:
        """Inches of the heading."""
        return 0.12 + 0.15 * len(self.heading)

    @property
    def below(self) -> float:
        """Inches of the letters of the columns and the notes."""
        return 0.35 + 0.14 * len(self.notes)

    def draw(self, figure: "Figure", left: float, top: float, workspace: float) -> None:
        """Draws it below `top` inches, the board below `workspace` more, which the heading stands at the end of."""
        place_text(figure, left + 0.35, top + workspace - self.top + 0.1, "\n".join(self.heading))
        axes = place_axes(figure, left + 0.35, top + workspace, self.side, self.side)
        draw_board(axes, self.colours, last=self.last, numbers=self.numbers)
        place_text(figure, left + 0.35, top + workspace + self.side + 0.25, "\n".join(self.notes), fontsize=8)


def _diagram(game: Game, title: str, *, numbers: bool) -> _Diagram:
    """The present position, or with `numbers` all moves of the game."""
    side = CELL * (game.size + 0.2)
    colours, numbering, notes = numbered_stones(game) if numbers else (colours_of(game), None, [])
    last = game.moves[-1] if game.moves and not numbers else PASS
    return _Diagram(
        colours,
        numbering,
        None if last == PASS else row_column(last, game.size),
        textwrap.wrap(title, int(side / 0.07)),
        textwrap.wrap(", ".join(note.replace(" ", "\N{NO-BREAK SPACE}") for note in notes), int(side / 0.06)),
    )


def board_figure(game: Game, path: Path, title: str, *, numbers: bool = False) -> None:
    """Draws a game as a figure of its own: the present position, or with `numbers` all its moves in one diagram."""
    diagram = _diagram(game, title, numbers=numbers)
    with blank_figure(diagram.width, diagram.top + diagram.side + diagram.below) as figure:
        diagram.draw(figure, 0.0, 0.0, diagram.top)
        save_figure(figure, path)


def games_figure(games: Sequence[tuple[Game, str]], path: Path, title: str, *, columns: int = 2) -> None:
    """Draws whole games with numbered stones, as S08's figure 9: in rows of `columns`, boards of any sizes together.

    Args:
        games: each with what is to stand above it.
        path: where to save.
        title: stands above all.
        columns: how many games stand side by side.
    """
    if not games or columns < 1:
        raise ValueError(f"a figure needs at least one game and one column, not {len(games)} and {columns}")
    diagrams = [_diagram(game, words, numbers=True) for game, words in games]
    rows = [diagrams[start : start + columns] for start in range(0, len(diagrams), columns)]
    widths = [max(one.width for one in diagrams[column::columns]) for column in range(len(rows[0]))]
    heading = textwrap.wrap(title, int(sum(widths) / 0.085))
    head = 0.12 + 0.18 * len(heading) if heading else 0.0
    heights = [max(one.top for one in row) + max(one.side + one.below for one in row) for row in rows]
    with blank_figure(sum(widths), head + sum(heights)) as figure:
        place_text(figure, 0.35, 0.1, "\n".join(heading), fontsize="large")
        top = head
        for row, height in zip(rows, heights, strict=True):
            workspace = max(one.top for one in row)
            for column, diagram in enumerate(row):
                diagram.draw(figure, sum(widths[:column]), top, workspace)
            top += height
        save_figure(figure, path)


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
    place = make_writable_folder(Path(sys.argv[1]))
    planes_figure(example_game(), make_planes("m15"), place / "planes-m15.png", rank=5)
    planes_figure(example_game(), make_planes("c14-7:edge=true"), place / "planes-c14.png")
