"""`nobi bench`: measured speeds, compared with required values and with other programs."""

import platform
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import tyro

import nobi
from nobi.cli.base import Command, Result, plain_table
from nobi.cli.progress import progress_bar
from nobi.errors import NobiError
from nobi.spec import choices

if TYPE_CHECKING:
    from rich.table import Table

    from nobi.bench.measure import Case, Measurement

SECTIONS = {
    "start": ("start:CASES", "how long commands take to start"),
    "arena": ("games:ARENA", "games of the built-in players, random playouts of Go"),
    "sizes": ("games:SIZES", "how the cost grows from 5x5 to 25x25"),
    "networks": ("games:NETWORKS", "games, moves and training of networks"),
    "search": ("games:SEARCH", "playouts of the tree search, without and with a network"),
    "growth": ("games:GROWTH", "how the cost of a network grows with the board and its units"),
    "datasets": ("data:IMPORT", "import of game records"),
    "features": ("data:FEATURES", "planes of Go positions for deep networks"),
    "convolutions": ("training:CONVOLUTIONS", "our convolutions beside torch's and onnxruntime's"),
    "imitate": ("training:IMITATION", "training on records beside the bare network"),
}
_HELP = f"The sections to measure, by default all: {'; '.join(f'{n}, {about}' for n, (_, about) in SECTIONS.items())}."


@dataclass(frozen=True)
class Bench(Command):
    """Measure the speed of this machine: one core, compiled code; the median of several repeats."""

    sections: Annotated[tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="SECTION", help=_HELP)] = ()
    seconds: float = 1.0
    """The time of one repeat."""

    def check(self) -> None:
        super().check()
        for name in self.sections:
            if name not in SECTIONS:
                raise NobiError(f"There is no section {name!r}; {choices(SECTIONS, name)}.")
        if not 0 < self.seconds <= 60:
            raise NobiError(f"--seconds must be above 0 and at most 60, not {self.seconds:g}.")

    def execute(self) -> Result:
        work = [(name, case) for name in self.sections or SECTIONS for case in _cases(name)]
        results: dict[str, list[Measurement]] = {name: [] for name in self.sections or SECTIONS}
        with progress_bar("measurements", len(work)) as progress:
            for done, (name, case) in enumerate(work, 1):
                results[name].append(case(self.seconds))
                progress(done)
        sections = [
            {
                "name": name,
                "about": SECTIONS[name][1],
                "figures": [asdict(one) | {"reached": one.reached} for one in found],
            }
            for name, found in results.items()
        ]
        report = [(f"{name}: {SECTIONS[name][1]}", _table(found)) for name, found in results.items()]
        return Result({"conditions": _conditions(), "sections": sections}, report)


def _cases(section: str) -> "list[Case]":
    """Return the measurements of a section; none if it needs torch, which is not installed."""
    module, _, attribute = SECTIONS[section][0].partition(":")
    if module == "training" and find_spec("torch") is None:
        return []
    cases: list[Case] = getattr(import_module(f"nobi.bench.{module}"), attribute)
    return cases


def _conditions() -> dict[str, str | int]:
    import numba

    from nobi.environment import processor_name
    from nobi.workers import usable_threads

    return {
        "machine": processor_name(),
        "cores": usable_threads(),
        "python": platform.python_version(),
        "numba": numba.__version__,
        "nobi": nobi.__version__,
    }


def _table(measurements: "list[Measurement]") -> "Table":
    table = plain_table(["what"], ["median", "best", "required", "aim"])
    table.add_column("notes")
    for one in measurements:
        mark = {None: "", True: " ✓", False: " ✗"}[one.reached]
        numbers = (_number(one.best), _number(one.at_least), _number(one.aim))
        table.add_row(one.what, f"{_number(one.value)} {one.unit}{mark}", *numbers, one.peer)
    return table


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
