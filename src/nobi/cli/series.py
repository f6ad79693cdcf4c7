"""What `nobi match` between bots and `nobi tournament` share: their flags, and playing with a live table.

MERGED cli/tournament.py: `nobi tournament`: everybody against everybody.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from nobi import games, players
from nobi.cli.base import (
    UNSET,
    CommonFlags,
    ProgressText,
    output_console,
    progress_lines,
)
from nobi.errors import NobiError

if TYPE_CHECKING:
    from collections import Counter

    from rich.console import RenderableType

    from nobi.clock import TimeSettings
    from nobi.games.base import Variant
    from nobi.matches.folder import GameResult
    from nobi.matches.openings import Opening
    from nobi.statistics import Interval

_NOT_KEPT = ("json", "threads", "folder", "resume", "parallel")
"""Flags that change no game."""

_MOST_REASONS = 5
"""How many reasons why games went wrong are told one by one."""


@dataclass(frozen=True)
class SeriesFlags(CommonFlags):
    """How games between bots are played."""

    threads: int = 0
    """Threads of games between fast players; 0 for one a core. Games one by one have --parallel, and a player that
    searches is told in its word, as in 'mcts:threads=2'."""
    folder: Annotated[Path | None, UNSET] = None
    """Keep the match here: every game as SGF, and games.jsonl."""
    resume: bool = False
    """Go on with the match in --folder, if it holds one."""
    referee: Annotated[str, tyro.conf.arg(metavar="COMMAND")] = ""
    """An engine that counts the games of Go, as in 'gnugo --mode gtp --chinese-rules'; else nobi does."""
    handicap: int = 0
    """Handicap stones of black, in Go."""
    openings: Annotated[Path | None, UNSET] = None
    """A file with the moves of an opening on each line, an SGF file or a folder of them; used by turns, for two games
    each, with colours exchanged."""
    random_moves: int = 0
    """Begin with so many random moves, the same in two games, with colours exchanged."""
    seconds: Annotated[float | None, UNSET] = None
    """Time for a move, for players that know of time; nobody loses by being a little late."""
    main_time: Annotated[float | None, UNSET] = None
    """Seconds of main time for each player and game. Whoever oversteps the time loses."""
    byo_yomi: Annotated[float | None, UNSET] = None
    """Seconds of a byo-yomi period, after the main time."""
    periods: Annotated[int | None, UNSET] = None
    """How many byo-yomi periods there are; 1 by default. A move that takes longer than a period loses it."""
    stones: Annotated[int | None, UNSET] = None
    """Stones to be played in each period instead (Canadian byo-yomi)."""
    timeout: float = 60.0
    """Seconds that an engine may take for an answer before it loses the game."""
    parallel: int = 1
    """How many games to play at once."""

    def check_series(self) -> None:
        """Refuses flags that do not go together."""
        self.check()
        if self.resume and not self.folder:
            raise NobiError("--resume needs --folder, the folder of the match to go on with.")
        if sum(map(bool, (self.handicap, self.openings, self.random_moves))) > 1:
            raise NobiError("Give only one of --handicap, --openings and --random-moves.")
        if self.seconds is not None and (self.main_time is not None or self.byo_yomi is not None):
            raise NobiError("Give --seconds, or a clock by --main-time and --byo-yomi, not both.")
        if self.periods is not None and self.stones is not None:
            raise NobiError("Give only one of --periods and --stones.")
        if self.byo_yomi is None and (self.periods is not None or self.stones is not None):
            raise NobiError("--periods and --stones need --byo-yomi, the seconds of a period.")
        for name, least in (("random_moves", 0), ("parallel", 1), ("handicap", 0), ("periods", 1), ("stones", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise NobiError(f"--{name.replace('_', '-')} must be {least} or more, not {value}.")
        for name in ("seconds", "main_time", "byo_yomi", "timeout"):
            value = getattr(self, name)
            if value is not None and not 0 < value < 1e6:
                raise NobiError(f"--{name.replace('_', '-')} must be above 0, not {value}.")

    def time_settings(self) -> "TimeSettings":
        """The clocks that the flags ask for."""
        from nobi.clock import TimeSettings

        main, period = self.main_time or 0.0, self.byo_yomi or 0.0
        if not main and not period:
            return TimeSettings()
        if self.stones:
            return TimeSettings("canadian", main, period, self.stones)
        return TimeSettings("byoyomi", main, period, self.periods or 1)

    def asks_for_series(self) -> bool:
        """Whether a flag was given that the fast arena does not know."""
        return any(
            getattr(self, field.name) != field.default for field in fields(SeriesFlags) if field.name not in _COMMON
        )


_COMMON = {field.name for field in fields(CommonFlags)}


def opening_source(flags: SeriesFlags, variant: "Variant") -> "Callable[[int], Opening]":
    """The opening of every pair of games."""
    from nobi.matches.openings import Opening, handicap_opening, random_opening, read_openings

    if flags.handicap:
        opening = handicap_opening(variant, flags.handicap)
        return lambda _: opening
    if flags.openings:
        book = read_openings(flags.openings, variant)
        return lambda number: book[number % len(book)]
    if flags.random_moves:
        return cache(lambda number: random_opening(variant, flags.random_moves, flags.seed, number))
    return lambda _: Opening()


def play(
    flags: SeriesFlags,
    words: list[str],
    game: str,
    size: int,
    count: int,
    draw: "Callable[[list[GameResult]], RenderableType]",
) -> "tuple[list[GameResult], int]":
    """Plays a match or tournament; returns the games, those from the folder among them, and how many it should be.

    `draw` makes the table that is shown while the games go on.
    """
    from nobi.matches.folder import MatchFolder
    from nobi.matches.series import Entrant, Series, SeriesSettings, pairings, remaining, result_saver

    variant = games.variant(game, size)
    time = flags.time_settings()
    settings = SeriesSettings(variant, flags.referee, flags.seconds, flags.timeout, flags.parallel, time)
    # a seed for each, or else two players of one kind would draw the same numbers
    entrants = [Entrant(spec, variant, (flags.seed + i) % 2**63, flags.timeout) for i, spec in enumerate(words)]
    schedule = pairings(len(words), count)
    opening_of = opening_source(flags, variant)
    opening_of(0)
    # the series complains of what cannot be before anything is written
    with Series(settings, entrants) as series:
        folder = MatchFolder(flags.folder, kept_settings(flags), resume=flags.resume) if flags.folder else None
        records = folder.load() if folder else []
        if any(record.game >= len(schedule) for record in records):
            raise NobiError(f"The folder {str(flags.folder)!r} holds more games than are asked for.")
        for note in series.notes():
            print(f"nobi: {note}", file=sys.stderr)
        with live_table(lambda: draw(records), lambda: (len(records), len(schedule))) as tell:
            try:
                series.play(remaining(schedule, records), opening_of, result_saver(records, folder, tell))
            except KeyboardInterrupt:
                print(f"nobi: interrupted after {len(records)} of {len(schedule)} games.", file=sys.stderr)
    return sorted(records, key=lambda record: record.game), len(schedule)


def kept_settings(flags: SeriesFlags) -> dict[str, Any]:
    """What the games depend on, for config.json."""
    import nobi

    found = {key: value for key, value in asdict(flags).items() if key not in _NOT_KEPT}
    return {"nobi": nobi.__version__} | {
        key: str(value) if isinstance(value, Path) else list(value) if isinstance(value, tuple) else value
        for key, value in found.items()
    }


@contextmanager
def live_table(
    draw: "Callable[[], RenderableType]", progress: Callable[[], tuple[int, int]]
) -> Iterator[Callable[[], None]]:
    """A table and a bar with the time left on standard error if that is a terminal, and else a line a minute; gives a
    function to be called when there is news.
    """
    from rich.console import Group
    from rich.live import Live
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = output_console(stderr=True)
    if not console.is_terminal:
        text = ProgressText("games", progress()[1])
        text.update(*progress())
        with progress_lines(lambda: str(text)):
            yield lambda: text.update(*progress())
        return
    bar = Progress(TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("left"))
    done, total = progress()
    task = bar.add_task("games", total=total, completed=done)
    with Live(Group(draw(), bar), console=console, transient=True, refresh_per_second=4) as live:

        def tell() -> None:
            bar.update(task, completed=progress()[0])
            live.update(Group(draw(), bar))

        yield tell


def fault_lines(records: "list[GameResult]", names: Sequence[str]) -> list[str]:
    """What to tell of games without a result and of forfeited ones; `names` are those of the players."""
    from nobi.matches.folder import forfeits, void_reasons

    lines = [
        f"{count} {'game has' if count == 1 else 'games have'} no result: {reason}."
        for reason, count in _most_common(void_reasons(records))
    ]
    lines += [
        f"Forfeited {'once' if count == 1 else f'{count} times'}: {words}."
        for words, count in _most_common(forfeits(records, names))
    ]
    return lines


def _most_common(reasons: "Counter[str]") -> list[tuple[str, int]]:
    """The reasons that are told one by one, and the others as one."""
    common = reasons.most_common()
    told, others = common[:_MOST_REASONS], common[_MOST_REASONS:]
    if others:
        told.append(("other reasons, which the records of the games tell", sum(count for _, count in others)))
    return told


def elo_numbers(elo: Mapping[str, float]) -> dict[str, float | str]:
    """An Elo interval for JSON, which has no infinite numbers: the words `inf` and `-inf` stand for them."""
    return {key: str(value) if abs(value) == float("inf") else value for key, value in elo.items()}


def elo_text(elo: "Interval") -> str:
    """`+35 (−10 to +81)`."""
    return f"{_signed(elo.value)} ({_signed(elo.low)} to {_signed(elo.high)})"


def _signed(value: float) -> str:
    if value != value:  # not a number
        return "?"
    return ("−" if value < 0 else "+") + ("∞" if abs(value) == float("inf") else f"{abs(value):.0f}")


OWN_PLAYER_HELP = (
    f"A player: {', '.join(players.names())}; settings follow a colon, as in 'heuristic:e=0.2'. See 'nobi players'. "
    "Or a model file."
)
PLAYER_HELP = f"{OWN_PLAYER_HELP} Or another engine, as in 'gtp:gnugo --mode gtp --level 1'."
