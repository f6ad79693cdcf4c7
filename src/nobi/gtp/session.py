"""What an engine remembers between commands: the game, the bot that plays it, the clocks."""

import time
from collections.abc import Callable
from dataclasses import replace
from threading import Event
from typing import cast

from nobi.board.stones import PASS
from nobi.board.vertices import point_named
from nobi.errors import NobiError
from nobi.games.base import Game, Variant
from nobi.games.go import Go
from nobi.gtp.protocol import GtpError
from nobi.gtp.table import Table
from nobi.players.bot import RESIGN, Bot, Candidate, clock_for
from nobi.players.time import TimeControl

Report = Callable[[list[Candidate]], None]
"""Takes what a bot has found, best first."""


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

    def point(self, word: str) -> int:
        """The point of this name, or PASS."""
        try:
            return point_named(word, self.game.size)
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
