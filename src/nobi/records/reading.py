"""One SGF file as a start position and moves, as GTP and openings take it: the main line, any square board we serve."""

from dataclasses import dataclass
from pathlib import Path

from sgfmill import sgf

from nobi.board.stones import BLACK, PASS, WHITE
from nobi.board.vertices import check_size, point_at
from nobi.errors import NobiError

_COLOURS = {"b": BLACK, "w": WHITE}


@dataclass(frozen=True)
class Record:
    """A game as its record tells it; nothing is checked against rules."""

    size: int
    komi: float | None
    stones: list[tuple[int, int]]
    """The start position, as (point, colour)."""
    first: int
    """Who is to move first."""
    moves: list[tuple[int, int]]
    """(colour, move)"""


def read_record(path: Path) -> Record:
    """Reads the main line of a file, up to a node that sets up stones after the start."""
    try:
        content = path.read_bytes()
    except OSError as fault:
        raise NobiError(f"{str(path)!r} cannot be read: {fault.strerror}.") from None
    try:
        return parse_record(content)
    except ValueError as fault:
        why = str(fault) or "a property has a value that it cannot have"
        raise NobiError(f"{str(path)!r} is not a game record: {why}.") from None


def parse_record(content: bytes) -> Record:
    """The same of a file's content; ValueError says what is wrong."""
    game = sgf.Sgf_game.from_bytes(content)
    size = check_size(game.get_size())
    root = game.get_root()
    black, white, _ = root.get_setup_stones()
    stones = [(_point(at, size), BLACK) for at in sorted(black)] + [(_point(at, size), WHITE) for at in sorted(white)]
    moves = []
    for node in game.get_main_sequence():
        if node is not root and node.has_setup_stones():
            break
        colour, at = node.get_move()
        if colour is not None:
            moves.append((_COLOURS[colour], PASS if at is None else _point(at, size)))
    first = moves[0][0] if moves else WHITE if black and not white else BLACK
    if root.has_property("PL"):
        first = _COLOURS[root.get("PL")]
    komi = root.get("KM") if root.has_property("KM") else None
    return Record(size, komi, stones, first, moves)


def _point(at: tuple[int, int], size: int) -> int:
    """A point from the SGF library's row, 0 at the bottom, and column."""
    row, column = at
    return point_at(size - 1 - row, column, size)
