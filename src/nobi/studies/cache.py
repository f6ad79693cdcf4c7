"""The cache of the results of jobs, which are computed once and stored in files."""

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from safetensors import SafetensorError, safe_open

from nobi.environment import describe_environment
from nobi.errors import NobiError
from nobi.records.dataset import Dataset
from nobi.storage import atomic_write, make_writable_folder, save_tensors
from nobi.studies.jobs import Arrays, Job
from nobi.studies.resources import DatasetInfo, dataset_info
from nobi.workers import Executor, ThreadExecutor

FORMAT, OLD_FORMAT = "nobi-job-1", "nobi-piece-1"
"""In the old format, the header has `piece` instead of `job`, and the folder is `pieces` instead of `jobs`."""

Environment = dict[str, str]
"""See `nobi.environment`."""
Progress = Callable[[float, str], None]
"""Function that receives the number of completed jobs, including a fraction, and the name of the current job."""


@dataclass(frozen=True)
class Spent:
    """Elapsed time and CPU time."""

    seconds: float
    cpu: float
    """CPU seconds of all threads and finished child processes."""

    @classmethod
    def now(cls) -> "Spent":
        """Return the clocks of this process."""
        times = os.times()
        return cls(time.perf_counter(), time.process_time() + times.children_user + times.children_system)

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(self.seconds + other.seconds, self.cpu + other.cpu)

    def __sub__(self, other: "Spent") -> "Spent":
        return Spent(self.seconds - other.seconds, self.cpu - other.cpu)


class JobCache:
    """The stored results of jobs, one file each; missing ones are computed."""

    def __init__(
        self,
        folder: Path,
        threads: int = 0,
        data: Mapping[str, Path] | None = None,
        engines: Mapping[str, str] | None = None,
        executor: Executor | None = None,
    ) -> None:
        """Open a cache.

        Args:
            folder: contains the files.
            threads: number of threads; 0: one per core.
            data: the datasets that jobs may use, role → path.
            engines: the engines that jobs may use, name → command.
            executor: plays the games of jobs; default: threads of this process.
        """
        self.folder = folder
        self.threads = threads
        self.executor = executor or ThreadExecutor(threads)
        self.datasets: dict[str, DatasetInfo] = {}
        """The contents of the datasets, by role."""
        self._paths: dict[str, Path] = {}
        for role, path in (data or {}).items():
            self.datasets[role] = dataset_info(Dataset.open(path))
            self._paths[self.datasets[role].digest] = path
        self._commands = dict(engines or {})
        self._loaded: dict[str, tuple[Arrays, Spent, Environment]] = {}

    def has(self, job: Job) -> bool:
        """Return whether the result is stored."""
        return job.name in self._loaded or self.path(job).exists()

    def arrays(self, job: Job) -> Arrays:
        """Return the stored result."""
        return self._load(job)[0]

    def spent(self, job: Job) -> Spent:
        """Return the time that the job took."""
        return self._load(job)[1]

    def environment(self, job: Job) -> Environment:
        """Return commit, processor and versions of the computation of a job; empty for results of nobi 0.1.0."""
        return self._load(job)[2]

    def make(self, jobs: Iterable[Job], progress: Progress = lambda _done, _name: None) -> None:
        """Compute the missing results in this order; a call after an interruption resumes."""
        for done, job in enumerate(jobs):
            if not self.has(job):
                self._make(job, lambda fraction, done=done, job=job: progress(done + fraction, job.name))  # type: ignore[misc]
            progress(done + 1, job.name)

    def dataset(self, digest: str) -> Path:
        """Return the path of the dataset with these games."""
        if digest not in self._paths:
            raise NobiError(f"No dataset given by --data has the digest {digest[:12]}….")
        return self._paths[digest]

    def command(self, engine: str) -> str:
        """Return the command of an engine."""
        if engine not in self._commands:
            raise NobiError(f"The engine {engine!r} is missing; give its command with --engine {engine}=COMMAND.")
        return self._commands[engine]

    def path(self, job: Job) -> Path:
        """Return the file with the result of a job."""
        new, old = (self.folder / folder / f"{job.name}.safetensors" for folder in ("jobs", "pieces"))
        return old if old.exists() else new

    def run_folder(self, job: Job) -> Path:
        """Return the folder in which a long job saves its progress."""
        return self.folder / "runs" / job.name

    def _make(self, job: Job, progress: Callable[[float], None]) -> None:
        make_writable_folder(self.folder / "jobs")
        start, elsewhere, clock = Spent.now(), self.executor.cpu_seconds, self.run_folder(job) / "spent.json"
        before = Spent(**json.loads(clock.read_bytes())) if clock.exists() else Spent(0.0, 0.0)
        try:
            arrays = job.make(self, progress)
        finally:
            spent = before + (Spent.now() - start) + Spent(0.0, self.executor.cpu_seconds - elsewhere)
            if clock.parent.is_dir():  # the job will be resumed from its saved progress
                atomic_write(clock, json.dumps(asdict(spent)).encode())
        environment = describe_environment()
        header = {"format": FORMAT, "job": job.description, **{key: f"{n:.3f}" for key, n in asdict(spent).items()}}
        save_tensors(self.path(job), arrays, {**header, "environment": json.dumps(environment, sort_keys=True)})
        self._loaded[job.name] = arrays, spent, environment

    def _load(self, job: Job) -> tuple[Arrays, Spent, Environment]:
        if job.name not in self._loaded:
            path = self.path(job)
            try:
                with safe_open(path, "numpy") as file:
                    header = file.metadata() or {}
                    arrays: Arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
                key = {FORMAT: "job", OLD_FORMAT: "piece"}.get(header.get("format", ""), "")
                if header.get(key) != job.description:
                    raise ValueError("it contains something else")
                spent = Spent(float(header["seconds"]), float(header["cpu"]))
                environment = dict(json.loads(header.get("environment", "{}")))
            except (SafetensorError, OSError, ValueError, KeyError) as error:
                raise NobiError(f"{str(path)!r} cannot be read: {error}; delete it to compute it again.") from None
            self._loaded[job.name] = arrays, spent, environment
        return self._loaded[job.name]
