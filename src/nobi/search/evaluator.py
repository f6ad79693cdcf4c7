"""Asynchronous evaluation of nodes by a network (Maddison et al. 2015, section 6).

Nodes are appended to a queue; those with the most playouts, or the oldest, are removed first. When a batch is full, or
its first node has waited long enough, the positions are evaluated while the search continues, and the policy is written
into the nodes when it is available. In the synchronous mode the search waits instead.
"""

import math
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import PASS, cell_tables
from nobi.compiling import compiled, inlined
from nobi.games.base import Variant
from nobi.memory import Words
from nobi.search.policy import NodeEncoder, Policy, PolicyInput
from nobi.search.settings import SearchSettings
from nobi.search.state import MAX_DEPTH, SearchPosition, SearchWorkspace
from nobi.search.tree import EVALUATED, QUEUED, UNKNOWN, Tree, exchange, fetch_add, new_index

HEAD, TAIL, DROPPED = 0, 8, 16
"""Indices into `EvalQueue.ends`, each on a cache line of its own."""

_SLOTS = 4096
_MARGIN = 256
"""Slots that are kept free for threads that append at the same time."""


class EvalQueue(NamedTuple):
    """A ring buffer: all search threads append to it, one evaluator removes entries."""

    node: NDArray[np.int32]  # [slot] -1 for a node that is no longer in the tree
    ready: NDArray[np.int32]  # [slot] 1 when the entry is complete
    depth: NDArray[np.int32]  # [slot] the number of moves from the root to the node
    line: NDArray[np.uint16]  # [slot, MAX_DEPTH] the moves from the root to the node
    ends: NDArray[np.int64]  # [24] entries removed (HEAD), appended (TAIL), and DROPPED because the queue was full


def allocate_queue(slots: int = _SLOTS) -> EvalQueue:
    """Return an empty queue; a search without a network has a queue without slots."""
    return EvalQueue(
        node=np.zeros(slots, np.int32),
        ready=np.zeros(slots, np.int32),
        depth=np.zeros(slots, np.int32),
        line=np.zeros((slots, MAX_DEPTH), np.uint16),
        ends=np.zeros(24, np.int64),
    )


@compiled
def enqueue(queue: EvalQueue, tree: Tree, node: int, workspace: SearchWorkspace, depth: int) -> None:
    """Append the node at the end of the current path, unless the queue is full."""
    slots = len(queue.node)
    if queue.ends[TAIL] - queue.ends[HEAD] >= slots - _MARGIN:
        fetch_add(queue.ends, DROPPED, 1)
        return
    slot = fetch_add(queue.ends, TAIL, 1) % slots
    queue.node[slot] = node
    queue.depth[slot] = depth
    for i in range(depth):
        queue.line[slot, i] = workspace.moves[i + 1]
    tree.evaluation[node] = QUEUED
    exchange(queue.ready, slot, 1)


@inlined
def has_entries(queue: EvalQueue) -> bool:
    """Return whether a node waits for evaluation."""
    return queue.ends[TAIL] != queue.ends[HEAD]


@compiled
def remap_queue(old: Tree, queue: EvalQueue, skip: int) -> None:
    """Replace nodes of a tree that was copied by their new indices; drop the first `skip` moves of each line."""
    for at in range(queue.ends[HEAD], queue.ends[TAIL]):
        slot = at % len(queue.node)
        if queue.node[slot] >= 0:
            queue.node[slot] = new_index(old, queue.node[slot])
        left = max(0, queue.depth[slot] - skip)
        for i in range(left):
            queue.line[slot, i] = queue.line[slot, i + skip]
        queue.depth[slot] = left


@compiled
def remap_nodes(old: Tree, nodes: NDArray[np.int32]) -> None:
    """Replace nodes of a tree that was copied by their new indices, -1 for nodes that were dropped."""
    for i in range(len(nodes)):
        if nodes[i] >= 0:
            nodes[i] = new_index(old, nodes[i])


@inlined
def _swap_entries(queue: EvalQueue, one: int, other: int) -> None:
    """Exchange the entries of two slots."""
    for i in range(max(queue.depth[one], queue.depth[other])):
        queue.line[one, i], queue.line[other, i] = queue.line[other, i], queue.line[one, i]
    queue.node[one], queue.node[other] = queue.node[other], queue.node[one]
    queue.depth[one], queue.depth[other] = queue.depth[other], queue.depth[one]


@compiled
def sort_entries(queue: EvalQueue, tree: Tree, limit: int) -> None:
    """Move the `limit` nodes with the most playouts to the front of the queue, and dropped nodes before them.

    Only the evaluator changes complete entries, so threads may append at the same time.
    """
    slots = len(queue.node)
    front, end = queue.ends[HEAD], queue.ends[TAIL]
    for at in range(front, end):
        if not queue.ready[at % slots]:
            end = at
            break
    while front < end and limit > 0:
        best = front
        most = np.float32(-1.0)
        for at in range(front, end):
            node = queue.node[at % slots]
            if node < 0:
                best = at
                break
            made = tree.visits[node] - tree.assumed[node]
            if made > most:
                most = made
                best = at
        limit -= queue.node[best % slots] >= 0
        if best != front:
            _swap_entries(queue, front % slots, best % slots)
        front += 1


