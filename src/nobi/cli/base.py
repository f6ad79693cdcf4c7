"""Common parts of commands: flags, the base classes `Command` and `LongCommand`, and the output of JSON and tables."""

import dataclasses
import json
import math
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, TypeVar

import tyro

from nobi.cli import Interrupted
from nobi.errors import NobiError
from nobi.spec import whole_number

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from rich.console import Console
    from rich.table import Table

    from nobi.workers import Executor

    Settings = TypeVar("Settings", bound=DataclassInstance)


@dataclass(frozen=True)
class CommonFlags:
    """The flags of every command."""

    former_flags: ClassVar[Mapping[str, str]] = {}
    """Flags of earlier versions that are still accepted, and the present ones."""

    seed: int = 0
    """Seed of all random numbers: the same seed gives the same results, on any number of threads."""
    threads: int = 0
    """Number of threads; 0: one per core."""
    json: Annotated[bool, tyro.conf.arg(help="Print one JSON document to standard output, and nothing else.")] = False

    @classmethod
    def translate(cls, words: Sequence[str]) -> list[str]:
        """Return the arguments with the present names of flags."""
        parts = (word.partition("=") for word in words)
        return [f"{cls.former_flags.get(name, name)}{equals}{value}" for name, equals, value in parts]

    def check(self) -> None:
        """Raise a NobiError for values that are invalid in every command."""
        whole_number(self.seed, "--seed")
        self.require(0, "threads")

    def require(self, least: int, *names: str) -> None:
        """Raise a NobiError if one of these flags has a value below `least`."""
        for name in names:
            value = getattr(self, name)
            if value is not None and value < least:
                raise NobiError(f"--{name.replace('_', '-')} must be {least} or more, not {value}.")


class Result(NamedTuple):
    """The output of a command."""

    document: Any
    """The document for --json; see `print_json`."""
    report: "Sequence[str | tuple[str, Table]]"
    """The output without --json: sentences, and tables with their titles."""
    interrupted: str = ""
    """After Ctrl-C: the amount of finished work, such as `after 3 of 10 games`."""


@dataclass(frozen=True)
class Command(CommonFlags, ABC):
    """A command that prints a report, or one document with --json."""

    def run(self) -> int:
        """Check the flags, execute, and print the result; return the exit code."""
        self.check()
        announce_compiling()
        result = self.execute()
        if self.json:
            print_json(result.document)
        else:
            print_report(result.report)
        if result.interrupted:
            raise Interrupted(result.interrupted)
        return 0

    @abstractmethod
    def execute(self) -> Result:
        """Execute the command and return its output."""


@dataclass(frozen=True)
class ExecutorFlags(Command):
    """The flags of commands that play many games."""

    executor: Annotated[str, tyro.conf.arg(metavar="local|ray|ray://HOST:PORT")] = "local"
    """Where games are played: local (threads of this process), ray (a Ray on this machine, which is started if there is
    none) or ray://host:port (a cluster). The results are the same. With ray, --threads is the number of workers."""

    def new_executor(self) -> "Executor":
        """Return the executor of the flags."""
        from nobi.workers import make_executor

        return make_executor(self.executor, self.threads)


def joined(*notes: str) -> str:
    """Return the notes of a progress bar as one text, without empty ones."""
    return ", ".join(filter(None, notes))


def settings_among(flags: object, kind: "type[Settings]") -> "Settings":
    """Return the settings dataclass of a command that inherits its fields as flags."""
    return kind(**{field.name: getattr(flags, field.name) for field in dataclasses.fields(kind)})


@cache
def announce_compiling() -> None:
    """Report on standard error what is being compiled, which happens once per version of the program."""
    from nobi import compiling  # not `from … import`: changes of this file must not invalidate compiled code

    def announce(what: str) -> None:
        hint = "" if announced else "; 'nobi warm-up' compiles everything"
        announced.append(what)
        print(f"Compiling {what} (once per version{hint}) …", file=sys.stderr, flush=True)

    announced: list[str] = []
    compiling.when_compiling(announce)


class Stopwatch:
    """The time since its creation, without the time spent compiling."""

    def __init__(self) -> None:
        self._start = self._now()

    def seconds(self) -> float:
        """Return the time; never 0, because it is used as a divisor."""
        return max(self._now() - self._start, 1e-9)

    def _now(self) -> float:
        from nobi import compiling

        return time.perf_counter() - compiling.seconds_compiling()


def rate_text(per_second: float) -> str:
    """Return a number per second, with one decimal place below 10."""
    return f"{per_second:,.{1 if per_second < 10 else 0}f}"


def print_json(document: Any) -> None:
    """Print dataclasses, lists and dicts as one JSON document; NaN and infinities become null."""
    print(json.dumps(plain(document), indent=2, ensure_ascii=False, allow_nan=False))


def plain(value: Any) -> Any:
    """Convert a value to JSON types."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, Path) else value


_FILE_WIDTH = 400
"""Width of output to a file or to another program."""


def output_console() -> "Console":
    """Return a console for standard output: as wide as the terminal, or wide enough for any table without a terminal.

    Text is printed literally, without markup, since it may come from engines or be a file name.
    """
    from rich.console import Console

    console = Console(markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _FILE_WIDTH
    return console


def plain_table(left: Sequence[str], right: Sequence[str] = ()) -> "Table":
    """Return an empty table without frames: columns of text, which may wrap, then columns of numbers, which do not."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for head in left:
        table.add_column(head)
    for head in right:
        table.add_column(head, justify="right", no_wrap=True)
    return table


def print_report(report: "Sequence[str | tuple[str, Table]]") -> None:
    """Print sentences, and tables with their titles, on standard output."""
    console = output_console()
    for part in report:
        if isinstance(part, str):
            console.print(part, highlight=False, soft_wrap=True)
            continue
        title, table = part
        _fit(table, console)
        if title:  # Rich itself would wrap it at the width of the table
            console.print(title, style="italic", soft_wrap=True, highlight=False)
        console.print(table, crop=False)


def table_width(table: "Table", console: "Console") -> int:
    """Return the width of a table without wrapped text."""
    return console.measure(table, options=console.options.update(width=_FILE_WIDTH)).maximum


def _fit(table: "Table", console: "Console") -> None:
    """Let text wrap between words only: Rich would cut names and numbers that do not fit into the terminal."""
    if table_width(table, console) <= console.width:
        return
    table.pad_edge = table.show_edge = False
    for column in table.columns:
        texts = [str(column.header), *map(str, column.cells)]
        parts = texts if column.no_wrap else [word for text in texts for word in text.split()]
        column.min_width = max(map(len, parts), default=0)
