"""Atari-Go: the first player to capture wins.

Stones and captures are as in Go, but there is no pass and no ko. Every empty point is legal, including suicide, as in
the code of S08 and S09; suicide loses at once. Captures are removed before the liberties of the own chain are counted.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from nobi.board.chains import (
    Chains,
    allocate_chains,
    capture_around,
    clear_chains,
    has_liberty_after,
    place,
    require_liberties,
    would_capture,
)
from nobi.board.stones import BLACK, WHITE, Stones, allocate_stones, clear_stones, end_turn, enemy_of
from nobi.compiling import inlined
from nobi.games.base import LOSES, UNDECIDED, WINS, Game, Rules, is_empty_point
from nobi.memory import zeros


@dataclass(frozen=True)
class AtariGoSettings:
    """The settings of Atari-Go."""

    captures: int = 1
    """The number of enemy stones that a player must capture to win."""

    def __post_init__(self) -> None:
        if not 1 <= self.captures <= 100:
            raise ValueError(f"captures must be 1 to 100, not {self.captures}")


class AtariGoBoards(NamedTuple):
    """The state of Atari-Go."""

    stones: Stones
    chains: Chains
    captures: int
    captured: NDArray[np.int64]  # [g, colour of the capturing player]


@inlined
def clear(boards: AtariGoBoards, g: int) -> None:
    """Clear the board; Black is to move."""
    clear_stones(boards.stones, g)
    clear_chains(boards.chains, g)
    boards.captured[g, BLACK] = 0
    boards.captured[g, WHITE] = 0


@inlined
def setup(boards: AtariGoBoards, g: int, point: int, colour: int) -> None:
    """Place a stone before the game."""
    place(boards.stones, boards.chains, g, point, colour)


@inlined
def play(boards: AtariGoBoards, g: int, move: int) -> None:
    """Place the stone and capture; a chain without a liberty loses."""
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
    """Return WINS for the deciding capture, LOSES for suicide, else UNDECIDED."""
    stones, chains = boards.stones, boards.chains
    me = stones.to_move[g]
    captured = would_capture(stones, chains, g, move, me)
    if boards.captured[g, me] + captured >= boards.captures:
        return WINS
    if captured or has_liberty_after(stones, chains, g, move, me):
        return UNDECIDED
    return LOSES


class AtariGo(Game):
    """The first player to capture wins."""

    name = "atari-go"
    rules: ClassVar[Rules] = Rules(clear, setup, is_empty_point, play, immediate_outcome)
    settings_type = AtariGoSettings

    @classmethod
    def allocate(cls, boards: int, size: int, settings: AtariGoSettings) -> AtariGoBoards:
        return AtariGoBoards(
            allocate_stones(boards, size),
            allocate_chains(boards, size),
            settings.captures,
            zeros((boards, 3), np.int64),
        )

    @classmethod
    def most_moves(cls, size: int, settings: AtariGoSettings) -> int:
        """Count every point once (the last stone captures or is suicide), and the points of captured stones again."""
        return size * size + 2 * (settings.captures - 1)

    @classmethod
    def score_lengths(cls, size: int, settings: AtariGoSettings) -> tuple[int, int]:  # noqa: ARG003
        """Return 3 and n²: a corner stone can be captured by move 3; by move n² at the latest a stone is captured."""
        return 3, size * size

    def _restart(self) -> None:
        super()._restart()
        boards = cast(AtariGoBoards, self.boards)
        require_liberties(boards.stones, boards.chains)
