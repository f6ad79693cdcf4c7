"""Common parts of `nobi match`, `nobi tournament` and `nobi tune` for games that are played one by one."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from nobi import games, players
from nobi.cli import Interrupted
from nobi.cli.base import CommonFlags, ExecutorFlags, settings_among
from nobi.cli.progress import progress_bar
from nobi.errors import NobiError
from nobi.matches.settings import SeriesSettings

if TYPE_CHECKING:
    from collections import Counter

    from rich.table import Table

    from nobi.matches.folder import GameResult
    from nobi.matches.series import Series
    from nobi.workers import Executor

OWN_PLAYER_HELP = (
    f"A player: {', '.join(players.names())}; settings follow a colon, as in 'heuristic:e=0.2'. See 'nobi players'. "
    "Or a model file."
)
PLAYER_HELP = f"{OWN_PLAYER_HELP} Or another engine, as in 'gtp:gnugo --mode gtp --level 1'."

_MAX_REASONS = 5
"""Maximum number of reasons of forfeits that are listed separately."""


@dataclass(frozen=True)
class SeriesFlags(ExecutorFlags, SeriesSettings):
    """How games are played one by one."""

    former_flags: ClassVar[Mapping[str, str]] = {"--parallel": "--threads", "--sgf": "--folder"}

    threads: int = 0
    """Number of games played at the same time. By default one per core, but one game at a time where engines or
    searches play; the threads of a search are a setting of the player, as in 'mcts:threads=2'."""
    folder: Path | None = None
    """Save every game as SGF in this folder, and games.jsonl."""
    resume: bool = False
    """Continue the match in --folder, if there is one."""

    def check(self) -> None:
        super().check()
        if self.resume and not self.folder:
            raise NobiError("--resume needs --folder, the folder of the match to continue.")

    def needs_series(self) -> bool:
        """Return whether a flag is given that only games played one by one have."""
        common = {field.name for field in fields(CommonFlags)}
        names = ["folder", *(field.name for field in fields(SeriesSettings) if field.name not in common)]
        return any(getattr(self, name) != getattr(SeriesFlags, name) for name in names)

    def series_executor(self) -> "Executor":
        """Return the executor of games that are played one by one."""
        from nobi.workers import make_executor

        return make_executor(self.executor, self.threads or (1 if self.executor == "local" else 0))

    @contextmanager
    def open_series(
        self,
        specs: Sequence[str],
        game: str,
        size: int,
        executor: "Executor",
        stored: Mapping[str, Any],
        folder: Path | None,
    ) -> "Iterator[Series]":
        """Start the players and open the folder, in which `stored` is kept besides the settings; print notes."""
        from nobi.matches.series import open_series

        settings, variant = settings_among(self, SeriesSettings), games.variant(game, size)
        with open_series(settings, variant, specs, executor, folder, stored, resume=self.resume) as series:
            for note in series.notes():
                print(f"nobi: {note}", file=sys.stderr)
            yield series

    def play_series(
        self,
        stored: Mapping[str, Any],
        specs: Sequence[str],
        game: str,
        size: int,
        count: int,
        draw: "Callable[[list[GameResult]], Table]",
    ) -> "PlayedSeries":
        """Play `count` games between every two players; `draw` makes the table that is shown meanwhile."""
        from nobi.matches.series import pairings, play_series

        interrupted = ""
        with (
            self.series_executor() as executor,
            self.open_series(specs, game, size, executor, stored, self.folder) as series,
        ):
            results, total = series.results, len(pairings(len(specs), count))
            with progress_bar("games", total, note=not executor.local, table=lambda: draw(results)) as bar:
                try:
                    play_series(series, len(specs), count, lambda: bar(len(results), executor.describe()))
                except KeyboardInterrupt:
                    if not results:
                        raise Interrupted(f"before the end of the first of {total:,} games") from None
                    interrupted = f"after {len(results):,} of {total:,} games"
        return PlayedSeries(sorted(results, key=lambda result: result.game), interrupted)


class PlayedSeries(NamedTuple):
    """The games of a series."""

    results: "list[GameResult]"
    """The results ordered by number, including those from the folder."""
    interrupted: str
    """`Result.interrupted` after Ctrl-C."""


def series_notes(flags: SeriesFlags, results: "list[GameResult]", names: Sequence[str]) -> list[str]:
    """Return sentences for below the table: omitted, undecided and forfeited games, and the folder."""
    from nobi.matches.folder import forfeits, void_reasons, without_repetitions

    kept, repeated = without_repetitions(results)
    lines = []
    if repeated:
        lines.append(f"Omitted because they repeat an earlier game: {repeated} of {len(results)} games.")
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
