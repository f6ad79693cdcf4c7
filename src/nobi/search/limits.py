"""End of a search: limits of playouts and time, and early stopping when the best move is decided."""

import threading
import time

import numpy as np

from nobi.search.tree import Tree

CHECK_SECONDS = 0.05
"""The time between two checks whether the best move is decided."""
SOFT_SHARE, LEAD_SHARE = 0.6, 0.3
"""A search with early stopping ends after the share SOFT_SHARE of its time if its best move has not changed since
LEAD_SHARE and also has the highest win rate; otherwise it uses the remaining time."""
_RIVAL_SHARE = 0.1
"""Moves with less than this share of the best move's playouts are not compared by win rate."""


class Leader:
    """Decides when a search limited by time may end early."""

    def __init__(self, start: float, seconds: float) -> None:
        self._start, self._seconds = start, seconds
        self._move = -1
        self._since = start  # when the move took the lead

    def is_decided(self, tree: Tree, made: int) -> bool:
        """Return whether the search may end; `made` is the number of its playouts so far."""
        now = time.perf_counter()
        first, count = int(tree.first[0]), int(tree.children[0])
        if count <= 0 or made == 0:
            return False
        nodes = slice(first, first + count)
        visits = tree.visits[nodes] - tree.assumed[nodes]
        best = int(visits.argmax())
        if best != self._move:
            self._move, self._since = best, now
        if count == 1:
            return True
        spent = now - self._start
        left = made / spent * (self._seconds - spent)
        if visits[best] - np.partition(visits, -2)[-2] > left:
            return True
        rates = np.where(visits >= _RIVAL_SHARE * visits[best], tree.wins[nodes] / tree.visits[nodes], 0.0)
        has_lead = self._since - self._start <= LEAD_SHARE * self._seconds and rates[best] >= rates.max()
        return bool(has_lead and spent >= SOFT_SHARE * self._seconds)


class Budget:
    """The remaining playouts and time, shared by the threads."""

    def __init__(self, playouts: int, deadline: float, stop: threading.Event) -> None:
        self._left = playouts
        self.deadline = deadline
        self._stop = stop
        self._cancelled = False
        self._lock = threading.Lock()

    def take(self, amount: int, threads: int) -> int:
        """Take up to `amount` playouts; the last ones are divided evenly."""
        with self._lock:
            share = max(1, min(amount, self._left // threads)) if self._left > 0 else 0
            self._left -= share
            return share

    def give_back(self, amount: int) -> None:
        """Return playouts that were not made."""
        with self._lock:
            self._left += amount

    def cancel(self) -> None:
        """End the search of all threads."""
        self._cancelled = True

    def over(self) -> bool:
        """Return whether the search must end."""
        return self._left <= 0 or self._cancelled or self._stop.is_set() or time.perf_counter() >= self.deadline
