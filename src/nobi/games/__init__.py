"""The games, one file each. A file `my_game.py` in this folder is the game `my-game`; nothing else is to be told.

A game that lives elsewhere announces itself with `register`. See `docs/architecture.md` for a complete example.
"""

import importlib
import pkgutil
from typing import TYPE_CHECKING, TypeVar

from nobi.errors import NobiError
from nobi.words import choices, settings_from, split_word

if TYPE_CHECKING:
    from nobi.games.base import Game, Variant

G = TypeVar("G", bound="type[Game]")

_registered: dict[str, "type[Game]"] = {}
_NOT_GAMES = {"base"}


def register(game: G) -> G:
    """Makes a game known by its name; to be written above the class."""
    _registered[game.name] = game
    return game


def names() -> list[str]:
    """The names of all games, without loading any."""
    files = {module.name for module in pkgutil.iter_modules(__path__)} - _NOT_GAMES
    return sorted({file.replace("_", "-") for file in files} | _registered.keys())


def find(name: str) -> "type[Game]":
    """The game of this name."""
    if name not in names():
        raise NobiError(f"There is no game {name!r}; {choices(names())}.")
    if name not in _registered:
        importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    return _registered[name]


def variant(word: str, size: int = 9) -> "Variant":
    """The game, rules and board that a word such as `go:komi=5.5` and a size stand for."""
    from nobi.board.vertices import check_size
    from nobi.games.base import Variant

    name, given = split_word(word)
    game = find(name)
    return Variant(game, check_size(size), settings_from(game.settings_type, given, word))
