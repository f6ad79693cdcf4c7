"""The ring in which nodes wait for the network: first in, first out.

MERGED search/evaluation.py: Nodes on their way to the network and back (Maddison et al. 2015, section 6).

New nodes enter a ring, first in, first out. When a batch is full, or its first node has waited long enough, the
positions go to the network; the search goes on meanwhile, and the policy is written into the nodes when it arrives. In
the synchronous mode the search waits instead.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import PASS, board_points, points_of
from nobi.compiling import compiled, inlined
from nobi.games.base import Variant
from nobi.memory import Words
from nobi.search.policy import Policy, Positions, Views
from nobi.search.state import DEEPEST, SearchPosition, Workspace
from nobi.search.tree import Tree, exchange, fetch_add, new_number

TAKEN, PUT, REFUSED = 0, 8, 16
"""Where in `EvalQueue.ends` these counts stand, a line of the cache each."""

_SLOTS = 4096
_MARGIN = 256
"""So many slots are left free for threads that put at the same time."""


class EvalQueue(NamedTuple):
    """The ring: all searching threads put into it, one evaluator takes out."""

    node: NDArray[np.int32]
    """[slot]"""
    ready: NDArray[np.int32]
    """[slot] 1 when the entry is complete."""
    depth: NDArray[np.int32]
    """[slot] the number of moves from the root to the node."""
    line: NDArray[np.uint16]
    """[slot, DEEPEST] those moves."""
    ends: NDArray[np.int64]
    """[24] entries TAKEN, PUT, and REFUSED for lack of room."""


def allocate_queue(slots: int = _SLOTS) -> EvalQueue:
    """Makes the ring; without slots if there is no network."""
    return EvalQueue(
        node=np.zeros(slots, np.int32),
        ready=np.zeros(slots, np.int32),
        depth=np.zeros(slots, np.int32),
        line=np.zeros((slots, DEEPEST), np.uint16),
        ends=np.zeros(24, np.int64),
    )


@compiled
def ask_for_policy(waiting: EvalQueue, node: int, workspace: Workspace, depth: int) -> None:
    """Puts the node at the end of the present path into the ring."""
    slots = len(waiting.node)
    if waiting.ends[PUT] - waiting.ends[TAKEN] >= slots - _MARGIN:
        fetch_add(waiting.ends, REFUSED, 1)
        return
    slot = fetch_add(waiting.ends, PUT, 1) % slots
    waiting.node[slot] = node
    waiting.depth[slot] = depth
    for i in range(depth):
        waiting.line[slot, i] = workspace.moves[i + 1]
    exchange(waiting.ready, slot, 1)


@inlined
def somebody_waits(waiting: EvalQueue) -> bool:
    """Whether the ring holds an entry."""
    return waiting.ends[PUT] != waiting.ends[TAKEN]


@compiled
def follow_entries(old: Tree, waiting: EvalQueue, skip: int) -> None:
    """Does the same to the ring, and drops the first `skip` moves of every line."""
    for at in range(waiting.ends[TAKEN], waiting.ends[PUT]):
        slot = at % len(waiting.node)
        if waiting.node[slot] >= 0:
            waiting.node[slot] = new_number(old, waiting.node[slot])
        left = max(0, waiting.depth[slot] - skip)
        for i in range(left):
            waiting.line[slot, i] = waiting.line[slot, i + skip]
        waiting.depth[slot] = left


@compiled
def complete_entries(waiting: EvalQueue, most: int, found: NDArray[np.int64]) -> int:
    """Finds the slots to take next: so many nodes, and those on the way that are no longer in the tree.

    Writes them into `found` and returns how many they are.
    """
    count = 0
    for at in range(waiting.ends[TAKEN], waiting.ends[PUT]):
        slot = at % len(waiting.node)
        if not waiting.ready[slot] or most == 0:
            break
        found[count] = slot
        count += 1
        most -= waiting.node[slot] >= 0
    return count


_POLL_SECONDS = 0.0005
_LONGEST_SECONDS = 0.2
"""What a batch may take beside the search: so long it works on when the search has ended."""


@compiled
def write_policy(tree: Tree, node: int, weights: NDArray[np.float32], cell_of: NDArray[np.uint16]) -> None:
    """Writes the weights of the legal moves, made to sum to 1, into the children of a node.

    A thread that chooses among them meanwhile sees some of them new and some old: it explores a little differently.
    """
    first, count = tree.first[node], tree.children[node]
    total = 0.0
    for i in range(count):
        if tree.move[first + i] != PASS:
            total += weights[cell_of[tree.move[first + i]]]
    if total > 0.0:
        for i in range(count):
            if tree.move[first + i] != PASS:
                tree.policy[first + i] = weights[cell_of[tree.move[first + i]]] / total


@compiled
def follow_nodes(old: Tree, nodes: NDArray[np.int32]) -> None:
    """Replaces the numbers of nodes in the old tree by those in the new one, -1 for nodes that are gone."""
    for i in range(len(nodes)):
        if nodes[i] >= 0:
            nodes[i] = new_number(old, nodes[i])


@dataclass
class EvalStats:
    """What the evaluations of a search cost."""

    evaluated: int = 0
    """Nodes whose policy has arrived."""
    batches: int = 0
    refused: int = 0
    """Nodes that found no room in the ring."""
    seconds: float = 0.0
    """Time that the network worked."""
    lag: float = 0.0
    """Σ over nodes of the seconds from the first sight of a waiting node to its policy in the tree."""

    @property
    def seconds_each(self) -> float:
        """The network's work for a node, in seconds."""
        return self.seconds / self.evaluated if self.evaluated else 0.0

    @property
    def rate(self) -> float:
        """Evaluations per second of the network's work."""
        return self.evaluated / self.seconds if self.seconds else 0.0

    @property
    def mean_lag(self) -> float:
        """Seconds."""
        return self.lag / self.evaluated if self.evaluated else 0.0


