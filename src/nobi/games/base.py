"""The interface of games: compiled rules for batches of boards, and a class for a single game."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import (
    BLACK,
    BORDER,
    DRAW,
    EMPTY,
    PASS,
    RUNNING,
    WHITE,
    Boards,
    board_points,
    cell_tables,
    points_of,
    put,
)
from nobi.board.text import board_svg, check_size, draw_board, point_named, read_diagram, row_column, vertex_name
from nobi.compiling import UNBOUND, inlined, specialise
from nobi.errors import NobiError
from nobi.memory import copy_state
from nobi.spec import format_spec

COLOUR_NAMES = {BLACK: "black", WHITE: "white"}

WINS, LOSES, UNDECIDED = 1, -1, 0
"""The results of `Rules.immediate_outcome`."""


class Rules(NamedTuple):
    """The compiled rules of a game: functions of (boards, g, …) that the arena and the players call."""

    clear: Callable[..., None]
    """(boards, g): set up the start position."""
    setup: Callable[..., None]
    """(boards, g, point, colour): place a stone on an empty point before the game; the turn does not change."""
    legal: Callable[..., bool]
    """(boards, g, move) → whether the move, PASS or a point of the board, is legal for the player to move."""
    play: Callable[..., None]
    """(boards, g, move): play a legal move; set `stones.outcome[g]` if it ends the game."""
    immediate_outcome: Callable[..., int]
    """(boards, g, move) → WINS or LOSES if the move decides the game for the player to move, else UNDECIDED."""


@inlined
def put_stone(boards: Any, g: int, point: int, colour: int) -> None:
    """Implement `Rules.setup` of games whose state consists of stones only."""
    put(boards.stones, g, point, colour)


@inlined
def is_empty_point(boards: Any, g: int, move: int) -> bool:
    """Implement `Rules.legal` of games in which a stone may be placed on every empty point."""
    return move != PASS and boards.stones.colour[g, move] == EMPTY


@dataclass(frozen=True)
class NoSettings:
    """The settings of a game or player without settings."""


class Game(ABC):
    """One game, from its start to the current position.

    Moves are points (see `nobi.board.stones`), or names such as "C3" and "pass".
    """

    name: ClassVar[str]
    rules: ClassVar[Rules]
    settings_type: ClassVar[type] = NoSettings
    has_pass: ClassVar[bool] = False
    sgf_number: ClassVar[int] = 1
    """The value of the SGF property GM: 1 is Go, 4 is Gomoku."""

    def __init__(self, size: int = 9, settings: Any = None) -> None:
        self.size = check_size(size)
        self.settings = self.settings_type() if settings is None else settings
        self.boards = self.allocate(1, size, self.settings)
        self.moves: list[int] = []
        self._set_up: tuple[list[tuple[int, int]], int] | None = None
        self._restart()

    @classmethod
    @abstractmethod
    def allocate(cls, boards: int, size: int, settings: Any) -> Boards:
        """Allocate the state of a number of boards; `rules.clear` initialises each board."""

    @classmethod
    @abstractmethod
    def most_moves(cls, size: int, settings: Any) -> int:
        """Return the maximum length of a game in the arena."""

    @classmethod
    def score_lengths(cls, size: int, settings: Any) -> tuple[int, int] | None:  # noqa: ARG003
        """Return M_min and M_max of S08's score, or None if the score does not depend on the length."""
        return None

    @classmethod
    def from_text(cls, text: str, to_move: int = BLACK, settings: Any = None) -> Self:
        """Return a game that starts from a diagram, in the format of `str(game)`."""
        size, stones = read_diagram(text)
        game = cls(size, settings)
        game.set_up(stones, to_move)
        return game

    def set_up(self, stones: list[tuple[int, int]], to_move: int) -> None:
        """Make these stones, as (point, colour), the start position."""
        if self.moves:
            raise NobiError("Stones can be set up only before the first move.")
        for point, colour in stones:
            if point == PASS or colour not in COLOUR_NAMES:
                raise NobiError(f"A set-up stone must be a point with BLACK or WHITE, not {(point, colour)}.")
        if to_move not in COLOUR_NAMES:
            raise NobiError(f"The player to move must be BLACK or WHITE, not {to_move}.")
        before = self._set_up
        self._set_up = (stones, to_move)
        try:
            self._restart()
        except NobiError:
            self._set_up = before
            self._restart()
            raise

    @property
    def start_setup(self) -> tuple[list[tuple[int, int]], int] | None:
        """The arguments of `set_up`, stones as (point, colour) and the player to move; None if it was not called."""
        return self._set_up

    @property
    def start(self) -> list[tuple[int, int]]:
        """The stones of the start position, as (point, colour)."""
        game = type(self)(self.size, self.settings)
        if self._set_up:
            game.set_up(*self._set_up)
        return [(p, game.colour(p)) for p in game.points() if game.colour(p) != EMPTY]

    @property
    def to_move(self) -> int:
        """BLACK or WHITE."""
        return int(self.boards.stones.to_move[0])

    @property
    def outcome(self) -> int:
        """RUNNING, BLACK_WON, WHITE_WON or DRAW."""
        return int(self.boards.stones.outcome[0])

    @property
    def is_over(self) -> bool:
        return self.outcome != RUNNING

    @property
    def next_pass_ends(self) -> bool:
        """Whether the previous move was a pass, so that a pass now ends the game."""
        return False

    def result(self) -> str:
        """Return the result as in SGF: `B+`, `W+`, `Draw`, or `?` while the game is running."""
        return {RUNNING: "?", BLACK: "B+", WHITE: "W+", DRAW: "Draw"}[self.outcome]

    def standing(self) -> str:
        """Return the result; for games that are scored at the end, the score of the current board."""
        return self.result()

    def rules_text(self) -> str:
        """Return the rules as text for game records."""
        return format_spec(self.name, self.settings)

    def points(self) -> list[int]:
        """Return all points of the board, row by row from the top left."""
        return [int(p) for p in board_points(self.size)]

    def colour(self, point: int | str) -> int:
        """Return EMPTY, BLACK or WHITE."""
        return int(self.boards.stones.colour[0, self._as_point(point)])

    def is_legal(self, move: int | str) -> bool:
        """Return whether the move is legal for the player to move."""
        return not self.is_over and bool(self.rules.legal(self.boards, 0, np.uint16(self._as_point(move))))

    def why_illegal(self, move: int | str) -> str:
        """Return the reason why a move is illegal in the current position."""
        if self.is_over:
            return "the game is over"
        point = self._as_point(move)
        if point == PASS:
            return f"{self.name} has no pass"
        return "it is taken" if self.colour(point) != EMPTY else "it is suicide"

    def legal_mask(self) -> NDArray[np.bool_]:
        """Return where the player to move may play, [n, n]; False everywhere when the game is over."""
        mask = np.zeros(self.size**2, np.bool_)
        if not self.is_over:
            _legality(type(self))(self.boards, 0, cell_tables(self.size).point_of, mask)
        return mask.reshape(self.size, self.size)

    def legal_moves(self) -> list[int]:
        """Return all legal moves, row by row, a pass last."""
        moves = [int(point) for point in cell_tables(self.size).point_of[self.legal_mask().ravel()]]
        return [*moves, PASS] if self.has_pass and self.is_legal(PASS) else moves

    def play(self, move: int | str) -> None:
        """Play a move for the player to move."""
        point = self._as_point(move)
        if not self.is_legal(point):
            raise NobiError(f"{vertex_name(point, self.size)} cannot be played: {self.why_illegal(point)}.")
        self.rules.play(self.boards, 0, np.uint16(point))
        self.moves.append(point)

    def undo(self) -> None:
        """Undo the latest move."""
        if not self.moves:
            raise NobiError("There is no move to take back.")
        moves = self.moves[:-1]
        self.moves = []
        self._restart()
        for move in moves:
            self.rules.play(self.boards, 0, np.uint16(move))
        self.moves = moves

    def copy(self) -> Self:
        """Return an independent copy of the game."""
        other = type(self)(self.size, self.settings)
        other.boards = copy_state(self.boards)
        other.moves = self.moves.copy()
        other._set_up = self._set_up
        return other

    def __str__(self) -> str:
        return draw_board(self.boards.stones, 0)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.size}x{self.size}, {len(self.moves)} moves, result {self.result()}>"

    def _repr_svg_(self) -> str:
        """Return the position as an SVG image for notebooks."""
        stones = self.boards.stones
        colours = stones.colour[0, board_points(self.size)].reshape(self.size, self.size)
        last = int(stones.last[0])
        return board_svg(colours, None if last == PASS else row_column(last, self.size))

    def _restart(self) -> None:
        if self._set_up is None:
            self.rules.clear(self.boards, 0)
            return
        stones, to_move = self._set_up
        self.rules.clear(self._bare_boards(), 0)
        for point, colour in stones:
            if self.colour(point) != EMPTY:
                raise NobiError(f"{vertex_name(point, self.size)} is set up twice.")
            self.rules.setup(self.boards, 0, np.uint16(point), colour)
        self.boards.stones.to_move[0] = to_move

    def _bare_boards(self) -> Boards:
        """Return the boards so that `clear` places no stones; overridden by games that start with stones."""
        return self.boards

    def _as_point(self, move: int | str) -> int:
        if isinstance(move, str):
            return point_named(move, self.size)
        if not isinstance(move, int | np.integer) or isinstance(move, bool):
            raise NobiError(f"A move must be a point such as 'D4', 'pass' or a whole number, not {move!r}.")
        if move != PASS and (not 0 <= move < points_of(self.size) or self.boards.stones.colour[0, move] == BORDER):
            raise NobiError(f"{move} is not a point of a {self.size}x{self.size} board.")
        return int(move)


