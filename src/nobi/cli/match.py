"""`nobi match` and `nobi tournament`: many games between two players, or between all pairs of several."""

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import tyro

from nobi import games, players
from nobi.cli.base import Result, plain_table, rate_text
from nobi.cli.progress import progress_of_workers
from nobi.cli.series import PLAYER_HELP, SeriesFlags, series_notes
from nobi.errors import NobiError
from nobi.models import is_model

if TYPE_CHECKING:
    from rich.table import Table

    from nobi.arena.results import MatchStatistics
    from nobi.matches.folder import GameResult, MatchSummary

_GAME = f"The game: {', '.join(games.names())}; settings follow a colon, as in 'go:komi=5.5'. See 'nobi games'."
_ARENA_GAMES, _SERIES_GAMES = 1000, 100
"""The default numbers of games."""


@dataclass(frozen=True)
class Match(SeriesFlags):
    """Play many games between two players and report wins, lengths and scores with 95 % intervals.

    A has Black in the first game, B in the second, and so on. Ctrl-C ends the match and reports the games played.

    Games are played one by one, and the Elo difference is reported, if a player is an engine ('gtp:gnugo --mode gtp')
    or searches, or if --folder, --referee, --handicap, --openings, --random-moves, --seconds, --main-time or --byo-yomi
    is given; otherwise many at once.
    """

    a: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="A", help=PLAYER_HELP)] = tyro.MISSING
    b: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="B", help="The other player.")] = tyro.MISSING
    game: Annotated[str, tyro.conf.arg(help=_GAME)] = "atari-go"
    size: int = 9
    """Board size, 5 to 25."""
    games: int | None = None
    """Number of games; by default 1000, or 100 if games are played one by one."""
    show: bool = False
    """Print the last position of the first game, where many games are played at once."""

    def check(self) -> None:
        super().check()
        self.require(1, "games")

    def execute(self) -> Result:
        one_by_one = self.needs_series() or any(map(_plays_alone, (self.a, self.b)))
        return self._play_series() if one_by_one else self._play_in_arena()

    @property
    def _title(self) -> str:
        return f"A = {self.a} against B = {self.b}: {self.game}, {self.size}x{self.size}"

    def _play_in_arena(self) -> Result:
        from nobi.arena.play import play_games
        from nobi.arena.results import PlayInterrupted, summarise

        count = self.games or _ARENA_GAMES
        variant = games.variant(self.game, self.size)
        a, b = players.make_player(self.a, variant), players.make_player(self.b, variant)
        play_games(variant, a, b, 0)  # compiles now, so that the time below is that of the games
        with self.new_executor() as executor, progress_of_workers("games", count, executor) as progress:
            start, interrupted = time.perf_counter(), ""
            try:
                played = play_games(
                    variant,
                    a,
                    b,
                    count,
                    seed=self.seed,
                    executor=executor,
                    keep_moves=self.show,
                    progress=progress,
                )
            except PlayInterrupted as interrupt:
                if not len(interrupt.played):
                    raise
                played = interrupt.played
                interrupted = f"after {len(played):,} of {count:,} games"
            seconds = time.perf_counter() - start
        summaries = summarise(played)
        document = {"settings": asdict(self) | {"games": count}, "seconds": seconds, "results": summaries}
        report: list[str | tuple[str, Table]] = []
        if self.show and len(played):
            game = played.replay(0)
            document["board"] = str(game).splitlines()
            heading = f"{self.a} (X) against {self.b} (O), {game.standing()} after {len(game.moves)} moves"
            report.append(f"Game 1: {heading}\n\n{game}\n")
        report.append((self._title, _table_of(summaries["black"], summaries["white"], summaries["all"])))
        rate = f"{rate_text(len(played) / seconds)} games/s"
        report.append(f"{len(played):,} game{'s' * (len(played) != 1)} in {seconds:.2f} s ({rate}), seed {self.seed}.")
        return Result(document, report, interrupted)

    def _play_series(self) -> Result:
        if self.show:
            raise NobiError("--show is not available for games played one by one; --folder saves them as SGF.")
        from nobi.matches.folder import summarise_match

        specs, count = [self.a, self.b], self.games or _SERIES_GAMES
        stored = {"a": self.a, "b": self.b}
        results, interrupted = self.play_series(
            stored, specs, self.game, self.size, count, lambda some: _match_table(summarise_match(some))
        )
        summary = summarise_match(results)
        document = {"settings": asdict(self) | {"games": count}, "results": summary, "games": results}
        report: list[str | tuple[str, Table]] = [
            (self._title, _match_table(summary)),
            f"Elo difference A − B: {summary.all.elo.text('+.0f')}, 95 % interval.",
            *series_notes(self, results, "AB"),
        ]
        return Result(document, report, interrupted)


