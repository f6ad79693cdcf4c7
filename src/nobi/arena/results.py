"""The outcome of many games between two players, A and B."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, DRAW, WHITE
from nobi.games.base import Game, Variant
from nobi.statistics import Interval, mean_interval, share_interval

SPEED_SHARE = 0.2
"""S08's p: how much of a game's score depends on its length."""


@dataclass(frozen=True)
class PlayedGames:
    """The results of games `first`, `first` + 1, …; player A has black in the games of even number."""

    variant: Variant
    first: int
    outcome: NDArray[np.int8]
    """[i] BLACK_WON, WHITE_WON or DRAW; RUNNING where the game was not played."""
    length: NDArray[np.int32]
    """[i] how many moves it had."""
    moves: NDArray[np.uint16]
    """[i, ply] the moves, or [i, 0] if they were not asked for."""

    def __len__(self) -> int:
        return len(self.outcome)

    @property
    def colour_of_a(self) -> NDArray[np.int8]:
        """[i] BLACK or WHITE."""
        odd = (self.first + np.arange(len(self))) % 2
        return np.where(odd, WHITE, BLACK).astype(np.int8)

    @property
    def points_of_a(self) -> NDArray[np.int8]:
        """[i] 1 where A won, −1 where B did, 0 for a draw: the outcome of S09."""
        won = np.where(self.outcome == self.colour_of_a, 1, -1)
        return np.where(self.outcome == DRAW, 0, won).astype(np.int8)

    @property
    def score_of_a(self) -> NDArray[np.float64]:
        """[i] the score of S08 section IV-B: ±(1 − p·(M − M_min)/(M_max − M_min)), 0 for a draw."""
        lengths = self.variant.score_lengths
        points = self.points_of_a.astype(np.float64)
        if lengths is None:
            return points
        shortest, longest = lengths
        return points * (1 - SPEED_SHARE * (self.length - shortest) / (longest - shortest))

    def finished(self) -> "PlayedGames":
        """The games up to the first that was not played."""
        unplayed = np.flatnonzero(self.length == 0)
        return self.head(int(unplayed[0]) if len(unplayed) else len(self))

    def part(self, begin: int, end: int) -> tuple[NDArray[np.int8], NDArray[np.int32], NDArray[np.uint16]]:
        """Outcome, length and moves of the games begin … end − 1, to be written to."""
        return self.outcome[begin:end], self.length[begin:end], self.moves[begin:end]

    def head(self, count: int) -> "PlayedGames":
        """The first so many of the games."""
        return PlayedGames(self.variant, self.first, *self.part(0, count))

    def replay(self, i: int) -> Game:
        """Game i, played through to its end."""
        if self.moves.shape[1] == 0:
            raise ValueError("the moves of these games were not kept")
        game = self.variant.new()
        for move in self.moves[i, : self.length[i]]:
            game.play(int(move))
        return game


class PlayInterrupted(KeyboardInterrupt):
    """Ctrl-C while games are played; `played` holds the games finished before the first unfinished one."""

    def __init__(self, played: PlayedGames) -> None:
        super().__init__(f"interrupted after {len(played):,} games")
        self.played = played


@dataclass(frozen=True)
class Summary:
    """The results of some games from the point of view of player A."""

    games: int
    wins: int
    draws: int
    losses: int
    win_rate: Interval
    """Draws count half."""
    score: Interval
    """S08's score, which rewards quick wins and slow losses."""
    length: Interval


def summarise(played: PlayedGames) -> dict[str, Summary]:
    """The results as black, as white, and in all; games from the first unfinished one on do not count."""
    played = played.finished()
    colour = played.colour_of_a
    return {
        "black": _summarise(played, colour == BLACK),
        "white": _summarise(played, colour == WHITE),
        "all": _summarise(played, np.ones(len(played), np.bool_)),
    }


def _summarise(played: PlayedGames, chosen: NDArray[np.bool_]) -> Summary:
    points = played.points_of_a[chosen]
    wins, draws = int((points > 0).sum()), int((points == 0).sum())
    return Summary(
        games=len(points),
        wins=wins,
        draws=draws,
        losses=len(points) - wins - draws,
        win_rate=share_interval(wins + draws / 2, len(points)),
        score=mean_interval(played.score_of_a[chosen]),
        length=mean_interval(played.length[chosen].astype(np.float64)),
    )