def illegal_move_text(number: int, colour: int, move: int, size: int, reason: str) -> str:
    """Return the part of an error message that names an illegal move and the reason."""
    what = f"{COLOUR_NAMES[colour]}'s pass" if move == PASS else f"{COLOUR_NAMES[colour]} at {vertex_name(move, size)}"
    return f"move {number}, {what}, is illegal: {reason}"


legal: Any = UNBOUND  # bound by `_legality`


def _test_each(boards: Any, g: int, moves: NDArray[np.uint16], allowed: NDArray[np.bool_]) -> None:
    for i in range(len(moves)):
        allowed[i] = legal(boards, g, moves[i])


@cache
def _legality(game: type[Game]) -> Callable[..., None]:
    """Return the compiled legality test of many moves in one position, for one game."""
    return specialise(_test_each, game.name, legal=game.rules.legal)


@dataclass(frozen=True)
class Variant:
    """A game with its settings and board size."""

    game: type[Game]
    size: int
    settings: Any

    def __str__(self) -> str:
        return format_spec(self.game.name, self.settings)

    def __repr__(self) -> str:
        return f"<Variant {self} {self.size}x{self.size}>"

    def new(self) -> Game:
        """Return a new game."""
        return self.game(self.size, self.settings)

    def check(self, game: "Game | Variant") -> None:
        """Raise a NobiError unless a game, or the game of a player, is this one on the same board; rules may differ."""
        other = game.game if isinstance(game, Variant) else type(game)
        if other is not self.game or game.size != self.size:
            mine, theirs = (f"{one.name} on {n}x{n}" for one, n in ((self.game, self.size), (other, game.size)))
            raise NobiError(f"The game is {theirs}, but the player or search was made for {mine}.")

    def allocate(self, boards: int) -> Boards:
        return self.game.allocate(boards, self.size, self.settings)

    @property
    def most_moves(self) -> int:
        return self.game.most_moves(self.size, self.settings)

    @property
    def score_lengths(self) -> tuple[int, int] | None:
        return self.game.score_lengths(self.size, self.settings)
