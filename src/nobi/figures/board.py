"""Games and positions: whole games with numbered stones (S08 figure 9), reviewed games, input planes of a position.

`python -m nobi.figures.board docs/images` draws the images of the documentation.
"""

import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, EMPTY, PASS, enemy_of
from nobi.board.text import COLUMNS, is_star, row_column, vertex_name
from nobi.encoding import position_planes
from nobi.features import make_planes
from nobi.features.base import Planes
from nobi.figures.style import COLOURS, blank_figure, new_figure, place_axes, place_text, save_figure
from nobi.games.base import COLOUR_NAMES, Game
from nobi.games.go import Go
from nobi.players.inspection import colours_of
from nobi.storage import make_writable_folder

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, PAPER = "black", "white"
CELL = 0.32
"""Inches between the lines of a board in a figure of games."""
PLANES_WIDTH, MARGIN, GAP, LABEL = 7.2, 0.25, 0.14, 0.2
"""Inches: the figure of planes, its margin, the space between maps, the line of text above a map."""
MAPS_PER_ROW = 7
BOARD = 2.35
"""Inches: the side of the board in the figure of planes; the first maps are to its right."""
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
"""A position in which nearly all planes are set: a ko, two stones to capture, a ladder, a stone in atari."""


def set_board_axes(axes: "Axes", size: int) -> float:
    """Set board coordinates: point (row, column) is at x = column, y = row, row 0 at the top.

    Returns:
        The distance between two lines in typographic points, the unit of font sizes.
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
    """Draw the stones, [n, n] of EMPTY, BLACK or WHITE, on axes with board coordinates."""
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
    """Draw a board.

    Args:
        axes: square axes.
        colours: [n, n] EMPTY, BLACK or WHITE.
        last: row and column of the latest stone, which is marked.
        numbers: [n, n] numbers of the stones; 0: none.
    """
    from matplotlib.patches import Circle

    size = len(colours)
    step = set_board_axes(axes, size)
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
            fontsize = step * (0.5 if len(text) < 3 else 0.38)
            ink = PAPER if colours[row, column] == BLACK else INK
            axes.text(column, row, text, color=ink, fontsize=fontsize, ha="center", va="center_baseline", zorder=4)
    if last:
        ink = PAPER if colours[last] == BLACK else INK
        axes.add_patch(Circle((last[1], last[0]), 0.22, fill=False, edgecolor=ink, linewidth=0.06 * step, zorder=4))


def numbered_stones(game: Game) -> tuple[NDArray[np.uint8], NDArray[np.int64], list[str]]:
    """Return a whole game in one diagram, as in books: all stones, numbered by their moves.

    Returns:
        The colours and the numbers, [n, n] each, and as text the moves that the diagram cannot show: passes, and stones
        on points where others were captured.
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
            even = (len(game.moves) - number) % 2 == 1  # turns alternate, and game.to_move is next
            colours[at] = game.to_move if even else enemy_of(game.to_move)
            numbers[at] = number
    return colours, numbers, notes


class _Diagram:
    """The diagram of a whole game with numbered stones, a heading above and notes below; lengths are in inches."""

    def __init__(self, game: Game, title: str) -> None:
        self.colours, self.numbers, notes = numbered_stones(game)
        self.side = CELL * (game.size + 0.2)
        self.heading = textwrap.wrap(title, int(self.side / 0.07))
        text = ", ".join(note.replace(" ", "\N{NO-BREAK SPACE}") for note in notes)
        self.notes = textwrap.wrap(text, int(self.side / 0.06))
        self.width = self.side + 0.5
        self.above = 0.12 + 0.15 * len(self.heading)
        self.below = 0.35 + 0.14 * len(self.notes)

    def draw(self, figure: "Figure", left: float, top: float) -> None:
        """Draw the diagram with the upper left corner of the board at this position."""
        place_text(figure, left, top - self.above + 0.1, "\n".join(self.heading))
        draw_board(place_axes(figure, left, top, self.side, self.side), self.colours, numbers=self.numbers)
        place_text(figure, left, top + self.side + 0.25, "\n".join(self.notes), fontsize=8)


def games_figure(games: Sequence[tuple[Game, str]], path: Path, title: str, *, columns: int = 2) -> None:
    """Draw games with their headings, in rows of `columns`, with numbered stones; boards may differ in size."""
    if not games or columns < 1:
        raise ValueError(f"a figure needs at least one game and one column, not {len(games)} and {columns}")
    diagrams = [_Diagram(game, heading) for game, heading in games]
    rows = [diagrams[start : start + columns] for start in range(0, len(diagrams), columns)]
    widths = [max(one.width for one in diagrams[column::columns]) for column in range(len(rows[0]))]
    heading = textwrap.wrap(title, int(sum(widths) / 0.085))
    head = 0.12 + 0.18 * len(heading) if heading else 0.0
    heights = [max(one.above for one in row) + max(one.side + one.below for one in row) for row in rows]
    with blank_figure(sum(widths), head + sum(heights)) as figure:
        place_text(figure, 0.35, 0.1, "\n".join(heading), fontsize="large")
        top = head
        for row, height in zip(rows, heights, strict=True):
            above = max(one.above for one in row)
            for column, diagram in enumerate(row):
                diagram.draw(figure, sum(widths[:column]) + 0.35, top + above)
            top += height
        save_figure(figure, path)


