"""Names of points as Go players and GTP write them: A1 at the lower left, no column I, `pass` for a pass."""

import re

from nobi.board.stones import LARGEST, PASS, SMALLEST, stride_of
from nobi.errors import NobiError

COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"


def check_size(size: int) -> int:
    """Returns the size if boards of it are served."""
    if not SMALLEST <= size <= LARGEST:
        raise NobiError(f"The board size must be {SMALLEST} to {LARGEST}, not {size}.")
    return size


def point_at(row: int, column: int, size: int) -> int:
    """The point in this row, 0 at the top, and column, 0 at the left."""
    return (row + 1) * stride_of(size) + column + 1


def row_column(point: int, size: int) -> tuple[int, int]:
    """The row, 0 at the top, and the column, 0 at the left, of a point."""
    row, column = divmod(point, stride_of(size))
    return row - 1, column - 1


def vertex_name(point: int, size: int) -> str:
    """The name of a point."""
    if point == PASS:
        return "pass"
    row, column = row_column(point, size)
    return f"{COLUMNS[column]}{size - row}"


def point_named(name: str, size: int) -> int:
    """The point of this name."""
    if name.strip().lower() == "pass":
        return PASS
    match = re.fullmatch(r"([A-HJ-Z])([1-9]\d?)", name.strip().upper())
    if match:
        row, column = size - int(match[2]), COLUMNS.index(match[1])
        if row >= 0 and column < size:
            return point_at(row, column, size)
    raise NobiError(f"{name!r} is not a point of a {size}x{size} board (A1 to {COLUMNS[size - 1]}{size}, no column I).")
