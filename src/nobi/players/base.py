"""The interface of players: `Player` chooses the moves of many games at once, `Bot` plays one game.

The arena plays any two players. A `Player` chooses in Python, for instance with PyTorch; a `BatchPlayer` in one
compiled function for many boards, as the small networks do; a `CompiledPlayer` in one compiled function for one board.
The arena compiles its loop together with compiled players.

GTP, matches and the page use bots. A bot is stateful: it may use a clock, keep a tree, resign and report analysis.
Every player is a bot through `PlayerBot`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from threading import Event
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import EMPTY, Boards, cell_tables
from nobi.clock import TimeControl
from nobi.compiling import UNBOUND, specialise
from nobi.errors import NobiError
from nobi.games.base import Game, NoSettings, Variant
from nobi.spec import format_spec, parse_spec, settings_from
from nobi.streams import Streams, stream_of

if TYPE_CHECKING:
    from nobi.players.inspection import Inspection
    from nobi.search.report import Restriction, RootReport

Chooser = Callable[..., int]
"""A compiled function (boards, g, streams, workspace) → the move of the player to move on board g."""


class Player(ABC):
    """A player of one game on one board size."""

    name: ClassVar[str]
    settings_type: ClassVar[type] = NoSettings
    games: ClassVar[tuple[str, ...] | None] = None
    """The games it can play; None for all."""

    def __init__(self, variant: Variant, settings: Any = None) -> None:
        self.variant = variant
        self.settings = self.settings_type() if settings is None else settings

    def __str__(self) -> str:
        return format_spec(self.name, self.settings)

    def __repr__(self) -> str:
        return f"<Player {self} of {self.variant!s} on {self.variant.size}x{self.variant.size}>"

    @classmethod
    def parse_settings(cls, spec: str) -> Any:
        """Return the settings of a spec `name:key=value,key=value`."""
        return settings_from(cls.settings_type, parse_spec(spec)[1], spec)

    @abstractmethod
    def choose(self, boards: Boards, indices: NDArray[np.int64], streams: Streams, moves: NDArray[np.uint16]) -> None:
        """Choose the moves of many games.

        Args:
            boards: the state of all boards of the batch.
            indices: int64[i] the boards g to choose for; on each it is this player's turn.
            streams: uint64[g] the boards' random streams. Random numbers for a board come from its own stream only, so
                that a game does not depend on the other games of the batch.
            moves: uint16[i] receives the moves.
        """

    def bot(self, seed: int = 0, game: int = 0) -> "Bot":
        """Return a bot for one game; `seed` and `game` choose its random numbers, as in the arena."""
        return PlayerBot(self, seed, game)

    def inspect(self, game: Game) -> "Inspection | None":
        """Return the network's evaluation of the current position; None without a network."""
        del game
        return None

    def expected_result(self, game: Game) -> float | None:
        """Return the network's probability that the player to move wins; None if it does not predict results."""
        del game
        return None


class BatchPlayer(Player):
    """A player whose choice for many boards is one compiled function."""

    @abstractmethod
    def batch_chooser(self) -> Callable[..., None]:
        """Return the compiled function (boards, indices, streams, workspace, moves), the same for equal players."""

    def workspace(self) -> Any:
        """Return the function's settings and scratch arrays; each thread needs its own."""
        return ()

    def choose(self, boards: Boards, indices: NDArray[np.int64], streams: Streams, moves: NDArray[np.uint16]) -> None:
        self.batch_chooser()(boards, indices, streams, self.workspace(), moves)


class CompiledPlayer(BatchPlayer):
    """A player whose choice is one compiled function of one board."""

    @classmethod
    @abstractmethod
    def chooser(cls, game: type[Game]) -> Chooser:
        """Return the compiled function for this game; the same object for every call."""

    def batch_chooser(self) -> Callable[..., None]:
        return _batch_form(type(self), self.variant.game)


choose_one: Any = UNBOUND  # bound by `_batch_form`


def _choose_each(
    boards: Any,
    indices: NDArray[np.int64],
    streams: Streams,
    workspace: Any,
    moves: NDArray[np.uint16],
) -> None:
    for i in range(len(indices)):
        moves[i] = choose_one(boards, indices[i], streams, workspace)


@cache
def _batch_form(player: type[CompiledPlayer], game: type[Game]) -> Callable[..., None]:
    return specialise(_choose_each, f"{game.name}_{player.name}", choose_one=player.chooser(game))


# --- bots -----------------------------------------------------------------------------------------------------------

RESIGN = -1
"""Returned by a bot instead of a move."""


@dataclass(frozen=True)
class Clock:
    """The time for a move; None: no limit."""

    seconds: float | None = None
    """Seconds for this move, as computed from the time settings."""
    control: TimeControl | None = None
    """The clocks of the game, if it has any."""
    stop: Event | None = None
    """Set when the move must be chosen at once."""


UNLIMITED = Clock()


def clock_for(game: Game, control: TimeControl) -> Clock:
    """Return the clock of the player to move."""
    points = game.points()
    stones = sum(game.colour(point) != EMPTY for point in points)
    return Clock(control.seconds(game.to_move, len(points), stones), control)


@dataclass(frozen=True)
class AnalysisOptions:
    """Options of the search and the reports of an analysis."""

    restrictions: "tuple[Restriction, ...]" = ()
    """Moves that are not searched."""
    owners: bool = False
    """Whether the ownership after each move is reported."""
    fewest: int = 0
    """Minimum number of reported moves, even if they have few playouts."""


Report = Callable[["RootReport"], None]
"""Function that receives the analysis of a bot."""


