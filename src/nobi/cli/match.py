"""`nobi match`: many games between two players.

MERGED cli/duel.py: A match between two bots, game by game: what `nobi match` does where the arena cannot.
"""

import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from nobi import games, players
from nobi.cli.base import (
    UNSET,
    announce_compiling,
    output_console,
    plain_table,
    print_json,
    print_table,
    progress_bar,
)
from nobi.cli.series import PLAYER_HELP, SeriesFlags, elo_numbers, elo_text, fault_lines, play
from nobi.errors import NobiError
from nobi.models import is_model

if TYPE_CHECKING:
    from rich.table import Table

    from nobi.arena.results import ArenaStatistics, PlayedGames
    from nobi.matches.folder import GameResult, MatchSummary
    from nobi.statistics import Ratings

_GAME = f"The game: {', '.join(games.names())}; settings follow a colon, as in 'go:komi=5.5'. See 'nobi games'."


@dataclass(frozen=True)
class Match(SeriesFlags):
    """Play many games between two players and report wins, lengths and scores with 95 % intervals.

    A has black in the first game, B in the second, and so on. Ctrl-C ends the match and reports the games played.

    Where a player is an engine ('gtp:gnugo --mode gtp') or searches, and where --folder, --referee, --handicap,
    --openings, --random-moves, --seconds, --main-time or --byo-yomi is given, games are played one by one and the
    difference in Elo is told.
    """

    a: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="A", help=PLAYER_HELP)] = tyro.MISSING
    b: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="B", help="The other player.")] = tyro.MISSING
    game: Annotated[str, tyro.conf.arg(help=_GAME)] = "atari-go"
    size: int = 9
    """Lines of the board, 5 to 25."""
    games: Annotated[int | None, UNSET] = None
    """How many games to play; by default 1000, or 100 where games are played one by one."""
    sgf: Annotated[Path | None, UNSET] = None
    """Save every game as SGF in this folder."""
    show: bool = False
    """Print the last position of the first game."""

    def run(self) -> int:
        """Plays the match."""
        self.check_series()
        if self.games is not None and self.games < 1:
            raise NobiError(f"--games must be 1 or more, not {self.games}.")
        announce_compiling()
        if self.asks_for_series() or any(map(_plays_alone, (self.a, self.b))):
            return duel(self)
        return self._play_in_arena(self.games or 1000)

    def _play_in_arena(self, count: int) -> int:
        from nobi.arena.play import play_games
        from nobi.arena.results import PlayInterrupted
        from nobi.storage import make_writable_folder

        variant = games.variant(self.game, self.size)
        a, b = players.make_player(self.a, variant), players.make_player(self.b, variant)
        if self.sgf:
            make_writable_folder(self.sgf)
            if any(self.sgf.glob("*.sgf")):
                raise NobiError(f"The folder {str(self.sgf)!r} holds games already; choose another for these.")
        play_games(variant, a, b, 0)  # compile now, so that the time below is that of the games
        start = time.perf_counter()
        with progress_bar("games", count) as progress:
            try:
                played = play_games(
                    variant,
                    a,
                    b,
                    count,
                    seed=self.seed,
                    threads=self.threads,
                    keep_moves=self.sgf is not None or self.show,
                    progress=progress,
                )
            except PlayInterrupted as interrupt:
                if not len(interrupt.played):
                    raise
                played = interrupt.played
        seconds = time.perf_counter() - start
        if self.sgf:
            self._save(played, self.sgf)
        self._report(played, seconds)
        if len(played) < count:
            print(f"nobi: interrupted after {len(played)} of {count} games.", file=sys.stderr)
            return 130
        return 0

    def _save(self, played: "PlayedGames", folder: Path) -> None:
        from nobi.records.sgf_writer import sgf_of
        from nobi.storage import atomic_write

        digits = len(str(len(played)))
        with progress_bar("saving", len(played)) as progress:
            for i in range(len(played)):
                black, white = (self.a, self.b) if i % 2 == 0 else (self.b, self.a)
                game = played.replay(i)
                record = sgf_of(game, black, white, f"game {i + 1}, seed {self.seed}", game.standing())
                atomic_write(folder / f"game-{i + 1:0{digits}d}.sgf", record)
                progress(i + 1)

    def _report(self, played: "PlayedGames", seconds: float) -> None:
        from nobi.arena.results import summarise

        summaries = summarise(played)
        if self.json:
            settings = asdict(self) | {"games": self.games or 1000}
            settings = {key: str(value) if isinstance(value, Path) else value for key, value in settings.items()}
            document = {"settings": settings, "seconds": seconds, "results": summaries}
            if self.show and len(played):
                document["board"] = str(played.replay(0)).splitlines()
            print_json(document)
            return
        console = output_console()
        if self.show and len(played):
            game = played.replay(0)
            heading = f"{self.a} (X) against {self.b} (O), {game.standing()} after {len(game.moves)} moves"
            print(f"Game 1: {heading}\n\n{game}\n")
        title = f"A = {self.a} against B = {self.b}: {self.game}, {self.size}x{self.size}"
        print_table(console, title, self._table(summaries))
        rate = f"{len(played) / seconds:,.0f} games/s"
        console.print(f"{len(played):,} games in {seconds:.2f} s ({rate}), seed {self.seed}.", highlight=False)
        if self.sgf:
            console.print(f"Saved as SGF in {self.sgf}.", highlight=False)

    def _table(self, summaries: "dict[str, ArenaStatistics]") -> "Table":
        numbers = ["games", "won", "drawn", "lost", "win rate (95 %)", "moves", "score (95 %)"]
        table = plain_table(["A is"], numbers)
        for row, label in (("black", "black"), ("white", "white"), ("all", "both")):
            s = summaries[row]
            rate = s.win_rate
            table.add_row(
                label,
                f"{s.games:,}",
                f"{s.wins:,}",
                f"{s.draws:,}",
                f"{s.losses:,}",
                f"{100 * rate.value:.1f} % ({100 * rate.low:.1f}–{100 * rate.high:.1f})",
                f"{s.length.value:.1f}",
                f"{s.score.value:+.3f} ± {s.score.high - s.score.value:.3f}",
                end_section=row == "white",
            )
        return table


