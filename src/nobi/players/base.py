"""What a player is: it chooses the moves of many games at once.

That is the seam between the arena and everything that plays. A `Player` chooses in Python, for instance with PyTorch;
a `BatchPlayer` in one compiled function for many boards, as the small networks do; a `CompiledPlayer` in one compiled
function for one board. The arena takes any two, and compiles its loop together with those that are compiled.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import Boards
from nobi.compiling import UNBOUND, specialise
from nobi.games.base import Game, NoSettings, Variant
from nobi.streams import Streams
from nobi.words import join_word

if TYPE_CHECKING:
    from nobi.players.bot import Bot

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

    def bot(self, seed: int = 0, game: int = 0) -> "Bot":
        """The player as somebody who plays one game; `seed` and `game` choose its random numbers, as in the arena."""
        from nobi.players.bot import PlayerBot

        return PlayerBot(self, seed, game)


class BatchPlayer(Player):
    """A player whose choice for many boards is one compiled function."""

    @abstractmethod
    def batch_chooser(self) -> Callable[..., None]:
        """The compiled function (boards, lanes, streams, room, moves); the same object for equal players."""

    def room(self) -> Any:
        """What the function takes besides the boards: settings and arrays to work on. Every thread has its own."""
        return ()

    def choose(self, boards: Boards, lanes: NDArray[np.int64], streams: Streams, moves: NDArray[np.uint16]) -> None:
        """Chooses the moves of many games."""
        self.batch_chooser()(boards, lanes, streams, self.room(), moves)


class CompiledPlayer(BatchPlayer):
    """A player whose choice is one compiled function of one board."""

    @classmethod
    @abstractmethod
    def chooser(cls, game: type[Game]) -> Chooser:
        """The compiled function for this game; the same object for every call."""

    def batch_chooser(self) -> Callable[..., None]:
        """Chooses for one board after the other."""
        return _batch_form(type(self), self.variant.game)


choose_one: Any = UNBOUND  # bound by `_batch_form`


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
def _batch_form(player: type[CompiledPlayer], game: type[Game]) -> Callable[..., None]:
    name = f"{game.name}_{player.name}"
    return specialise(_choose_each, name, choose_one=player.chooser(game))
