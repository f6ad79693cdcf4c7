"""The results of many games between two players, A and B, and their statistics."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, DRAW, WHITE
from nobi.errors import NobiError
from nobi.frames import frame_of
from nobi.games.base import Game, Variant
from nobi.statistics import Interval, elo_difference, mean_interval, share_interval

if TYPE_CHECKING:
    import pandas

SPEED_SHARE = 0.2
"""S08's p: the share of a game's score that depends on its length."""


@dataclass(frozen=True, repr=False)
class PlayedGames:
    """The results of games `first`, `first` + 1, …; player A has Black in even-numbered games."""

    variant: Variant
    first: int
    outcome: NDArray[np.int8]
    """[i] BLACK_WON, WHITE_WON or DRAW; RUNNING where the game was not played."""
    length: NDArray[np.int32]
    """[i] the number of moves."""
    moves: NDArray[np.uint16]
    """[i, ply] the moves, or [i, 0] if they were not kept."""

    def __len__(self) -> int:
        return len(self.outcome)

    @property
    def colour_of_a(self) -> NDArray[np.int8]:
        """[i] BLACK or WHITE."""
        odd = (self.first + np.arange(len(self))) % 2
        return np.where(odd, WHITE, BLACK).astype(np.int8)

    @property
    def points_of_a(self) -> NDArray[np.int8]:
        """[i] 1 where A won, −1 where B won, 0 for a draw: the outcome of S09."""
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
        """Return the games before the first that was not played."""
        unplayed = np.flatnonzero(self.length == 0)
        return self.head(int(unplayed[0]) if len(unplayed) else len(self))

    def win_rate(self) -> Interval:
        """Return the share of points of A, draws counting half."""
        return summarise(self)["all"].win_rate

    def part(self, begin: int, end: int) -> tuple[NDArray[np.int8], NDArray[np.int32], NDArray[np.uint16]]:
        """Return views of outcome, length and moves of the games begin … end − 1."""
        return self.outcome[begin:end], self.length[begin:end], self.moves[begin:end]

    def head(self, count: int) -> "PlayedGames":
        """Return the first `count` games."""
        return PlayedGames(self.variant, self.first, *self.part(0, count))

    def to_frame(self) -> "pandas.DataFrame":
        """Return a row per game: number, colour and points of A, number of moves."""
        numbers = range(self.first, self.first + len(self))
        columns = zip(numbers, self.colour_of_a.tolist(), self.points_of_a.tolist(), self.length.tolist(), strict=True)
        names = {BLACK: "black", WHITE: "white"}
        return frame_of({"game": n, "a": names[c], "points": p, "moves": m} for n, c, p, m in columns)

    def __repr__(self) -> str:
        return f"<PlayedGames {self.variant!s}: {len(self):,} games, A wins {100 * self.win_rate().value:.1f} %>"

    def replay(self, i: int) -> Game:
        """Return game i, replayed to its end."""
        if self.moves.shape[1] == 0:
            raise NobiError("The moves of these games were not kept; play them with keep_moves=True.")
        if not -len(self) <= i < len(self):
            raise NobiError(f"There is no game {i}; there are {len(self):,}, and the first is game 0.")
        game = self.variant.new()
        for move in self.moves[i, : self.length[i]]:
            game.play(int(move))
        return game


class PlayInterrupted(KeyboardInterrupt):
    """Ctrl-C while games are played; `played` holds the games before the first unfinished one."""

    def __init__(self, played: PlayedGames) -> None:
        super().__init__(f"interrupted after {len(played):,} games")
        self.played = played


@dataclass(frozen=True)
class MatchStatistics:
    """The results of some games from the perspective of one player."""

    games: int
    wins: int
    draws: int
    losses: int
    win_rate: Interval
    """The share of points; draws count half."""
    length: Interval
    elo: Interval
    """The Elo difference to the opponent."""

    def __str__(self) -> str:
        return f"{self.wins} wins, {self.draws} draws, {self.losses} losses: win rate {self.win_rate}"


@dataclass(frozen=True)
class ArenaStatistics(MatchStatistics):
    """The statistics of games in the arena."""

    score: Interval
    """S08's score, which rewards quick wins and slow losses."""


def match_statistics(points: Sequence[float], lengths: Sequence[int]) -> MatchStatistics:
    """Return the statistics of games with these points, 1, ½ or 0, and these numbers of moves."""
    wins, draws = points.count(1.0), points.count(0.5)
    return MatchStatistics(
        games=len(points),
        wins=wins,
        draws=draws,
        losses=len(points) - wins - draws,
        win_rate=share_interval(sum(points), len(points)),
        length=mean_interval(np.array(lengths, np.float64)),
        elo=elo_difference(sum(points), len(points)),
    )


def summarise(played: PlayedGames) -> dict[str, ArenaStatistics]:
    """Return the statistics of A with Black, with White, and of all games before the first unfinished one."""
    played = played.finished()
    colour = played.colour_of_a
    parts = {"black": colour == BLACK, "white": colour == WHITE, "all": np.ones(len(played), np.bool_)}
    return {name: _statistics(played, chosen) for name, chosen in parts.items()}


def _statistics(played: PlayedGames, chosen: NDArray[np.bool_]) -> ArenaStatistics:
    points = ((played.points_of_a[chosen] + 1) / 2).tolist()
    whole = match_statistics(points, played.length[chosen].tolist())
    return ArenaStatistics(**vars(whole), score=mean_interval(played.score_of_a[chosen]))
