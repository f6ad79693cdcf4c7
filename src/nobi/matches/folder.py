"""The results of a match, the folder that contains them, and their statistics.

A match can be interrupted and resumed at any time. Its folder contains

config.json         the settings, which must be the same when the match is resumed
games.jsonl         one line per finished game, in the order in which they ended
game-0001.sgf …     the games
"""

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nobi import games
from nobi.arena.results import MatchStatistics, match_statistics
from nobi.errors import NobiError
from nobi.frames import frame_of
from nobi.matches.settings import SeriesSettings
from nobi.statistics import Interval, bradley_terry
from nobi.storage import atomic_write, holds_run, write_config

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class GameResult:
    """A finished game of a match, one line of games.jsonl; players are given by number."""

    game: int
    black: int
    white: int
    winner: str
    """`black`, `white`, `draw`, or `void` if the referee could not decide."""
    result: str
    """The result in SGF's format."""
    reason: str
    forfeited: bool
    opening: str
    moves: list[str]
    """All moves, those of the opening first."""
    stones: list[str]
    """The stones of the start position."""
    seconds: list[float]
    """The thinking time of Black and White."""

    @property
    def forfeit(self) -> tuple[int, str] | None:
        """The number of the player who forfeited the game, and why; None if no player did."""
        if not self.forfeited:
            return None
        loser, colour = (self.white, "white") if self.winner == "black" else (self.black, "black")
        return loser, self.reason.removeprefix(f"{colour} ")

    def points(self, player: int) -> float | None:
        """Return 1 for a win of this player, ½ for a draw, 0 for a loss; None for a game without result."""
        if self.winner == "void":
            return None
        if self.winner == "draw":
            return 0.5
        return 1.0 if (self.black if self.winner == "black" else self.white) == player else 0.0


_LABELS = {"a": "player A", "b": "player B", "players": "list of players", "piece": "job"}
"""Names, in error messages, of settings that are not flags."""


