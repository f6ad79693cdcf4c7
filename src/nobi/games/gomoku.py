"""Gomoku: five or more in a row, column or diagonal win; a full board is a draw."""

from typing import Any, ClassVar, NamedTuple

from nobi.board.stones import DRAW, EMPTY, PASS, Stones, allocate_stones, clear_stones, end_turn, makes_five, put
from nobi.compiling import inlined
from nobi.games.base import UNDECIDED, WINS, Game, Rules


class GomokuBoards(NamedTuple):
    """The state of Gomoku: only stones."""

    stones: Stones


@inlined
def clear(boards: GomokuBoards, g: int) -> None:
    """Clear the board; black is to move."""
    clear_stones(boards.stones, g)


@inlined
def setup(boards: GomokuBoards, g: int, point: int, colour: int) -> None:
    """Place a stone before the game."""
    put(boards.stones, g, point, colour)


@inlined
def legal(boards: GomokuBoards, g: int, move: int) -> bool:
    """Every empty point is legal."""
    return move != PASS and boards.stones.colour[g, move] == EMPTY


@inlined
def play(boards: GomokuBoards, g: int, move: int) -> None:
    """Place the stone; five in a row win, a full board is a draw."""
    stones = boards.stones
    me = stones.to_move[g]
    put(stones, g, move, me)
    end_turn(stones, g, move)
    if makes_five(stones, g, move, me):
        stones.outcome[g] = me
    elif stones.empties[g] == 0:
        stones.outcome[g] = DRAW


@inlined
def immediate_outcome(boards: GomokuBoards, g: int, move: int) -> int:
    """A move that makes five wins."""
    return WINS if makes_five(boards.stones, g, move, boards.stones.to_move[g]) else UNDECIDED


class Gomoku(Game):
    """Five in a row."""

    name = "gomoku"
    rules: ClassVar[Rules] = Rules(clear, setup, legal, play, immediate_outcome)
    sgf_number = 4

    @classmethod
    def allocate(cls, boards: int, size: int, settings: Any) -> GomokuBoards:  # noqa: ARG003
        return GomokuBoards(allocate_stones(boards, size))

    @classmethod
    def most_moves(cls, size: int, settings: Any) -> int:  # noqa: ARG003
        return size * size

    @classmethod
    def score_lengths(cls, size: int, settings: Any) -> tuple[int, int]:  # noqa: ARG003
        """Black's fifth stone is move 9."""
        return 9, size * size
