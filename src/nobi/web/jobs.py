"""Computations outside the event loop: one queue with priorities, a few threads, and limits for each visitor.

A thread cannot be stopped from outside: every job gets an event that it checks often. Results are read by polling.
"""

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from nobi.errors import NobiError
from nobi.workers import usable_threads

RUNNING_OF_A_VISITOR = 2
"""The jobs of one visitor that run at once; more of them wait, even if a thread is free."""
OPEN_OF_A_VISITOR = 6
"""The jobs of one visitor that run or wait; more of them are refused."""
WENT_WRONG = "Something went wrong in this computation. The details are in the terminal of 'nobi play'."
"""The message shown to a visitor for an unexpected error."""


class Priority(IntEnum):
    """Which job runs first."""

    MOVE = 0
    HINT = 1
    OPINION = 2
    REVIEW = 3


@dataclass
class Job:
    """One computation."""

    visitor: str
    priority: Priority
    work: Callable[[threading.Event], Any]
    purpose: str = ""
    """A newer job of the same visitor, priority and purpose replaces this one."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Asks the work to end soon with what it has found."""
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
        """The result of a job that is done, or its error."""
        if self.error:
            raise self.error
        return self.result


class Jobs:
    """The queue and its threads."""

    def __init__(self, threads: int = 0) -> None:
        """`threads` is how many jobs may run at once; by default one core is left to the page."""
        self._number = itertools.count()
        self._changed = threading.Condition()
        self._open: list[Job] = []
        self._closed = False
        count = threads or max(1, usable_threads(0) - 1)
        self._threads = [threading.Thread(target=self._work, name=f"job-{i}", daemon=True) for i in range(count)]
        for thread in self._threads:
            thread.start()

    def submit(
        self, visitor: str, priority: Priority, work: Callable[[threading.Event], Any], purpose: str = ""
    ) -> Job:
        """Queues a job; an older one of the same visitor, priority and purpose is cancelled.

        All tabs of a browser are one visitor. A NobiError refuses a visitor who has too many jobs already.
        """
        job = Job(visitor, priority, work, purpose, number=next(self._number))
        with self._changed:
            mine = [one for one in self._open if one.visitor == visitor and not one.cancelled]
            replaced = [one for one in mine if (one.priority, one.purpose) == (priority, purpose)]
            if len(mine) - len(replaced) >= OPEN_OF_A_VISITOR:
                raise NobiError("Too many computations are waiting for you. Stop one first.")
            for one in replaced:
                one.cancel()
            self._open.append(job)
            self._changed.notify_all()
        return job

    def close(self) -> None:
        """Cancels everything and ends the threads."""
        with self._changed:
            self._closed = True
            for job in self._open:
                job.cancel()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(timeout=5)

    def _next(self) -> Job | None:
        """The waiting job that runs next, or None if there is none that may."""
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
            except Exception as fault:  # `take` raises it again
                job.error = fault
            with self._changed:
                self._open.remove(job)
                self._changed.notify_all()
            job.done.set()
