"""Somebody who plays one game at a time: the seam between GTP, matches and the search.

A `Player` chooses for many boards at once and forgets; a `Bot` plays one game, may think as long as its clock allows,
remember, resign, and tell what it thinks. Every player is a bot through `PlayerBot`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event

import numpy as np
from numpy.typing import NDArray

from nobi.games.base import Game
from nobi.players.base import Player
from nobi.streams import stream_of

RESIGN = -1
"""What a bot returns instead of a move when it gives up."""


@dataclass
class Clock:
    """How long a bot may think: None = no limit of that kind."""

    seconds: float | None = None
    """For this move, as the owner of the clock worked out from the time settings."""


@dataclass(frozen=True)
class Candidate:
    """What a bot thinks of a move."""

    move: int
    visits: int
    winrate: float
    """For the player to move, 0 to 1."""
    prior: float
    """How likely the move seemed before any search, 0 to 1."""
    variation: list[int] = field(default_factory=list)
    """The moves expected from here on, this one first."""


class Bot(ABC):
    """Somebody who plays one game at a time, may think long, remember, resign, and tell what he thinks."""

    name: str

    @abstractmethod
    def choose(self, game: Game, clock: Clock) -> int:
        """A legal move for the player to move (point or PASS), or RESIGN."""

    def analyse(
        self, game: Game, report: Callable[[list[Candidate]], None], interval: float, stop: Event
    ) -> list[Candidate] | None:
        """Thinks about the position until told to stop; reports what it found every `interval` seconds, best first.

        Returns the latest findings, or None if this bot cannot tell.
        """
        del game, report, interval, stop
        return None

    def ponder(self, game: Game, stop: Event) -> None:  # noqa: B027
        """Thinks in the opponent's time until told to stop."""

    def policy(self, game: Game) -> NDArray[np.float32] | None:
        """[n, n] how good or likely each move seems, higher is better; None if this bot has no such map."""
        del game
        return None

    def ownership(self, game: Game) -> NDArray[np.float32] | None:
        """[n, n] from −1, white's, to 1, black's, as its rollouts see it; None if this bot makes none."""
        del game
        return None

    def close(self) -> None:  # noqa: B027
        """Lets go of what it holds: threads, memory, other programs."""


class PlayerBot(Bot):
    """A player as a bot: one board, the player's own choice, a stream of random numbers for each game."""

    def __init__(self, player: Player, seed: int = 0, game: int = 0) -> None:
        """`seed` and `game` choose the random numbers, as in the arena."""
        self.name = str(player)
        self.player = player
        self._streams = np.array([stream_of(seed, game)], np.uint64)
        self._lanes = np.zeros(1, np.int64)
        self._moves = np.zeros(1, np.uint16)

    def choose(self, game: Game, clock: Clock) -> int:  # noqa: ARG002
        """The player's move."""
        self.player.choose(game.boards, self._lanes, self._streams, self._moves)
        return int(self._moves[0])
