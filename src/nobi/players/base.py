"""What a player is: it chooses the moves of many games at once.

That is the seam between the arena and everything that plays. A `Player` chooses in Python, for instance with PyTorch;
a `BatchPlayer` in one compiled function for many boards, as the small networks do; a `CompiledPlayer` in one compiled
function for one board. The arena takes any two, and compiles its loop together with those that are compiled.

MERGED players/bot.py: Somebody who plays one game at a time: the seam between GTP, matches and the search.

A `Player` chooses for many boards at once and forgets; a `Bot` plays one game, may think as long as its clock allows,
remember, resign, and tell what it thinks. Every player is a bot through `PlayerBot`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from threading import Event
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import EMPTY, PASS, Boards
from nobi.board.text import row_column
from nobi.clock import TimeControl
from nobi.compiling import UNBOUND, specialise
from nobi.games.base import Game, NoSettings, Variant
from nobi.spec import format_spec
from nobi.streams import Streams, stream_of

if TYPE_CHECKING:
    from nobi.players.inspection import Inside


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
        return format_spec(self.name, self.settings)

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
        return PlayerBot(self, seed, game)


class BatchPlayer(Player):
    """A player whose choice for many boards is one compiled function."""

    @abstractmethod
    def batch_chooser(self) -> Callable[..., None]:
        """The compiled function (boards, lanes, streams, room, moves); the same object for equal players."""

    def workspace(self) -> Any:
        """What the function takes besides the boards: settings and arrays to work on. Every thread has its own."""
        return ()

    def choose(self, boards: Boards, lanes: NDArray[np.int64], streams: Streams, moves: NDArray[np.uint16]) -> None:
        """Chooses the moves of many games."""
        self.batch_chooser()(boards, lanes, streams, self.workspace(), moves)


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
    workspace: Any,
    moves: NDArray[np.uint16],
) -> None:
    for i in range(len(lanes)):
        moves[i] = choose_one(boards, lanes[i], streams, workspace)


@cache
def _batch_form(player: type[CompiledPlayer], game: type[Game]) -> Callable[..., None]:
    name = f"{game.name}_{player.name}"
    return specialise(_choose_each, name, choose_one=player.chooser(game))


RESIGN = -1
"""What a bot returns instead of a move when it gives up."""


@dataclass
class Clock:
    """How long a bot may think: None = no limit of that kind."""

    seconds: float | None = None
    """For this move, as the owner of the clock worked out from the time settings."""
    control: TimeControl | None = None
    """The clocks of the game, if it is played by clocks."""


def clock_for(game: Game, control: TimeControl) -> Clock:
    """The clock of the player to move."""
    points = game.points()
    stones = sum(game.colour(point) != EMPTY for point in points)
    return Clock(control.seconds(game.to_move, len(points), stones), control)


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

    def get_ready(self, game: Game) -> None:  # noqa: B027
        """Does what would take time at the first move of this game, such as compiling, before any clock runs."""

    @abstractmethod
    def choose(self, game: Game, clock: Clock) -> int:
        """A legal move for the player to move (point or PASS), or RESIGN."""

    def clean_up(self, game: Game, clock: Clock) -> int:
        """A move where a pass ends the game and all stones count as alive: dead ones are to be captured before."""
        return self.choose(game, clock)

    def choose_aloud(self, game: Game, clock: Clock, report: Callable[[list[Candidate]], None], interval: float) -> int:
        """A move as by `choose`; reports every `interval` seconds what it has found, best first, and once at the end.

        A bot that cannot tell reports nothing.
        """
        del report, interval
        return self.choose(game, clock)

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
        """[n, n] how good each move seems, higher is better, or how likely; None if this bot has no such map."""
        del game
        return None

    def inside(self, game: Game) -> "Inside | None":
        """What goes on in its network at this position; None if it has none that can be looked into."""
        del game
        return None

    def ownership(self, game: Game) -> NDArray[np.float32] | None:
        """[n, n] from −1, white's, to 1, black's, by the rollouts of the current search of this position.

        None if this bot makes no rollouts.
        """
        del game
        return None

    def close(self) -> None:  # noqa: B027
        """Lets go of what it holds: threads, memory, other programs."""


def candidates_of(game: Game, values: NDArray[np.float32]) -> list[Candidate]:
    """The legal moves but a pass, best first, with the share of each in the Gibbs distribution of the values, [n, n].

    No search stands behind them: one visit each, and an even chance of winning.
    """
    moves = [move for move in game.legal_moves() if move != PASS]
    if not moves:
        return []
    chosen = np.array([values[row_column(move, game.size)] for move in moves], np.float64)
    shares = np.exp(chosen - chosen.max())
    shares /= shares.sum()
    order = np.argsort(-shares, kind="stable")
    return [Candidate(moves[i], 1, 0.5, float(shares[i]), [moves[i]]) for i in order]


class PlayerBot(Bot):
    """A player as a bot: one board, the player's own choice, a stream of random numbers for each game."""

    def __init__(self, player: Player, seed: int = 0, game: int = 0) -> None:
        """`seed` and `game` choose the random numbers, as in the arena."""
        self.name = str(player)
        self.player = player
        self._streams = np.array([stream_of(seed, game)], np.uint64)
        self._lanes = np.zeros(1, np.int64)
        self._moves = np.zeros(1, np.uint16)

    def get_ready(self, game: Game) -> None:
        """Chooses a move that nobody sees, with a random stream of its own."""
        self.player.choose(game.boards, self._lanes, self._streams.copy(), self._moves)

    def choose(self, game: Game, clock: Clock) -> int:  # noqa: ARG002
        """The player's move."""
        self.player.choose(game.boards, self._lanes, self._streams, self._moves)
        return int(self._moves[0])

    def choose_aloud(self, game: Game, clock: Clock, report: Callable[[list[Candidate]], None], interval: float) -> int:
        """The player's move, after what its network makes of the legal ones, told once."""
        del interval
        values = self.policy(game)
        if values is not None:
            report(candidates_of(game, values))
        return self.choose(game, clock)

    def policy(self, game: Game) -> NDArray[np.float32] | None:
        """The values of the player's network."""
        inside = self.inside(game)
        return inside.output if inside else None

    def inside(self, game: Game) -> "Inside | None":
        """What goes on in the player's network."""
        from nobi.players.inspection import view
        from nobi.players.network import NetworkPlayer

        player = self.player
        return view(game, player.network, player.weights).inside if isinstance(player, NetworkPlayer) else None

    def analyse(
        self, game: Game, report: Callable[[list[Candidate]], None], interval: float, stop: Event
    ) -> list[Candidate] | None:
        """What the player's network makes of the legal moves, told once: it does not change by thinking."""
        del interval
        values = self.policy(game)
        if values is None:
            return None
        found = candidates_of(game, values)
        report(found)
        stop.wait()
        return found
