"""`nobi bench`: every speed figure, beside what it has to reach and its peers'."""

import platform
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

import nobi
from nobi.cli.base import CommonFlags, announce_compiling, output_console, print_json, print_table, progress_bar
from nobi.errors import NobiError
from nobi.spec import choices

if TYPE_CHECKING:
    from nobi.bench.measure import Measurement

SECTIONS = {
    "start": "how long commands take to start",
    "arena": "games of the built-in players, random playouts of Go",
    "sizes": "how the cost grows from 5x5 to 25x25",
    "networks": "games, moves and training of networks",
    "search": "playouts of the tree search, without and with a network",
    "growth": "how the cost of a network grows with the board and its units",
    "datasets": "import of game records",
    "features": "planes of Go positions for deep networks",
    "convolutions": "our convolutions beside torch's and onnxruntime's",
    "imitate": "training on records beside the bare network",
}
_HELP = "The sections to measure, all by default: " + "; ".join(f"{n}, {about}" for n, about in SECTIONS.items()) + "."


@dataclass(frozen=True)
class Bench(CommonFlags):
    """Measure the speed of this machine: one core, everything compiled before; the median of several repeats."""

    sections: Annotated[tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="SECTION", help=_HELP)] = ()
    seconds: float = 1.0
    """How long each repeat of a measurement takes."""

    def run(self) -> int:
        """Measures and prints."""
        self.check()
        for name in self.sections:
            if name not in SECTIONS:
                raise NobiError(f"There is no section {name!r}; {choices(SECTIONS, name)}.")
        if not 0 < self.seconds <= 60:
            raise NobiError(f"--seconds must be above 0 and at most 60, not {self.seconds:g}.")
        announce_compiling()
        chosen = self.sections or tuple(SECTIONS)
        work = [(name, measure) for name in chosen for measure in _measurements(name, self.seconds)]
        results: dict[str, list[Measurement]] = {name: [] for name in chosen}
        with progress_bar("figures", len(work)) as progress:
            for done, (name, measure) in enumerate(work, 1):
                results[name].append(measure())
                progress(done)
        if self.json:
            print_json({"conditions": _conditions(), "sections": [_section(name, results[name]) for name in chosen]})
        else:
            _print(results)
        return 0


def _section(name: str, measurements: "list[Measurement]") -> dict[str, object]:
    rows = [{**asdict(figure), "reached": figure.reached} for figure in measurements]
    return {"name": name, "about": SECTIONS[name], "figures": rows}


def _conditions() -> dict[str, str | int]:
    import numba

    from nobi.workers import usable_threads

    return {
        "machine": _processor(),
        "cores": usable_threads(),
        "python": platform.python_version(),
        "numba": numba.__version__,
        "nobi": nobi.__version__,
    }


def _processor() -> str:
    """The processor's name, where the system tells."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _measurements(section: str, seconds: float) -> Iterator[Callable[[], "Measurement"]]:
    from nobi.bench import data, games, start

    sections: dict[str, Callable[[float], Iterator[Callable[[], Measurement]]]] = {
        "start": start.measurements,
        "arena": games.arena_figures,
        "sizes": games.size_figures,
        "networks": games.network_figures,
        "search": games.search_figures,
        "growth": games.growth_figures,
        "datasets": data.dataset_figures,
        "features": data.feature_figures,
        "convolutions": partial(_with_torch, "convolutions"),
        "imitate": partial(_with_torch, "training"),
    }
    return sections[section](seconds)


def _with_torch(section: str, seconds: float) -> Iterator[Callable[[], "Measurement"]]:
    """A section that needs torch, which the others do not; without it the section is empty."""
    if find_spec("torch") is None:
        return iter(())
    found: Iterator[Callable[[], Measurement]] = import_module(f"nobi.bench.{section}").measurements(seconds)
    return found


def _print(results: "dict[str, list[Measurement]]") -> None:
    from rich.table import Table

    console = output_console()
    for section, measurements in results.items():
        table = Table()
        table.add_column("what")
        for head in ("median", "best", "to reach", "aim"):
            table.add_column(head, justify="right")
        table.add_column("beside it")
        for figure in measurements:
            mark = {None: "", True: " ✓", False: " ✗"}[figure.reached]
            table.add_row(
                figure.what,
                f"{_number(figure.value)} {figure.unit}{mark}",
                _number(figure.best),
                _number(figure.at_least),
                _number(figure.aim),
                figure.peer,
            )
        print_table(console, f"{section}: {SECTIONS[section]}", table)


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
