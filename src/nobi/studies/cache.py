"""Where the results of jobs are made and kept."""

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from nobi.errors import NobiError
from nobi.records.dataset import Dataset
from nobi.storage import atomic_write, make_writable_folder, save_tensors
from nobi.studies.jobs import Arrays, Job
from nobi.studies.resources import Records, records_of

FORMAT = "nobi-piece-1"

Progress = Callable[[float, str], None]
"""Is told how many seconds' worth of work, by the pieces' own estimate, are done, and of which piece."""


@dataclass(frozen=True)
class Spent:
    """How long something took to make, pauses not counted."""

    seconds: float
    cpu: float
    """Seconds of all cores together; unlike the other, this hardly depends on what else the machine does."""

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(self.seconds + other.seconds, self.cpu + other.cpu)


class JobCache:
    """Makes pieces, each in a file of its own below a folder; what is there is not made again."""

    def __init__(
        self,
        folder: Path,
        threads: int = 0,
        data: Mapping[str, Path] | None = None,
        engines: Mapping[str, str] | None = None,
    ) -> None:
        """Opens a workshop.

        Args:
            folder: keeps the pieces.
            threads: how many to use, 0 for one a core.
            data: the datasets that pieces may learn from, role → path.
            engines: the programs that pieces may play against, name → command.
        """
        self.folder = folder
        self.threads = threads
        self.records: dict[str, Records] = {}
        """What is in the datasets, by role."""
        self._datasets: dict[str, Path] = {}
        for role, path in (data or {}).items():
            self.records[role] = records_of(Dataset.open(path))
            self._datasets[self.records[role].digest] = path
        self._commands = dict(engines or {})
        self._kept: dict[str, tuple[Arrays, Spent]] = {}

    def has(self, job: Job) -> bool:
        """Whether the piece is made."""
        return job.name in self._kept or self.path(job).exists()

    def arrays(self, job: Job) -> Arrays:
        """What the piece came to; it must be made already."""
        return self._load(job)[0]

    def spent(self, jobs: Iterable[Job]) -> Spent:
        """How long these pieces took."""
        total = Spent(0.0, 0.0)
        for job in jobs:
            total += self._load(job)[1]
        return total

    def make(self, jobs: Iterable[Job], progress: Progress = lambda _done, _what: None) -> None:
        """Makes all that is missing. After Ctrl-C or a crash, the next call goes on where this one was."""
        done = 0.0
        for job in dict.fromkeys(jobs):
            if not self.has(job):
                self._make(job, partial(_tell, progress, done, job))
            done += job.cost
            progress(done, job.name)

    def dataset(self, digest: str) -> Path:
        """Where the dataset of these games lies."""
        if digest not in self._datasets:
            raise NobiError(f"None of the datasets of --data is the one with the digest {digest[:12]}….")
        return self._datasets[digest]

    def command(self, engine: str) -> str:
        """The command of an engine."""
        if engine not in self._commands:
            raise NobiError(f"The engine {engine!r} is not there; name its command with --engine {engine}=COMMAND.")
        return self._commands[engine]

    def path(self, job: Job) -> Path:
        """The file that keeps a piece."""
        return self.folder / "pieces" / f"{job.name}.safetensors"

    def run_folder(self, name: str) -> Path:
        """Where a piece that takes long keeps what it has so far."""
        return self.folder / "runs" / name

    def _make(self, job: Job, progress: Callable[[float], None]) -> None:
        make_writable_folder(self.folder / "pieces")
        clock = _Clock(self.folder / "runs" / job.name / "spent.json")

        def tick(share: float) -> None:
            progress(share)
            clock.save_now_and_then()

        try:
            arrays = job.make(self, tick)
        finally:
            clock.save()
        spent = clock.spent()
        header = {
            "format": FORMAT,
            "piece": job.description,
            "seconds": f"{spent.seconds:.3f}",
            "cpu": f"{spent.cpu:.3f}",
        }
        save_tensors(self.path(job), arrays, header)
        self._kept[job.name] = arrays, spent

    def _load(self, job: Job) -> tuple[Arrays, Spent]:
        if job.name not in self._kept:
            path = self.path(job)
            try:
                with safe_open(path, "numpy") as file:
                    header = file.metadata() or {}
                    arrays: dict[str, NDArray[Any]] = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
                if header.get("format") != FORMAT or header.get("piece") != job.description:
                    raise ValueError("it holds something else")
                spent = Spent(float(header["seconds"]), float(header["cpu"]))
            except (SafetensorError, OSError, ValueError, KeyError) as fault:
                raise NobiError(f"{str(path)!r} cannot be used: {fault}; delete it to have it made again.") from None
            self._kept[job.name] = arrays, spent
        return self._kept[job.name]


def _tell(progress: Progress, done: float, job: Job, share: float) -> None:
    progress(done + share * job.cost, job.name)


def learning_curves(cache: JobCache, runs: Iterable[Job]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and best fitness of finished runs of evolution, each [run, generation]."""
    arrays = [cache.arrays(run) for run in runs]
    mean, best = (np.stack([run[key] for run in arrays]) for key in ("mean", "best"))
    return mean, best


def cpu_seconds() -> float:
    """The time of all cores that this process has taken, and the programs that it started and has seen end."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


class _Clock:
    """Counts the time that a piece takes, also over interruptions, if there is a folder to note it in."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._before = Spent(0.0, 0.0)
        try:
            noted = json.loads(path.read_bytes())
            self._before = Spent(float(noted["seconds"]), float(noted["cpu"]))
        except (OSError, ValueError, KeyError, TypeError):
            pass  # the first time, or nothing to be trusted
        self._start = time.perf_counter(), cpu_seconds()
        self._saved = time.monotonic()

    def spent(self) -> Spent:
        seconds, cpu = self._start
        return self._before + Spent(time.perf_counter() - seconds, cpu_seconds() - cpu)

    def save_now_and_then(self) -> None:
        if time.monotonic() - self._saved > 1:
            self.save()
            self._saved = time.monotonic()

    def save(self) -> None:
        if self._path.parent.is_dir():
            spent = self.spent()
            atomic_write(self._path, json.dumps({"seconds": spent.seconds, "cpu": spent.cpu}).encode())
