"""One SGF file as a start position and moves, as GTP and openings take it: the main line, any square board we serve."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sgfmill import sgf

from nobi.board.stones import BLACK, PASS, WHITE
from nobi.board.vertices import check_size, point_at
from nobi.errors import NobiError
from nobi.records.komi import komi_of

_COLOURS = {"b": BLACK, "w": WHITE}


@dataclass(frozen=True)
class Record:
    """A game as its record tells it; nothing is checked against rules."""

    size: int
    komi: float | None
    """None if the record names none that a game can be played with."""
    stones: list[tuple[int, int]]
    """The start position, as (point, colour)."""
    first: int
    """Who is to move first."""
    moves: list[tuple[int, int]]
    """(colour, move)"""


def read_record(path: Path) -> Record:
    """Reads the main line of a file; a NobiError if stones are set up after its first move."""
    try:
        content = path.read_bytes()
    except OSError as fault:
        raise NobiError(f"{str(path)!r} cannot be read: {fault.strerror}.") from None
    try:
        return parse_record(content)
    except ValueError as fault:
        why = str(fault) or "a property has a value that it cannot have"
        raise NobiError(f"{str(path)!r} is not a game record that can be read: {why}.") from None


def parse_record(content: bytes) -> Record:
    """The same of a file's content; ValueError says what is wrong."""
    game = sgf.Sgf_game.from_bytes(content)
    size = check_size(game.get_size())
    nodes = game.get_main_sequence()
    moves: list[tuple[int, int]] = []
    beginning = len(nodes)  # how many nodes there are up to the first move
    for i, node in enumerate(nodes):
        if moves and node.has_setup_stones():
            raise ValueError(f"stones are set up after move {len(moves)}")
        colour, at = node.get_move()
        if colour is not None:
            beginning = min(beginning, i + 1)
            moves.append((_COLOURS[colour], PASS if at is None else _point(at, size)))
    stones = _start(nodes[:beginning], size)
    only_black = bool(stones) and all(colour == BLACK for _, colour in stones)
    first = moves[0][0] if moves else WHITE if only_black else BLACK
    for node in nodes[:beginning]:
        if node.has_property("PL"):
            first = _COLOURS[node.get("PL")]
    root = game.get_root()
    komi = komi_of(root.get_raw("KM").decode("ascii", "replace")) if root.has_property("KM") else None
    return Record(size, komi, stones, first, moves)


def _start(nodes: Sequence[sgf.Tree_node], size: int) -> list[tuple[int, int]]:
    """The stones that these nodes set up, one after the other; black ones first."""
    black: set[tuple[int, int]] = set()
    white: set[tuple[int, int]] = set()
    for node in nodes:
        more_black, more_white, fewer = node.get_setup_stones()
        if more_black & more_white:
            raise ValueError("a point is set up in two colours")
        black = (black - more_white - fewer) | more_black
        white = (white - more_black - fewer) | more_white
    return [(_point(at, size), BLACK) for at in sorted(black)] + [(_point(at, size), WHITE) for at in sorted(white)]


def _point(at: tuple[int, int], size: int) -> int:
    """A point from the SGF library's row, 0 at the bottom, and column."""
    row, column = at
    return point_at(size - 1 - row, column, size)
