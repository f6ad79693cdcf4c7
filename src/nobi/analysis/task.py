"""The search of one turn of a query, made in short slices so that many share the cores."""

import threading
import time
from collections.abc import Callable
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
"""The longest time of a slice."""
_SHORTEST = 0.001

NewSearch = Callable[[Variant], Search]
Write = Callable[[dict[str, Any]], None]


class Task:
    """One turn of a query."""

    def __init__(self, query: Query, turn: int, number: int, new_search: NewSearch, write: Write) -> None:
        """`number` is its place in the order of arrival."""
        self.query, self.turn, self.number = query, turn, number
        self.priority = query.turns[turn]
        self.stop = threading.Event()
        """Ends the search: the next slice writes its result."""
        self.quanta = 0
        """How often it has used up the time after which others come first."""
        self.busy = 0.0
        """Seconds of its search since the last of these."""
        self._new_search, self._write = new_search, write
        self._search: Search | None = None
        self._game: Go | None = None
        self._policy: NDArray[np.float64] | None = None
        self._visits = 0
        self._seconds = 0.0
        self._next_report = query.first

    @property
    def has_begun(self) -> bool:
        """Whether there is a search."""
        return self._search is not None

    def step(self, threads: int) -> bool:
        """Search a slice with this number of threads; return whether the task is done, its result being written."""
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
        """The answer to a task that was terminated before its search began."""
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
