"""Pente: five in a row, or five captured pairs; a full board is a draw.

A move that encloses exactly two enemy stones between itself and another own stone, in any of the 8 directions, captures
them; one move may capture several pairs. Moving between two enemy stones is safe. Freed points can be played again.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import (
    BLACK,
    DRAW,
    WHITE,
    Stones,
    allocate_stones,
    clear_stones,
    end_turn,
    enemy_of,
    lift,
    makes_five,
    put,
)
from nobi.compiling import inlined
from nobi.games.base import UNDECIDED, WINS, Game, Rules, is_empty_point, put_stone
from nobi.memory import zeros

PAIRS_TO_WIN = 5


@dataclass(frozen=True)
class PenteSettings:
    """The settings of Pente."""

    centre: bool = True
    """Start with a white stone at the centre, Black to move, as in the code of S09."""


class PenteBoards(NamedTuple):
    """The state of Pente."""

    stones: Stones
    centre: bool
    pairs: NDArray[np.int64]  # [g, colour of the capturing player]


@inlined
def clear(boards: PenteBoards, g: int) -> None:
    """Clear the board, except for the stone at the centre if there is one; Black is to move."""
    stones = boards.stones
    clear_stones(stones, g)
    boards.pairs[g, BLACK] = 0
    boards.pairs[g, WHITE] = 0
    if boards.centre:
        middle = stones.size // 2 + 1
        put(stones, g, middle * (stones.size + 1) + middle, WHITE)


@inlined
def flanks(stones: Stones, g: int, point: int, way: int, colour: int) -> bool:
    """Return whether a stone of this colour at the point captures a pair in this direction."""
    enemy = enemy_of(colour)
    first = stones.neighbours[point, way]
    if stones.colour[g, first] != enemy:
        return False
    second = stones.neighbours[first, way]
    if stones.colour[g, second] != enemy:
        return False
    return stones.colour[g, stones.neighbours[second, way]] == colour


@inlined
def play(boards: PenteBoards, g: int, move: int) -> None:
    """Place the stone; five in a row is tested before pairs are captured."""
    stones = boards.stones
    me = stones.to_move[g]
    put(stones, g, move, me)
    end_turn(stones, g, move)
    if makes_five(stones, g, move, me):
        stones.outcome[g] = me
        return
    for way in range(8):
        if flanks(stones, g, move, way, me):
            first = stones.neighbours[move, way]
            lift(stones, g, first)
            lift(stones, g, stones.neighbours[first, way])
            boards.pairs[g, me] += 1
    if boards.pairs[g, me] >= PAIRS_TO_WIN:
        stones.outcome[g] = me
    elif stones.empties[g] == 0:
        stones.outcome[g] = DRAW


@inlined
def immediate_outcome(boards: PenteBoards, g: int, move: int) -> int:
    """Return WINS for a move that makes five or captures the fifth pair, else UNDECIDED."""
    stones = boards.stones
    me = stones.to_move[g]
    if makes_five(stones, g, move, me):
        return WINS
    pairs = boards.pairs[g, me]
    for way in range(8):
        if flanks(stones, g, move, way, me):
            pairs += 1
    return WINS if pairs >= PAIRS_TO_WIN else UNDECIDED


class Pente(Game):
    """Five in a row, or five captured pairs."""

    name = "pente"
    rules: ClassVar[Rules] = Rules(clear, put_stone, is_empty_point, play, immediate_outcome)
    settings_type = PenteSettings
    sgf_number = 4

    def _bare_boards(self) -> PenteBoards:
        return cast(PenteBoards, self.boards)._replace(centre=False)

    @property
    def pairs(self) -> dict[int, int]:
        """The number of pairs captured by each player, by colour."""
        boards = cast(PenteBoards, self.boards)
        return {colour: int(boards.pairs[0, colour]) for colour in (BLACK, WHITE)}

    @classmethod
    def allocate(cls, boards: int, size: int, settings: PenteSettings) -> PenteBoards:
        return PenteBoards(allocate_stones(boards, size), settings.centre, zeros((boards, 3), np.int64))

    @classmethod
    def most_moves(cls, size: int, settings: PenteSettings) -> int:  # noqa: ARG003
        """Count every point once, and the points of captured pairs, at most 4 per player, again."""
        return size * size + 2 * 2 * (PAIRS_TO_WIN - 1)

    @classmethod
    def score_lengths(cls, size: int, settings: PenteSettings) -> tuple[int, int]:  # noqa: ARG003
        """Return 9, the move of Black's fifth stone, and n²; the few moves on freed points are not included."""
        return 9, size * size
