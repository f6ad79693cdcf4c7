"""`nobi data import` and `nobi data info`: datasets of game records."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from nobi.cli.base import Command, Result, Stopwatch, plain_table, settings_among
from nobi.cli.progress import progress_bar
from nobi.records.settings import ImportSettings

if TYPE_CHECKING:
    from rich.table import Table

    from nobi.records.summary import SplitSummary, Summary


@dataclass(frozen=True)
class DataImport(Command, ImportSettings):
    """Make a dataset of game records: check, filter, remove duplicates, split.

    The main line of every record is replayed by the rules of Go. Records that are invalid, excluded by a filter, or
    duplicates are listed with the reason in rejected.jsonl of the dataset.

    An interrupted import leaves no dataset. The same records, settings and seed give identical files.
    """

    paths: Annotated[
        tyro.conf.Positional[tuple[Path, ...]],
        tyro.conf.arg(
            metavar="PATHS",
            help="Folders (with all folders below), .sgf files, .sgfl and .sgfl.xz files (one record per line), "
            ".zip, .tar, .tar.gz, .tar.bz2 and .tar.xz archives.",
            help_behavior_hint="(required)",
        ),
    ] = tyro.MISSING
    out: Annotated[Path, tyro.conf.arg(metavar="DATASET", help="The folder to make.")] = tyro.MISSING
    force: bool = False
    """Replace the dataset if it exists."""

    def execute(self) -> Result:
        from nobi.records.importing import Progress, import_records
        from nobi.workers import usable_threads

        clock = Stopwatch()
        with progress_bar("kB read", 0, note=True) as update:

            def show(state: Progress) -> None:
                text = f"{state.records:,} games {state.records / clock.seconds():,.0f} games/s"
                update(state.bytes_read // 1000, text, total=state.bytes // 1000)

            manifest = import_records(
                self.paths,
                self.out,
                settings_among(self, ImportSettings),
                workers=usable_threads(self.threads),
                force=self.force,
                progress=show,
            )
        seconds = clock.seconds()
        found = {key: manifest[key] for key in ("records", "games", "moves", "rejected", "splits")}
        parts = ", ".join(f"{name} {split['games']:,}" for name, split in manifest["splits"].items())
        report = [
            f"{manifest['games']:,} of {manifest['records']:,} games accepted in {seconds:.1f} s "
            f"({manifest['records'] / seconds:,.0f} games/s): {parts}."
        ]
        if manifest["rejected"]:
            kinds = ", ".join(f"{kind} {count:,}" for kind, count in manifest["rejected"].items())
            report.append(f"Rejected: {kinds}; see {self.out / 'rejected.jsonl'}.")
        report.append(f"The dataset: {self.out}; 'nobi data info {self.out}' summarises it.")
        return Result({"dataset": self.out, "seconds": seconds, **found}, report)


@dataclass(frozen=True)
class DataInfo(Command):
    """Summarise a dataset: games by split, size, rank, year, handicap and length, and the rejected records."""

    dataset: Annotated[
        tyro.conf.Positional[Path], tyro.conf.arg(metavar="DATASET", help="A folder made by 'nobi data import'.")
    ] = tyro.MISSING
    verify: bool = False
    """Read every file and compare it with its hash."""

    def execute(self) -> Result:
        from nobi.records.dataset import Dataset
        from nobi.records.summary import summarise

        dataset = Dataset.open(self.dataset)
        if self.verify:
            dataset.verify()
        summary = summarise(dataset)
        return Result(summary, _tables(summary))


def _tables(summary: "Summary") -> "list[tuple[str, Table]]":
    parts = {**summary.splits, "total": summary.total}
    table = plain_table([""], [*parts])

    def section(title: str, rows: Iterable[str], cells: dict[str, dict[str, int]]) -> None:
        for i, row in enumerate(rows):
            values = (cells[name].get(row, 0) for name in parts)
            table.add_row(f"{title} {row}" if i == 0 else " " * len(title) + f" {row}", *(f"{v:,}" for v in values))
        table.add_section()

    for title in ("games", "moves", "positions"):
        table.add_row(title, *(f"{getattr(part, title):,}" for part in parts.values()))
    table.add_section()
    for title, name in (("size", "sizes"), ("rank", "ranks"), ("handicap", "handicaps"), ("winner", "results")):
        section(title, getattr(summary.total, name), {part: getattr(parts[part], name) for part in parts})
    decades = {name: _by_decade(part) for name, part in parts.items()}
    section("years", decades["total"], decades)
    for row in summary.total.lengths:
        cells = (part.lengths.get(row) for part in parts.values())
        table.add_row(f"length, {row}", *("" if cell is None else f"{cell:,.0f}" for cell in cells))
    title = f"{summary.path}: {summary.bytes / 1e6:,.1f} MB, {summary.bytes_per_move:.2f} bytes per move"
    if not summary.rejected:
        return [(title, table)]
    rejected = plain_table(["kind"], ["records"])
    for kind, count in summary.rejected.items():
        rejected.add_row(kind, f"{count:,}")
    return [(title, table), (f"Rejected, of {summary.records:,} records", rejected)]


def _by_decade(part: "SplitSummary") -> dict[str, int]:
    decades: dict[str, int] = {}
    for year, games in part.years.items():
        decade = "?" if year == "?" else f"{year[:-1]}0s"
        decades[decade] = decades.get(decade, 0) + games
    return decades
