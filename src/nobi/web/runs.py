"""Training runs: those in the folder of runs, and those that the page starts as child processes.

A run is a folder written by `nobi evolve` or `nobi coevolve` (`config.json`, `metrics.jsonl`, `champion.safetensors`).
The page only reads it, so runs started on the command line need no separate code. The browser names a
run by an id from the index, never by a path.
"""

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

from nobi.errors import INTERRUPTED, NobiError
from nobi.evolution.settings import EvolutionSettings
from nobi.storage import make_writable_folder
from nobi.web.setup import GAME_TITLES

State = Literal["waiting", "running", "elsewhere", "stopped", "finished", "failed"]
MOST_LINES = 100_000
MOST_RUNS = 200
_RECENT_SECONDS = 15.0
"""A run not started by the page counts as running if its files were written within this time."""
_STOP_SECONDS = 60.0
"""A run that does not stop within this time is terminated."""
_FLAGS = ("game", "sizes", "net", "method", "opponents", "generations", "games", "measures", "curriculum", "seed")
"""Settings of `nobi evolve`: keys of config.json and flags of the command."""

NETWORKS = {
    "mdlstm:hidden=3": "MDLSTM, 93 weights",
    "mdrnn:hidden=10": "MDRNN, 140 weights",
    "conv:features=3,width=5": "Convolution of 5×5",
}
TRAINERS = {
    "es:parents=10,offspring=10": "Evolution strategy",
    "cmaes": "CMA-ES",
    "guess": "Guessing",
}
OPPONENTS = {"naive": "Naive", "random": "Random", "heuristic": "Heuristic"}


@dataclass(frozen=True)
class RunChoice:
    """A visitor's settings of a new run, checked on construction."""

    game: str = "atari-go"
    size: int = 7
    net: str = "mdlstm:hidden=3"
    method: str = "es:parents=10,offspring=10"
    opponent: str = "naive"
    generations: int = 150

    def __post_init__(self) -> None:
        known = self.game in GAME_TITLES and self.net in NETWORKS and self.method in TRAINERS
        if not known or self.opponent not in OPPONENTS:
            raise NobiError("This choice is not available for a run.")
        if self.opponent == "heuristic" and self.game != "atari-go":
            raise NobiError("The heuristic player plays only Atari-Go.")
        if not 5 <= self.size <= 13:
            raise NobiError("Runs on this page train on boards from 5×5 to 13×13.")
        if not 10 <= self.generations <= 2000:
            raise NobiError("Runs on this page have 10 to 2,000 generations.")

    def settings(self) -> EvolutionSettings:
        """Return the choice as settings of a run."""
        return EvolutionSettings(
            game=self.game,
            sizes=(self.size,),
            net=self.net,
            method=self.method,
            opponents=(self.opponent,),
            generations=self.generations,
        )