class Bot(ABC):
    """A stateful player of one game; it may use a clock, keep a tree, resign and report analysis.

    >>> class FirstMove(nobi.Bot):
    ...     name = "first"
    ...
    ...     def choose(self, game, clock=None):
    ...         return game.legal_moves()[0]
    >>> go = nobi.game("go", size=5)
    >>> go.play(FirstMove().choose(go)); go.colour("A5") == nobi.BLACK
    True
    """

    name: str

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def warm_up(self, game: Game) -> None:  # noqa: B027
        """Prepare for the first move of this game, for instance by compiling, before a clock runs."""

    @abstractmethod
    def choose(self, game: Game, clock: Clock = UNLIMITED) -> int:
        """Return a legal move for the player to move (point or PASS), or RESIGN."""

    def choose_cleanup(self, game: Game, clock: Clock) -> int:
        """Return a move where a pass ends the game and all stones count as alive: dead ones must be captured first."""
        return self.choose(game, clock)

    def choose_reporting(self, game: Game, clock: Clock, report: Report, interval: float) -> int:
        """As `choose`; report the analysis, if the bot has one, every `interval` seconds and at the end."""
        del report, interval
        return self.choose(game, clock)

    def analyse(self, game: Game, report: Report, interval: float, stop: Event) -> "RootReport | None":
        """Analyse the position until `stop` is set; report every `interval` seconds.

        Return the last analysis, or None if this bot cannot analyse.
        """
        del game, report, interval, stop
        return None

    def can_analyse(self, game: Game) -> bool:
        """Return whether `analyse` has an analysis of this position."""
        del game
        return type(self).analyse is not Bot.analyse

    def set_options(self, options: AnalysisOptions) -> None:
        """Set the options of the next analyses."""
        if options.restrictions or options.owners:
            what = "restrict its moves" if options.restrictions else "find the owners of the points for each move"
            raise NobiError(f"the player {self.name} cannot {what}")

    def parameters(self) -> dict[str, float]:
        """Return the parameters that `set_parameter` changes, by the names that KataGo uses."""
        return {}

    def set_parameter(self, name: str, value: float) -> None:
        """Change a parameter."""
        del value
        raise NobiError(f"the player {self.name} has no parameter {name}")

    def models(self) -> list[str]:
        """Return the model files that the bot uses."""
        return []

    def forget(self) -> None:  # noqa: B027
        """Discard the results of earlier searches."""

    def explain(self) -> str:
        """Return the reason for its latest move, in one line; empty if there is none."""
        return ""

    def ponder(self, game: Game, stop: Event) -> None:  # noqa: B027
        """Search during the opponent's turn until `stop` is set."""

    def policy(self, game: Game) -> NDArray[np.float32] | None:
        """Return the network's value of each move, [n, n], higher is better; None without a network."""
        inspection = self.inspect(game)
        return inspection.output if inspection else None

    def expected_result(self, game: Game) -> float | None:
        """Return the network's probability that the player to move wins; None without such a network."""
        del game
        return None

    def inspect(self, game: Game) -> "Inspection | None":
        """Return the network's evaluation of the current position; None without a network."""
        del game
        return None

    def ownership(self, game: Game) -> NDArray[np.float32] | None:
        """Return the ownership, [n, n] from −1, White, to 1, Black, by rollouts of the current search of the position.

        None if this bot makes no rollouts.
        """
        del game
        return None

    def close(self) -> None:  # noqa: B027
        """Release threads, memory and engine processes."""


class PlayerBot(Bot):
    """A player as a bot: one board, the player's own choice, a random stream for the game."""

    def __init__(self, player: Player, seed: int = 0, game: int = 0) -> None:
        """`seed` and `game` choose the random numbers, as in the arena."""
        self.name = str(player)
        self.player = player
        self._streams = np.array([stream_of(seed, game)], np.uint64)
        self._indices = np.zeros(1, np.int64)
        self._moves = np.zeros(1, np.uint16)

    def warm_up(self, game: Game) -> None:
        self.player.variant.check(game)
        self.player.choose(game.boards, self._indices, self._streams.copy(), self._moves)

    def choose(self, game: Game, clock: Clock = UNLIMITED) -> int:  # noqa: ARG002
        self.player.variant.check(game)
        self.player.choose(game.boards, self._indices, self._streams, self._moves)
        return int(self._moves[0])

    def choose_reporting(self, game: Game, clock: Clock, report: Report, interval: float) -> int:
        del interval
        found = self._report(game)
        if found is not None:
            report(found)
        return self.choose(game, clock)

    def analyse(self, game: Game, report: Report, interval: float, stop: Event) -> "RootReport | None":
        """Report the network's evaluation once, since it does not change."""
        del interval
        found = self._report(game)
        if found is not None:
            report(found)
            stop.wait()
        return found

    def can_analyse(self, game: Game) -> bool:
        return self.policy(game) is not None

    def inspect(self, game: Game) -> "Inspection | None":
        return self.player.inspect(game)

    def expected_result(self, game: Game) -> float | None:
        return self.player.expected_result(game)

    def _report(self, game: Game) -> "RootReport | None":
        """Return the legal moves except a pass, best first, with the softmax of the network's values as priors.

        Without a search each move has one visit and a win rate of one half.
        """
        from nobi.search.policy import softmax
        from nobi.search.report import MoveReport, RootReport, winrate_margin

        values = self.policy(game)
        if values is None:
            return None
        legal = game.legal_mask()
        moves = [int(move) for move in cell_tables(game.size).point_of[legal.ravel()]]
        priors = softmax(values[legal].astype(np.float64)) if moves else np.zeros(0)
        lcb = 0.5 - winrate_margin(0.5, 1)
        order = np.argsort(-priors, kind="stable")
        reports = [MoveReport(moves[i], 1, 0.5, lcb, float(priors[i]), [moves[i]], [1]) for i in order]
        return RootReport(len(reports), 0.5, None, reports)