def _plays_alone(spec: str) -> bool:
    """Return whether this player plays one game at a time: an engine, or a player that searches."""
    name = spec.partition(":")[0]
    return not is_model(name) and not players.chooses_for_many(name)


def _table_of(black: "MatchStatistics", white: "MatchStatistics", both: "MatchStatistics") -> "Table":
    """Return the table of a match; of games in the arena also with their scores."""
    from nobi.arena.results import ArenaStatistics

    scores = [one.score.plus_minus(3, "+") for one in (black, white, both) if isinstance(one, ArenaStatistics)]
    heads = ["games", "won", "drawn", "lost", "win rate (95 %)", "moves", *(["score (95 %)"] if scores else [])]
    table = plain_table(["A is"], heads)
    for i, (label, one) in enumerate({"black": black, "white": white, "both": both}.items()):
        table.add_row(
            label,
            *(f"{number:,}" for number in (one.games, one.wins, one.draws, one.losses)),
            one.win_rate.percent() if one.games else "",
            f"{one.length.value:.1f}" if one.games else "",
            *scores[i : i + 1],
            end_section=label == "white",
        )
    return table


def _match_table(summary: "MatchSummary") -> "Table":
    return _table_of(summary.black, summary.white, summary.all)


@dataclass(frozen=True)
class Tournament(SeriesFlags):
    """Play games between all pairs of several players, and rate them.

    Prints the points of every pair, and Elo ratings (Bradley-Terry, maximum likelihood) with 95 % intervals. Ctrl-C
    ends the tournament and reports the games played; with --folder it can be resumed.
    """

    players: Annotated[tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="PLAYER …", help=PLAYER_HELP)] = ()
    game: str = "go"
    """The game; settings follow a colon, as in 'go:komi=5.5'."""
    size: int = 9
    """Board size, 5 to 25."""
    games: int = 10
    """Number of games of every pair, half with each colour."""

    def check(self) -> None:
        super().check()
        from nobi.matches.series import check_entrants

        check_entrants(self.players)
        self.require(1, "games")

    def execute(self) -> Result:
        from nobi.matches.folder import summarise_tournament

        stored = {"players": self.players}
        results, interrupted = self.play_series(stored, self.players, self.game, self.size, self.games, self._table)
        summary = summarise_tournament(results, self.players)
        document = {
            "settings": asdict(self),
            "points": summary.points.tolist(),
            "elo": dict(zip(self.players, summary.elo, strict=True)),
            "added_draws": summary.added_draws,
            "repeated": summary.repeated,
            "void": summary.void,
            "forfeits": summary.forfeits,
            "games": results,
        }
        report: list[str | tuple[str, Table]] = [
            (f"{self.game}, {self.size}x{self.size}", self._table(results)),
            f"{len(results)} game{'s' * (len(results) != 1)}; Elo relative to the mean of all, 95 % intervals.",
        ]
        if summary.added_draws:
            report.append(
                "Some players won or lost all games; half a draw was added for each pair so that ratings are finite."
            )
        return Result(document, [*report, *series_notes(self, results, self.players)], interrupted)

    def _table(self, results: "list[GameResult]") -> "Table":
        """Return the cross table, with the strongest player first."""
        from nobi.matches.folder import summarise_tournament

        summary = summarise_tournament(results, self.players)
        points, order = summary.points, summary.order
        table = plain_table(["", "player"], [*map(str, range(1, len(order) + 1)), "points", "Elo (95 %)"])
        for place, i in enumerate(order, 1):
            met = points[i] + points[:, i]
            cells = ["" if i == j else f"{points[i, j]:g}/{met[j]:g}" for j in order]
            total = f"{points[i].sum():g}/{met.sum():g}"
            table.add_row(str(place), self.players[i], *cells, total, summary.elo[i].text("+.0f"))
        return table
