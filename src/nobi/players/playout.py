"""The playout player of Go: uniformly random, but it fills no eye of its own and passes only when nothing else is left.

Its games end by themselves with every chain alive or captured, which is what Monte-Carlo search needs.
"""

from functools import cache
from typing import Any

from nobi.compiling import inlined
from nobi.games.base import Game
from nobi.games.go import is_own_eye, legal
from nobi.players import register
from nobi.players.base import Chooser, CompiledPlayer
from nobi.players.uniform import uniform_chooser


@inlined
def sensible(boards: Any, g: int, move: int) -> bool:
    """Legal, and no eye of one's own."""
    return not is_own_eye(boards, g, move) and legal(boards, g, move)


@register
class PlayoutPlayer(CompiledPlayer):
    """Any legal move that fills no own eye, uniformly; Go only."""

    name = "playout"
    games = ("go",)

    @classmethod
    @cache
    def chooser(cls, game: type[Game]) -> Chooser:
        """Draws among the sensible moves."""
        return uniform_chooser("playout", game, sensible, may_pass=False)