def _plays_alone(spec: str) -> bool:
    """Whether this player plays one game at a time: an engine, or one that searches."""
    if spec.startswith("gtp:"):
        return True
    name = spec.partition(":")[0]
    return not is_model(name) and not players.chooses_for_many(name)


def duel(match: "Match") -> int:
    """Plays the match and reports."""
    if match.sgf:
        raise NobiError("Where games are played one by one, --folder saves them as SGF; leave --sgf out.")
    if match.show:
        raise NobiError("Where games are played one by one, there is no --show; --folder saves them as SGF.")
    from nobi.matches.folder import summarise_match

    words = [match.a, match.b]
    count = match.games or 100
    records, total = play(match, words, match.game, match.size, count, lambda some: _table(summarise_match(some)))
    summary = summarise_match(records)
    if match.json:
        given = asdict(match) | {"games": count}
        settings = {key: str(value) if isinstance(value, Path) else value for key, value in given.items()}
        results = asdict(summary)
        for part in ("black", "white", "all"):
            results[part]["elo"] = elo_numbers(results[part]["elo"])
        print_json({"settings": settings, "results": results, "games": records})
    else:
        _report(match, records, summary)
    return 0 if len(records) == total else 130


def _report(match: "Match", records: "list[GameResult]", summary: "MatchSummary") -> None:
    from nobi.matches.folder import without_repetitions

    console = output_console()
    title = f"A = {match.a} against B = {match.b}: {match.game}, {match.size}x{match.size}"
    print_table(console, title, _table(summary))
    lines = [f"Elo of A less that of B: {elo_text(summary.all.elo)}, 95 % interval."]
    if summary.repeated:
        lines.append(f"Left out, because they repeat an earlier game: {summary.repeated} of {len(records)} games.")
    lines += fault_lines(without_repetitions(records)[0], "AB")
    if match.folder:
        lines.append(f"The games are in {match.folder}.")
    for line in lines:
        console.print(line, highlight=False, soft_wrap=True)


