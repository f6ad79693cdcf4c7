"""Writing games as SGF, the format of Go records (FF[4]), for other programs to read."""

from sgfmill import sgf

import nobi
from nobi.board.stones import BLACK, PASS, WHITE, enemy_of
from nobi.board.text import row_column
from nobi.games.base import Game
from nobi.games.go import Go
from nobi.records.properties import name_in_records

_LETTERS = {BLACK: "b", WHITE: "w"}


def sgf_of(
    game: Game,
    black: str = "",
    white: str = "",
    event: str = "",
    result: str = "",
    *,
    main_time: float | None = None,
    overtime: str = "",
) -> bytes:
    """Return the record of a game as SGF.

    Args:
        game: the game.
        black: the name of the black player.
        white: the name of the white player.
        event: the name of the game (GN).
        result: the result of a game that was stopped before its end, or whose dead stones were removed; without it, a
            finished game is scored with all stones alive.
        main_time: seconds, of a game with clocks.
        overtime: as in `TimeSettings.overtime`.
    """
    size = game.size
    record = sgf.Sgf_game(size)
    root = record.get_root()
    root.set_raw("GM", str(game.sgf_number).encode())
    root.set("AP", ("nobi", nobi.__version__))
    root.set("RU", _rules(game))
    if "komi" in vars(game.settings):
        root.set("KM", game.settings.komi)
    for key, text in (("PB", black), ("PW", white), ("GN", event)):
        if text:
            root.set(key, text)
    if main_time is not None:
        root.set("TM", main_time)
    if overtime:
        root.set("OT", overtime)
    if game.is_over or result:
        root.set("RE", result or game.result())
    stones = {colour: [_sgf_point(p, size) for p, c in game.start if c == colour] for colour in (BLACK, WHITE)}
    if any(stones.values()):
        root.set_setup_stones(stones[BLACK], stones[WHITE])
    first = game.to_move if len(game.moves) % 2 == 0 else enemy_of(game.to_move)
    if first == WHITE or any(stones.values()):
        root.set("PL", _LETTERS[first])
    if isinstance(game, Go) and first == WHITE and len(stones[BLACK]) > 1 and not stones[WHITE]:
        root.set("HA", len(stones[BLACK]))
    colour = first
    for move in game.moves:
        node = record.extend_main_sequence()
        node.set_move(_LETTERS[colour], None if move == PASS else _sgf_point(move, size))
        colour = enemy_of(colour)
    content: bytes = record.serialise()
    return content


def _rules(game: Game) -> str:
    """Return the standard name of the rules if there is one, else the spec of the game."""
    return (name_in_records(game.settings) if isinstance(game, Go) else None) or game.rules_text()


def _sgf_point(point: int, size: int) -> tuple[int, int]:
    """Return the row, 0 at the bottom, and the column, as in sgfmill."""
    row, column = row_column(point, size)
    return size - 1 - row, column
