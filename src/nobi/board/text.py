"""Text forms: names of points as in GTP (A1 at the lower left, no column I, `pass`), and diagrams of positions.

  A B C D E
5 . . . . .
4 . + X + .       X black, O white, (X) the latest move, + a star point
3 . .(O). .
2 . + . + .
1 . . . . .

For notebooks, `board_svg` draws a position as an SVG image.
"""

import re

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, EMPTY, LARGEST, PASS, SMALLEST, WHITE, Stones, stride_of
from nobi.errors import NobiError

COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
_CELLS = {".": EMPTY, "+": EMPTY, ",": EMPTY, "X": BLACK, "#": BLACK, "●": BLACK, "O": WHITE, "○": WHITE}
_MARKS = {BLACK: "X", WHITE: "O"}
CELL = 26
"""Pixels from one line to the next."""

_WOOD, _LINE, _TEXT = "#e3b768", "#4a3a1d", "#5c4a26"
_STONES = {BLACK: ("#1b1b1b", "#000"), WHITE: ("#fafafa", "#777")}


def check_size(size: int) -> int:
    """Return the size if it is supported, else raise a NobiError."""
    if not SMALLEST <= size <= LARGEST:
        raise NobiError(f"The board size must be {SMALLEST} to {LARGEST}, not {size}.")
    return size


def point_at(row: int, column: int, size: int) -> int:
    """Return the point in this row, 0 at the top, and column, 0 at the left."""
    return (row + 1) * stride_of(size) + column + 1


def row_column(point: int, size: int) -> tuple[int, int]:
    """Return the row, 0 at the top, and the column, 0 at the left, of a point."""
    row, column = divmod(point, stride_of(size))
    return row - 1, column - 1


def vertex_name(point: int, size: int) -> str:
    """Return the name of a point."""
    if point == PASS:
        return "pass"
    row, column = row_column(point, size)
    return f"{COLUMNS[column]}{size - row}"


def point_named(name: str, size: int) -> int:
    """Return the point of this name."""
    if name.strip().lower() == "pass":
        return PASS
    match = re.fullmatch(r"([A-HJ-Z])([1-9]\d?)", name.strip().upper())
    if match:
        row, column = size - int(match[2]), COLUMNS.index(match[1])
        if row >= 0 and column < size:
            return point_at(row, column, size)
    raise NobiError(f"{name!r} is not a point of a {size}x{size} board (A1 to {COLUMNS[size - 1]}{size}, no column I).")


def star_lines(size: int) -> list[int]:
    """Return the rows (and columns) of star points."""
    edge = 3 if size >= 13 else 2 if size >= 7 else 1
    lines = {edge, size - 1 - edge}
    if size % 2 and size >= 9:
        lines.add(size // 2)
    return sorted(lines)


def is_star(row: int, column: int, size: int) -> bool:
    """Return whether the point is a star point; boards below 13 lines have them in the corners and the centre."""
    lines = star_lines(size)
    if size % 2 and (row, column) == (size // 2, size // 2):
        return True
    if row not in lines or column not in lines:
        return False
    return size >= 13 or (row != size // 2 and column != size // 2)


def draw_board(stones: Stones, g: int) -> str:
    """Return the diagram of the position on board g."""
    size = stones.size
    marked = row_column(int(stones.last[g]), size) if stones.last[g] != PASS else None
    header = "   " + " ".join(COLUMNS[:size])
    lines = [header]
    for row in range(size):
        line = f"{size - row:2d} "
        for column in range(size):
            colour = int(stones.colour[g, point_at(row, column, size)])
            mark = _MARKS.get(colour) or ("+" if is_star(row, column, size) else ".")
            if (row, column) == marked:
                line = f"{line[:-1]}({mark})"
            else:
                line += f"{mark} "
        lines.append(line.rstrip())
    return "\n".join(lines)


def read_diagram(text: str) -> tuple[int, list[tuple[int, int]]]:
    """Return the board size of a diagram, and its stones as (point, colour) from the top left."""
    rows = []
    for line in text.splitlines():
        cells = re.sub(r"[()\s\d|]", "", line)
        if cells and not cells.startswith("AB"):
            rows.append(cells.upper())
    size = check_size(len(rows))
    stones = []
    for row, cells in enumerate(rows):
        if len(cells) != size or any(cell not in _CELLS for cell in cells):
            raise NobiError(f"Row {size - row} of the diagram is {cells!r}, not {size} of the marks . + X O.")
        for column, cell in enumerate(cells):
            if _CELLS[cell] != EMPTY:
                stones.append((point_at(row, column, size), _CELLS[cell]))
    return size, stones


def board_svg(colours: NDArray[np.uint8], last: tuple[int, int] | None = None) -> str:
    """Return an SVG of the stones `colours` [n, n] with coordinates; the last move (row, column) is marked."""
    size = len(colours)
    width = CELL * (size + 1)
    lines, stars, stones, labels = [], [], [], []
    first, end = CELL, CELL * size
    for i in range(size):
        at = CELL * (i + 1)
        lines.append(f"M{first} {at}H{end}M{at} {first}V{end}")
        labels.append(f'<text x="{at}" y="{width - 3}">{COLUMNS[i]}</text><text x="8" y="{at + 3}">{size - i}</text>')
        for j in range(size):
            x, y = CELL * (j + 1), at
            if (colour := int(colours[i, j])) in _STONES:
                fill, edge = _STONES[colour]
                stones.append(f'<circle cx="{x}" cy="{y}" r="{0.47 * CELL:.1f}" fill="{fill}" stroke="{edge}"/>')
            elif is_star(i, j, size):
                stars.append(f'<circle cx="{x}" cy="{y}" r="2.5" fill="{_LINE}"/>')
    if last is not None:
        row, column = last
        mark = "#fff" if colours[row, column] == BLACK else "#000"
        stones.append(
            f'<circle cx="{CELL * (column + 1)}" cy="{CELL * (row + 1)}" r="{0.2 * CELL:.1f}" fill="none" '
            f'stroke="{mark}" stroke-width="2"/>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {width}" width="{width}" height="{width}">'
        f'<rect width="{width}" height="{width}" rx="4" fill="{_WOOD}"/>'
        f'<path d="{"".join(lines)}" stroke="{_LINE}" stroke-width="1" fill="none"/>{"".join(stars)}{"".join(stones)}'
        f'<g font-family="sans-serif" font-size="9" fill="{_TEXT}" text-anchor="middle">{"".join(labels)}</g></svg>'
    )
