"""The heuristic player of Atari-Go: hand-written tactics, with ladders and nets read out.

The program that the 2009 paper used is lost; this one is in its spirit. With probability e it plays a uniformly random
legal move, else the first of: capture; save a chain in atari; a forced win, read out; and otherwise the best quiet
move, which leaves the enemy no forced win, presses his weakest chain, cuts and connects, and gains liberties.
"""

from dataclasses import dataclass

from nobi.games.base import Game
from nobi.players.base import Chooser, CompiledPlayer
from nobi.players.heuristic.forced_captures import Workspace, allocate_room
from nobi.players.heuristic.rules import choose_by_rules


@dataclass(frozen=True)
class HeuristicSettings:
    """How well it plays."""

    e: float = 0.0
    """The share of its moves that are random."""

    def __post_init__(self) -> None:
        if not 0 <= self.e <= 1:
            raise ValueError(f"e must be 0 to 1, not {self.e}")


class HeuristicPlayer(CompiledPlayer):
    """Reads ladders and nets; a share e of its moves is random. Atari-Go only."""

    name = "heuristic"
    games = ("atari-go",)
    settings_type = HeuristicSettings

    @classmethod
    def chooser(cls, game: type[Game]) -> Chooser:  # noqa: ARG003
        """The rules in their order."""
        return choose_by_rules

    def workspace(self) -> Workspace:
        """Its e, and room to read."""
        return allocate_room(self.variant.size, float(self.settings.e))