def _table(summary: "MatchSummary") -> "Table":
    table = plain_table(["A is"], ["games", "won", "drawn", "lost", "win rate (95 %)", "moves"])
    for label, tally in (("black", summary.black), ("white", summary.white), ("both", summary.all)):
        rate = tally.win_rate
        table.add_row(
            label,
            *(f"{number:,}" for number in (tally.games, tally.wins, tally.draws, tally.losses)),
            f"{100 * rate.value:.1f} % ({100 * rate.low:.1f}–{100 * rate.high:.1f})" if tally.games else "",
            f"{tally.length.value:.1f}" if tally.games else "",
            end_section=label == "white",
        )
    return table


@dataclass(frozen=True)
class Tournament(SeriesFlags):
    """Let every two of several players meet, and rate them all.

    Prints who made how many points against whom, and Elo ratings (Bradley-Terry, greatest likelihood) with 95 %
    intervals. Ctrl-C ends the tournament and reports the games played; with --folder it can be resumed.
    """

    players: Annotated[tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="PLAYER …", help=PLAYER_HELP)] = ()
    game: str = "go"
    """The game; settings follow a colon, as in 'go:komi=5.5'."""
    size: int = 9
    """Lines of the board, 5 to 25."""
    games: int = 10
    """How many games every two players play, half with each colour."""

    def run(self) -> int:
        """Plays the tournament."""
        self.check_series()
        if len(self.players) < 2:
            raise NobiError("A tournament needs two players or more.")
        if len(set(self.players)) < len(self.players):
            raise NobiError("A player is named twice; a tournament needs players that differ.")
        if self.games < 1:
            raise NobiError(f"--games must be 1 or more, not {self.games}.")
        announce_compiling()
        records, total = play(self, list(self.players), self.game, self.size, self.games, self._table)
        self._report(records)
        return 0 if len(records) == total else 130

    def _report(self, records: "list[GameResult]") -> None:
        from nobi.matches.folder import forfeits, void_reasons, without_repetitions

        kept, repeated = without_repetitions(records)
        points, ratings = self._rate(records)
        if self.json:
            settings = {key: str(value) if isinstance(value, Path) else value for key, value in asdict(self).items()}
            document = {
                "settings": settings,
                "points": points.tolist(),
                "elo": {who: elo_numbers(asdict(elo)) for who, elo in zip(self.players, ratings.elo, strict=True)},
                "added_draws": ratings.added_draws,
                "repeated": repeated,
                "void": void_reasons(kept).total(),
                "forfeits": forfeits(kept, self.players),
                "games": records,
            }
            print_json(document)
            return
        console = output_console()
        print_table(console, f"{self.game}, {self.size}x{self.size}", self._table(records))
        lines = [f"{len(records)} games; Elo relative to the mean of all, 95 % intervals."]
        if ratings.added_draws:
            lines.append(
                "Some made all points against others, or none: half a drawn game was added between every two who met."
            )
        if repeated:
            lines.append(f"Left out, because they repeat an earlier game: {repeated} of {len(records)} games.")
        lines += fault_lines(kept, self.players)
        if self.folder:
            lines.append(f"The games are in {self.folder}.")
        for line in lines:
            console.print(line, highlight=False, soft_wrap=True)

    def _rate(self, records: "list[GameResult]") -> "tuple[Any, Ratings]":
        from nobi.matches.folder import cross_table, without_repetitions
        from nobi.statistics import bradley_terry

        points = cross_table(without_repetitions(records)[0], len(self.players))
        return points, bradley_terry(points)

    def _table(self, records: "list[GameResult]") -> "Table":
        """The cross table, the strongest first."""
        points, ratings = self._rate(records)
        order = sorted(range(len(self.players)), key=lambda i: -ratings.elo[i].value)
        places = [str(place) for place in range(1, len(order) + 1)]
        table = plain_table(["", "player"], [*places, "points", "Elo (95 %)"])
        for place, i in enumerate(order, 1):
            met = points[i] + points[:, i]
            cells = ["" if i == j else f"{points[i, j]:g}/{met[j]:g}" for j in order]
            table.add_row(
                str(place),
                self.players[i],
                *cells,
                f"{points[i].sum():g}/{met.sum():g}",
                elo_text(ratings.elo[i]),
            )
        return table
