"""`nobi study`: the experiments of the papers, measured again."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from nobi import studies
from nobi.cli.base import (
    CommonFlags,
    ProgressText,
    announce_compiling,
    output_console,
    plain_table,
    print_json,
    print_table,
    progress_lines,
)
from nobi.errors import NobiError

_NAMES = (
    "The studies, 'list' for a list of them all, or names of collections: "
    f"{', '.join(studies.COLLECTIONS)}. Studies: {', '.join(studies.names())}."
)
_DATA = (
    "Datasets for studies that learn from records, made by 'nobi data import', as in 'pro=data/pro'. Roles: "
    f"{'; '.join(f'{role}, {what}' for role, what in studies.ROLES.items())}."
)
_ENGINE = (
    "Other programs for studies that play against them, as in 'pachi=pachi --nodcnn'. Engines: "
    f"{', '.join(studies.ENGINES)}; gnugo is found where it is installed."
)


@dataclass(frozen=True)
class Study(CommonFlags):
    """Measure the tables and figures of the papers again, ours beside the paper's; 'nobi study list' names them.

    What studies share is made once and kept in the folder. Ctrl-C saves; the same command goes on, and comes to the
    same rows as one that was never left. A row agrees if the paper's figure is inside our 95 % interval (✓ inside), or
    lies at least on the same side of the value that would mean nothing (≈ direction).
    """

    names: Annotated[tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="NAME", help=_NAMES)] = ()
    scale: Literal["quick", "day", "paper", "tiny"] = "quick"
    """How large: quick, up to three minutes a study; paper, at least the paper's numbers; tiny, only to see that it
    runs, with results that decide nothing.

    Studies that learn from records or play against engines have also day, what two cores do in one to three hours:
    paper wants a graphics card, which is used where there is one.
    """
    data: Annotated[tuple[str, ...], tyro.conf.arg(metavar="ROLE=DATASET", help=_DATA)] = ()
    engine: Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME=COMMAND", help=_ENGINE)] = ()
    out: Annotated[
        Path | None,
        tyro.conf.arg(
            metavar="DIR",
            help="The folder of results and work; runs/studies-SCALE by default.",
            help_behavior_hint="",
        ),
    ] = None
    fresh: bool = False
    """Start anew: refuse a folder that is not empty."""

    def run(self) -> int:
        """Lists the studies, or runs some."""
        self.check()
        if "list" in self.names:
            if len(self.names) > 1:
                raise NobiError("'list' stands alone: nobi study list.")
            _print_list(self.json)
            return 0
        if not self.names:
            raise NobiError("Name at least one study; 'nobi study list' shows them.")
        names = list(dict.fromkeys(name for spec in self.names for name in studies.select(spec)))
        out = self.out or Path("runs") / f"studies-{self.scale}"
        announce_compiling()
        from nobi.studies.pages import total_spent
        from nobi.studies.resources import parse_datasets, parse_engines
        from nobi.studies.runner import run_studies

        data, engines = parse_datasets(self.data), parse_engines(self.engine)
        # of a collection, what can be done is done
        leave_out = _leave_out if all(name in studies.COLLECTIONS for name in self.names) else None
        try:
            with _progress() as progress:
                documents = run_studies(
                    names,
                    self.scale,
                    self.seed,
                    out,
                    self.threads,
                    resume=not self.fresh,
                    progress=progress,
                    data=data,
                    engines=engines,
                    leave_out=leave_out,
                )
        except KeyboardInterrupt:
            print(f"nobi: interrupted; what is done is kept in {str(out)!r}, and the same command "
                  f"{'without --fresh ' if self.fresh else ''}goes on.", file=sys.stderr)  # fmt: skip
            return 130
        if self.json:
            print_json({"folder": str(out / "results"), "spent": total_spent(documents), "studies": documents})
        else:
            _print(documents, out / "results")
        return 0


def _leave_out(fault: NobiError) -> None:
    print(f"nobi: left out: {fault}", file=sys.stderr)


def _print_list(as_json: bool) -> None:
    kinds = [studies.find(name) for name in studies.names()]
    rows = [
        {
            "name": kind.name,
            "title": kind.title,
            "paper": kind.paper,
            "group": kind.page,
            "scales": ", ".join(kind.scales),
            "data": ", ".join(kind.roles),
            "engines": ", ".join(kind.plays_against),
        }
        for kind in kinds
    ]
    if as_json:
        print_json(rows)
        return

    table = plain_table(["study", "what", "needs"])
    table.columns[0].no_wrap = True
    for row in rows:
        table.add_row(row["name"], row["title"], "; ".join(filter(None, (row["data"], row["engines"]))))
    for spec in studies.COLLECTIONS:
        members = studies.select(spec)
        table.add_row(spec, f"{len(members)} studies: {members[0]} to {members[-1]}")
    output_console().print(table)


@contextmanager
def _progress() -> Iterator[Callable[[float, float, str], None]]:
    """A bar with the share of the work done, the time left and the piece of work in hand, or a line a minute."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column

    console = Console(stderr=True)
    if not console.is_terminal:
        text = ProgressText("work", 1)
        with progress_lines(lambda: str(text)):
            yield lambda done, total, what: text.update(done / (total or 1), 1, what)
        return
    columns = [
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        TextColumn("left"),
        TextColumn(
            "{task.fields[what]}", markup=False, table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis")
        ),
    ]
    # jobs differ in length: the speed over ten minutes predicts the time left better than that over the last seconds
    with Progress(
        *columns,
        console=console,
        transient=True,
        expand=True,
        speed_estimate_period=600,
    ) as bar:
        task = bar.add_task("", total=None, what="")
        yield lambda done, total, what: bar.update(task, completed=done, total=total, what=what)