@dataclass
class Run:
    """A training run."""

    id: str
    folder: Path
    config: dict[str, Any]
    process: "subprocess.Popen[bytes] | None" = None
    waiting: bool = False
    error: str = ""
    """Why it could not be started or failed."""
    metrics: list[dict[str, Any]] = field(default_factory=list)
    started: float = 0.0
    """Start time by the monotonic clock; 0 if this page did not start it."""
    first: int = 0
    """Number of finished generations when this page started it."""
    stop_at: float = 0.0
    """Time at which a stopping run is terminated; 0 if it is not stopping."""
    _log: "IO[bytes] | None" = None
    _stamp: tuple[int, int] = (0, 0)

    @property
    def title(self) -> str:
        """The name of the run, that of its folder."""
        return self.folder.name

    @property
    def champion(self) -> Path:
        """The file of its champion."""
        return self.folder / "champion.safetensors"

    @property
    def total(self) -> int:
        """Number of generations in its settings."""
        generations = self.config.get("generations")
        return generations if isinstance(generations, int) else 0

    @property
    def game(self) -> str:
        """The name of its game, without settings."""
        return str(self.config.get("game", "atari-go")).partition(":")[0]

    @property
    def size(self) -> int:
        """The board size that it trains on, the first of several."""
        sizes = self.config.get("sizes") or [self.config.get("size", 7)]
        first = sizes[0] if isinstance(sizes, list) and sizes else 7
        return first if isinstance(first, int) and 5 <= first <= 25 else 7

    @property
    def resumable(self) -> bool:
        """Whether the page can resume it."""
        return all(key in self.config for key in _FLAGS)

    @property
    def state(self) -> State:
        """The state of the run."""
        if self.waiting:
            return "waiting"
        if self.process is not None:
            return "running"
        if self.error:
            return "failed"
        if self.total and len(self.metrics) >= self.total:
            return "finished"
        return "elsewhere" if time.time() - self._stamp[0] / 1e9 < _RECENT_SECONDS and not self.started else "stopped"

    def read(self) -> bool:
        """Read metrics.jsonl if the file has changed; return whether it has."""
        path = self.folder / "metrics.jsonl"
        try:
            found = path.stat()
            if (found.st_mtime_ns, found.st_size) == self._stamp:
                return False
            content = path.read_bytes()
        except OSError:
            return False
        self._stamp = (found.st_mtime_ns, found.st_size)
        lines = []
        for text in content.splitlines()[:MOST_LINES]:
            with suppress(ValueError):
                line = json.loads(text)
                if isinstance(line, dict):
                    lines.append(line)
        self.metrics = lines
        return True

    def curve(self) -> dict[str, list[tuple[float, float]]]:
        """Return the lines of the learning curve by name, each as (generation, value) in order."""
        names = {"best": "best", "mean": "mean", "absolute": "against a fixed player", "score": "against the others"}
        found: dict[str, list[tuple[float, float]]] = {}
        for i, line in enumerate(self.metrics):
            for key, name in names.items():
                value = line.get(key)
                if isinstance(value, int | float) and abs(value) <= 1e6:
                    found.setdefault(name, []).append((float(i), float(value)))
        return found

    def seconds_left(self, now: float) -> float | None:
        """Estimated remaining time; None if unknown."""
        done = len(self.metrics) - self.first
        if not self.started or done < 5 or self.process is None:
            return None
        return (self.total - len(self.metrics)) * (now - self.started) / done


def evolve_command(folder: Path, config: dict[str, Any]) -> list[str]:
    """Return the command that starts or resumes a run with these settings."""
    command = [sys.executable, "-m", "nobi", "evolve", str(folder)]
    for key in _FLAGS:
        value = config[key]
        if value in ("", [], ()):
            continue
        values = value if isinstance(value, list | tuple) else [value]
        command += [f"--{key}", *map(str, values)]
    return [*command, "--threads", "1", "--resume"]


