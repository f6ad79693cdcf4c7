"""The heuristic player of Atari-Go: hand-written tactics, with ladders and nets read out.

The program used in S09 is lost; this one follows its description. With probability e it plays a uniformly random legal
move; otherwise the first that exists of: a capture; a move that saves a chain in atari; a forced win, read out; the
best quiet move, which leaves the enemy no forced win, attacks the weakest enemy chain, cuts and connects, and gains
liberties.
"""

from dataclasses import dataclass

from nobi.games.base import Game
from nobi.players.base import Chooser, CompiledPlayer
from nobi.players.heuristic.forced_captures import CaptureWorkspace, allocate_workspace
from nobi.players.heuristic.rules import choose_by_rules


@dataclass(frozen=True)
class HeuristicSettings:
    """The strength of the player."""

    e: float = 0.0
    """The share of its moves that are random."""

    def __post_init__(self) -> None:
        if not 0 <= self.e <= 1:
            raise ValueError(f"e must be 0 to 1, not {self.e}")


class HeuristicPlayer(CompiledPlayer):
    """Tactics with ladders and nets; a share e of its moves is random. Atari-Go only."""

    name = "heuristic"
    games = ("atari-go",)
    settings_type = HeuristicSettings

    @classmethod
    def chooser(cls, game: type[Game]) -> Chooser:  # noqa: ARG003
        return choose_by_rules

    def workspace(self) -> CaptureWorkspace:
        return allocate_workspace(self.variant.size, float(self.settings.e))