@compiled
def complete_entries(queue: EvalQueue, limit: int, found: NDArray[np.int64]) -> int:
    """Write the slots of the next `limit` nodes, and of dropped nodes between them, to `found`; return their number."""
    count = 0
    for at in range(queue.ends[HEAD], queue.ends[TAIL]):
        slot = at % len(queue.node)
        if not queue.ready[slot] or limit == 0:
            break
        found[count] = slot
        count += 1
        limit -= queue.node[slot] >= 0
    return count


@compiled
def write_policy(
    tree: Tree,
    node: int,
    weights: NDArray[np.float32],
    value: float,
    cell_of: NDArray[np.uint16],
    replaces: bool,
    wins: float,
) -> None:
    """Write the weights of the legal moves, normalised, into the children of a node, and its value.

    With `replaces`, the won playouts of their priors are replaced by `wins`·√p for a move of probability p. A thread
    that selects among them at the same time reads some new and some old values, which changes its exploration slightly.
    """
    first, count = tree.first[node], tree.children[node]
    if count <= 0:  # pruned while it was waiting: it is queued again when it has children
        return
    tree.evaluation[node] = EVALUATED
    tree.value[node] = value
    total = 0.0
    for i in range(count):
        if tree.move[first + i] != PASS:
            total += weights[cell_of[tree.move[first + i]]]
    if total > 0.0:
        for i in range(count):
            child = first + i
            if tree.move[child] != PASS:
                tree.policy[child] = weights[cell_of[tree.move[child]]] / total
                if replaces:  # whole numbers, so that the counts stay exact
                    won = max(np.float32(2.0) * tree.assumed_wins[child] - tree.assumed[child], np.float32(0.0))
                    tree.withdrawn[child] = won - np.float32(math.floor(wins * math.sqrt(tree.policy[child]) + 0.5))


@dataclass
class EvalStats:
    """Statistics of the evaluations of a search."""

    evaluated: int = 0
    """Number of nodes whose policy has arrived."""
    batches: int = 0
    dropped: int = 0
    """Number of nodes that were not evaluated because the queue was full."""
    seconds: float = 0.0
    """Total time of the network's evaluations."""
    lag: float = 0.0
    """Sum over nodes of the seconds from the first observation of a waiting node until its policy is in the tree."""

    @property
    def seconds_each(self) -> float:
        """Seconds of the network per node."""
        return self.seconds / self.evaluated if self.evaluated else 0.0

    @property
    def rate(self) -> float:
        """Nodes per second of the network."""
        return self.evaluated / self.seconds if self.seconds else 0.0

    @property
    def mean_lag(self) -> float:
        """Mean of `lag` per node."""
        return self.lag / self.evaluated if self.evaluated else 0.0


_POLL_SECONDS = 0.0005
_MAX_BATCH_SECONDS = 0.2
"""Maximum time of an asynchronous batch: the last batch may continue for this long after the end of the search."""


