"""The games, one file each. A file `my_game.py` in this folder is the game `my-game`; nothing else is to be told.

A game that lives elsewhere announces itself with `register`. See `docs/architecture.md` for a complete example.
"""

from typing import TYPE_CHECKING

from nobi.registry import Registry
from nobi.words import settings_from, split_word

if TYPE_CHECKING:
    from nobi.games.base import Game, Variant

_games: "Registry[Game]" = Registry("game", __name__, __path__, {"base"})
register, names, find = _games.register, _games.names, _games.find


def variant(word: str, size: int = 9) -> "Variant":
    """The game, rules and board that a word such as `go:komi=5.5` and a size stand for."""
    from nobi.board.vertices import check_size
    from nobi.games.base import Variant

    name, given = split_word(word)
    game = find(name)
    return Variant(game, check_size(size), settings_from(game.settings_type, given, word))
