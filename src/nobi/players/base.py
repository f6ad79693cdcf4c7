"""What a player is: it chooses the moves of many games at once.

That is the seam between the arena and everything that plays. A network looks at a whole batch of boards in one pass;
a player whose choice is one compiled function of one board (`CompiledPlayer`) gets its batch form for nothing, and two
such players are compiled together into one loop by the arena.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import Boards
from nobi.compiling import UNBOUND, specialise
from nobi.games.base import Game, NoSettings, Variant
from nobi.streams import Streams
from nobi.words import join_word

Chooser = Callable[..., int]
"""A compiled function (boards, g, streams, room) → the move of the player whose turn it is on board g."""


class Player(ABC):
    """A player of one game on one size of board."""

    name: ClassVar[str]
    settings_type: ClassVar[type] = NoSettings
    games: ClassVar[tuple[str, ...] | None] = None
    """The games it can play; None for all."""

    def __init__(self, variant: Variant, settings: Any = None) -> None:
        self.variant = variant
        self.settings = self.settings_type() if settings is None else settings

    def __str__(self) -> str:
        return join_word(self.name, self.settings)

    @abstractmethod
    def choose(self, boards: Boards, lanes: NDArray[np.int64], streams: Streams, moves: NDArray[np.uint16]) -> None:
        """Chooses the moves of many games.

        Args:
            boards: the state of all boards of the batch.
            lanes: int64[i] the boards g to choose for; on each it is this player's turn.
            streams: uint64[g] the boards' random streams. All chance is drawn from the board's own stream, so that a
                game does not depend on which others are played beside it.
            moves: uint16[i] receives the moves.
        """


class CompiledPlayer(Player):
    """A player whose choice is one compiled function of one board."""

    @classmethod
    @abstractmethod
    def chooser(cls, game: type[Game]) -> Chooser:
        """The compiled function for this game; the same object for every call."""

    def room(self) -> Any:
        """What the chooser takes besides the board: settings and arrays to work on. Every thread has its own."""
        return ()

    def choose(self, boards: Boards, lanes: NDArray[np.int64], streams: Streams, moves: NDArray[np.uint16]) -> None:
        """Chooses the moves of many games, one after the other."""
        batch_chooser(type(self), self.variant.game)(boards, lanes, streams, self.room(), moves)


choose_one: Any = UNBOUND  # bound by `batch_chooser`


def _choose_each(
    boards: Any,
    lanes: NDArray[np.int64],
    streams: Streams,
    room: Any,
    moves: NDArray[np.uint16],
) -> None:
    for i in range(len(lanes)):
        moves[i] = choose_one(boards, lanes[i], streams, room)


@cache
def batch_chooser(player: type[CompiledPlayer], game: type[Game]) -> Callable[..., None]:
    """The batch form of a compiled player."""
    name = f"{game.name}_{player.name}"
    return specialise(_choose_each, name, choose_one=player.chooser(game))
