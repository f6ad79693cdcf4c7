"""The ring in which nodes wait for the network: first in, first out."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import compiled, inlined
from nobi.search.atomics import exchange, fetch_add
from nobi.search.room import DEEPEST, Room
from nobi.search.tree import Tree, new_number

TAKEN, PUT, REFUSED = 0, 8, 16
"""Where in `Waiting.ends` these counts stand, a line of the cache each."""

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


@compiled
def complete_entries(waiting: Waiting, most: int, found: NDArray[np.int64]) -> int:
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
