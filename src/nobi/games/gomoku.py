"""Gomoku: five or more in a row, column or diagonal win; a full board is a draw."""

from typing import Any, ClassVar, NamedTuple

from nobi.board.stones import DRAW, Stones, allocate_stones, clear_stones, end_turn, makes_five, put
from nobi.compiling import inlined
from nobi.games.base import UNDECIDED, WINS, Game, Rules, is_empty_point, put_stone


class GomokuBoards(NamedTuple):
    """The state of Gomoku: only stones."""

    stones: Stones


@inlined
def clear(boards: GomokuBoards, g: int) -> None:
    """Clear the board; Black is to move."""
    clear_stones(boards.stones, g)


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
    """Return WINS for a move that makes five, else UNDECIDED."""
    return WINS if makes_five(boards.stones, g, move, boards.stones.to_move[g]) else UNDECIDED


class Gomoku(Game):
    """Five in a row."""

    name = "gomoku"
    rules: ClassVar[Rules] = Rules(clear, put_stone, is_empty_point, play, immediate_outcome)
    sgf_number = 4

    @classmethod
    def allocate(cls, boards: int, size: int, settings: Any) -> GomokuBoards:  # noqa: ARG003
        return GomokuBoards(allocate_stones(boards, size))

    @classmethod
    def most_moves(cls, size: int, settings: Any) -> int:  # noqa: ARG003
        return size * size

    @classmethod
    def score_lengths(cls, size: int, settings: Any) -> tuple[int, int]:  # noqa: ARG003
        """Return 9, the move of Black's fifth stone, and n²."""
        return 9, size * size
