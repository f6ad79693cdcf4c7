"""One game of a visitor: moves, undo, result with its reason, earlier positions and SGF."""

from dataclasses import dataclass, replace
from typing import Any, Self, cast

from nobi.board.stones import BLACK, DRAW, EMPTY, PASS, RUNNING, WHITE, enemy_of
from nobi.board.text import point_at, row_column, vertex_name
from nobi.errors import NobiError
from nobi.games.base import Game
from nobi.games.go import Go, GoBoards
from nobi.games.pente import PAIRS_TO_WIN
from nobi.players.scoring import dead_stones
from nobi.records.collection import SgfRecord
from nobi.records.properties import TRUNCATED, RecordError
from nobi.records.sgf_reader import parse_sgf
from nobi.records.sgf_writer import sgf_of
from nobi.web.setup import GAME_TITLES, MOST_KOMI, Setup

COLOURS = {BLACK: "Black", WHITE: "White"}
MARKS = {EMPTY: ".", BLACK: "b", WHITE: "w"}
MOST_BYTES = 1_000_000
MOST_MOVES = 1000


@dataclass(frozen=True)
class GameEnd:
    """How a game ended."""

    winner: int
    """BLACK, WHITE or DRAW."""
    sentence: str
    sgf: str
    """The result in SGF notation."""
    owners: tuple[int, ...] = ()
    """[cell] owner of each point of a counted board; empty if not counted."""
    dead: tuple[int, ...] = ()
    """The cells of dead stones."""


