"""What the commands share: their common flags, JSON, progress, and the note that something is being compiled."""

import dataclasses
import json
import math
import sys
from collections.abc import Callable, Iterator
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
    """Says so, once, when machine code is made, which happens once for each version of the program."""
    from nobi.compiling import when_compiling

    when_compiling(
        lambda: print("Compiling for this machine; this takes up to a minute, once …", file=sys.stderr, flush=True)
    )


def nothing_done() -> int:
    """Says that Ctrl-C came before there was anything to save; returns the exit code."""
    print("nobi: interrupted before anything was done; the same command with --resume begins again.", file=sys.stderr)
    return 130


@contextmanager
def progress_bar(what: str, total: int, *, note: bool = False, show: bool = True) -> Iterator[Callable[..., None]]:
    """A bar with the time left on standard error, if that is a terminal.

    Gives a function to be told how much is done and, where `note` is set, a few words to stand beside the bar; also the
    `total`, if that is known only later. `show` switches the bar off.
    """
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    columns = progress_columns(note=note)
    with Progress(*columns, console=console, transient=True, disable=not (show and console.is_terminal)) as progress:
        task = progress.add_task(what, total=total, note="")
        yield lambda done, words="", total=total: progress.update(task, completed=done, note=words, total=total)


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
