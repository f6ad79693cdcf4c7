"""The players: one class and one registry line each."""

from typing import TYPE_CHECKING

from nobi.errors import NobiError
from nobi.models import is_model
from nobi.spec import Registry, as_type, parse_spec

if TYPE_CHECKING:
    from nobi.games.base import Variant
    from nobi.players.base import Bot, Player

_players: "Registry[Player]" = Registry(
    "player",
    "nobi.players",
    {
        "gtp": "nobi.gtp.client:GtpPlayer",
        "heuristic": "nobi.players.heuristic:HeuristicPlayer",
        "mcts": "nobi.players.mcts:MctsPlayer",
        "naive": "nobi.players.random:NaivePlayer",
        "playout": "nobi.players.random:PlayoutPlayer",
        "random": "nobi.players.random:RandomPlayer",
    },
)
register, names = _players.register, _players.names


def find(name: str) -> "type[Player]":
    """Return the class of players of this name."""
    if name not in names():
        from nobi.models.model import folder_error, models_in

        if models_in(name):  # a run folder instead of the model in it
            raise folder_error(name)
    return _players.find(name)


def make_player(spec: str, variant: "Variant") -> "Player":
    """Return the player of a spec such as `heuristic:e=0.2`, `model.safetensors:temperature=0.5` or `gtp:COMMAND`."""
    name = as_type(spec, str, "A player").partition(":")[0].strip()
    if is_model(name):
        from nobi.models.model import load_model
        from nobi.players.network import player_from_model

        return player_from_model(load_model(name), variant, parse_spec(spec)[1], spec)
    player = find(name)
    settings = player.parse_settings(spec)
    if player.games is not None and variant.game.name not in player.games:
        raise NobiError(f"The player {name!r} plays {' and '.join(player.games)}, not {variant.game.name}.")
    return player(variant, settings)


def make_bot(spec: str, variant: "Variant", seed: int = 0, game: int = 0) -> "Bot":
    """Return the bot of a spec; `seed` and `game` choose its random numbers."""
    return make_player(spec, variant).bot(seed, game)


def chooses_for_many(name: str) -> bool:
    """Return whether the arena can use the player of this name, that is, whether its bot has no state."""
    from nobi.players.base import Player

    return find(name).bot is Player.bot
