"""The game on the table, played as GTP asks: any colour may move at any time, and everything can be taken back.

A `Game` alternates strictly. Where a colour moves twice in a row, the other is taken to have passed, so that the moves
of the game can always be played through; games without a pass do not allow it. Two passes end a game of Go, but who
goes on playing may.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

from nobi.board.stones import EMPTY, PASS, RUNNING
from nobi.errors import NobiError
from nobi.games.base import COLOUR_NAMES, Game, Variant, illegal_move_text
from nobi.games.go import GoBoards
from nobi.gtp.protocol import GtpError


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