class Evaluator:
    """Takes nodes from the ring, asks the policy, and writes its answers into the tree."""

    def __init__(self, variant: Variant, policy: Policy, batch: int, wait: float) -> None:
        """`batch` nodes at most go to the network at once, after `wait` seconds at the latest."""
        self.waiting = allocate_queue()
        self.stats = EvalStats()
        self._policy, self._batch, self._wait = policy, batch, wait
        self._views = Views(variant, policy)
        self._slots = np.zeros(len(self.waiting.node), np.int64)
        self._cell_of = np.zeros(points_of(variant.size), np.uint16)
        self._cell_of[board_points(variant.size)] = np.arange(variant.size**2)
        self.tree_lock = threading.RLock()
        """Held while nodes are taken, while answers are written, and while the tree or its root is another's."""
        self._flights: list[NDArray[np.int32]] = []
        """The nodes of every batch that the network is looking at, -1 for those that are gone."""
        self._first_seen = 0.0
        self._failure: Exception | None = None
        self._worker: threading.Thread | None = None

    # --- the tree moves ---------------------------------------------------------------------------------------------

    def set_root(self, tree: Tree, moves: Sequence[int], position: SearchPosition, root: Words, words: Words) -> None:
        """Tells the tree, and its root as `Views.set_root` takes it. No thread may be searching."""
        with self.tree_lock:
            self._tree = tree
            self._views.set_root(moves, position, root, words)
            self._first_seen = 0.0

    def forget(self) -> None:
        """Drops all that waits, and what is being looked at: its tree is gone."""
        with self.tree_lock:
            self.waiting.ready[:] = 0
            self.waiting.ends[TAKEN] = self.waiting.ends[PUT]
            for nodes in self._flights:
                nodes[:] = -1

    def moved(self, old: Tree, new: Tree, played: Sequence[int] = ()) -> None:
        """Follows nodes that have been copied to another pool, after these moves at the root.

        No thread may be searching; the network may be at work.
        """
        with self.tree_lock:
            self._tree = new
            for nodes in self._flights:
                follow_nodes(old, nodes)
            follow_entries(old, self.waiting, len(played))

    # --- to the network and back ------------------------------------------------------------------------------------

    def evaluate_root(self) -> None:
        """Evaluates the root at once, whoever else waits, if it has children without a policy."""
        with self.tree_lock:
            first, count = int(self._tree.first[0]), int(self._tree.children[0])
            if count <= 0 or self._tree.policy[first : first + count].any():
                return
            nodes = self._depart(np.zeros(1, np.int32))
            positions = self._views.positions(np.zeros((1, 0), np.uint16), np.zeros(1, np.int32))
        self._answer(nodes, positions, time.perf_counter())

    def evaluate_waiting(self, most: int) -> int:
        """Takes up to so many of what waits now, and evaluates what is still in the tree; returns how many it took."""
        ring = self.waiting
        with self.tree_lock:
            seen = self._first_seen or time.perf_counter()
            self._first_seen = 0.0
            taken = self._slots[: complete_entries(ring, most, self._slots)]
            there = taken[ring.node[taken] >= 0]
            nodes = self._depart(ring.node[there])
            positions = self._views.positions(ring.line[there], ring.depth[there]) if len(there) else None
            ring.ready[taken] = 0
            ring.ends[TAKEN] += len(taken)
            self.stats.refused = int(ring.ends[REFUSED])
            count = len(taken)
        if positions:
            self._answer(nodes, positions, seen)
        return count

    def evaluate_all(self) -> None:
        """Evaluates all that waits now."""
        while self.evaluate_waiting(self._batch):
            pass

    def _depart(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Makes nodes known as on their way, so that they are followed where the tree moves."""
        if len(nodes):
            self._flights.append(nodes)
        return nodes

    def _answer(self, nodes: NDArray[np.int32], positions: Positions, seen: float) -> None:
        """Asks the policy about the positions of nodes, and writes its answers; they have been waiting since `seen`."""
        try:
            begin = time.perf_counter()
            weights = np.ascontiguousarray(self._policy.evaluate(positions), np.float32)
            end = time.perf_counter()
            with self.tree_lock:
                for node, row in zip(nodes, weights, strict=True):
                    if node >= 0:
                        write_policy(self._tree, int(node), row, self._cell_of)
                stats = self.stats
                stats.seconds += end - begin
                stats.evaluated += len(weights)
                stats.batches += 1
                stats.lag += len(weights) * (time.perf_counter() - seen)
        finally:
            with self.tree_lock:
                self._flights = [flight for flight in self._flights if flight is not nodes]

    # --- beside the search ------------------------------------------------------------------------------------------

    @contextmanager
    def working(self) -> Iterator[None]:
        """Evaluates full batches, and others after the wait, while the search goes on within.

        At the end the batch that the network is looking at is not waited for: its policy is written into nodes that are
        still there when it arrives. What goes wrong is raised here, or when the next search begins.
        """
        self._complain()
        stop = threading.Event()
        self._worker = threading.Thread(target=self._work, args=(stop, self._worker))
        self._worker.start()
        try:
            yield
        finally:
            stop.set()
        self._complain()

    def close(self) -> None:
        """Waits for the end of what is being evaluated."""
        if self._worker:
            self._worker.join()

    def _complain(self) -> None:
        failure, self._failure = self._failure, None
        if failure:
            raise failure

    def _work(self, stop: threading.Event, previous: threading.Thread | None) -> None:
        if previous:
            previous.join()  # one batch at a time: quick searches in a row would pile them up
        ring = self.waiting
        try:
            while not stop.is_set():
                waiting = int(ring.ends[PUT] - ring.ends[TAKEN])
                now = time.perf_counter()
                if waiting and not self._first_seen:
                    self._first_seen = now
                each = self.stats.seconds_each
                batch = min(self._batch, max(1, int(_LONGEST_SECONDS / each))) if each else self._batch
                if waiting >= batch or (waiting and now - self._first_seen >= self._wait):
                    self.evaluate_waiting(batch)
                else:
                    time.sleep(_POLL_SECONDS)
        except Exception as failure:
            self._failure = failure
