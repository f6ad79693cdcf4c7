"""Tables on the terminal: one look for all commands."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


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