class GameSession:
    """A game between a visitor and an opponent, or a game that is reviewed."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.game = setup.new_game()
        self.resigned = RUNNING
        """Who resigned."""
        self.result: GameEnd | None = None
        """None during the game, and until a finished game of Go is scored."""
        self.shown = 0
        """Number of moves in the position shown."""
        self.black_chance: dict[int, float] = {}
        """[number of moves] Black's chance to win, if a search has computed it."""
        self.black_score: dict[int, float] = {}
        """[number of moves] Black's lead in points in Go, if playouts have estimated it."""

    # --- the position -------------------------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """The board size."""
        return self.game.size

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.game.is_over or self.resigned != RUNNING

    @property
    def needs_counting(self) -> bool:
        """Whether two passes have ended a game of Go that is not counted yet."""
        return self.is_over and self.result is None

    @property
    def human_to_move(self) -> bool:
        """Whether it is the visitor's turn."""
        return not self.is_over and self.game.to_move == self.setup.human

    @property
    def at_end(self) -> bool:
        """Whether the latest position is shown."""
        return self.shown == len(self.game.moves)

    def position(self) -> Game:
        """Return the position shown."""
        if self.at_end:
            return self.game
        game = self.setup.new_game()
        if self.game.start_setup:
            game.set_up(*self.game.start_setup)
        for move in self.game.moves[: self.shown]:
            game.play(move)
        return game

    def show(self, moves: int) -> None:
        """Show the position after this number of moves."""
        self.shown = min(max(0, moves), len(self.game.moves))

    # --- playing ------------------------------------------------------------------------------------------------------

    def cell_to_move(self, cell: Any) -> int:
        """Return the point of a cell (row * size + column) sent by a browser; raise a NobiError if it is invalid."""
        if isinstance(cell, bool) or not isinstance(cell, int) or not 0 <= cell < self.size**2:
            raise NobiError("That is not a point of this board.")
        return point_at(*divmod(cell, self.size), self.size)

    def play(self, move: int) -> None:
        """Play a move; raises a NobiError with a message for the visitor if it is illegal."""
        if self.is_over:
            raise NobiError("The game is over.")
        self.game.play(move)
        self.shown = len(self.game.moves)
        if self.game.is_over and not isinstance(self.game, Go):
            self.result = result_by_rules(self.game)

    def play_from_here(self) -> None:
        """Remove all moves after the position shown."""
        self._cut(self.shown)

    def undo(self) -> None:
        """Undo moves until it is the visitor's turn; a finished game is reopened."""
        moves, resigned = self.game.moves, self.resigned != RUNNING
        least = 0 if resigned else 1
        mine = (self.game.to_move == self.setup.human) == (least % 2 == 0)
        back = least if mine else least + 1
        if back > len(moves):
            raise NobiError("There is no move to take back.")
        self._cut(len(moves) - back)

    def resign(self, colour: int) -> None:
        """End the game: `colour` resigns."""
        if self.is_over:
            raise NobiError("The game is over.")
        self.resigned = colour
        winner = int(enemy_of(colour))
        self.result = GameEnd(winner, f"{COLOURS[winner]} wins: {COLOURS[colour]} resigned.", f"{COLOURS[winner][0]}+R")

    def _cut(self, moves: int) -> None:
        while len(self.game.moves) > moves:
            self.game.undo()
        self.resigned, self.result = RUNNING, None
        self.shown = moves
        self.black_chance = {ply: chance for ply, chance in self.black_chance.items() if ply <= moves}
        self.black_score = {ply: score for ply, score in self.black_score.items() if ply <= moves}

    # --- what the page shows ------------------------------------------------------------------------------------------

    def stones(self) -> str:
        """Return one letter for every cell of the position shown: b, w or a dot."""
        return stones_of(self.position())

    def last_cell(self) -> int:
        """Return the cell of the latest move of the position shown, or -1."""
        return cell_of(self.game.moves[self.shown - 1], self.size) if self.shown else -1

    def forbidden(self) -> dict[str, str]:
        """Empty cells that are illegal in the position shown, each with the reason."""
        game = self.position()
        if game.is_over:
            return {}
        legal = set(game.legal_moves())
        empty = [point for point in game.points() if game.colour(point) == EMPTY and point not in legal]
        return {str(cell_of(point, self.size)): game.why_illegal(point) for point in empty}

    def captured(self) -> tuple[int, int]:
        """Number of stones that Black and White have captured in the position shown."""
        boards = self.position().boards
        if isinstance(boards, GoBoards):
            return int(boards.prisoners[0, WHITE]), int(boards.prisoners[0, BLACK])
        taken = getattr(boards, "captured", None)
        if taken is None and (pairs := getattr(boards, "pairs", None)) is not None:
            taken = 2 * pairs
        return (0, 0) if taken is None else (int(taken[0, BLACK]), int(taken[0, WHITE]))

    def move_names(self) -> list[str]:
        """Return the moves in Go notation."""
        return [vertex_name(move, self.size) for move in self.game.moves]

    # --- storage ------------------------------------------------------------------------------------------------------

    def sgf(self, black: str, white: str) -> bytes:
        """Return the game as SGF."""
        return sgf_of(self.game, black, white, self.setup.title, self.result.sgf if self.result else "")

    def plain(self) -> dict[str, Any]:
        """Return the game as plain data."""
        start = self.game.start_setup
        return {
            "setup": self.setup.plain(),
            "start": [[list(stone) for stone in start[0]], start[1]] if start else None,
            "moves": list(self.game.moves),
            "resigned": self.resigned,
            "shown": self.shown,
            "chances": [[ply, chance] for ply, chance in self.black_chance.items()],
            "scores": [[ply, score] for ply, score in self.black_score.items()],
        }

    @classmethod
    def from_plain(cls, data: Any) -> Self:
        """Return the game from plain data; raise a NobiError if the data are invalid."""
        if not isinstance(data, dict):
            raise NobiError("This is not a game.")
        session = cls(Setup.from_plain(data.get("setup")))
        try:
            if data.get("start"):
                stones, first = data["start"]
                session.game.set_up([(int(p), int(c)) for p, c in stones], int(first))
            for move in data["moves"][:MOST_MOVES]:
                session.play(int(move))
            if data.get("resigned") in (BLACK, WHITE) and not session.is_over:
                session.resign(data["resigned"])
            session.show(int(data.get("shown", len(session.game.moves))))
            session.black_chance = {int(ply): float(chance) for ply, chance in data.get("chances", [])}
            session.black_score = {int(ply): float(score) for ply, score in data.get("scores", [])}
        except (KeyError, TypeError, ValueError, IndexError, OverflowError):
            raise NobiError("This is not a game.") from None
        return session

    @classmethod
    def from_sgf(cls, content: bytes, setup: Setup) -> Self:
        """Return the game of an SGF file; settings missing in the file are taken from `setup`."""
        record, game = read_sgf(content)
        komi = setup.komi if not abs(record.komi) <= MOST_KOMI else record.komi
        session = cls(replace(setup, game=game, size=record.size, komi=komi, handicap=0))
        plain = {(point, session.game.colour(point)) for point in session.game.points() if session.game.colour(point)}
        if (record.stones and set(record.stones) != plain) or record.first != session.game.to_move:
            session.game.set_up(record.stones, record.first)
        for number, (colour, move) in enumerate(record.played, 1):
            name = vertex_name(move, record.size)
            if colour != session.game.to_move:
                raise NobiError(f"Move {number} of this file, {name}, is out of turn.")
            if session.is_over or not session.game.is_legal(move):
                reason = session.game.why_illegal(move)
                raise NobiError(f"Move {number} of this file, {name}, cannot be played: {reason}.")
            session.play(move)
        return session


