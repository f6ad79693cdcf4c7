"""The players, one file each: position → move. A file `my_player.py` in this folder is the player `my-player`."""

import importlib
import pkgutil
from typing import TYPE_CHECKING, TypeVar

from nobi.errors import NobiError
from nobi.words import choices, settings_from, split_word

if TYPE_CHECKING:
    from nobi.games.base import Variant
    from nobi.players.base import Player

P = TypeVar("P", bound="type[Player]")

_registered: dict[str, "type[Player]"] = {}
_NOT_PLAYERS = {"base", "uniform"}


def register(player: P) -> P:
    """Makes a player known by its name; to be written above the class."""
    _registered[player.name] = player
    return player


def names() -> list[str]:
    """The names of all players, without loading any."""
    files = {module.name for module in pkgutil.iter_modules(__path__)} - _NOT_PLAYERS
    return sorted({file.replace("_", "-") for file in files} | _registered.keys())


def find(name: str) -> "type[Player]":
    """The player of this name."""
    if name not in names():
        raise NobiError(f"There is no player {name!r}; {choices(names())}.")
    if name not in _registered:
        importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    return _registered[name]


def make_player(word: str, variant: "Variant") -> "Player":
    """The player that a word such as `heuristic:e=0.2` stands for, ready to play this game on this board."""
    name, given = split_word(word)
    player = find(name)
    settings: object = settings_from(player.settings_type, given, word)
    if player.games is not None and variant.game.name not in player.games:
        raise NobiError(f"The player {name!r} plays {' and '.join(player.games)}, not {variant.game.name}.")
    return player(variant, settings)
