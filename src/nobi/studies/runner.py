"""Execution of studies: their jobs are computed and their results written.

The folder contains

    jobs/       the result of each job, a file each
    runs/       checkpoints of training runs and matches
    results/    a JSON file for each study, and its figures

Stored results are reused: an interrupted study resumes, and gives the same rows. For networks trained by torch this
holds on the same machine with the same number of threads.
"""

import dataclasses
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nobi
from nobi.environment import describe_environment
from nobi.errors import NobiError
from nobi.frames import frame_of
from nobi.spec import choices
from nobi.statistics import Interval
from nobi.storage import atomic_write, make_writable_folder
from nobi.studies import find
from nobi.studies.cache import JobCache, Spent
from nobi.studies.resources import identify_engines
from nobi.studies.study import NOT_MEASURED, Results, Row, Study
from nobi.workers import Executor, usable_threads

if TYPE_CHECKING:
    import pandas

Document = dict[str, Any]
"""The result of a study, as in its JSON file."""
TINY_NOTE = (
    "The scale tiny only shows that a study runs: its samples are far too small, and neither its rows nor its claims "
    "decide anything."
)


class StudyResults(list[Document]):
    """The documents of several studies."""

    def __repr__(self) -> str:
        return f"<StudyResults of {', '.join(document['study'] for document in self)}>"

    def to_frame(self) -> "pandas.DataFrame":
        """Return a data frame with a row per measured number, beside the paper's."""
        return frame_of(
            {
                "study": document["study"],
                "table": table["title"],
                "case": ", ".join(row["labels"].values()),
                "measure": row["measure"],
                **{name: row["ours"][key] for name, key in _COLUMNS.items()},
                "paper": row["paper"],
                "outcome": row["outcome"],
            }
            for document in self
            for table in document["tables"]
            for row in table["rows"]
        )


_COLUMNS = {"ours": "value", "ours_low": "low", "ours_high": "high"}
"""Columns of a data frame, and their keys in documents."""

Progress = Callable[[float, float, str], None]
"""Function that receives the number of completed jobs, the number of all jobs, and the name of the current job."""


def run_studies(
    names: Sequence[str],
    scale: str,
    seed: int,
    out: Path,
    threads: int = 0,
    resume: bool = True,
    progress: Progress = lambda _done, _total, _what: None,
    data: Mapping[str, Path] | None = None,
    engines: Mapping[str, str] | None = None,
    leave_out: Callable[[NobiError], None] | None = None,
    executor: Executor | None = None,
) -> list[Document]:
    """Run the studies with these names.

    Args:
        names: studies, not collections.
        scale: one of `nobi.studies.study.SCALES`.
        seed: determines all random numbers.
        out: the folder of jobs, runs and results.
        threads: number of threads, 0: one per core; the rows do not depend on it, except for torch networks.
        resume: reuse the content of the folder; otherwise it must be empty.
        progress: called as jobs proceed.
        data: datasets for the roles that studies need, role → path.
        engines: engines that studies may play against, name → command.
        leave_out: called with the error of each study that lacks a dataset or an engine, which is then skipped;
            without it, or if no study is left, the error is raised.
        executor: plays the games of all jobs; default: threads of this process.

    Returns:
        The documents of the studies, equal to the files `results/NAME.json`.
    """
    kinds = [find(name) for name in dict.fromkeys(names)]
    for kind in kinds:
        if scale not in kind.scales:
            raise NobiError(f"The study {kind.name!r} has no scale {scale!r}; {choices(kind.scales)}.")
    wanted = {name for kind in kinds for name in kind.plays_against}
    available = identify_engines({name: command for name, command in (engines or {}).items() if name in wanted})
    cache = JobCache(out, threads, data, engines, executor)
    studies: list[Study] = []
    incomplete: list[NobiError] = []
    for kind in kinds:
        try:
            studies.append(kind(scale, seed, cache.datasets, available))
        except NobiError as error:
            incomplete.append(error)
    for reason in incomplete:
        if leave_out is None or not studies:
            raise reason
        leave_out(reason)
    if not resume and out.is_dir() and any(out.iterdir()):
        raise NobiError(f"The folder {str(out)!r} is not empty; resume (without --fresh) or choose another.")
    return carry_out(studies, cache, progress)