def read_sgf(content: bytes) -> tuple[SgfRecord, str]:
    """Return the main line of an SGF file and the name of its game; raise a NobiError if it is not one."""
    if len(content) > MOST_BYTES:
        raise NobiError("SGF files can be up to 1 MB.")
    record = next(parse_sgf(content, game=None))
    if isinstance(record, RecordError):
        raise NobiError(f"This file is not an SGF game: {record.reason}")
    if record.error is not None and record.error.kind != TRUNCATED:
        raise NobiError(f"This file is not an SGF game: {record.error.reason}")
    if len(record.moves) > MOST_MOVES:
        raise NobiError(f"Games can have up to {MOST_MOVES:,} moves.")
    name = record.rules.partition(":")[0].strip().lower()
    return record, name if name in GAME_TITLES else "go"


def cell_of(point: int, size: int) -> int:
    """Return the cell (row * size + column) of a point; -1 for a pass."""
    if point == PASS:
        return -1
    row, column = row_column(point, size)
    return row * size + column


def stones_of(game: Game) -> str:
    """Return one letter for every cell: b, w or a dot."""
    return "".join(MARKS[game.colour(point)] for point in game.points())


def result_by_rules(game: Game) -> GameEnd:
    """Return the result of a finished game other than Go."""
    winner = game.outcome
    if winner == DRAW:
        return GameEnd(DRAW, "Draw: the board is full.", "Draw")
    last = game.moves[-1]
    if game.name == "atari-go":
        mover = int(enemy_of(game.to_move))
        at = vertex_name(last, game.size)
        reason = f"first capture, at {at}" if winner == mover else f"{COLOURS[mover]} took its own last liberty at {at}"
    elif game.name == "pente" and int(cast(Any, game.boards).pairs[0, winner]) >= PAIRS_TO_WIN:
        reason = "five captured pairs"
    else:
        reason = "five in a row"
    return GameEnd(winner, f"{COLOURS[winner]} wins: {reason}.", game.result())


def count_board(game: Go) -> GameEnd:
    """Return the result of a finished game of Go; stones that most playouts capture count as dead. This is slow."""
    dead = dead_stones(game)
    margin = game.margin(dead)
    owners = game.owners(dead)
    cells = tuple(owners[point] for point in game.points())
    lifted = tuple(cell_of(point, game.size) for point in dead)
    if margin == 0:
        return GameEnd(DRAW, "Draw. The count is on the board.", "Draw", cells, lifted)
    winner = BLACK if margin > 0 else WHITE
    points = f"{abs(margin):g} point{'s' * (abs(margin) != 1)}"
    sentence = f"{COLOURS[winner]} wins by {points}. The count is on the board."
    return GameEnd(winner, sentence, f"{COLOURS[winner][0]}+{abs(margin):g}", cells, lifted)
