"""A computation of a view, with progress, a result or an error message."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from nobi.errors import NobiError
from nobi.web.jobs import WENT_WRONG, Job, Jobs, Priority

Report = Callable[[float], None]
"""Called with the fraction of the work done, 0 to 1."""

ABANDONED_SECONDS = 600.0
"""A computation that has not been polled for this time is cancelled: the visitor has left."""

_log = logging.getLogger(__name__)


class Task:
    """At most one job of a view; a newer job replaces it."""

    def __init__(self, jobs: Jobs, visitor: str, purpose: str, now: Callable[[], float] = time.monotonic) -> None:
        """`purpose` distinguishes the tasks of a visitor."""
        self._now = now
        self._polled = now()
        self._jobs = jobs
        self._visitor = visitor
        self._purpose = purpose
        self._job: Job | None = None
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
        except NobiError as fault:
            self.failed = str(fault)

    def poll(self) -> Any:
        """Return the result once when it is available; else None."""
        self._polled = self._now()
        if self._job is None or not self._job.done.is_set():
            return None
        job, self._job = self._job, None
        try:
            return job.take()
        except NobiError as fault:
            self.failed = str(fault)
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
