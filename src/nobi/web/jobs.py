"""Computations outside the event loop: one queue with priorities, a few threads, a limit for each visitor.

A thread cannot be ended from outside: every job gets an event that it looks at often. Results are read by polling.
"""

import itertools
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from nobi.errors import NobiError
from nobi.workers import usable_threads

MOST_OF_A_VISITOR = 2


class Priority(IntEnum):
    """What comes first."""

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
    stop: threading.Event = field(default_factory=threading.Event)
    """Asks the work to end soon with what it has found."""
    cancelled: bool = False
    """Whether nobody wants the result."""
    done: threading.Event = field(default_factory=threading.Event)
    result: Any = None
    error: Exception | None = None

    def cancel(self) -> None:
        """Asks the job to end soon; its result is not wanted."""
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
        self._queue: queue.PriorityQueue[tuple[int, int, Job | None]] = queue.PriorityQueue()
        self._number = itertools.count()
        self._lock = threading.Lock()
        self._open: list[Job] = []
        count = threads or max(1, usable_threads(0) - 1)
        self._threads = [threading.Thread(target=self._work, name=f"job-{i}", daemon=True) for i in range(count)]
        for thread in self._threads:
            thread.start()

    def submit(self, visitor: str, priority: Priority, work: Callable[[threading.Event], Any]) -> Job:
        """Queues a job; an older one of the same visitor and priority is cancelled."""
        job = Job(visitor, priority, work)
        with self._lock:
            mine = [one for one in self._open if one.visitor == visitor and not one.cancelled]
            for one in mine:
                if one.priority == priority:
                    one.cancel()
            if len([one for one in mine if one.priority != priority]) >= MOST_OF_A_VISITOR:
                raise NobiError("Two computations are running for you. Stop one first.")
            self._open.append(job)
        self._queue.put((priority, next(self._number), job))
        return job

    def close(self) -> None:
        """Cancels everything and ends the threads."""
        with self._lock:
            for job in self._open:
                job.cancel()
        for _ in self._threads:
            self._queue.put((-1, next(self._number), None))
        for thread in self._threads:
            thread.join(timeout=5)

    def _work(self) -> None:
        while True:
            job = self._queue.get()[2]
            if job is None:
                return
            try:
                if job.cancelled:
                    raise NobiError("Stopped.")
                job.result = job.work(job.stop)
            except Exception as fault:  # `take` raises it again
                job.error = fault
            with self._lock:
                self._open.remove(job)
            job.done.set()
