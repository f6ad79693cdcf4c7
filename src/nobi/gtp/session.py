"""What an engine remembers between commands: the game, the bot that plays it, the clocks; and the table of commands.

A `Game` alternates strictly; GTP lets any colour move at any time and takes everything back. Where a colour moves twice
in a row, the other is taken to have passed, so that the moves of the game can always be replayed; games without a pass
do not allow it. Two passes end a game of Go, but a client may continue to play.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from threading import Event
from typing import Any, NamedTuple, cast

from nobi.board.stones import EMPTY, PASS, RUNNING
from nobi.board.text import point_named
from nobi.clock import TimeControl
from nobi.errors import NobiError
from nobi.games.base import COLOUR_NAMES, Game, Variant, illegal_move_text
from nobi.games.go import Go, GoBoards
from nobi.gtp.protocol import GtpError
from nobi.players.base import RESIGN, Bot, Candidate, clock_for

Report = Callable[[list[Candidate]], None]
"""Takes what a bot has found, best first."""


class IllegalMoveError(GtpError):
    """A move that the rules forbid; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__("illegal move")
        self.reason = reason


class Table:
    """One game, from its start to the present position."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.game = variant.new()
        self.played: list[tuple[int, int]] = []
        """(colour, move), without the passes put in between."""
        self._start: tuple[list[tuple[int, int]], int] | None = None

    def clear(self) -> None:
        """The start of a new game."""
        self._take(Table(self.variant))

    def resize(self, size: int) -> None:
        """A new game on a board of another size."""
        try:
            self._take(Table(replace(self.variant, size=size)))
        except NobiError:
            raise GtpError("unacceptable size") from None

    def set_up(self, stones: list[tuple[int, int]], to_move: int) -> None:
        """A new game that starts with these stones, as (point, colour)."""
        table = Table(self.variant)
        table._start = (stones, to_move)
        table.game.set_up(stones, to_move)
        self._take(table)

    def change(self, **settings: Any) -> None:
        """The same moves by other rules; an error, and no change, if the rules forbid one of them."""
        try:
            kind = replace(self.variant.settings, **settings)
        except ValueError as fault:
            raise GtpError(str(fault)) from None
        try:
            self._replay(replace(self.variant, settings=kind), self.played)
        except GtpError as fault:
            raise GtpError(f"by these rules, {fault}") from None

    def play(self, colour: int, move: int) -> None:
        """Plays a move of this colour."""
        game = self.game_of(colour)
        if not game.is_legal(move):
            raise IllegalMoveError(game.why_illegal(move))
        game.play(move)
        self.game = game
        self.played.append((colour, move))

    def play_all(self, moves: Iterable[tuple[int, int]], first: int = 1) -> None:
        """Plays (colour, move) one after the other, `first` being the number of the first; the error names a move."""
        for number, (colour, move) in enumerate(moves, first):
            try:
                self.play(colour, move)
            except IllegalMoveError as fault:
                raise GtpError(illegal_move_text(number, colour, move, self.game.size, fault.reason)) from None

    def undo(self, moves: int = 1) -> None:
        """Takes the latest moves back."""
        if moves > len(self.played):
            raise GtpError("cannot undo")
        if moves:
            self._replay(self.variant, self.played[:-moves])

    def game_of(self, colour: int) -> Game:
        """The game with this colour to move: itself, or a copy in which the other has passed."""
        game = self.game
        if game.to_move == colour and not (game.is_over and game.has_pass):
            return game
        if not game.has_pass:
            over = "the game is over" if game.is_over else f"{COLOUR_NAMES[colour]} is not to move"
            raise IllegalMoveError(f"{over}, and {game.name} has no pass")
        game = game.copy()
        _go_on(game)
        if game.to_move != colour:
            game.play(PASS)
            _go_on(game)
        return game

    @property
    def is_empty(self) -> bool:
        """Whether there is no stone on the board."""
        return all(self.game.colour(point) == EMPTY for point in self.game.points())

    def _replay(self, variant: Variant, played: list[tuple[int, int]]) -> None:
        table = Table(variant)
        if self._start:
            table.set_up(*self._start)
        table.play_all(played)
        self._take(table)

    def _take(self, other: "Table") -> None:
        self.__dict__.update(other.__dict__)


def _go_on(game: Game) -> None:
    """Lets a game that passes have ended, or would end next, go on."""
    boards = cast(GoBoards, game.boards)
    boards.passes[0] = 0
    boards.stones.outcome[0] = RUNNING


class Session:
    """One engine at work."""

    def __init__(self, variant: Variant, new_bot: Callable[[Variant], Bot]) -> None:
        """`new_bot` makes the bot that plays a game on a board; it is asked again when size or rules change."""
        self._new_bot = new_bot
        self.table = Table(variant)
        self.time = TimeControl()
        self.bot = new_bot(variant)
        self.is_over = False
        """Whether `quit` was asked for."""
        self.stop = Event()
        """Set when something comes in: an analysis is to end."""
        self.write: Callable[[str], None] = lambda _: None
        """Takes the lines of an answer that is not over yet."""

    @property
    def variant(self) -> Variant:
        """The game, rules and board."""
        return self.table.variant

    @property
    def game(self) -> Game:
        """The present position."""
        return self.table.game

    @property
    def go(self) -> Go:
        """The present position of a game of Go."""
        return cast(Go, self.game)

    def resize(self, size: int) -> None:
        """A new game on a board of this size; the bot must be able to play there."""
        if not 1 <= size <= 1000:
            raise GtpError("unacceptable size")
        table = Table(self.variant)
        table.resize(size)
        if size != self.game.size:
            self._replace_bot(table.variant)
        self.table = table

    def return_to(self, table: Table) -> None:
        """The game as it was on this table, when a change cannot be finished."""
        if self.variant != table.variant:
            self._replace_bot(table.variant)
        self.table = table

    def change(self, **settings: object) -> None:
        """The same game by other rules."""
        table = self.table
        before = replace(self.variant)
        table.change(**settings)
        if table.variant == before:
            return
        try:
            self._replace_bot(table.variant)
        except GtpError:
            table.change(**vars(before.settings))
            raise

    def point(self, spec: str) -> int:
        """The point of this name, or PASS."""
        try:
            return point_named(spec, self.game.size)
        except NobiError:
            raise GtpError("invalid color or coordinate") from None

    def choose(
        self, colour: int, report: Report | None = None, interval: float = 0.0, *, cleaning: bool = False
    ) -> int:
        """The bot's move for this colour, or RESIGN; the time it took is taken from its clock.

        `report` is told every `interval` seconds what the bot has found. `cleaning`: dead stones are to be captured.
        """
        game = self.table.game_of(colour)
        if game.is_over:
            return PASS  # of a game that has none, for there is nothing else to say
        clock = clock_for(game, self.time)
        start = time.monotonic()
        bot = self.bot
        if cleaning:
            move = bot.clean_up(game, clock)
        else:
            move = bot.choose_aloud(game, clock, report, interval) if report else bot.choose(game, clock)
        self.time.spend(colour, time.monotonic() - start)
        if move != RESIGN and not game.is_legal(move):
            raise GtpError(f"the player {self.bot.name} chose an illegal move")
        return move

    def close(self) -> None:
        """Lets go of the bot."""
        self.bot.close()

    def _replace_bot(self, variant: Variant) -> None:
        try:
            bot = self._new_bot(variant)
        except NobiError as fault:
            raise GtpError("unacceptable size" if variant.size != self.game.size else str(fault).rstrip(".")) from None
        self.bot.close()
        self.bot = bot


Answer = Callable[[Session, list[str]], str]


class Entry(NamedTuple):
    """A command that the engine knows."""

    name: str
    arguments: str
    about: str
    games: str
    """`all`, `go`, or `other` for the games that are not Go."""
    answer: Answer


COMMANDS: dict[str, Entry] = {}
"""All commands by name; filled when `nobi.gtp.engine` is imported."""


def command(name: str, arguments: str, about: str, games: str = "all") -> Callable[[Answer], Answer]:
    """Makes a function the command of this name."""

    def register(answer: Answer) -> Answer:
        COMMANDS[name] = Entry(name, arguments, about, games, answer)
        return answer

    return register


def served(game: str) -> Iterable[Entry]:
    """The commands that are there when this game is played."""
    kind = "go" if game == "go" else "other"
    return (entry for entry in COMMANDS.values() if entry.games in ("all", kind))
