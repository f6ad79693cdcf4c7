"""Many searches on shared cores: a `TurnSearch` is the search of one turn of a query, run in short slices.

A fixed number of workers run slices of searches. The first worker always takes the task with the highest priority. The
others prefer tasks that have used less time, so that an endless search, as of a program that ponders, does not delay
short queries of lower priority. Between two slices a task is suspended if another one has precedence; its tree is kept.
The cores are divided among the running searches.
"""

import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.analysis.answers import policy_of, result_of
from nobi.analysis.query import Query
from nobi.games.base import Variant
from nobi.games.go import Go
from nobi.players.mcts import root_power
from nobi.search.search import Search

SLICE_SECONDS = 0.1
"""Maximum time of a slice."""
_SHORTEST = 0.001
_QUANTUM_SECONDS = 1.0
"""The time after which tasks that have used less time take precedence."""
_MOST_SUSPENDED = 4
"""Maximum number of suspended searches, which keep their trees."""
_CLOSE_SECONDS = 0.3
"""Maximum time to wait for workers at the end: a worker blocks while it writes to a client that does not read."""


NewSearch = Callable[[Variant], Search]
Write = Callable[[dict[str, Any]], None]


class TurnSearch:
    """The search of one turn of a query."""

    def __init__(self, query: Query, turn: int, number: int, new_search: NewSearch, write: Write) -> None:
        """`number` is the task's position in the order of arrival."""
        self.query, self.turn, self.number = query, turn, number
        self.priority = query.turns[turn]
        self.stop = threading.Event()
        """Whether to end the search: the next slice writes its result."""
        self.quanta = 0
        """Number of time quanta (`_QUANTUM_SECONDS`) that the search has used up."""
        self.busy = 0.0
        """Seconds of search in the current quantum."""
        self._new_search, self._write = new_search, write
        self._search: Search | None = None
        self._game: Go | None = None
        self._policy: NDArray[np.float64] | None = None
        self._visits = 0
        self._seconds = 0.0
        self._next_report = query.first

    @property
    def has_begun(self) -> bool:
        """Whether the search has begun."""
        return self._search is not None

    def step(self, threads: int) -> bool:
        """Search a slice with this number of threads; return whether the task is done and its result written."""
        query, limits = self.query, self.query.defaults
        search = self._search or self._begin()
        search.use_threads(threads)
        start = time.perf_counter()
        seconds = min(SLICE_SECONDS, limits.max_time - self._seconds)
        if self._next_report is not None:
            seconds = min(seconds, self._next_report - self._seconds)
        left = limits.max_visits - self._visits
        if left > 0:
            self._visits += search.run(min(left, 2**40), max(_SHORTEST, seconds), self.stop)
        spent = time.perf_counter() - start
        self._seconds += spent
        self.busy += spent
        done = (
            self.stop.is_set()
            or self._visits >= limits.max_visits
            or self._seconds >= limits.max_time
            or search.is_full
        )
        if done:
            self.finish()
            return True
        if self._next_report is not None and self._seconds >= self._next_report:
            self._write(self._result(during=True))
            # without reportDuringSearchEvery there is only a first report
            self._next_report = self._seconds + query.every if query.every else None
        return False

    def finish(self) -> None:
        """Write the final result of a search that has begun."""
        self._write(self._result(during=False))
        self.close()

    def close(self) -> None:
        """Release the search."""
        if self._search:
            self._search.close()
        self._search = self._game = None

    def fail(self, error: Exception) -> None:
        """Write that the search failed."""
        self.close()
        self._write({"error": f"internal error: {type(error).__name__}", "id": self.query.id, "turnNumber": self.turn})

    def without_results(self) -> dict[str, Any]:
        """Return the answer to a task that was terminated before its search began."""
        return {"id": self.query.id, "turnNumber": self.turn, "isDuringSearch": False, "noResults": True}

    def _begin(self) -> Search:
        limits = self.query.defaults
        self._game = self.query.position(self.turn)
        search = self._new_search(self.query.variant)
        power = root_power(limits.noise, limits.temperature)
        search.restrict(self.query.restrictions)
        search.widen(power)
        search.set_game(self._game)
        self._visits = search.run(1)
        if "includePolicy" in self.query.flags:
            self._policy = policy_of(self._game, search, power)
        self._search = search
        return search

    def _result(self, *, during: bool) -> dict[str, Any]:
        assert self._search is not None and self._game is not None  # noqa: S101, PT018
        return result_of(self.query, self.turn, self._game, self._search, self._policy) | {"isDuringSearch": during}


class Scheduler:
    """Runs tasks in threads."""

    def __init__(self, workers: int, cores: int, log_error: Callable[[str], None] = lambda _: None) -> None:
        """`workers` searches run at once on `cores` cores; `log_error` receives tracebacks."""
        self._cores = cores
        self._log_error = log_error
        self._changed = threading.Condition()
        self._waiting: list[TurnSearch] = []
        self._running: set[TurnSearch] = set()
        self._closed = False
        self._failed: BaseException | None = None
        self._threads = [threading.Thread(target=self._work, args=(i,), daemon=True) for i in range(workers)]
        for thread in self._threads:
            thread.start()

    def add(self, tasks: list[TurnSearch]) -> None:
        """Add tasks to the queue."""
        with self._changed:
            self._waiting += tasks
            self._changed.notify_all()

    def remove(self, matches: Callable[[TurnSearch], bool]) -> list[TurnSearch]:
        """Remove and return the tasks that have not begun."""
        with self._changed:
            found = [task for task in self._waiting if matches(task) and not task.has_begun]
            self._waiting = [task for task in self._waiting if task not in found]
            self._changed.notify_all()
        return found

    def stop(self, matches: Callable[[TurnSearch], bool]) -> None:
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

    def _key(self, task: TurnSearch, worker: int) -> tuple[int, int, int]:
        """Return the sort key of a task; lower keys have precedence."""
        return (0 if worker == 0 else task.quanta, -task.priority, task.number)

    def _take(self, worker: int) -> TurnSearch | None:
        """Wait for the next task and return it; None when the scheduler is closed."""
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

    def _step(self, task: TurnSearch, worker: int) -> bool:
        """Run a slice; return whether the worker releases the task, because it is done or suspended."""
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