def carry_out(
    studies: Sequence[Study], cache: JobCache, progress: Progress = lambda _done, _total, _what: None
) -> list[Document]:
    """Run studies one after the other; shared jobs are computed once. The results are written to `cache.folder`."""
    results = make_writable_folder(cache.folder / "results")
    jobs = list(dict.fromkeys(job for study in studies for job in study.all_jobs()))
    for job in jobs:
        if cache.has(job):
            cache.spent(job)  # an unreadable file raises an error before any computation
    total = sum(not cache.has(job) for job in jobs)
    done = 0
    documents = []
    for study in studies:
        missing = [job for job in study.all_jobs() if not cache.has(job)]
        cache.make(missing, lambda now, name, done=done: progress(done + now, total, name))  # type: ignore[misc]
        done += len(missing)
        progress(done, total, f"tables and figures of {study.name}")
        text = json.dumps(make_document(study, cache, results), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        atomic_write(results / f"{study.name}.json", text.encode())
        documents.append(json.loads(text))
    return documents


def make_document(study: Study, cache: JobCache, out: Path) -> Document:
    """Return the document of a study whose jobs are completed; its figures are written to `out`."""
    start = Spent.now()
    report = study.report(Results(study.jobs(), cache), out)
    jobs = {job.name: cache.spent(job) for job in study.all_jobs()}
    jobs[f"tables and figures of {study.name}"] = Spent.now() - start
    environments = [cache.environment(job) for job in study.all_jobs()] + [describe_environment()]
    notes = report.notes + ([TINY_NOTE] if study.scale == "tiny" else [])
    engines = {name: study.engines[name].title for name in study.plays_against if name in study.engines}
    return {
        "study": study.name,
        "title": study.title,
        "paper": study.paper,
        "group": study.page,
        "scale": study.scale,
        "seed": study.seed,
        "nobi": nobi.__version__,
        "environments": [one for i, one in enumerate(environments) if one and one not in environments[:i]],
        "threads": cache.threads or usable_threads(),
        "settings": dataclasses.asdict(study.settings),
        **({"data": {r: dataclasses.asdict(study.datasets[r]) for r in study.used_roles}} if study.used_roles else {}),
        **({"engines": engines} if study.plays_against else {}),
        "conditions": study.conditions(),
        "spent": _rounded(sum(jobs.values(), Spent(0.0, 0.0))),
        "jobs": {name: _rounded(spent) for name, spent in jobs.items()},
        "tables": [{"title": table.title, "rows": [_row(row) for row in table.rows]} for table in report.tables],
        "claims": [dataclasses.asdict(claim) for claim in report.claims],
        "pictures": [dataclasses.asdict(picture) for picture in report.pictures],
        **({"notes": notes} if notes else {}),
    }


def _rounded(spent: Spent) -> dict[str, float]:
    return {name: round(seconds, 1) for name, seconds in dataclasses.asdict(spent).items()}


def _row(row: Row) -> Document:
    numbers = {name: float(number) for name, number in dataclasses.asdict(row.ours).items()}
    paper = row.paper
    return {
        "labels": row.labels,
        "measure": row.measure,
        "ours": {name: number if math.isfinite(number) else None for name, number in numbers.items()},
        "paper": paper.value if isinstance(paper, Interval) else paper,
        **({"paper_interval": [paper.low, paper.high]} if isinstance(paper, Interval) else {}),
        "neutral": row.neutral,
        "outcome": row.outcome,
        **({"each": [float(value) for value in row.each]} if row.each else {}),
        **({"measured": False} if row.ours is NOT_MEASURED else {}),
    }
