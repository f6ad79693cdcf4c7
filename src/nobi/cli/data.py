"""`nobi data`: game records made ready to be learnt from."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from nobi.cli.base import (
    UNSET,
    CommonFlags,
    Stopwatch,
    announce_compiling,
    output_console,
    plain_table,
    print_json,
    print_table,
    progress_bar,
    settings_among,
)
from nobi.records.settings import ImportSettings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nobi.records.summary import SplitSummary, Summary


@dataclass(frozen=True)
class DataImport(CommonFlags, ImportSettings):
    """Make a dataset of game records: check, filter, remove duplicates, split.

    The main line of every record is replayed by the rules of Go. Records that are broken, left out by a filter, or met
    before are listed with the reason in rejected.jsonl of the dataset, and the import goes on.

    An interrupted import leaves no dataset, not half a one. The same records, settings and seed give the same bytes.
    """

    paths: Annotated[
        tyro.conf.Positional[tuple[Path, ...]],
        tyro.conf.arg(
            metavar="PATHS",
            help="Folders (with all below them), .sgf files, .sgfl and .sgfl.xz files (a record a line), "
            ".zip, .tar, .tar.gz, .tar.bz2 and .tar.xz archives.",
            help_behavior_hint="(required)",
        ),
    ] = tyro.MISSING
    out: Annotated[Path, tyro.conf.arg(metavar="DATASET", help="The folder to make.")] = tyro.MISSING
    max_handicap: Annotated[int | None, UNSET] = None
    """Take games with at most so many handicap stones; 0 for even games only."""
    max_moves: Annotated[int | None, UNSET] = None
    """Take games with at most so many moves."""
    force: bool = False
    """Replace the dataset if it is there."""

    def run(self) -> int:
        """Imports."""
        self.check()
        announce_compiling()
        from nobi.records.importing import Progress, import_records
        from nobi.workers import usable_threads

        clock = Stopwatch()
        with progress_bar("kB read", 0, note=True) as bar:

            def show(state: Progress) -> None:
                rate = state.records / clock.seconds()
                words = f"{state.records:,} games {rate:,.0f} games/s"
                bar(state.bytes_read // 1000, words, total=state.bytes // 1000)

            manifest = import_records(
                self.paths,
                self.out,
                settings_among(self, ImportSettings),
                workers=usable_threads(self.threads),
                force=self.force,
                progress=show,
            )
        seconds = clock.seconds()
        report = {key: manifest[key] for key in ("records", "games", "moves", "rejected", "splits")}
        if self.json:
            print_json({"dataset": str(self.out), "seconds": seconds, **report})
            return 0
        parts = ", ".join(f"{name} {split['games']:,}" for name, split in manifest["splits"].items())
        print(f"{manifest['games']:,} of {manifest['records']:,} games taken in {seconds:.1f} s "
              f"({manifest['records'] / seconds:,.0f} games/s): {parts}.")  # fmt: skip
        if manifest["rejected"]:
            kinds = ", ".join(f"{kind} {count:,}" for kind, count in manifest["rejected"].items())
            print(f"Not taken: {kinds}; see {self.out / 'rejected.jsonl'}.")
        print(f"The dataset: {self.out}; 'nobi data info {self.out}' tells what is in it.")
        return 0


@dataclass(frozen=True)
class DataInfo(CommonFlags):
    """Tell what is in a dataset: games by split, size, rank, year, handicap and length, and what was not taken."""

    dataset: Annotated[
        tyro.conf.Positional[Path], tyro.conf.arg(metavar="DATASET", help="A folder that 'nobi data import' made.")
    ] = tyro.MISSING
    verify: bool = False
    """Read every file and compare it with its hash."""

    def run(self) -> int:
        """Prints the summary."""
        self.check()
        from nobi.records.dataset import Dataset
        from nobi.records.summary import summarise

        dataset = Dataset.open(self.dataset)
        if self.verify:
            dataset.verify()
        summary = summarise(dataset)
        if self.json:
            print_json(summary)
        else:
            _print_summary(summary)
        return 0


@dataclass(frozen=True)
class Data:
    """Game records as datasets to learn from: import them, or see what is in one."""

    command: (
        Annotated[DataImport, tyro.conf.subcommand("import", prefix_name=False)]
        | Annotated[DataInfo, tyro.conf.subcommand("info", prefix_name=False)]
    )

    def run(self) -> int:
        """Runs the command."""
        return self.command.run()


def _print_summary(summary: "Summary") -> None:
    console = output_console()
    parts = {**summary.splits, "total": summary.total}
    table = plain_table([""], [*parts])

    def section(title: str, rows: "Iterable[str]", cells: "dict[str, dict[str, int]]") -> None:
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
    title = f"{summary.path}: {summary.bytes / 1e6:,.1f} MB, {summary.bytes_per_move:.2f} bytes a move"
    print_table(console, title, table)
    if summary.rejected:
        rejected = plain_table(["kind"], ["records"])
        for kind, count in summary.rejected.items():
            rejected.add_row(kind, f"{count:,}")
        print_table(console, f"Not taken, of {summary.records:,} records", rejected)


def _by_decade(part: "SplitSummary") -> dict[str, int]:
    decades: dict[str, int] = {}
    for year, games in part.years.items():
        decade = "?" if year == "?" else f"{year[:-1]}0s"
        decades[decade] = decades.get(decade, 0) + games
    return decades
