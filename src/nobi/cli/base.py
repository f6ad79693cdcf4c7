"""What the commands share: their common flags, JSON, progress, and the note that something is being compiled.

MERGED cli/tables.py: Tables on the terminal: one look for all commands.
"""

import dataclasses
import json
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import tyro

from nobi.errors import NobiError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from rich.progress import ProgressColumn, Task

    Settings = TypeVar("Settings", bound=DataclassInstance)
    from rich.console import Console
    from rich.table import Table


UNSET: Any = tyro.conf.arg(help_behavior_hint="")
"""For a flag whose default is None: that it is not given by default goes without saying."""


@dataclass(frozen=True)
class CommonFlags:
    """The flags that every command takes."""

    seed: int = 0
    """Chooses all random numbers: the same seed gives the same results, on any number of threads."""
    threads: int = 0
    """How many threads to use; 0 for one a core."""
    json: Annotated[bool, tyro.conf.arg(help="Print one JSON document on standard output, and nothing else there.")] = (
        False
    )

    def check(self) -> None:
        """Refuses what no command can do."""
        if not 0 <= self.seed < 2**63:
            raise NobiError(f"--seed must be 0 to 2^63 - 1, not {self.seed}.")
        if self.threads < 0:
            raise NobiError(f"--threads must be 0 or more, not {self.threads}.")


def settings_among(flags: object, kind: "type[Settings]") -> "Settings":
    """The settings among the flags of a command that inherits them."""
    return kind(**{field.name: getattr(flags, field.name) for field in dataclasses.fields(kind)})


def print_json(document: Any) -> None:
    """Prints dataclasses, lists and dicts as one JSON document; numbers that JSON lacks become null."""
    print(json.dumps(_plain(document), indent=2, ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


@cache
def announce_compiling() -> None:
    """Says what is being compiled, which happens once for each version of the program."""
    from nobi import compiling  # not `from … import`: an edit of this file leaves compiled code as it is

    def say(what: str) -> None:
        hint = "" if said else "; 'nobi warm-up' compiles everything"
        said.append(what)
        print(f"Compiling {what} (once per version{hint}) …", file=sys.stderr, flush=True)

    said: list[str] = []
    compiling.when_compiling(say)


def nothing_done() -> int:
    """Says that Ctrl-C came before there was anything to save; returns the exit code."""
    print("nobi: interrupted before anything was done; the same command with --resume begins again.", file=sys.stderr)
    return 130


class Stopwatch:
    """The time since its start, without that in which functions were compiled."""

    def __init__(self) -> None:
        self._start = self._now()

    def seconds(self) -> float:
        """The time, never exactly 0: it is divided by."""
        return max(self._now() - self._start, 1e-9)

    def _now(self) -> float:
        from nobi import compiling

        return time.perf_counter() - compiling.seconds_compiling()


LOG_SECONDS = 60.0
"""The time between two lines of progress where there is no terminal."""


@contextmanager
def progress_lines(describe: Callable[[], str]) -> Iterator[None]:
    """Prints `describe()` on standard error once a minute, for logs, where a bar cannot be drawn."""
    done, stream = threading.Event(), sys.stderr

    def print_lines() -> None:
        while not done.wait(LOG_SECONDS):
            print(f"nobi: {describe()}", file=stream, flush=True)

    thread = threading.Thread(target=print_lines, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


class ProgressText:
    """How far a command is, as one line of text: `games 30 of 100, 1:12 so far, about 2:48 left`."""

    def __init__(self, what: str, total: float) -> None:
        """`what` is counted, such as games; a total of 1 is a share of the whole work."""
        self._what = what
        self._start = time.monotonic()
        self._first: tuple[float, float] | None = None
        """How much was done at the first update, and when that was: a run that is resumed does not begin with 0."""
        self._done, self._total, self._note = 0.0, total, ""

    def update(self, done: float, total: float, note: str = "") -> None:
        """Notes how much is done."""
        if self._first is None:
            self._first = done, time.monotonic()
        self._done, self._total, self._note = done, total, note

    def __str__(self) -> str:
        now = time.monotonic()
        amount = f"{100 * self._done:.0f} %" if self._total == 1 else f"{self._done:,.0f} of {self._total:,.0f}"
        parts = [f"{self._what} {amount}", f"{_minutes(now - self._start)} so far"]
        first, since = self._first or (0.0, now)
        if self._total > self._done >= first + 0.01 * self._total:  # what took less tells nothing
            left = (self._total - self._done) * (now - since) / (self._done - first)
            parts.append(f"about {_minutes(left)} left")
        return ", ".join(parts) + (f"; {self._note}" if self._note else "")


def _minutes(seconds: float) -> str:
    """`2:05`, or `1:02:05`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@contextmanager
def progress_bar(what: str, total: int, *, note: bool = False, show: bool = True) -> Iterator[Callable[..., None]]:
    """A bar with the time left on standard error if that is a terminal, and else a line a minute.

    Gives a function to be told how much is done and, where `note` is set, a few words to stand beside the bar; also the
    `total`, if that is known only later. `show` switches all of it off.
    """
    from rich.console import Console
    from rich.progress import Progress

    console = Console(file=sys.stderr)
    if not show:
        yield lambda *_, **__: None
    elif console.is_terminal:
        with Progress(*progress_columns(note=note), console=console, transient=True) as progress:
            task = progress.add_task(what, total=total, note="")
            yield lambda done, words="", total=total: progress.update(task, completed=done, note=words, total=total)
    else:
        text = ProgressText(what, total)
        with progress_lines(lambda: str(text)):
            yield lambda done, words="", total=total: text.update(done, total, words)


def progress_columns(*, note: bool) -> "list[ProgressColumn]":
    """What, how much of how much, the time left and, if asked for, a note.

    On a narrow terminal the bar and the note give way, never the numbers.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.table import Column
    from rich.text import Text

    class Words(TextColumn):
        """A text that is cut where there is no room, rather than wrapped."""

        def render(self, task: "Task") -> Text:
            """The text."""
            words = super().render(task)
            words.no_wrap, words.overflow = True, "ellipsis"
            return words

    columns = [
        TextColumn("{task.description}"),
        BarColumn(6 if note else 40),
        MofNCompleteColumn(table_column=Column(no_wrap=True)),
        TimeRemainingColumn(table_column=Column(no_wrap=True)),
        TextColumn("left"),
    ]
    return [*columns, Words("{task.fields[note]}", table_column=Column())] if note else columns


_FILE_WIDTH = 400
"""Of what is written to a file or to another program, which have no width."""


def output_console(*, stderr: bool = False, highlight: bool = True) -> "Console":
    """Standard output or error: as wide as the terminal, or wide enough for any table where there is none.

    Words are printed as they are, brackets too: some come from other programs, or name files.
    """
    from rich.console import Console

    console = Console(stderr=stderr, markup=False, emoji=False, highlight=highlight)
    if not console.is_terminal:
        console.width = _FILE_WIDTH
    return console


def plain_table(left: Sequence[str], right: Sequence[str] = ()) -> "Table":
    """An empty table without frames: columns of words, which may wrap, then columns of numbers, which do not."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for head in left:
        table.add_column(head)
    for head in right:
        table.add_column(head, justify="right", no_wrap=True)
    return table


def print_table(console: "Console", title: str, table: "Table") -> None:
    """A title that is not broken at the table's width, as Rich's own titles are, and the table."""
    console.print(title, style="italic", soft_wrap=True, highlight=False, markup=False)
    console.print(table)
