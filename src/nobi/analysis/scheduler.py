"""Many searches on shared cores.

A fixed number of workers make slices of searches. The first worker always takes the task of the highest priority. The
others prefer tasks that have used less time, so that a search without end, as of a program that ponders, does not keep
short queries of a lower priority waiting. Between two slices a task is suspended if another one comes first; its tree
is kept. The cores are divided among the searches that run.
"""

import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress

from nobi.analysis.task import Task

_QUANTUM_SECONDS = 1.0
"""The time after which a task comes behind those that have used less."""
_MOST_SUSPENDED = 4
"""Suspended searches keep their trees: there are no more of them than this."""
_CLOSE_SECONDS = 0.3
"""How long workers are awaited at the end; one that writes to a client which does not read would not end."""


class Scheduler:
    """Runs tasks in threads."""

    def __init__(self, workers: int, cores: int, log_error: Callable[[str], None] = lambda _: None) -> None:
        """`workers` searches run at once on this number of cores; `log_error` receives tracebacks."""
        self._cores = cores
        self._log_error = log_error
        self._changed = threading.Condition()
        self._waiting: list[Task] = []
        self._running: set[Task] = set()
        self._closed = False
        self._failed: BaseException | None = None
        self._threads = [threading.Thread(target=self._work, args=(i,), daemon=True) for i in range(workers)]
        for thread in self._threads:
            thread.start()

    def add(self, tasks: list[Task]) -> None:
        """Add tasks."""
        with self._changed:
            self._waiting += tasks
            self._changed.notify_all()

    def remove(self, matches: Callable[[Task], bool]) -> list[Task]:
        """Remove and return the tasks that have not begun."""
        with self._changed:
            found = [task for task in self._waiting if matches(task) and not task.has_begun]
            self._waiting = [task for task in self._waiting if task not in found]
            self._changed.notify_all()
        return found

    def stop(self, matches: Callable[[Task], bool]) -> None:
        """Stop the searches that have begun; they write their results."""
        with self._changed:
            suspended = [task for task in self._waiting if matches(task) and task.has_begun]
            self._waiting = [task for task in self._waiting if task not in suspended]
            for task in self._running:
                if matches(task):
                    task.stop.set()
            self._changed.notify_all()
        for task in suspended:
            task.finish()

    def wait(self, stop: threading.Event) -> None:
        """Wait until all tasks are done or `stop` is set."""
        with self._changed:
            while (self._waiting or self._running) and not stop.is_set() and not self._failed:
                self._changed.wait(0.05)

    def close(self) -> None:
        """Stop all searches without writing their results, and end the workers."""
        with self._changed:
            if self._closed:
                return
            self._closed = True
            waiting, self._waiting = self._waiting, []
            for task in self._running:
                task.stop.set()
            self._changed.notify_all()
        for task in waiting:
            task.close()
        deadline = time.monotonic() + _CLOSE_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    @property
    def is_broken(self) -> bool:
        """Whether the output was closed while a result was written."""
        return isinstance(self._failed, BrokenPipeError)

    # --- workers ----------------------------------------------------------------------------------------------------

    def _key(self, task: Task, worker: int) -> tuple[int, int, int]:
        """Tasks with lower keys come first."""
        return (0 if worker == 0 else task.quanta, -task.priority, task.number)

    def _take(self, worker: int) -> Task | None:
        """The next task; None when the scheduler is closed."""
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            if self._closed:
                return None
            task = min(self._waiting, key=lambda task: self._key(task, worker))
            self._waiting.remove(task)
            self._running.add(task)
            return task

    def _work(self, worker: int) -> None:
        while (task := self._take(worker)) is not None:
            try:
                while not self._step(task, worker):
                    pass
            except BrokenPipeError as error:
                self._failed = error
            except Exception as error:
                self._log_error(traceback.format_exc())
                with suppress(BrokenPipeError):
                    task.fail(error)
            with self._changed:
                self._running.discard(task)
                self._changed.notify_all()

    def _step(self, task: Task, worker: int) -> bool:
        """Make a slice; return whether the worker is done with the task, because it is done or suspended."""
        threads = max(1, self._cores // max(1, len(self._running)))
        if self._closed:
            task.close()
            return True
        if task.step(threads):
            return True
        with self._changed:
            if task.busy >= _QUANTUM_SECONDS:
                task.quanta += 1
                task.busy = 0.0
            key = self._key(task, worker)
            suspended = sum(one.has_begun for one in self._waiting)
            if any(self._key(one, worker) < key for one in self._waiting) and suspended < _MOST_SUSPENDED:
                self._running.discard(task)
                self._waiting.append(task)
                self._changed.notify_all()
                return True
        return False
