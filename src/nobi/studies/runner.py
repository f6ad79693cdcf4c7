"""Runs studies: makes their pieces of work, and writes what they came to.

The folder holds

    pieces/            a file a piece of work, made once
    runs/              the runs of evolution and of training on records, which can be left at any moment
    results/           a JSON file a study, and its figures

What is finished is used again, since every piece is a pure function of its settings: a study that was killed goes on
where it was, and comes to the same rows. Networks trained by torch are so on the same machine with as many threads.
"""

import dataclasses
import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import nobi
from nobi.errors import NobiError
from nobi.spec import choices
from nobi.statistics import Interval
from nobi.storage import atomic_write, make_writable_folder
from nobi.studies import find
from nobi.studies.cache import JobCache, Spent
from nobi.studies.resources import meet
from nobi.studies.study import Findings, Row, Study
from nobi.workers import usable_threads

Document = dict[str, Any]
"""What a study came to, as its JSON file has it; `document_of` makes it."""
TINY_NOTE = (
    "The scale tiny only shows that a study runs: its samples are far too small, and neither its rows nor its claims "
    "decide anything."
)

Progress = Callable[[float, float, str], None]
"""Is told how many seconds' worth of work are done, of how many, and the name of the piece that is being made."""


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
) -> list[Document]:
    """Runs the studies of these names.

    Args:
        names: the studies, not collections.
        scale: how large, one of `nobi.studies.study.SCALES`.
        seed: chooses everything that is random.
        out: the folder of pieces, runs and results.
        threads: how many to use, 0 for one a core; the rows do not depend on it, but for networks trained by torch.
        resume: whether to use what is in the folder; if not, it must be empty.
        progress: is told how far the work is.
        data: datasets for the roles that studies need, role → path.
        engines: other programs that studies may play against, name → command.
        leave_out: is told of every study that lacks a dataset or an engine, which is then left out; without it, and if
            nothing would be left, such a study is an error.

    Returns:
        A document for every study, equal to its file `results/NAME.json`.
    """
    kinds = [find(name) for name in dict.fromkeys(names)]
    for kind in kinds:
        if scale not in kind.scales:
            raise NobiError(f"The study {kind.name!r} has no scale {scale!r}; {choices(kind.scales)}.")
    wanted = {name for kind in kinds for name in kind.plays_against}
    met = meet({name: command for name, command in (engines or {}).items() if name in wanted})
    cache = JobCache(out, threads, data, engines)
    studies: list[Study] = []
    lacking: list[NobiError] = []
    for kind in kinds:
        try:
            studies.append(kind(scale, seed, cache.records, met))
        except NobiError as fault:
            lacking.append(fault)
    for lack in lacking:
        if leave_out is None or not studies:
            raise lack
        leave_out(lack)
    if not resume and out.is_dir() and any(out.iterdir()):
        raise NobiError(f"The folder {str(out)!r} is not empty; go on with it (without --fresh) or choose another.")
    return carry_out(studies, cache, progress)


def carry_out(
    studies: Sequence[Study], cache: JobCache, progress: Progress = lambda _done, _total, _what: None
) -> list[Document]:
    """Carries out studies one after the other; what several of them need is made once.

    Args:
        studies: what to carry out.
        cache: keeps the pieces; the results are written below its folder.
        progress: is told how far the work is.
    """
    results = make_writable_folder(cache.folder / "results")
    jobs = dict.fromkeys(job for study in studies for job in study.jobs())
    cache.spent(job for job in jobs if cache.has(job))  # files that cannot be used are told of at once
    total = sum(job.cost for job in jobs if not cache.has(job))
    done = 0.0
    documents = []
    for study in studies:
        missing = [job for job in dict.fromkeys(study.jobs()) if not cache.has(job)]
        cache.make(missing, partial(_tell, progress, done, total))
        done += sum(job.cost for job in missing)
        progress(done, total, f"tables and figures of {study.name}")
        text = json.dumps(document_of(study, cache, results), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        atomic_write(results / f"{study.name}.json", text.encode())
        documents.append(json.loads(text))
    return documents


def document_of(study: Study, cache: JobCache, results: Path) -> Document:
    """All that a reader wants to know of a study whose pieces are made; its figures are written to `results`."""
    start = time.perf_counter(), time.process_time()
    report = study.report(cache, results)
    last = Spent(time.perf_counter() - start[0], time.process_time() - start[1])
    jobs = {job.name: cache.spent([job]) for job in study.jobs()}
    jobs[f"tables and figures of {study.name}"] = last
    return {
        "study": study.name,
        "title": study.title,
        "paper": study.paper,
        "group": study.group,
        "scale": study.scale,
        "seed": study.seed,
        "nobi": nobi.__version__,
        "threads": cache.threads or usable_threads(),
        "settings": dataclasses.asdict(study.settings),
        **({"data": _data(study)} if study.learns_from else {}),
        **({"engines": _engines(study)} if study.plays_against else {}),
        "conditions": study.conditions(),
        "spent": _spent(sum(jobs.values(), Spent(0.0, 0.0))),
        "pieces": {name: _spent(spent) for name, spent in jobs.items()},
        **_findings(report, [TINY_NOTE] if study.scale == "tiny" else []),
    }


def _data(study: Study) -> Document:
    """What is in the datasets that it uses."""
    return {role: dataclasses.asdict(study.records[role]) for role in study.learns_from}


def _engines(study: Study) -> dict[str, str]:
    """The engines that it may have met: name → what each calls itself."""
    return {name: study.engines[name].title for name in study.plays_against if name in study.engines}


def _tell(progress: Progress, done: float, total: float, now: float, what: str) -> None:
    progress(done + now, total, what)


def _spent(spent: Spent) -> dict[str, float]:
    return {"seconds": round(spent.seconds, 1), "cpu": round(spent.cpu, 1)}


def _findings(report: Findings, more_notes: list[str]) -> Document:
    notes = report.notes + more_notes
    return {
        "tables": [{"title": one.title, "rows": [_row(row) for row in one.rows]} for one in report.tables],
        "claims": [dataclasses.asdict(claim) for claim in report.claims],
        "pictures": [dataclasses.asdict(picture) for picture in report.pictures],
        **({"notes": notes} if notes else {}),
    }


def _row(row: Row) -> Document:
    return {
        "labels": row.labels,
        "measure": row.measure,
        "ours": _interval(row.ours),
        "paper": row.paper,
        "neutral": row.neutral,
        "agrees": row.agrees,
    }


def _interval(interval: Interval) -> dict[str, float | None]:
    """JSON has no infinite numbers: null instead."""
    numbers = {name: float(number) for name, number in dataclasses.asdict(interval).items()}
    return {name: number if math.isfinite(number) else None for name, number in numbers.items()}
