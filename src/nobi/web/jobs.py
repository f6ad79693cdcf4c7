"""Computations outside the event loop: one queue with priorities, a few threads, and limits for each visitor.

A thread cannot be stopped from outside, so every job gets an event that it checks often. Results are polled. A view
computes by a `Task`, which holds at most one job, its progress and its error.
"""

import itertools
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from nobi.errors import NobiError
from nobi.workers import usable_threads

RUNNING_OF_A_VISITOR = 2
"""Maximum number of running jobs of one visitor; further jobs wait even if a thread is free."""
OPEN_OF_A_VISITOR = 6
"""Maximum number of running and waiting jobs of one visitor; further jobs are rejected."""
WENT_WRONG = "This computation failed unexpectedly. Details are in the terminal that runs 'nobi play'."
"""The message shown to a visitor for an unexpected error."""
ABANDONED_SECONDS = 600.0
"""A task that has not been polled for this time is cancelled: the visitor has left."""

Report = Callable[[float], None]
"""Called with the fraction of the work done, 0 to 1."""

_log = logging.getLogger(__name__)


class Priority(IntEnum):
    """Priorities of jobs; the smallest value runs first."""

    MOVE = 0
    HINT = 1
    EVALUATION = 2
    REVIEW = 3


@dataclass
class QueuedJob:
    """One computation."""

    visitor: str
    priority: Priority
    work: Callable[[threading.Event], Any]
    purpose: str = ""
    """A newer job of the same visitor, priority and purpose replaces this one."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Requests the work to end soon and return its partial result."""
    cancelled: bool = False
    """Whether the job was cancelled."""
    done: threading.Event = field(default_factory=threading.Event)
    result: Any = None
    error: Exception | None = None
    number: int = 0
    running: bool = False

    def cancel(self) -> None:
        """Request the job to stop soon and discard its result."""
        self.cancelled = True
        self.stop.set()

    def take(self) -> Any:
        """Return the result of a finished job, or raise its error."""
        if self.error:
            raise self.error
        return self.result


class Jobs:
    """The queue and its threads."""

    def __init__(self, threads: int = 0) -> None:
        """`threads`: maximum number of running jobs; by default one core is left for the page."""
        self._number = itertools.count()
        self._changed = threading.Condition()
        self._open: list[QueuedJob] = []
        self._closed = False
        count = threads or max(1, usable_threads(0) - 1)
        self._threads = [threading.Thread(target=self._work, name=f"job-{i}", daemon=True) for i in range(count)]
        for thread in self._threads:
            thread.start()

    def submit(
        self, visitor: str, priority: Priority, work: Callable[[threading.Event], Any], purpose: str = ""
    ) -> QueuedJob:
        """Queue a job; an older one of the same visitor, priority and purpose is cancelled.

        All tabs of a browser are one visitor. Raises a NobiError if the visitor has too many jobs.
        """
        job = QueuedJob(visitor, priority, work, purpose, number=next(self._number))
        with self._changed:
            mine = [one for one in self._open if one.visitor == visitor and not one.cancelled]
            replaced = [one for one in mine if (one.priority, one.purpose) == (priority, purpose)]
            if len(mine) - len(replaced) >= OPEN_OF_A_VISITOR:
                raise NobiError("Too many computations are waiting. Stop one of yours first.")
            for one in replaced:
                one.cancel()
            self._open.append(job)
            self._changed.notify_all()
        return job

    def close(self) -> None:
        """Cancel all jobs and end the threads."""
        with self._changed:
            self._closed = True
            for job in self._open:
                job.cancel()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(timeout=5)

    def _next(self) -> QueuedJob | None:
        """Return the waiting job that runs next, or None if no job may run."""
        running = [one.visitor for one in self._open if one.running]
        ready = [
            one
            for one in self._open
            if not one.running and (one.cancelled or running.count(one.visitor) < RUNNING_OF_A_VISITOR)
        ]
        return min(ready, key=lambda one: (not one.cancelled, one.priority, one.number), default=None)

    def _work(self) -> None:
        while True:
            with self._changed:
                while (job := self._next()) is None:
                    if self._closed:
                        return
                    self._changed.wait()
                job.running = True
            try:
                if job.cancelled:
                    raise NobiError("Stopped.")
                job.result = job.work(job.stop)
            except Exception as error:  # raised again by `take`
                job.error = error
            with self._changed:
                self._open.remove(job)
                self._changed.notify_all()
            job.done.set()


class Task:
    """At most one job of a view; a newer job replaces it."""

    def __init__(self, jobs: Jobs, visitor: str, purpose: str, now: Callable[[], float] = time.monotonic) -> None:
        """`purpose` distinguishes the tasks of a visitor."""
        self._now = now
        self._polled = now()
        self._jobs = jobs
        self._visitor = visitor
        self._purpose = purpose
        self._job: QueuedJob | None = None
        self.progress = 0.0
        self.failed = ""
        """Why the latest computation failed; empty if it did not."""

    @property
    def busy(self) -> bool:
        """Whether it runs or waits."""
        return self._job is not None

    def start(self, work: Callable[[threading.Event, Report], Any]) -> None:
        """Start a job and cancel the previous one. If the job is rejected, `failed` has the reason."""
        self.cancel()
        self.progress, self.failed = 0.0, ""

        self._polled = self._now()

        def run(stop: threading.Event) -> Any:
            def report(share: float) -> None:
                self.progress = share  # one assignment; the event loop reads it
                if self._now() - self._polled > ABANDONED_SECONDS:
                    stop.set()

            return work(stop, report)

        try:
            self._job = self._jobs.submit(self._visitor, Priority.REVIEW, run, self._purpose)
        except NobiError as error:
            self.failed = str(error)

    def poll(self) -> Any:
        """Return the result once when it is available; else None."""
        self._polled = self._now()
        if self._job is None or not self._job.done.is_set():
            return None
        job, self._job = self._job, None
        try:
            return job.take()
        except NobiError as error:
            self.failed = str(error)
        except Exception:
            _log.exception("a computation for a visitor failed")
            self.failed = WENT_WRONG
        return None

    def stop(self) -> None:
        """Request the job to end soon with a partial result."""
        if self._job:
            self._job.stop.set()

    def cancel(self) -> None:
        """Stop the job and discard its result."""
        if self._job:
            self._job.cancel()
            self._job = None
