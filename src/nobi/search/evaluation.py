"""Nodes on their way to the network and back (Maddison et al. 2015, section 6).

New nodes enter a ring, first in, first out. When a batch is full, or its first node has waited long enough, the
positions go to the network; the search goes on meanwhile, and the policy is written into the nodes when it arrives. In
the synchronous mode the search waits instead.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import PASS, RUNNING, board_points, enemy_of, points_of
from nobi.compiling import UNBOUND, compiled, inlined, specialise
from nobi.games.base import Game, Variant
from nobi.search.atomics import exchange, fetch_add
from nobi.search.packing import Words, copy_words
from nobi.search.policy import Policy, Positions
from nobi.search.room import DEEPEST, Room, Scene
from nobi.search.tree import Tree, new_number

play: Any = UNBOUND  # bound by `_viewer`

TAKEN, PUT, REFUSED = 0, 8, 16
"""Where in `Waiting.ends` these counts stand, a line of the cache each."""

_POLL_SECONDS = 0.0005
_LONGEST_SECONDS = 0.2
"""What a batch may take if the search goes on meanwhile: whoever ends the search waits for the batch."""
_SLOTS = 4096
_MARGIN = 256
"""So many slots are left free for threads that put at the same time."""


class Waiting(NamedTuple):
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


def allocate_waiting(slots: int = _SLOTS) -> Waiting:
    """Makes the ring; without slots if there is no network."""
    return Waiting(
        node=np.zeros(slots, np.int32),
        ready=np.zeros(slots, np.int32),
        depth=np.zeros(slots, np.int32),
        line=np.zeros((slots, DEEPEST), np.uint16),
        ends=np.zeros(24, np.int64),
    )


@compiled
def ask_for_policy(waiting: Waiting, node: int, room: Room, depth: int) -> None:
    """Puts the node at the end of the present path into the ring."""
    slots = len(waiting.node)
    if waiting.ends[PUT] - waiting.ends[TAKEN] >= slots - _MARGIN:
        fetch_add(waiting.ends, REFUSED, 1)
        return
    slot = fetch_add(waiting.ends, PUT, 1) % slots
    waiting.node[slot] = node
    waiting.depth[slot] = depth
    for i in range(depth):
        waiting.line[slot, i] = room.moves[i + 1]
    exchange(waiting.ready, slot, 1)


@inlined
def somebody_waits(waiting: Waiting) -> bool:
    """Whether the ring holds an entry."""
    return waiting.ends[PUT] != waiting.ends[TAKEN]


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


@compiled
def follow_entries(old: Tree, waiting: Waiting, skip: int) -> None:
    """Does the same to the ring, and drops the first `skip` moves of every line."""
    for at in range(waiting.ends[TAKEN], waiting.ends[PUT]):
        slot = at % len(waiting.node)
        if waiting.node[slot] >= 0:
            waiting.node[slot] = new_number(old, waiting.node[slot])
        left = max(0, waiting.depth[slot] - skip)
        for i in range(left):
            waiting.line[slot, i] = waiting.line[slot, i + skip]
        waiting.depth[slot] = left


def _view(
    root: Words,
    words: Words,
    scene: Scene,
    line: NDArray[np.uint16],
    depth: int,
    own: NDArray[np.uint8],
    enemy: NDArray[np.uint8],
    point_of: NDArray[np.uint16],
) -> None:
    """Plays a line from the root and writes what the player to move sees: own[cell], enemy[cell]."""
    copy_words(root, words)
    stones = scene.boards.stones
    for i in range(depth):
        play(scene.boards, 0, line[i])
    me = stones.to_move[0]
    for cell in range(len(point_of)):
        there = stones.colour[0, point_of[cell]]
        own[cell] = there == me
        enemy[cell] = there == enemy_of(me)


@cache
def _viewer(game: type[Game]) -> Callable[..., None]:
    return specialise(_view, game.name, play=game.rules.play)


@dataclass
class Figures:
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
        self.waiting = allocate_waiting()
        self.figures = Figures()
        self._variant, self._policy, self._batch, self._wait = variant, policy, batch, wait
        self._viewer = _viewer(variant.game)
        self._point_of = board_points(variant.size).astype(np.uint16)
        self._cell_of = np.zeros(points_of(variant.size), np.uint16)
        self._cell_of[self._point_of] = np.arange(variant.size**2)
        self.tree_lock = threading.RLock()
        """Held while answers are written, and while the tree is moved."""
        self._in_flight = np.zeros(0, np.int32)
        self._first_seen = 0.0
        self.failure: Exception | None = None

    def set_root(self, tree: Tree, game: Game, scene: Scene, root: Words, words: Words) -> None:
        """Tells the tree and its root position. Neither this evaluator nor the search may be running.

        `scene`, whose memory is `words`, is a board to replay lines on; `root` is the memory of the root position.
        """
        self._tree, self._game = tree, game
        self._scene, self._root, self._words = scene, root, words
        self._first_seen = 0.0

    def forget(self) -> None:
        """Drops all that waits: its tree is gone."""
        self.waiting.ready[:] = 0
        self.waiting.ends[TAKEN] = self.waiting.ends[PUT]

    def evaluate_root(self) -> None:
        """Evaluates the root at once, whoever else waits, if it has children without a policy."""
        tree = self._tree
        first, count = int(tree.first[0]), int(tree.children[0])
        if count > 0 and not tree.policy[first : first + count].any():
            self._in_flight = np.zeros(1, np.int32)
            self._answer(self._positions([np.zeros(0, np.uint16)]))

    def moved(self, old: Tree, new: Tree, played: Sequence[int] = ()) -> None:
        """Follows nodes that have been copied to another pool, after these moves at the root.

        No thread may be searching; the network may be at work.
        """
        with self.tree_lock:
            self._tree = new
            follow_nodes(old, self._in_flight)
            follow_entries(old, self.waiting, len(played))

    def evaluate_waiting(self, most: int) -> int:
        """Takes up to so many of what waits now, and evaluates what is still in the tree; returns how many it took."""
        seen = time.perf_counter()
        ring = self.waiting
        with self.tree_lock:
            entries = self._complete_entries(most)
            there = [slot for slot in entries if ring.node[slot] >= 0]
            self._in_flight = ring.node[there].copy()
            lines = [ring.line[slot, : ring.depth[slot]].copy() for slot in there]
            positions = self._positions(lines) if there else None
            ring.ready[entries] = 0
            ring.ends[TAKEN] += len(entries)
        if positions:
            self._answer(positions)
            self.figures.lag += len(there) * (time.perf_counter() - min(seen, self._first_seen or seen))
        self.figures.refused = int(ring.ends[REFUSED])
        self._first_seen = 0.0
        return len(entries)

    def _answer(self, positions: Positions) -> None:
        """Asks the policy about the positions of the nodes in flight, and writes its answers."""
        begin = time.perf_counter()
        weights = np.ascontiguousarray(self._policy.evaluate(positions), np.float32)
        figures = self.figures
        figures.seconds += time.perf_counter() - begin
        figures.evaluated += len(weights)
        figures.batches += 1
        with self.tree_lock:
            for node, row in zip(self._in_flight, weights, strict=True):
                if node >= 0:
                    write_policy(self._tree, int(node), row, self._cell_of)
            self._in_flight = np.zeros(0, np.int32)

    def evaluate_all(self) -> None:
        """Evaluates all that waits now."""
        while self.evaluate_waiting(self._batch):
            pass

    def work(self, stop: threading.Event, deadline: float) -> None:
        """Evaluates full batches, and others after the wait, until told to stop; keeps what goes wrong in `failure`.

        What would take longer than to the deadline, by `time.perf_counter`, is not begun.
        """
        try:
            self._work(stop, deadline)
        except Exception as failure:
            self.failure = failure

    def _work(self, stop: threading.Event, deadline: float) -> None:
        ring = self.waiting
        while not stop.is_set():
            waiting = int(ring.ends[PUT] - ring.ends[TAKEN])
            now = time.perf_counter()
            if waiting and not self._first_seen:
                self._first_seen = now
            each = self.figures.seconds_each
            batch = min(self._batch, max(1, int(_LONGEST_SECONDS / each))) if each else self._batch
            due = waiting >= batch or (waiting and now - self._first_seen >= self._wait)
            if due and now + min(waiting, batch) * each < deadline:
                self.evaluate_waiting(batch)
            else:
                time.sleep(_POLL_SECONDS)

    def _complete_entries(self, most: int) -> list[int]:
        """The slots to take next: so many nodes, and those on the way that are no longer in the tree."""
        ring = self.waiting
        found: list[int] = []
        for at in range(int(ring.ends[TAKEN]), int(ring.ends[PUT])):
            slot = at % len(ring.node)
            if not ring.ready[slot] or most == 0:
                break
            found.append(slot)
            most -= int(ring.node[slot] >= 0)
        return found

    def _positions(self, lines: list[NDArray[np.uint16]]) -> Positions:
        size = self._variant.size
        own = np.zeros((len(lines), size * size), np.uint8)
        enemy = np.zeros((len(lines), size * size), np.uint8)
        for i, line in enumerate(lines):
            self._viewer(self._root, self._words, self._scene, line, len(line), own[i], enemy[i], self._point_of)
        root = self._game

        def games() -> list[Game]:
            return [_played(root, line) for line in lines]

        return Positions(own.reshape(-1, size, size), enemy.reshape(-1, size, size), games)


def _played(root: Game, line: NDArray[np.uint16]) -> Game:
    game = root.copy()
    game.boards.stones.outcome[0] = RUNNING
    for move in line:
        game.play(int(move))
    return game
