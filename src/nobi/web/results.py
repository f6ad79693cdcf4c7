"""Results of the studies for the page: tables with the papers' values and ours, claims and figures.

`nobi study` writes these files. A wheel contains them in `nobi/studies/results` (see `hatch_build.py`), a checkout in
`docs/studies/results`. Figures are served under fixed addresses; the browser never sends a file name.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import nobi
from nobi.studies import PAGES, names
from nobi.studies.pages import HOLDS, OUTCOMES, OUTCOMES_MEAN, outcome_of, table_cells

_PACKAGE = Path(nobi.__file__).parent

PAPERS = {
    "s08": "Schaul & Schmidhuber 2008",
    "s09": "Schaul & Schmidhuber 2009",
    "c14": "Clark & Storkey 2014",
    "m15": "Maddison et al. 2015",
    "size": "Other board sizes",
    "beyond": "Beyond the papers",
}
"""Headings of the list of studies, by the prefix of the study names."""


@dataclass(frozen=True)
class StudyTable:
    """A table of results."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    agrees: tuple[str, ...]
    """[row] `agrees`, `direction`, `differs`, `wide` or empty."""


@dataclass(frozen=True)
class Figure:
    """A figure or a game of a study."""

    file: Path
    caption: str

    @property
    def is_game(self) -> bool:
        """Whether it is a game record."""
        return self.file.suffix == ".sgf"

    @property
    def url(self) -> str:
        """Its address on the page."""
        return f"/figures/{self.file.stem}.svg"


@dataclass(frozen=True)
class StudyResult:
    """The result of a study."""

    name: str
    title: str
    scale: str
    page: str
    tables: tuple[StudyTable, ...]
    claims: tuple[tuple[str, str, str], ...]
    """(mark, text, evidence)"""
    figures: tuple[Figure, ...]
    notes: tuple[str, ...]
    conditions: tuple[tuple[str, str], ...]


def results_folder() -> Path | None:
    """Return the folder of the results; None if there is none."""
    for folder in (_PACKAGE / "studies" / "results", _PACKAGE.parents[1] / "docs" / "studies" / "results"):
        if folder.is_dir():
            return folder
    return None


@cache
def study_results(folder: Path | None = None) -> Mapping[str, StudyResult]:
    """Return all results by study name, in the order of the papers; unreadable files are left out."""
    folder = folder or results_folder()
    found: dict[str, StudyResult] = {}
    if folder is None:
        return found
    for name in names():
        try:
            document = json.loads((folder / f"{name}.json").read_bytes())
            found[name] = _result(document, folder)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
    return found


def _result(document: dict[str, Any], folder: Path) -> StudyResult:
    tables = []
    for table in document["tables"]:
        heads, rows = table_cells(table)
        agrees = tuple(outcome_of(row) for row in table["rows"])
        tables.append(StudyTable(table["title"], tuple(heads), tuple(map(tuple, rows)), agrees))
    figures = []
    for picture in document["pictures"]:
        file = folder / picture["file"]
        file = file if file.suffix == ".sgf" else file.with_suffix(".svg")
        if file.parent == folder and file.is_file():
            figures.append(Figure(file, picture["caption"]))
    title = document["title"]
    return StudyResult(
        document["study"],
        title[0].upper() + title[1:],
        document["scale"],
        PAGES.get(document["group"], ""),
        tuple(tables),
        tuple((HOLDS[claim["holds"]], claim["text"], claim["evidence"]) for claim in document["claims"]),
        tuple(figures),
        tuple(document.get("notes", ())),
        tuple((str(key), str(text)) for key, text in document["conditions"].items()),
    )


def missing_studies(found: Mapping[str, StudyResult]) -> list[str]:
    """Return the names of studies without a result."""
    return [name for name in names() if name not in found]


def heading_of(name: str) -> str:
    """Return the heading under which a study is listed."""
    return PAPERS.get(name.partition("-")[0], "Others")


def agreement_legend() -> dict[str, str]:
    """Return the symbols in the agreement column → their meanings."""
    return {OUTCOMES[outcome]: meaning for outcome, meaning in OUTCOMES_MEAN.items()}