class Evaluator:
    """Removes nodes from the queue, evaluates them, and writes their policy into the tree."""

    def __init__(self, variant: Variant, policy: Policy, settings: SearchSettings) -> None:
        self.queue = allocate_queue()
        self.stats = EvalStats()
        self._policy, self._settings = policy, settings
        self._batch, self._wait = settings.batch, settings.wait / 1000
        self._encoder = NodeEncoder(variant, policy)
        self._slots = np.zeros(len(self.queue.node), np.int64)
        self._cell_of = cell_tables(variant.size).cell_of
        self.tree_lock = threading.RLock()
        """Held while nodes are removed from the queue, while policies are written, and while the tree is replaced."""
        self._in_flight: list[NDArray[np.int32]] = []
        """The nodes of every batch that is being evaluated, -1 for nodes that were dropped."""
        self._first_seen = 0.0
        self._error: Exception | None = None
        self._worker: threading.Thread | None = None

    # --- changes of the tree; no thread may be searching, but the network may be evaluating -------------------------

    def set_root(self, tree: Tree, moves: Sequence[int], position: SearchPosition, root: Words, words: Words) -> None:
        """Set the tree, and its root as in `NodeEncoder.set_root`."""
        with self.tree_lock:
            self._tree = tree
            self._encoder.set_root(moves, position, root, words)
            self._first_seen = 0.0

    def clear(self) -> None:
        """Drop all nodes in the queue and in flight, because their tree no longer exists."""
        with self.tree_lock:
            self.queue.ready[:] = 0
            self.queue.ends[HEAD] = self.queue.ends[TAIL]
            for nodes in self._in_flight:
                nodes[:] = -1

    def remap(self, old: Tree, new: Tree, played: Sequence[int] = ()) -> None:
        """Replace the tree by a copy; `played` are the moves from the old root to the new one."""
        with self.tree_lock:
            self._tree = new
            for nodes in self._in_flight:
                remap_nodes(old, nodes)
            remap_queue(old, self.queue, len(played))

    # --- evaluation -------------------------------------------------------------------------------------------------

    def evaluate_root(self) -> None:
        """Evaluate the root at once, before the queue, if it has children without a policy."""
        with self.tree_lock:
            if self._tree.children[0] <= 0 or self._tree.evaluation[0] == EVALUATED:
                return
            nodes = self._mark_in_flight(np.zeros(1, np.int32))
            positions = self._encoder.encode(np.zeros((1, 0), np.uint16), np.zeros(1, np.int32))
        self._evaluate(nodes, positions, time.perf_counter())

    def evaluate_next(self, limit: int) -> int:
        """Remove up to `limit` nodes from the queue and evaluate those still in the tree; return the number removed."""
        queue = self.queue
        with self.tree_lock:
            seen = self._first_seen or time.perf_counter()
            self._first_seen = 0.0
            if self._settings.queue == "visits":
                sort_entries(queue, self._tree, limit)
            slots = self._slots[: complete_entries(queue, limit, self._slots)]
            kept = slots[queue.node[slots] >= 0]
            nodes = self._mark_in_flight(queue.node[kept])
            positions = self._encoder.encode(queue.line[kept], queue.depth[kept]) if len(kept) else None
            queue.ready[slots] = 0
            queue.ends[HEAD] += len(slots)
            self.stats.dropped = int(queue.ends[DROPPED])
            count = len(slots)
        if positions:
            self._evaluate(nodes, positions, seen)
        return count

    def evaluate_all(self) -> None:
        """Evaluate all nodes in the queue."""
        while self.evaluate_next(self._batch):
            pass

    def _mark_in_flight(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Register nodes as being evaluated, so that they are remapped when the tree is copied."""
        if len(nodes):
            self._in_flight.append(nodes)
        return nodes

    def _evaluate(self, nodes: NDArray[np.int32], positions: PolicyInput, seen: float) -> None:
        """Evaluate the positions of nodes that have waited since `seen`, and write their policies."""
        try:
            begin = time.perf_counter()
            found = self._policy.evaluate(positions)
            weights = np.ascontiguousarray(found.weights, np.float32)
            values = np.full(len(weights), UNKNOWN) if found.values is None else found.values
            end = time.perf_counter()
            with self.tree_lock:
                for node, row, value in zip(nodes, weights, values, strict=True):
                    if node >= 0:
                        replaces, wins = self._settings.replace, self._settings.policy_wins
                        write_policy(self._tree, int(node), row, value, self._cell_of, replaces, wins)
                stats = self.stats
                stats.seconds += end - begin
                stats.evaluated += len(weights)
                stats.batches += 1
                stats.lag += len(weights) * (time.perf_counter() - seen)
        finally:
            with self.tree_lock:
                self._in_flight = [batch for batch in self._in_flight if batch is not nodes]

    # --- the evaluating thread --------------------------------------------------------------------------------------

    @contextmanager
    def running(self) -> Iterator[None]:
        """Evaluate full batches, and incomplete ones after the waiting time, in a separate thread.

        The batch in flight at the end is not awaited: its policy is written into the nodes that still exist when it
        arrives. Exceptions of the thread are raised here, or when the next search begins.
        """
        self._raise_error()
        stop = threading.Event()
        self._worker = threading.Thread(target=self._work, args=(stop, self._worker))
        self._worker.start()
        try:
            yield
        finally:
            stop.set()
        self._raise_error()

    def close(self) -> None:
        """Wait until the batch in flight is evaluated."""
        if self._worker:
            self._worker.join()

    def _raise_error(self) -> None:
        error, self._error = self._error, None
        if error:
            raise error

    def _work(self, stop: threading.Event, previous: threading.Thread | None) -> None:
        if previous:
            previous.join()  # one batch at a time: a sequence of short searches would start many
        queue = self.queue
        try:
            while not stop.is_set():
                waiting = int(queue.ends[TAIL] - queue.ends[HEAD])
                now = time.perf_counter()
                if waiting and not self._first_seen:
                    self._first_seen = now
                each = self.stats.seconds_each
                batch = min(self._batch, max(1, int(_MAX_BATCH_SECONDS / each))) if each else self._batch
                if waiting >= batch or (waiting and now - self._first_seen >= self._wait):
                    self.evaluate_next(batch)
                else:
                    time.sleep(_POLL_SECONDS)
        except Exception as error:
            self._error = error
