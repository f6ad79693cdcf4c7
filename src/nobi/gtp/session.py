"""The state of a GTP engine between commands: the game, the bot, the clocks; and the registry of commands.

In a `Game` the colours alternate strictly; in GTP any colour may move at any time, and everything can be undone. Where
a colour moves twice in a row, the other is assumed to have passed, so that the moves can always be replayed; games
without a pass do not allow it. Two passes end a game of Go, but a client may continue to play.
"""

import inspect
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from threading import Event
from typing import Any, NamedTuple, NewType, cast

from nobi.board.stones import PASS, RUNNING
from nobi.board.text import point_named
from nobi.clock import TimeControl
from nobi.errors import NobiError
from nobi.games.base import COLOUR_NAMES, Game, Variant, illegal_move_text
from nobi.games.go import Go, GoBoards
from nobi.gtp.protocol import GtpError, colour_from, float_from, int_from
from nobi.players.base import RESIGN, Bot, Report, clock_for

Start = tuple[list[tuple[int, int]], int]
"""The stones of a start position, as (point, colour), and the player to move."""


class IllegalMoveError(GtpError):
    """A move that the rules forbid, for the given `reason`."""

    def __init__(self, reason: str) -> None:
        super().__init__("illegal move")
        self.reason = reason


class GtpGame:
    """A game by the rules of GTP, from its start to the current position."""

    def __init__(self, variant: Variant, start: Start | None = None) -> None:
        self.variant = variant
        self.game = variant.new()
        self.played: list[tuple[int, int]] = []
        """The moves as (colour, move), without the assumed passes between them."""
        self._start = start
        if start:
            self.game.set_up(*start)

    def play(self, colour: int, move: int) -> None:
        """Play a move of this colour."""
        game = self.with_turn(colour)
        if not game.is_legal(move):
            raise IllegalMoveError(game.why_illegal(move))
        game.play(move)
        self.game = game
        self.played.append((colour, move))

    def play_all(self, moves: Iterable[tuple[int, int]], first: int = 1) -> None:
        """Play a sequence of (colour, move); errors contain the number of the move, counted from `first`."""
        for number, (colour, move) in enumerate(moves, first):
            try:
                self.play(colour, move)
            except IllegalMoveError as error:
                raise GtpError(illegal_move_text(number, colour, move, self.game.size, error.reason)) from None

    def replayed(self, variant: Variant, moves: int) -> "GtpGame":
        """Return a new game with the same start and the first `moves` moves, under the rules of `variant`."""
        copy = GtpGame(variant, self._start)
        copy.play_all(self.played[:moves])
        return copy

    def with_turn(self, colour: int) -> Game:
        """Return the game with this colour to move: itself, or a copy in which the other has passed."""
        game = self.game
        if game.to_move == colour and not (game.is_over and game.has_pass):
            return game
        if not game.has_pass:
            over = "the game is over" if game.is_over else f"{COLOUR_NAMES[colour]} is not to move"
            raise IllegalMoveError(f"{over}, and {game.name} has no pass")
        game = game.copy()
        _continue(game)
        if game.to_move != colour:
            game.play(PASS)
            _continue(game)
        return game


def _continue(game: Game) -> None:
    """Continue a game that passes have ended, or that the next pass would end."""
    boards = cast(GoBoards, game.boards)
    boards.passes[0] = 0
    boards.stones.outcome[0] = RUNNING


