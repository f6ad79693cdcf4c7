"""The players, position → move: one class and one registry line each."""

from typing import TYPE_CHECKING

from nobi.errors import NobiError
from nobi.models import is_model
from nobi.spec import Registry, parse_spec, settings_from

if TYPE_CHECKING:
    from nobi.games.base import Variant
    from nobi.players.base import Bot, Player

_players: "Registry[Player]" = Registry(
    "player",
    "nobi.players",
    {
        "heuristic": "nobi.players.heuristic:HeuristicPlayer",
        "mcts": "nobi.players.mcts:MctsPlayer",
        "naive": "nobi.players.random:NaivePlayer",
        "playout": "nobi.players.random:PlayoutPlayer",
        "random": "nobi.players.random:RandomPlayer",
    },
)
register, names = _players.register, _players.names


def find(name: str) -> "type[Player]":
    """The kind of player of this name."""
    if name not in names():
        from nobi.models.model import folder_error, models_in

        if models_in(name):  # a run's folder, in place of the model in it
            raise folder_error(name)
    return _players.find(name)


def make_player(spec: str, variant: "Variant") -> "Player":
    """The player that a word such as `heuristic:e=0.2` or `model.safetensors:temperature=0.5` stands for.

    It is ready to play this game on this board.
    """
    name, given = parse_spec(spec)
    if is_model(name):
        from nobi.players.network import player_from_file

        return player_from_file(name, variant, given, spec)
    player = find(name)
    settings: object = settings_from(player.settings_type, given, spec)
    if player.games is not None and variant.game.name not in player.games:
        raise NobiError(f"The player {name!r} plays {' and '.join(player.games)}, not {variant.game.name}.")
    return player(variant, settings)


def make_bot(spec: str, variant: "Variant", seed: int = 0, game: int = 0) -> "Bot":
    """The same as somebody who plays one game at a time; `seed` and `game` choose its random numbers."""
    return make_player(spec, variant).bot(seed, game)


def chooses_for_many(name: str) -> bool:
    """Whether the player of this name is the same in the arena as alone: it has no bot of its own, with a memory."""
    from nobi.players.base import Player

    return find(name).bot is Player.bot
