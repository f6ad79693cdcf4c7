"""Atari-Go: the first to capture wins.

Go's stones and captures, but no pass and no ko. Every empty point may be played, suicide included, as in the code of
the 2008 and 2009 papers; a suicide loses at once. A move that captures while filling its own last liberty captures.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from nobi.board.chains import (
    Chains,
    allocate_chains,
    breathes,
    capture_around,
    clear_chains,
    place,
    refuse_breathless,
    would_capture,
)
from nobi.board.stones import BLACK, EMPTY, PASS, WHITE, Stones, allocate_stones, clear_stones, end_turn, enemy_of
from nobi.compiling import inlined
from nobi.games.base import LOSES, UNDECIDED, WINS, Game, Rules
from nobi.memory import zeros


@dataclass(frozen=True)
class AtariGoSettings:
    """The choices of Atari-Go."""

    captures: int = 1
    """How many enemy stones a player must capture to win."""

    def __post_init__(self) -> None:
        if not 1 <= self.captures <= 100:
            raise ValueError(f"captures must be 1 to 100, not {self.captures}")


class AtariGoBoards(NamedTuple):
    """The stones, their chains, and what has been captured."""

    stones: Stones
    chains: Chains
    captures: int
    captured: NDArray[np.int64]
    """[g, colour of the capturing player]"""


@inlined
def clear(boards: AtariGoBoards, g: int) -> None:
    """The empty board, black to move."""
    clear_stones(boards.stones, g)
    clear_chains(boards.chains, g)
    boards.captured[g, BLACK] = 0
    boards.captured[g, WHITE] = 0


@inlined
def setup(boards: AtariGoBoards, g: int, point: int, colour: int) -> None:
    """Puts a stone on the board before the game."""
    place(boards.stones, boards.chains, g, point, colour)


@inlined
def legal(boards: AtariGoBoards, g: int, move: int) -> bool:
    """Every empty point."""
    return move != PASS and boards.stones.colour[g, move] == EMPTY


@inlined
def play(boards: AtariGoBoards, g: int, move: int) -> None:
    """Places the stone and captures; a stone left without liberty loses."""
    stones, chains = boards.stones, boards.chains
    me = stones.to_move[g]
    enemy = enemy_of(me)
    captures = place(stones, chains, g, move, me)
    end_turn(stones, g, move)
    if captures:
        boards.captured[g, me] += capture_around(stones, chains, g, move, enemy)
        if boards.captured[g, me] >= boards.captures:
            stones.outcome[g] = me
    elif chains.liberties[g, chains.head[g, move]] == 0:
        stones.outcome[g] = enemy


@inlined
def immediate_outcome(boards: AtariGoBoards, g: int, move: int) -> int:
    """The deciding capture wins, suicide loses."""
    stones, chains = boards.stones, boards.chains
    me = stones.to_move[g]
    captured = would_capture(stones, chains, g, move, me)
    if boards.captured[g, me] + captured >= boards.captures:
        return WINS
    if captured or breathes(stones, chains, g, move, me):
        return UNDECIDED
    return LOSES


class AtariGo(Game):
    """The first to capture wins."""

    name = "atari-go"
    rules: ClassVar[Rules] = Rules(clear, setup, legal, play, immediate_outcome)
    settings_type = AtariGoSettings

    @classmethod
    def allocate(cls, boards: int, size: int, settings: AtariGoSettings) -> AtariGoBoards:
        """Makes the state of so many boards."""
        return AtariGoBoards(
            allocate_stones(boards, size),
            allocate_chains(boards, size),
            settings.captures,
            zeros((boards, 3), np.int64),
        )

    @classmethod
    def most_moves(cls, size: int, settings: AtariGoSettings) -> int:
        """Every point once (the last stone captures or is suicide), and again those of stones captured before."""
        return size * size + 2 * (settings.captures - 1)

    @classmethod
    def score_lengths(cls, size: int, settings: AtariGoSettings) -> tuple[int, int]:  # noqa: ARG003
        """A stone in the corner can be captured by move 3; by n² at the latest somebody has captured."""
        return 3, size * size

    def _restart(self) -> None:
        super()._restart()
        boards = cast(AtariGoBoards, self.boards)
        refuse_breathless(boards.stones, boards.chains)