class MatchFolder:
    """The folder of a match."""

    def __init__(self, path: Path, settings: Mapping[str, Any], *, resume: bool) -> None:
        self.path = path
        self._games = path / "games.jsonl"
        config = json.loads(json.dumps(settings, default=str))
        exists = holds_run(path, config, resume=resume, what="match", names=_LABELS, upgrade=_upgraded)
        if not exists and any(path.glob("*.sgf")):
            raise NobiError(f"The folder {str(path)!r} already contains games; choose another one.")
        write_config(path, config)

    def load(self) -> list[GameResult]:
        """Return the finished games; an incomplete last line is removed, so that its game is played again."""
        if not self._games.exists():
            return []
        # read by lines, not split: the text of an engine may contain other line separators
        with self._games.open(encoding="utf-8", errors="replace", newline="\n") as file:
            lines = list(file)
        results = []
        for number, line in enumerate(lines, 1):
            try:
                if not line.endswith("\n"):
                    raise ValueError("it is incomplete")
                results.append(GameResult(**json.loads(line)))
            except (ValueError, TypeError) as error:
                if number < len(lines):
                    raise NobiError(f"Line {number} of {str(self._games)!r} is damaged: {error}.") from None
        if len(results) < len(lines):
            atomic_write(self._games, "".join(lines[: len(results)]).encode())
        return results

    def save(self, result: GameResult, sgf: bytes) -> None:
        """Save a game: first its SGF, then its line, which marks it as finished."""
        atomic_write(self.path / f"game-{result.game + 1:04d}.sgf", sgf)
        with self._games.open("ab") as file:
            file.write(json.dumps(asdict(result), ensure_ascii=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())


def _upgraded(config: dict[str, Any]) -> dict[str, Any]:
    """Return stored settings in the present form: earlier versions omitted defaults, or kept the game as given."""
    with suppress(NobiError, KeyError):
        config["game"] = str(games.variant(config["game"], config["size"]))
    if config.get("handicap") or config.get("openings"):
        config["random_moves"] = 0  # `nobi tune` kept its default, which these replace
    return asdict(SeriesSettings()) | config


@dataclass(frozen=True, repr=False)
class MatchSummary:
    """The results of a match from the perspective of player A, without repeated games."""

    black: MatchStatistics
    white: MatchStatistics
    all: MatchStatistics
    repeated: int
    """Number of omitted games, which have the same moves as an earlier one."""
    void: int
    """Games without a result."""
    forfeits: dict[str, int]
    """The number of forfeited games by player and reason, such as `B overstepped the time`."""

    def __repr__(self) -> str:
        return f"<MatchSummary of {self.all.games} games, {self.all}>"

    def to_frame(self) -> "pandas.DataFrame":
        """Return a data frame with three rows: player A with Black, with White, and in all games."""
        return frame_of({"colour": colour, **vars(getattr(self, colour))} for colour in ("black", "white", "all"))


def summarise_match(results: list[GameResult]) -> MatchSummary:
    """Return the results of player A with Black, with White, and in total."""
    kept, repeated = without_repetitions(results)
    return MatchSummary(
        black=_statistics([result for result in kept if result.black == 0]),
        white=_statistics([result for result in kept if result.white == 0]),
        all=_statistics(kept),
        repeated=repeated,
        void=void_reasons(kept).total(),
        forfeits=dict(forfeits(kept, "AB")),
    )


def _statistics(results: list[GameResult]) -> MatchStatistics:
    points = [value for result in results if (value := result.points(0)) is not None]
    return match_statistics(points, [len(result.moves) for result in results if result.winner != "void"])


def without_repetitions(results: list[GameResult]) -> tuple[list[GameResult], int]:
    """Return the games ordered by number without repetitions of earlier ones, and the number of repetitions.

    A repetition has the same players, colours and moves. Forfeited games are never repetitions: each crash counts.
    """
    seen = set()
    kept = []
    for result in sorted(results, key=lambda one: one.game):
        key = (result.black, result.white, tuple(result.stones), tuple(result.moves))
        if result.forfeited or key not in seen:
            kept.append(result)
        if not result.forfeited:
            seen.add(key)
    return kept, len(results) - len(kept)


def forfeits(results: list[GameResult], names: Sequence[str]) -> Counter[str]:
    """Return the number of forfeited games by player and reason; `names` are those of the players."""
    found = (result.forfeit for result in results)
    return Counter(f"{names[forfeit[0]]} {forfeit[1]}" for forfeit in found if forfeit)


def void_reasons(results: list[GameResult]) -> Counter[str]:
    """Return the number of games without a result by reason."""
    return Counter(result.reason for result in results if result.winner == "void")


def pair_points(results: Sequence[GameResult], player: int) -> NDArray[np.float64]:
    """Return a player's mean points (0 to 1), [pair], in the games 2i and 2i + 1 up to the first unfinished pair.

    Pairs with a game without result are omitted.
    """
    by_number = {result.game: result.points(player) for result in results}
    pairs: list[float] = []
    number = 0
    while number in by_number and number + 1 in by_number:
        first, second = by_number[number], by_number[number + 1]
        if first is not None and second is not None:
            pairs.append((first + second) / 2)
        number += 2
    return np.array(pairs)


def cross_table(results: list[GameResult], players: int) -> NDArray[np.float64]:
    """Return the points of player i against player j, [i, j]."""
    points = np.zeros((players, players))
    for result in results:
        made = result.points(result.black)
        if made is not None:
            points[result.black, result.white] += made
            points[result.white, result.black] += 1 - made
    return points


@dataclass(frozen=True, repr=False)
class TournamentSummary:
    """The results of a tournament, without repeated games."""

    players: tuple[str, ...]
    points: NDArray[np.float64]
    """[i, j] the points of player i against player j."""
    elo: list[Interval]
    """[player] Bradley-Terry ratings relative to the mean of all, with 95 % intervals."""
    added_draws: bool
    """Whether half a draw was added for each pair, because a player won or lost all games."""
    repeated: int
    """Number of omitted games, which have the same moves as an earlier one."""
    void: int
    """Games without a result."""
    forfeits: dict[str, int]
    """The number of forfeited games by player and reason."""

    def __repr__(self) -> str:
        ranking = ", ".join(f"{self.players[i]} {self.elo[i].value:+.0f}" for i in self.order)
        return f"<TournamentSummary, Elo: {ranking}>"

    @property
    def order(self) -> list[int]:
        """The numbers of the players, the strongest first."""
        return sorted(range(len(self.players)), key=lambda i: -self.elo[i].value)

    def to_frame(self) -> "pandas.DataFrame":
        """Return a data frame with a row for each player, the strongest first."""
        met = self.points + self.points.T
        return frame_of(
            {"player": self.players[i], "points": self.points[i].sum(), "games": met[i].sum(), "elo": self.elo[i]}
            for i in self.order
        )


def summarise_tournament(results: list[GameResult], players: Sequence[str]) -> TournamentSummary:
    """Return the cross table and the ratings of all players."""
    kept, repeated = without_repetitions(results)
    points = cross_table(kept, len(players))
    ratings = bradley_terry(points)
    return TournamentSummary(
        players=tuple(players),
        points=points,
        elo=ratings.elo,
        added_draws=ratings.added_draws,
        repeated=repeated,
        void=void_reasons(kept).total(),
        forfeits=dict(forfeits(kept, players)),
    )
