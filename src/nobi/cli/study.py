"""`nobi study`: the experiments of the papers, repeated."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from nobi import studies
from nobi.cli import Interrupted
from nobi.cli.base import ExecutorFlags, Result, joined, plain_table
from nobi.cli.progress import progress_bar
from nobi.errors import NobiError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

_NAMES = (
    "The studies, 'list' for a list of all studies, or names of collections: "
    f"{', '.join(studies.COLLECTIONS)}. Studies: {', '.join(studies.names())}."
)
_DATA = (
    "Datasets for studies that learn from records, made by 'nobi data import', as in 'pro=data/pro'. Roles: "
    f"{'; '.join(f'{role}, {what}' for role, what in studies.ROLES.items())}."
)
_ENGINE = (
    "Other programs for studies that play against them, as in 'pachi=pachi --nodcnn'. Engines: "
    f"{', '.join(studies.ENGINES)}; gnugo is found if it is installed."
)
_LEGEND = (
    "✓ agrees: no significant difference, and narrow 95 % intervals. ≈ same direction: a significant difference, "
    "but on the paper's side of the null value. ✗ differs: a significant difference. ? too wide to tell. Claims: "
    "✓ reproduced, ✗ not reproduced, ? inconclusive."
)


@dataclass(frozen=True)
class Study(ExecutorFlags):
    """Reproduce the tables and figures of the papers and compare the results; 'nobi study list' lists the studies.

    Work that studies share is done once and kept in the folder. Ctrl-C saves; the same command continues, and gives the
    same rows as an uninterrupted run. A row compares our number with the paper's: ✓ agrees, ≈ same direction, ✗ differs
    or ? too wide to tell.
    """

    names: Annotated[tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="NAME", help=_NAMES)] = ()
    scale: Literal["quick", "day", "paper", "tiny"] = "quick"
    """quick: up to three minutes per study; paper: at least the paper's numbers; tiny: only a test that the study runs,
    without meaningful results.

    Studies that learn from records or play against engines also have day, one to three hours on two cores; paper needs
    a GPU, which is used if there is one.
    """
    data: Annotated[tuple[str, ...], tyro.conf.arg(metavar="ROLE=DATASET", help=_DATA)] = ()
    engine: Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME=COMMAND", help=_ENGINE)] = ()
    out: Annotated[Path | None, tyro.conf.arg(metavar="DIR")] = None
    """The folder of results and work; runs/studies-SCALE by default."""
    fresh: bool = False
    """Do not continue: fail if the folder is not empty."""

    def execute(self) -> Result:
        if "list" in self.names:
            if len(self.names) > 1:
                raise NobiError("'list' cannot be combined with studies: use 'nobi study list'.")
            return _list()
        if not self.names:
            raise NobiError("Give at least one study; 'nobi study list' lists them.")
        names = list(dict.fromkeys(name for spec in self.names for name in studies.select(spec)))
        out = self.out or Path("runs") / f"studies-{self.scale}"
        from nobi.studies.pages import total_spent
        from nobi.studies.resources import parse_datasets, parse_engines
        from nobi.studies.runner import run_studies

        data, engines = parse_datasets(self.data), parse_engines(self.engine)
        # studies of a collection whose data or engines are missing are skipped
        leave_out = _report_skipped if all(name in studies.COLLECTIONS for name in self.names) else None
        try:
            with self.new_executor() as executor, progress_bar("work", 0, note=True, share=True) as progress:
                documents = run_studies(
                    names,
                    self.scale,
                    self.seed,
                    out,
                    self.threads,
                    resume=not self.fresh,
                    progress=lambda done, total, what: progress(done, joined(executor.describe(), what), total=total),
                    data=data,
                    engines=engines,
                    leave_out=leave_out,
                    executor=executor,
                )
        except KeyboardInterrupt:
            again = f"the same command {'without --fresh ' if self.fresh else ''}continues"
            raise Interrupted(f"before the end; finished work is kept in {str(out)!r}, and {again}") from None
        folder = out / "results"
        document = {"folder": folder, "spent": total_spent(documents), "studies": documents}
        return Result(document, list(_report(documents, folder)))


def _report_skipped(error: NobiError) -> None:
    print(f"nobi: skipped: {error}", file=sys.stderr)


def _list() -> Result:
    table = plain_table(["study", "what", "needs"])
    table.columns[0].no_wrap = True
    rows = []
    for kind in map(studies.find, studies.names()):
        data, engines = ", ".join(kind.roles), ", ".join(kind.plays_against)
        rows.append(
            {
                "name": kind.name,
                "title": kind.title,
                "paper": kind.paper,
                "group": kind.page,
                "scales": ", ".join(kind.scales),
                "data": data,
                "engines": engines,
            }
        )
        table.add_row(kind.name, kind.title, "; ".join(filter(None, (data, engines))))
    for name in studies.COLLECTIONS:
        members = studies.select(name)
        table.add_row(name, f"{len(members)} studies: {members[0]} to {members[-1]}")
    return Result(rows, [("", table)])


def _report(documents: list[dict[str, Any]], folder: Path) -> "Iterator[str | tuple[str, Table]]":
    from nobi.studies.pages import HOLDS
    from nobi.studies.runner import TINY_NOTE

    for document in documents:
        yield f"{document['study']}  {document['title']}"
        for found in document["tables"]:
            yield found["title"], _rows_table(found)
        for claim in document["claims"]:
            yield f" {HOLDS[claim['holds']]} {claim['text']} {claim['evidence']}"
        for picture in document["pictures"]:
            yield f" {folder / picture['file']}: {picture['caption']}"
        for note in document.get("notes", []):
            if note != TINY_NOTE:  # printed once, below
                yield f" {note}"
        yield ""
    yield "Agreement and time", _agreement_table(documents)
    yield _LEGEND
    if any(TINY_NOTE in document.get("notes", []) for document in documents):
        yield TINY_NOTE
    yield f"Work that studies share is counted once in the total. The results: {folder}"


def _rows_table(found: dict[str, Any]) -> "Table":
    from nobi.studies.pages import table_cells

    heads, rows = table_cells(found)
    cases = heads.index("measure") + 1  # the columns that describe the case are combined into one that may wrap
    table = plain_table([", ".join(heads[:cases])])
    for head in heads[cases:]:
        table.add_column(head, no_wrap=True)
    for row in rows:
        table.add_row(", ".join(filter(None, row[:cases])), *row[cases:])
    return table


def _agreement_table(documents: list[dict[str, Any]]) -> "Table":
    from nobi.studies.pages import count_outcomes, time_text, total_spent

    table = plain_table(["study"], ["✓ agrees", "≈", "✗", "?", "claims ✓", "✗", "?", "time", "CPU time"])
    table.columns[0].no_wrap = True
    for document in documents:
        spent = document["spent"]
        counts = [str(count) for count in count_outcomes([document]).values()]
        table.add_row(document["study"], *counts, time_text(spent["seconds"]), time_text(spent["cpu"]))
    if len(documents) > 1:
        table.add_section()
        spent = total_spent(documents)
        table.add_row("total", *[""] * 7, time_text(spent["seconds"]), time_text(spent["cpu"]))
    return table