class Runs:
    """The index of all runs. At most one run of the page is running; others wait."""

    def __init__(self, folder: Path, given: Sequence[Path] = (), now: Callable[[], float] = time.monotonic) -> None:
        """`folder` contains one folder for each run; `given` are run folders elsewhere."""
        self.folder = folder
        self._given = [path.resolve() for path in given]
        self._now = now
        self._runs: dict[str, Run] = {}
        self._queue: list[Run] = []
        self._count = 0
        self.look()

    def __getitem__(self, key: str) -> Run:
        if key not in self._runs:
            raise NobiError("There is no such run.")
        return self._runs[key]

    def all(self) -> list[Run]:
        """Return all runs, latest first."""
        return list(reversed(self._runs.values()))

    def look(self) -> None:
        """Search for new runs that were started elsewhere."""
        known = {run.folder for run in self._runs.values()}
        found = [path for path in self._given if path not in known]
        with suppress(OSError):
            below = {path.resolve() for path in self.folder.iterdir() if (path / "config.json").is_file()}
            new = below - known - set(found)
            found += sorted(new, key=lambda path: (path / "config.json").stat().st_mtime)
        for path in found[: MOST_RUNS - len(self._runs)]:
            config = _config_in(path)
            if config is not None:
                self._add(path, config).read()

    def poll(self) -> None:
        """Update ended runs and start the next one in the queue."""
        for run in self._runs.values():
            if run.process is None:
                continue
            code = run.process.poll()
            if code is not None:
                self._ended(run, code)
            elif run.stop_at and self._now() > run.stop_at:
                run.process.kill()
        if self._queue and not any(run.process for run in self._runs.values()):
            self._launch(self._queue.pop(0))

    def start(self, choice: RunChoice, seed: int) -> Run:
        """Start or queue a new run."""
        config = {**_plain(choice.settings()), "seed": seed}
        if len(self._runs) >= MOST_RUNS:
            raise NobiError(f"There are already {MOST_RUNS} runs.")
        make_writable_folder(self.folder)
        stem = f"{choice.game}-{choice.size}x{choice.size}-{choice.net.partition(':')[0]}"
        number = 1
        while (self.folder / f"{stem}-{number}").exists():
            number += 1
        folder = self.folder.resolve() / f"{stem}-{number}"
        folder.mkdir()
        run = self._add(folder, config)
        self._enqueue(run)
        return run

    def resume(self, key: str) -> Run:
        """Resume a stopped run."""
        run = self[key]
        run.read()
        if not run.resumable:
            raise NobiError("Resume this run on the command line, as it was started there.")
        if run.state in ("running", "elsewhere", "waiting"):
            raise NobiError("This run is already running.")
        if run.state == "finished":
            raise NobiError("This run is finished.")
        self._enqueue(run)
        return run

    def stop(self, key: str) -> None:
        """Request a run of this page to save and stop; a waiting run is removed from the queue."""
        run = self[key]
        if run.waiting:
            run.waiting = False
            self._queue.remove(run)
        elif run.process is not None:
            run.process.send_signal(signal.SIGINT)
            run.stop_at = self._now() + _STOP_SECONDS
        elif run.state == "elsewhere":
            raise NobiError("This run was started elsewhere; stop it there.")

    def place(self, run: Run) -> int:
        """Position of a waiting run in the queue; 2 is the next one."""
        return self._queue.index(run) + 2 if run in self._queue else 1

    def close(self) -> None:
        """Save and stop the runs that this page has started."""
        self._queue.clear()
        going = [run.process for run in self._runs.values() if run.process]
        for process in going:
            process.send_signal(signal.SIGINT)
        for process in going:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()

    def _add(self, folder: Path, config: dict[str, Any]) -> Run:
        self._count += 1
        run = Run(f"run-{self._count}", folder, config)
        self._runs[run.id] = run
        return run

    def _enqueue(self, run: Run) -> None:
        run.waiting, run.error = True, ""
        self._queue.append(run)
        self.poll()

    def _launch(self, run: Run) -> None:
        run.waiting = False
        run._log = tempfile.TemporaryFile()  # noqa: SIM115 (closed when the run has ended)
        command = [*_nice_command(), *evolve_command(run.folder, run.config)]
        try:
            # a new session, so that Ctrl-C in the terminal of the page does not reach the run as well
            run.process = subprocess.Popen(  # noqa: S603
                command, stdin=subprocess.DEVNULL, stdout=run._log, stderr=run._log, start_new_session=True
            )
        except OSError as error:
            run.error = f"The run cannot be started: {error.strerror}."
            return
        run.started, run.first, run.stop_at = self._now(), len(run.metrics), 0.0

    def _ended(self, run: Run, code: int) -> None:
        run.process = None
        run.read()
        if code not in (0, INTERRUPTED, -signal.SIGINT) and not run.stop_at:
            message = _last_message(run._log).replace(repr(str(run.folder)), "of this run")
            run.error = message or "The run ended unexpectedly."
        if run._log:
            run._log.close()
            run._log = None


def _nice_command() -> list[str]:
    """Command prefix that gives a run a lower priority than the page."""
    return ["nice", "-n", "5"] if shutil.which("nice") else []


def _plain(settings: EvolutionSettings) -> dict[str, Any]:
    return {key: list(value) if isinstance(value := getattr(settings, key), tuple) else value for key in _FLAGS}


def _config_in(folder: Path) -> dict[str, Any] | None:
    """Return the settings of the run in a folder; None if it contains no evolution run."""
    try:
        found = json.loads((folder / "config.json").read_bytes())
    except (OSError, ValueError):
        return None
    is_run = isinstance(found, dict) and "net" in found and "generations" in found and "game" in found
    return found if is_run else None


def _last_message(log: "IO[bytes] | None") -> str:
    """Return the last line of the command's output, if it is an error message of nobi."""
    if log is None:
        return ""
    log.seek(0)
    lines = log.read().decode("utf-8", "replace").strip().splitlines()
    if not lines or not lines[-1].startswith("nobi: "):
        return ""
    return lines[-1].removeprefix("nobi: ")
