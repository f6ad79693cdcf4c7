"""Positions as text.

  A B C D E
5 . . . . .
4 . + X + .       X black, O white, (X) the latest move, + a star point
3 . .(O). .
2 . + . + .
1 . . . . .
"""

import re

from nobi.board.stones import BLACK, EMPTY, PASS, WHITE, Stones
from nobi.board.vertices import COLUMNS, check_size, point_at, row_column
from nobi.errors import NobiError

_CELLS = {".": EMPTY, "+": EMPTY, ",": EMPTY, "X": BLACK, "#": BLACK, "●": BLACK, "O": WHITE, "○": WHITE}
_MARKS = {BLACK: "X", WHITE: "O"}


def star_lines(size: int) -> list[int]:
    """The rows, and columns, on which star points lie."""
    edge = 3 if size >= 13 else 2 if size >= 7 else 1
    lines = {edge, size - 1 - edge}
    if size % 2 and size >= 9:
        lines.add(size // 2)
    return sorted(lines)


def is_star(row: int, column: int, size: int) -> bool:
    """Whether the point is a star point; boards below 13 lines have them in the corners and the centre."""
    lines = star_lines(size)
    if size % 2 and (row, column) == (size // 2, size // 2):
        return True
    if row not in lines or column not in lines:
        return False
    return size >= 13 or (row != size // 2 and column != size // 2)


def draw_board(stones: Stones, g: int) -> str:
    """The position on board g."""
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
    """The size of a drawn board and its stones as (point, colour), from the top left."""
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