def _print(documents: list[dict[str, Any]], folder: Path) -> None:
    from rich.text import Text

    from nobi.studies.pages import HOLDS, count_outcomes, table_cells, time_text, total_spent
    from nobi.studies.runner import TINY_NOTE

    console = output_console(highlight=False)
    for document in documents:
        console.print(Text.assemble((document["study"], "bold"), f"  {document['title']}"))
        for found in document["tables"]:
            heads, rows = table_cells(found)
            beside = heads[-1] == "agrees?"
            cases = len(heads) - (3 if beside else 1)  # the columns that say which case it is become one that may wrap
            table = plain_table([", ".join(heads[:cases])])
            for head in heads[cases:]:
                table.add_column(head, no_wrap=True)
            for row in rows:
                table.add_row(", ".join(filter(None, row[:cases])), *row[cases:])
            print_table(console, found["title"], table)
        for claim in document["claims"]:
            console.print(f" {HOLDS[claim['holds']]} {claim['text']} {claim['evidence']}")
        for picture in document["pictures"]:
            console.print(f" {folder / picture['file']}: {picture['caption']}")
        for note in document.get("notes", []):
            if note != TINY_NOTE:  # said once, below
                console.print(f" {note}")
        console.print()
    table = plain_table(["study"], ["✓ inside", "≈", "✗", "claims ✓", "✗", "?", "time", "CPU time"])
    table.columns[0].no_wrap = True
    for document in documents:
        spent = document["spent"]
        counts = [str(count) for count in count_outcomes([document]).values()]
        table.add_row(document["study"], *counts, time_text(spent["seconds"]), time_text(spent["cpu"]))
    if len(documents) > 1:
        table.add_section()
        spent = total_spent(documents)
        table.add_row("in all", *[""] * 6, time_text(spent["seconds"]), time_text(spent["cpu"]))
    print_table(console, "Agreement and time", table)
    console.print(
        "✓ inside: the paper's number is inside our 95 % interval. ≈ direction: it is outside, but on the same side of "
        "the null value. ✗: neither. Claims: ✓ reproduced, ✗ not reproduced, ? inconclusive."
    )
    if any(TINY_NOTE in document.get("notes", []) for document in documents):
        console.print(TINY_NOTE, style="bold")
    console.print(f"In all counts work that studies share once. The results: {folder}")
