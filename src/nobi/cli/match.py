"""`nobi match`: many games between two players."""

import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from nobi import games, players
from nobi.cli.common import UNSET, announce_compiling, print_json, progress_bar
from nobi.cli.series import SeriesFlags
from nobi.cli.tables import output_console, plain_table, print_table
from nobi.errors import NobiError
from nobi.models import is_model

if TYPE_CHECKING:
    from rich.table import Table

    from nobi.arena.games import PlayedGames
    from nobi.arena.summary import Summary

OWN_PLAYER_HELP = (
    f"A player: {', '.join(players.names())}; settings follow a colon, as in 'heuristic:e=0.2'. See 'nobi players'. "
    "Or a model file."
)
PLAYER_HELP = f"{OWN_PLAYER_HELP} Or another engine, as in 'gtp:gnugo --mode gtp --level 1'."
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
            from nobi.cli.duel import duel

            return duel(self)
        return self._play_in_arena(self.games or 1000)

    def _play_in_arena(self, count: int) -> int:
        from nobi.arena.games import PlayInterrupted
        from nobi.arena.play import play_games
        from nobi.files import ready_folder

        variant = games.variant(self.game, self.size)
        a, b = players.make_player(self.a, variant), players.make_player(self.b, variant)
        if self.sgf:
            ready_folder(self.sgf)
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
        from nobi.files import write_whole
        from nobi.records.sgf import sgf_of

        digits = len(str(len(played)))
        with progress_bar("saving", len(played)) as progress:
            for i in range(len(played)):
                black, white = (self.a, self.b) if i % 2 == 0 else (self.b, self.a)
                game = played.replay(i)
                record = sgf_of(game, black, white, f"game {i + 1}, seed {self.seed}", game.standing())
                write_whole(folder / f"game-{i + 1:0{digits}d}.sgf", record)
                progress(i + 1)

    def _report(self, played: "PlayedGames", seconds: float) -> None:
        from nobi.arena.summary import summarise

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

    def _table(self, summaries: "dict[str, Summary]") -> "Table":
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


def _plays_alone(word: str) -> bool:
    """Whether this player plays one game at a time: an engine, or one that searches."""
    if word.startswith("gtp:"):
        return True
    name = word.partition(":")[0]
    return not is_model(name) and not players.chooses_for_many(name)