def review_figure(
    chances: Mapping[int, float], losses: Sequence[tuple[int, str, float]], path: Path, title: str
) -> None:
    """Draw the probability to win as a line, with gaps where it is unknown.

    Args:
        chances: number of moves → Black's probability to win, 0 to 1.
        losses: (number, name, loss in percentage points) of the moves to mark.
        path: where to save.
        title: the title.
    """
    with new_figure(7.2, 3.4) as (figure, axes):
        last = max([*chances, *(number for number, _, _ in losses), 1])
        line = [100 * chances[ply] if ply in chances else float("nan") for ply in range(last + 1)]
        axes.axhline(50, color="grey", lw=0.8, ls=":")
        axes.fill_between(range(last + 1), line, 0, color=COLOURS[0], alpha=0.12, lw=0)
        axes.plot(range(last + 1), line, color=COLOURS[0], lw=1.5)
        for number, name, loss in losses:
            at = 100 * chances.get(number - 1, 0.5)
            falls = 100 * chances.get(number, 0.0) <= at  # Black's losses are labelled above the line, White's below it
            axes.plot([number - 1], [at], "o", color=COLOURS[1], ms=5)
            axes.annotate(
                f"{number} {name}, \N{MINUS SIGN}{loss:.0f}",
                (number - 1, at),
                xytext=(0, 8 if falls else -15),
                textcoords="offset points",
                ha="right" if number > 0.85 * last else "left" if number < 0.15 * last else "center",
                fontsize="small",
                color=COLOURS[1],
            )
        axes.set(xlim=(0, last), ylim=(0, 104), xlabel="move", ylabel="Black's chance to win, %")
        axes.set_title(title, loc="left")
        save_figure(figure, path)


def planes_figure(game: Game, planes: Planes, path: Path, rank: int = 0) -> None:
    """Draw the position of a game, and every plane of a set as a small map."""
    values = position_planes(game, planes, rank)
    side = (PLANES_WIDTH - 2 * MARGIN - (MAPS_PER_ROW - 1) * GAP) / MAPS_PER_ROW
    step = side + LABEL + GAP
    maps_beside_board = int((PLANES_WIDTH - 2 * MARGIN - BOARD) // (side + GAP))  # maps per row
    lines = int((BOARD + LABEL) // step)
    first = maps_beside_board * lines
    rest = -(-max(0, planes.count - first) // MAPS_PER_ROW)
    top = 0.62
    below = top - LABEL + max(lines * step, BOARD + 0.35)
    with blank_figure(PLANES_WIDTH, top + max(lines * step, BOARD + 0.35) + rest * step - LABEL) as figure:
        place_text(figure, MARGIN, 0.12, f"The {planes.count} planes of {planes}", fontsize=11, weight="bold")
        turn = f"{COLOUR_NAMES[game.to_move]} to move" + (f", taken for {rank} dan" if rank else "")
        place_text(figure, MARGIN, 0.36, f"position, {turn}", fontsize=8)
        last = game.moves[-1] if game.moves else PASS
        at = None if last == PASS else row_column(last, game.size)
        draw_board(place_axes(figure, MARGIN + 0.1, top, BOARD - 0.2, BOARD - 0.2), colours_of(game), last=at)
        for i, name in enumerate(planes.channels):
            if i < first:
                row, column = divmod(i, maps_beside_board)
                x = PLANES_WIDTH - MARGIN - (maps_beside_board - column) * (side + GAP) + GAP
                y = top - LABEL + row * step
            else:
                row, column = divmod(i - first, MAPS_PER_ROW)
                x, y = MARGIN + column * (side + GAP), below + row * step
            place_text(figure, x, y + 0.02, name, fontsize=6)
            _draw_plane(place_axes(figure, x, y + LABEL, side, side), values[i], colours_of(game))
        save_figure(figure, path)


def _draw_plane(axes: "Axes", values: NDArray[np.float32], colours: NDArray[np.uint8]) -> None:
    """Draw squares where a plane is 1, and small stones."""
    from matplotlib.patches import Rectangle

    size = len(values)
    set_board_axes(axes, size)
    axes.set(xticks=[], yticks=[])
    frame = Rectangle((-0.5, -0.5), size, size, facecolor="0.965", edgecolor="0.55", linewidth=0.5, zorder=0)
    axes.add_patch(frame)
    for row, column in zip(*np.nonzero(values), strict=True):
        axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=COLOURS[4], linewidth=0, zorder=1))
    draw_stones(axes, colours, radius=0.27, line=0.35)


def example_game() -> Go:
    """Return the position of the images of the documentation."""
    game = Go.from_text(EXAMPLE)
    for move in EXAMPLE_MOVES:
        game.play(move)
    return game


if __name__ == "__main__":
    folder = make_writable_folder(Path(sys.argv[1]))
    planes_figure(example_game(), make_planes("m15"), folder / "planes-m15.png", rank=5)
    planes_figure(example_game(), make_planes("c14-7:edge=true"), folder / "planes-c14.png")
