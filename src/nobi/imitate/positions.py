"""The positions of a collection: one before every move that is not a pass."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.records.collection import PASS_CODE, WHITE_BIT, Collection

NO_ANSWER = -1
"""The answer where the opponent passed, or the game ended, or the same player moved again."""


class Places(NamedTuple):
    """Where some positions are found, and what is known of them without a board."""

    game: NDArray[np.int64]
    """[i]"""
    ply: NDArray[np.int64]
    """[i] the number of the expert's move in its game, the first being 0."""
    white: NDArray[np.bool_]
    """[i] whether white is to move."""


class Positions:
    """The positions of games on boards of one size, numbered from 0; memory is needed only for the passes."""

    def __init__(self, games: Collection) -> None:
        self.games = games
        self.size = int(games.size[0]) if len(games.size) else 0
        if (games.size != self.size).any():
            raise ValueError("the games must be on boards of one size")
        self._begin = int(games.start[0])
        moves = games.moves[self._begin : int(games.start[-1])]
        passes = np.flatnonzero((moves & PASS_CODE) == PASS_CODE)
        self.count = len(moves) - len(passes)
        self._played_before = passes - np.arange(len(passes))
        """[pass] how many stones were played before it; as many as positions."""

    def __len__(self) -> int:
        return self.count

    def places(self, numbers: NDArray[np.int64]) -> Places:
        """Where the positions of these numbers, int64[i], are found."""
        move = self._begin + numbers + np.searchsorted(self._played_before, numbers, side="right")
        game = np.searchsorted(self.games.start, move, side="right") - 1
        return Places(game, move - self.games.start[game], self.games.moves[move] >= WHITE_BIT)

    def answers(self, places: Places) -> NDArray[np.int64]:
        """[i] the cell of the opponent's next move, or NO_ANSWER."""
        after = self.games.start[places.game] + places.ply + 1
        there = after < self.games.start[places.game + 1]
        move = self.games.moves[np.where(there, after, 0)].astype(np.int64)
        cell = move & PASS_CODE
        answered = there & ((move >= WHITE_BIT) != places.white) & (cell != PASS_CODE)
        return np.where(answered, cell, NO_ANSWER)

    def results(self, places: Places) -> NDArray[np.float32]:
        """[i] +1 if the player to move won the game, -1 if he lost it, 0 if that is not known."""
        result = self.games.result[places.game]
        return np.where(places.white, -result, result).astype(np.float32)
