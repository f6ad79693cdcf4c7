"""Common parts of `nobi match`, `nobi tournament` and `nobi tune` for games that are played one by one."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import tyro

import nobi
from nobi import games, players
from nobi.cli.base import ExecutorFlags, plain
from nobi.cli.progress import progress_bar
from nobi.errors import NobiError
from nobi.workers import usable_threads

if TYPE_CHECKING:
    from collections import Counter

    from rich.table import Table

    from nobi.clock import TimeSettings
    from nobi.games.base import Variant
    from nobi.matches.folder import GameResult
    from nobi.matches.openings import Opening
    from nobi.matches.series import Pairing
    from nobi.statistics import Interval
    from nobi.workers import Executor

OWN_PLAYER_HELP = (
    f"A player: {', '.join(players.names())}; settings follow a colon, as in 'heuristic:e=0.2'. See 'nobi players'. "
    "Or a model file."
)
PLAYER_HELP = f"{OWN_PLAYER_HELP} Or another engine, as in 'gtp:gnugo --mode gtp --level 1'."

_NOT_KEPT = ("json", "threads", "executor", "folder", "resume", "parallel", "generations", "max_games", "log")
"""Flags of `match`, `tournament` and `tune` that do not change the games."""
_MAX_REASONS = 5
"""Maximum number of reasons of forfeits that are listed separately."""


@dataclass(frozen=True)
class SeriesFlags(ExecutorFlags):
    """The flags for games that are played one by one."""

    threads: int = 0
    """Threads of games between fast players; 0: one per core. Games played one by one use --parallel; the threads of a
    search are a setting of the player, as in 'mcts:threads=2'."""
    folder: Path | None = None
    """Save every game as SGF in this folder, and games.jsonl."""
    resume: bool = False
    """Continue the match in --folder, if there is one."""
    referee: Annotated[str, tyro.conf.arg(metavar="COMMAND")] = ""
    """An engine that scores games of Go, as in 'gnugo --mode gtp --chinese-rules'; by default nobi does."""
    handicap: int = 0
    """Handicap stones of Black, in Go."""
    openings: Path | None = None
    """A file with the moves of one opening per line, an SGF file or a folder of SGF files; each opening is used for two
    games, with colours exchanged."""
    random_moves: int = 0
    """Begin with this number of random moves, the same in two games with colours exchanged."""
    seconds: float | None = None
    """Time per move, for players that use time; a small excess does not lose."""
    main_time: float | None = None
    """Seconds of main time for each player and game. A player that exceeds the time loses."""
    byo_yomi: float | None = None
    """Seconds of a byo-yomi period, after the main time."""
    periods: int | None = None
    """Number of byo-yomi periods; 1 by default. A move that takes longer than a period uses it up."""
    stones: int | None = None
    """Stones to be played in each period instead (Canadian byo-yomi)."""
    timeout: float = 60.0
    """Seconds that an engine may take for an answer before it loses the game."""
    parallel: int = 1
    """Number of games played at the same time; with --executor ray, all workers play."""

    def check(self) -> None:
        super().check()
        if self.resume and not self.folder:
            raise NobiError("--resume needs --folder, the folder of the match to continue.")
        if sum(map(bool, (self.handicap, self.openings, self.random_moves))) > 1:
            raise NobiError("Give only one of --handicap, --openings and --random-moves.")
        if self.seconds is not None and (self.main_time is not None or self.byo_yomi is not None):
            raise NobiError("Give --seconds, or a clock by --main-time and --byo-yomi, not both.")
        if self.periods is not None and self.stones is not None:
            raise NobiError("Give only one of --periods and --stones.")
        if self.byo_yomi is None and (self.periods is not None or self.stones is not None):
            raise NobiError("--periods and --stones need --byo-yomi, the seconds of a period.")
        self.require(0, "random_moves", "handicap")
        self.require(1, "parallel", "periods", "stones")
        for name in ("seconds", "main_time", "byo_yomi", "timeout"):
            value = getattr(self, name)
            if value is not None and not 0 < value < 1e6:
                raise NobiError(f"--{name.replace('_', '-')} must be above 0, not {value}.")

    def needs_series(self) -> bool:
        """Return whether a flag is given that applies only to games played one by one."""
        common = {field.name for field in fields(ExecutorFlags)}
        return any(
            getattr(self, field.name) != field.default for field in fields(SeriesFlags) if field.name not in common
        )

    def time_settings(self) -> "TimeSettings":
        """Return the clock of the flags."""
        from nobi.clock import TimeSettings

        main, period = self.main_time or 0.0, self.byo_yomi or 0.0
        if not main and not period:
            return TimeSettings()
        if self.stones:
            return TimeSettings("canadian", main, period, self.stones)
        return TimeSettings("byoyomi", main, period, self.periods or 1)

    def series_executor(self) -> "Executor":
        """Return the executor of games that are played one by one."""
        from nobi.workers import make_executor

        return make_executor(self.executor, self.parallel if self.executor == "local" else self.threads)

    def opening_source(self, variant: "Variant") -> "Callable[[int], Opening]":
        """Return the function from the number of a pair of games to its opening."""
        from nobi.matches.openings import Opening, handicap_opening, random_opening, read_openings

        if self.handicap:
            opening = handicap_opening(variant, self.handicap)
            return lambda _: opening
        if self.openings:
            book = read_openings(self.openings, variant)
            return lambda number: book[number % len(book)]
        if self.random_moves:
            return cache(lambda number: random_opening(variant, self.random_moves, self.seed, number))
        return lambda _: Opening()


class PlayedSeries(NamedTuple):
    """The games of a series."""

    records: "list[GameResult]"
    """The results ordered by number, including those from the folder."""
    interrupted: str
    """`Result.interrupted` after Ctrl-C."""


@contextmanager
def open_series(
    flags: SeriesFlags,
    specs: Sequence[str],
    variant: "Variant",
    executor: "Executor",
    path: Path | None,
    records: "list[GameResult]",
) -> "Iterator[Callable[..., None]]":
    """Start the players and open the match folder at `path`; append its games to `records`.

    Yield a function `play(schedule, update, enough=lambda: False)`, which plays the remaining games of a schedule; see
    `Series.play`. `update` is called after each game.
    """
    from nobi.matches.folder import MatchFolder
    from nobi.matches.series import Entrant, Series, SeriesSettings, remaining, result_saver

    parallel = usable_threads(flags.parallel)
    settings = SeriesSettings(variant, flags.referee, flags.seconds, flags.timeout, parallel, flags.time_settings())
    # different seeds: two players of one kind would otherwise draw the same random numbers
    entrants = [Entrant(spec, variant, (flags.seed + i) % 2**63, flags.timeout) for i, spec in enumerate(specs)]
    opening_of = flags.opening_source(variant)
    opening_of(0)  # raises errors before a player is started
    with Series(settings, entrants, executor) as series:  # raises errors about players before anything is written
        folder = None
        if path:
            kept = {key: value for key, value in asdict(flags).items() if key not in _NOT_KEPT}
            folder = MatchFolder(path, plain({"nobi": nobi.__version__, **kept}), resume=flags.resume)
            records += folder.load()
        for note in series.notes():
            print(f"nobi: {note}", file=sys.stderr)

        def play(
            schedule: "Sequence[Pairing]", update: Callable[[], None], enough: Callable[[], bool] = lambda: False
        ) -> None:
            series.play(remaining(schedule, records), opening_of, result_saver(records, folder, update), enough)

        yield play


def play_series(
    flags: SeriesFlags,
    specs: Sequence[str],
    game: str,
    size: int,
    count: int,
    draw: "Callable[[list[GameResult]], Table]",
) -> PlayedSeries:
    """Play `count` games between each pair of players; `draw` returns the table that is shown during the games."""
    from nobi.matches.series import pairings

    variant = games.variant(game, size)
    schedule = pairings(len(specs), count)
    records: list[GameResult] = []
    interrupted = ""
    with (
        flags.series_executor() as executor,
        open_series(flags, specs, variant, executor, flags.folder, records) as play,
    ):
        if any(record.game >= len(schedule) for record in records):
            raise NobiError(f"The folder {str(flags.folder)!r} contains more games than requested.")
        with progress_bar("games", len(schedule), note=not executor.local, table=lambda: draw(records)) as bar:

            def update() -> None:
                bar(len(records), executor.describe())

            update()
            try:
                play(schedule, update)
            except KeyboardInterrupt:
                interrupted = f"after {len(records)} of {len(schedule)} games"
    return PlayedSeries(sorted(records, key=lambda record: record.game), interrupted)


def series_notes(flags: SeriesFlags, records: "list[GameResult]", names: Sequence[str]) -> list[str]:
    """Return sentences for below the table: omitted, undecided and forfeited games, and the folder."""
    from nobi.matches.folder import forfeits, void_reasons, without_repetitions

    kept, repeated = without_repetitions(records)
    lines = []
    if repeated:
        lines.append(f"Omitted because they repeat an earlier game: {repeated} of {len(records)} games.")
    lines += [
        f"{count} {'game has' if count == 1 else 'games have'} no result: {reason}."
        for reason, count in _most_common(void_reasons(kept))
    ]
    lines += [
        f"Forfeited {'once' if count == 1 else f'{count} times'}: {reason}."
        for reason, count in _most_common(forfeits(kept, names))
    ]
    if flags.folder:
        lines.append(f"The games are in {flags.folder}.")
    return lines


def _most_common(reasons: "Counter[str]") -> list[tuple[str, int]]:
    """Return the most frequent reasons; the others are combined."""
    common = reasons.most_common()
    listed, others = common[:_MAX_REASONS], common[_MAX_REASONS:]
    if others:
        listed.append(("other reasons, see the records of the games", sum(count for _, count in others)))
    return listed


def elo_text(elo: "Interval") -> str:
    """Return an interval such as `+35 (−10 to +81)`."""
    return f"{_signed(elo.value)} ({_signed(elo.low)} to {_signed(elo.high)})"


def _signed(value: float) -> str:
    if value != value:  # NaN
        return "?"
    return ("−" if value < 0 else "+") + ("∞" if abs(value) == float("inf") else f"{abs(value):.0f}")
