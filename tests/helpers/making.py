"""Records made for the tests."""

from sgfmill import sgf

from nobi.board.text import row_column
from nobi.games.go import Go, GoSettings
from nobi.records.sgf_writer import sgf_of


def random_game(rng, size=9, moves=30):
    """A random legal game, as a `Go`."""
    game = Go(size, GoSettings(ko="simple"))
    while len(game.moves) < moves and not game.is_over:
        choices = game.legal_moves()[:-1]
        if not choices:
            break
        game.play(choices[rng.integers(len(choices))])
    return game


def random_sgf(rng, size=9, moves=30, **properties):
    """A random game as SGF on one line, with further root properties."""
    return with_properties(sgf_of(random_game(rng, size, moves)), **properties).replace(b"\n", b"")


def with_properties(record, **properties):
    game = sgf.Sgf_game.from_bytes(record)
    for name, value in properties.items():
        game.get_root().set_raw(name, value.encode())
    return game.serialise(wrap=None)


def cells_of(game):
    """The moves of a `Go` as row * size + column."""
    return [row * game.size + column for row, column in (row_column(move, game.size) for move in game.moves)]


LETTERS = "abcdefghijklmnopqrstuvwxy"


def image(cell, size, symmetry):
    """The image of a cell under a symmetry, 0 to 7: a reflection if it is odd, then quarter turns."""
    row, column = divmod(cell, size)
    if symmetry % 2:
        row, column = column, row
    for _ in range(symmetry // 2):
        row, column = column, size - 1 - row
    return row * size + column


def line_of(cells, size, setup=(), **properties):
    """A record of these moves, black and white in turn; None is a pass; `setup` are black stones."""
    root = f"SZ[{size}]" + "".join(f"{name}[{value}]" for name, value in properties.items())
    if setup:
        root += "AB" + "".join(f"[{_point(cell, size)}]" for cell in setup)
    first = 1 if setup else 0
    moves = "".join(f";{'BW'[(i + first) % 2]}[{_point(cell, size)}]" for i, cell in enumerate(cells))
    return f"(;GM[1]FF[4]{root}{moves})".encode()


def _point(cell, size):
    return "" if cell is None else LETTERS[cell % size] + LETTERS[cell // size]
