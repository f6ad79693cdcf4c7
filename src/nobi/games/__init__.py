"""The games: one module and one registry line each. `docs/architecture.md` shows how to add one."""

from typing import TYPE_CHECKING

from nobi.spec import Registry, parse_spec, settings_from

if TYPE_CHECKING:
    from nobi.games.base import Game, Variant

_games: "Registry[Game]" = Registry(
    "game",
    "nobi.games",
    {
        "atari-go": "nobi.games.atari_go:AtariGo",
        "go": "nobi.games.go:Go",
        "gomoku": "nobi.games.gomoku:Gomoku",
        "pente": "nobi.games.pente:Pente",
    },
)
TITLES = {"atari-go": "Atari-Go", "gomoku": "Gomoku", "pente": "Pente", "go": "Go"}
"""name → title of the games that are part of nobi."""
register, names, find = _games.register, _games.names, _games.find


def variant(spec: str, size: int = 9) -> "Variant":
    """Return the game, rules and board of a spec such as `go:komi=5.5` and a size."""
    from nobi.board.text import check_size
    from nobi.games.base import Variant

    name, given = parse_spec(spec)
    game = find(name)
    return Variant(game, check_size(size), settings_from(game.settings_type, given, spec))