class Session:
    """The state of one engine."""

    def __init__(self, variant: Variant, new_bot: Callable[[Variant], Bot], *, seconds: float | None = None) -> None:
        """Create the state of an engine at its start.

        Args:
            variant: the game.
            new_bot: makes the bot that plays a variant; it is called again when size or rules change.
            seconds: the time for a move without a clock; None leaves it to the bot.
        """
        self._new_bot = new_bot
        self.gtp_game = GtpGame(variant)
        self.time = TimeControl()
        self.bot = new_bot(variant)
        self.is_over = False
        """Whether the command `quit` was given."""
        self.stop = Event()
        """Set when a line arrives: an analysis must end."""
        self.interrupt = Event()
        """Set by the comment line `# interrupt`: a move must be chosen at once."""
        self.write: Callable[[str], None] = lambda _: None
        """Function that writes a line of an incomplete answer."""
        self.begin: Callable[[], None] = lambda: None
        """Function that writes the first line of an answer whose other lines follow later."""
        self.warn: Callable[[str], None] = lambda _: None
        """Function that receives warnings for the user, which are not part of the protocol."""
        self.name, self.version = "", ""
        """The answers to the commands `name` and `version`; empty: nobi's own."""
        self.parameters: dict[str, float] = {}
        """The parameters that were set by commands; they apply to every new bot."""
        self._seconds = seconds

    @property
    def variant(self) -> Variant:
        """The game, its rules and the board size."""
        return self.gtp_game.variant

    @property
    def game(self) -> Game:
        """The current position."""
        return self.gtp_game.game

    @property
    def go(self) -> Go:
        """The current position of a game of Go."""
        return cast(Go, self.game)

    def set_up(self, stones: list[tuple[int, int]], to_move: int) -> None:
        """Start a new game with these stones, as (point, colour)."""
        self.gtp_game = GtpGame(self.variant, (stones, to_move))

    def clear(self) -> None:
        """Start a new game."""
        self.gtp_game = GtpGame(self.variant)

    def resize(self, size: int) -> None:
        """Start a new game on a board of this size; the bot must be able to play on it."""
        try:
            self.restore(GtpGame(replace(self.variant, size=size)))
        except NobiError:
            raise GtpError("unacceptable size") from None

    def restore(self, gtp_game: GtpGame) -> None:
        """Continue with another game, with a bot for its rules and size."""
        if gtp_game.variant != self.variant:
            bot = self._new_bot(gtp_game.variant)
            for name, value in self.parameters.items():
                bot.set_parameter(name, value)
            self.bot.close()
            self.bot = bot
        self.gtp_game = gtp_game

    def set_parameters(self, values: dict[str, float]) -> None:
        """Set parameters of the bot and of later bots."""
        for name, value in values.items():
            self.bot.set_parameter(name, value)
            self.parameters[name] = value

    def change(self, **settings: Any) -> None:
        """Replay the game under other rules; if they forbid a move, raise a GtpError and change nothing."""
        try:
            rules = replace(self.variant.settings, **settings)
        except ValueError as error:
            raise GtpError(str(error)) from None
        variant = replace(self.variant, settings=rules)
        if variant == self.variant:
            return
        try:
            changed = self.gtp_game.replayed(variant, len(self.gtp_game.played))
        except GtpError as error:
            raise GtpError(f"by these rules, {error}") from None
        self.restore(changed)

    def undo(self, moves: int = 1) -> None:
        """Undo the latest moves."""
        played = len(self.gtp_game.played)
        if moves > played:
            raise GtpError("cannot undo")
        self.gtp_game = self.gtp_game.replayed(self.variant, played - moves)

    def point(self, name: str) -> int:
        """Return the point of this name, or PASS."""
        try:
            return point_named(name, self.game.size)
        except NobiError:
            raise GtpError("invalid color or coordinate") from None

    def choose(
        self,
        colour: int,
        report: Report | None = None,
        interval: float = 0.0,
        *,
        cleanup: bool = False,
        stop: Event | None = None,
    ) -> int:
        """Return the bot's move for this colour, or RESIGN; its time is deducted from the clock.

        Args:
            colour: the player to move.
            report: receives the bot's analysis every `interval` seconds.
            interval: see `report`.
            cleanup: whether dead stones must be captured.
            stop: ends the search when it is set; by default the event `interrupt`.
        """
        game = self.gtp_game.with_turn(colour)
        if game.is_over:
            return PASS  # also in a game without a pass: GTP has no other answer
        clock = replace(clock_for(game, self.time), stop=stop or self.interrupt)
        if clock.seconds is None:
            clock = replace(clock, seconds=self._seconds)
        start = time.monotonic()
        if cleanup:
            move = self.bot.choose_cleanup(game, clock)
        elif report:
            move = self.bot.choose_reporting(game, clock, report, interval)
        else:
            move = self.bot.choose(game, clock)
        self.time.spend(colour, time.monotonic() - start)
        if move != RESIGN and not game.is_legal(move):
            raise GtpError(f"the player {self.bot.name} chose an illegal move")
        return move

    def close(self) -> None:
        """Close the bot."""
        self.bot.close()


# --- commands -------------------------------------------------------------------------------------------------------

Colour = NewType("Colour", int)
Vertex = NewType("Vertex", int)

_PARSERS: dict[Any, Callable[[Session, str], Any]] = {
    str: lambda _, word: word,
    int: lambda _, word: int_from(word),
    float: lambda _, word: float_from(word),
    Colour: lambda _, word: colour_from(word),
    Vertex: lambda session, word: session.point(word),
}


class Entry(NamedTuple):
    """A command of the engine."""

    name: str
    arguments: str
    about: str
    games: str
    """`all`, `go`, or `other` for the games that are not Go."""
    answer: Callable[[Session, list[str]], str]


COMMANDS: dict[str, Entry] = {}
"""All commands by name; filled when `nobi.gtp.engine` is imported."""

Function = Callable[..., str | None]


def command(name: str, arguments: str, about: str, games: str = "all") -> Callable[[Function], Function]:
    """Register a function (session, …) as the command of this name.

    Its arguments are parsed according to the annotations of the parameters; `*words: str` takes all remaining
    arguments. Missing arguments are a syntax error unless the parameter has a default; surplus arguments are ignored,
    as in GNU Go.
    """

    def register(function: Function) -> Function:
        parameters = [*inspect.signature(function, eval_str=True).parameters.values()][1:]
        single = [one for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
        required = sum(one.default is one.empty for one in single)
        takes_rest = any(one.kind is one.VAR_POSITIONAL for one in parameters)

        def answer(session: Session, words: list[str]) -> str:
            if len(words) < required:
                raise GtpError("syntax error")
            values = [_PARSERS[one.annotation](session, word) for one, word in zip(single, words, strict=False)]
            rest = words[len(single) :] if takes_rest else []
            return function(session, *values, *rest) or ""

        COMMANDS[name] = Entry(name, arguments, about, games, answer)
        return function

    return register


def commands_for(game: str) -> Iterable[Entry]:
    """Return the commands for this game."""
    kind = "go" if game == "go" else "other"
    return (entry for entry in COMMANDS.values() if entry.games in ("all", kind))
