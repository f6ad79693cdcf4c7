"""The random player: any legal move, a pass among them where the game has one, each equally likely."""

from functools import cache

from nobi.games.base import Game
from nobi.players import register
from nobi.players.base import Chooser, CompiledPlayer
from nobi.players.uniform import uniform_chooser


@register
class RandomPlayer(CompiledPlayer):
    """Any legal move, uniformly."""

    name = "random"

    @classmethod
    @cache
    def chooser(cls, game: type[Game]) -> Chooser:
        """Draws among the legal moves."""
        return uniform_chooser("random", game, game.rules.legal, may_pass=game.has_pass)
