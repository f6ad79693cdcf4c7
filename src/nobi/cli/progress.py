"""The display of progress on standard error: a bar in a terminal, otherwise one line per minute."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.progress import ProgressColumn, Task

    from nobi.workers import Executor

LOG_SECONDS = 60.0
"""The time between two lines without a terminal."""


@contextmanager
def progress_bar(
    what: str,
    total: float,
    *,
    note: bool = False,
    share: bool = False,
    show: bool = True,
    table: "Callable[[], RenderableType] | None" = None,
) -> Iterator[Callable[..., None]]:
    """Show progress; yield a function `update(done, note="", total=total)`.

    Args:
        what: the units that are counted, such as games.
        total: the total number of units.
        note: whether `update` receives a note, which is shown next to the bar.
        share: show percentages of the total instead of counts.
        show: False shows nothing.
        table: draws a table above the bar; called at every update.
    """
    from rich.console import Console

    console = Console(file=sys.stderr, markup=False, emoji=False)
    if not show:
        yield lambda *_, **__: None
    elif console.is_terminal:
        from rich.console import Group
        from rich.live import Live
        from rich.progress import Progress

        # the time of study jobs is known only roughly: the mean speed over ten minutes gives a better estimate
        bar = Progress(*progress_columns(note=note, share=share), speed_estimate_period=600.0 if share else 30.0)
        task = bar.add_task(what, total=total, note="")

        def draw() -> "RenderableType":
            return Group(table(), bar) if table else bar

        with Live(draw(), console=console, transient=True, refresh_per_second=10) as live:

            def update(done: float, note: str = "", total: float = total) -> None:
                bar.update(task, completed=done, note=note, total=total)
                if table:
                    live.update(draw())

            yield update
    else:
        text = ProgressText(what, total, share=share)
        with progress_lines(lambda: str(text)):
            yield lambda done, note="", total=total: text.update(done, total, note)


@contextmanager
def progress_of_workers(
    what: str, total: float, executor: "Executor", *, show: bool = True
) -> Iterator[Callable[[float], None]]:
    """As `progress_bar`, with the executor's nodes and workers next to the bar; yield a function `update(done)`."""
    with progress_bar(what, total, note=not executor.local, show=show) as update:
        yield lambda done: update(done, executor.describe())


def progress_columns(*, note: bool, share: bool = False) -> "list[ProgressColumn]":
    """Return the columns of the bar. On a narrow terminal the bar and the note are shortened, never the numbers."""
    from rich.progress import BarColumn, MofNCompleteColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.table import Column
    from rich.text import Text

    class Note(TextColumn):
        """A text that is truncated rather than wrapped."""

        def render(self, task: "Task") -> Text:
            text = super().render(task)
            text.no_wrap, text.overflow = True, "ellipsis"
            return text

    amount: Any = TaskProgressColumn if share else MofNCompleteColumn
    columns = [
        TextColumn("{task.description}"),
        BarColumn(6 if note else 40),
        amount(table_column=Column(no_wrap=True)),
        TimeRemainingColumn(table_column=Column(no_wrap=True)),
        TextColumn("left"),
    ]
    return [*columns, Note("{task.fields[note]}", markup=False, table_column=Column())] if note else columns


@contextmanager
def progress_lines(describe: Callable[[], str]) -> Iterator[None]:
    """Print `describe()` on standard error once a minute, for logs."""
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
    """Progress as one line of text: `games 30 of 100, 1:12 so far, about 2:48 left`."""

    def __init__(self, what: str, total: float, *, share: bool = False) -> None:
        self._what = what
        self._share = share
        self._start = time.monotonic()
        self._first: tuple[float, float] | None = None
        """The amount at the first update, and its time: a resumed run does not begin at 0."""
        self._done, self._total, self._note = 0.0, total, ""

    def update(self, done: float, total: float, note: str = "") -> None:
        """Set the finished amount."""
        if self._first is None:
            self._first = done, time.monotonic()
        self._done, self._total, self._note = done, total, note

    def __str__(self) -> str:
        now = time.monotonic()
        amount = f"{self._done:,.0f} of {self._total:,.0f}"
        if self._share:
            amount = f"{100 * self._done / (self._total or 1):.0f} %"
        parts = [f"{self._what} {amount}", f"{_minutes(now - self._start)} so far"]
        first, since = self._first or (0.0, now)
        if self._total > self._done >= first + 0.01 * self._total:  # below 1 % an estimate would be unreliable
            left = (self._total - self._done) * (now - since) / (self._done - first)
            parts.append(f"about {_minutes(left)} left")
        return ", ".join(parts) + (f"; {self._note}" if self._note else "")


def _minutes(seconds: float) -> str:
    """Format a time as `2:05` or `1:02:05`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
