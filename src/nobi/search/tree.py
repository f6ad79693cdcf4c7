"""The search tree: a pool of nodes that is allocated once, and atomic operations for sharing it between threads.

A node is an index into arrays, one array per attribute. The children of a node are consecutive, so that the selection
among them is a loop over contiguous numbers, which vectorises. Values are from the perspective of the player whose move
leads to the node. The root is node 0.

Several threads work on one tree without locks (see `docs/search.md`): a node is expanded by the thread that changes
`children` from LEAF to CLAIMED, and its children are complete before `children` is set to their number.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.cgutils import get_item_pointer
from numba.extending import intrinsic
from numba.np.arrayobj import make_array
from numpy.typing import NDArray

from nobi.compiling import compiled, inlined

# --- atomic operations ----------------------------------------------------------------------------------------------
# Numba has no atomic operations for the CPU. These are single instructions, across which the compiler does not move
# other loads or stores. They work on integer arrays. Numba's decorator hides the signatures, which are given in
# comments.

_ORDER = "seq_cst"


def _pointer(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    index = builder.trunc(index, ir.IntType(64)) if index.type.width > 64 else index
    if index.type.width < 64:
        index = builder.zext(index, ir.IntType(64))
    data: Any = make_array(kind)(context, builder, array)  # type: ignore[no-untyped-call]
    return get_item_pointer(context, builder, kind, data, [index])  # type: ignore[no-untyped-call]


def _read_modify_write(operation: str) -> Any:
    """Return an operation of LLVM's `atomicrmw`, which returns the previous value."""

    def typed(typing: Any, array: Any, index: Any, value: Any) -> tuple[Any, Callable[..., Any]]:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind, _, given = signature.args
            operand = context.cast(builder, arguments[2], given, kind.dtype)
            return builder.atomic_rmw(operation, _pointer(context, builder, kind, *arguments[:2]), operand, _ORDER)

        return array.dtype(array, index, value), generate

    return intrinsic(typed)


def _compare_exchange(typing: Any, array: Any, index: Any, expected: Any, value: Any) -> tuple[Any, Callable[..., Any]]:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, _, of_expected, of_value = signature.args
        old = context.cast(builder, arguments[2], of_expected, kind.dtype)
        new = context.cast(builder, arguments[3], of_value, kind.dtype)
        pointer = _pointer(context, builder, kind, *arguments[:2])
        return builder.extract_value(builder.cmpxchg(pointer, old, new, _ORDER, _ORDER), 1)

    return types.boolean(array, index, expected, value), generate


fetch_add = _read_modify_write("add")  # (array, index, amount) → the previous value
exchange = _read_modify_write("xchg")  # (array, index, value) → the previous value
compare_exchange: Any = intrinsic(_compare_exchange)  # (array, index, expected, value) → whether it was `expected`

# --- the tree -------------------------------------------------------------------------------------------------------

LEAF, CLAIMED = 0, -1
"""Values of `Tree.children`: the node has no children, or a thread is creating them."""

WON, LOST, OPEN = 1, -1, 0
"""Values of `Tree.solved`: the move to this node wins, loses, or is not solved."""

UNASKED, QUEUED, EVALUATED = 0, 1, 2
"""Values of `Tree.evaluation`: whether the children of the node have the policy of the network, or wait for it."""

UNKNOWN = np.float32(-1.0)
"""The entry of `Tree.value` of a node that the network has not evaluated."""

USED, FULL = 0, 8
"""Indices into `Tree.state`: the number of nodes in use, and whether the pool was too small."""


class Tree(NamedTuple):
    """The nodes; all arrays except the last are [node]."""

    move: NDArray[np.uint16]  # the move that leads to the node
    visits: NDArray[np.float32]  # playouts through the node, plus the equivalent playouts of its prior
    wins: NDArray[np.float32]  # playouts won by the player who made the move; a draw is half a win
    assumed: NDArray[np.float32]  # the part of `visits` that is prior
    assumed_wins: NDArray[np.float32]  # the part of `wins` that is prior
    rave_visits: NDArray[np.float32]  # playouts through the parent in which this player played this move first
    rave_wins: NDArray[np.float32]
    withdrawn: NDArray[np.float32]  # the part of the won prior that selection ignores, since a network replaces it
    policy: NDArray[np.float32]  # the network's probability of the move; before, that of the learnt priors or 0
    value: NDArray[np.float32]  # the network's probability that the player to move wins, or UNKNOWN
    first: NDArray[np.int32]  # the first child
    children: NDArray[np.int32]  # the number of children, LEAF or CLAIMED
    solved: NDArray[np.int8]
    evaluation: NDArray[np.uint8]  # UNASKED, QUEUED or EVALUATED
    state: NDArray[np.int64]  # [16] USED and FULL, each on a cache line of its own


def allocate_tree(nodes: int) -> Tree:
    """Allocate a pool of nodes; the system provides its memory only as nodes are used."""
    return Tree(
        move=np.zeros(nodes, np.uint16),
        visits=np.zeros(nodes, np.float32),
        wins=np.zeros(nodes, np.float32),
        assumed=np.zeros(nodes, np.float32),
        assumed_wins=np.zeros(nodes, np.float32),
        rave_visits=np.zeros(nodes, np.float32),
        rave_wins=np.zeros(nodes, np.float32),
        withdrawn=np.zeros(nodes, np.float32),
        policy=np.zeros(nodes, np.float32),
        value=np.zeros(nodes, np.float32),
        first=np.zeros(nodes, np.int32),
        children=np.zeros(nodes, np.int32),
        solved=np.zeros(nodes, np.int8),
        evaluation=np.zeros(nodes, np.uint8),
        state=np.zeros(16, np.int64),
    )


@compiled
def clear_tree(tree: Tree) -> None:
    """Reset the tree to a root without children."""
    tree.state[USED] = 1
    tree.state[FULL] = 0
    tree.move[0] = 0
    tree.visits[0] = 0
    tree.wins[0] = 0
    tree.assumed[0] = 0
    tree.assumed_wins[0] = 0
    tree.rave_visits[0] = 0
    tree.rave_wins[0] = 0
    tree.withdrawn[0] = 0
    tree.policy[0] = 0
    tree.value[0] = UNKNOWN
    tree.first[0] = 0
    tree.children[0] = LEAF
    tree.solved[0] = OPEN
    tree.evaluation[0] = UNASKED


@inlined
def claim(tree: Tree, node: int) -> bool:
    """Claim a leaf for expansion; return True to only one thread."""
    return compare_exchange(tree.children, node, LEAF, CLAIMED)


@inlined
def allocate_nodes(tree: Tree, amount: int) -> int:
    """Return the first of `amount` new nodes, or -1 if the pool is full."""
    start = fetch_add(tree.state, USED, amount)
    if start + amount <= len(tree.move):
        return start
    fetch_add(tree.state, USED, -amount)
    exchange(tree.state, FULL, 1)
    return -1


@inlined
def publish(tree: Tree, node: int, first: int, count: int) -> None:
    """Make complete children visible to all threads."""
    tree.first[node] = first
    exchange(tree.children, node, count)


@compiled
def child_with_move(tree: Tree, node: int, move: int) -> int:
    """Return the child that a move leads to, or -1."""
    first = tree.first[node]
    for i in range(tree.children[node]):
        if tree.move[first + i] == move:
            return first + i
    return -1


@inlined
def _copy_node(tree: Tree, node: int, target: Tree, to: int) -> None:
    target.move[to] = tree.move[node]
    target.visits[to] = tree.visits[node]
    target.wins[to] = tree.wins[node]
    target.assumed[to] = tree.assumed[node]
    target.assumed_wins[to] = tree.assumed_wins[node]
    target.rave_visits[to] = tree.rave_visits[node]
    target.rave_wins[to] = tree.rave_wins[node]
    target.withdrawn[to] = tree.withdrawn[node]
    target.policy[to] = tree.policy[node]
    target.value[to] = tree.value[node]
    target.first[to] = tree.first[node]
    target.children[to] = max(tree.children[node], LEAF)
    target.solved[to] = tree.solved[node]
    target.evaluation[to] = tree.evaluation[node]


@compiled
def copy_subtree(tree: Tree, root: int, target: Tree, least: float) -> None:
    """Copy the tree below `root` into another pool of the same size, breadth first.

    Nodes with fewer than `least` playouts become leaves. The old tree is overwritten by the new index of each copied
    node (`new_index`).
    """
    clear_tree(target)
    _copy_node(tree, root, target, 0)
    tree.first[root] = 0
    tree.children[root] = CLAIMED
    used = 1
    done = 0
    while done < used:
        count = target.children[done]
        if count > 0:
            if target.visits[done] - target.assumed[done] < least:
                target.children[done] = LEAF
                target.evaluation[done] = UNASKED
                target.value[done] = UNKNOWN
            else:
                old = target.first[done]
                target.first[done] = used
                for i in range(count):
                    _copy_node(tree, old + i, target, used + i)
                    tree.first[old + i] = used + i
                    tree.children[old + i] = CLAIMED
                used += count
        done += 1
    target.state[USED] = used


@compiled
def count_kept(tree: Tree, least: float) -> int:
    """Return the number of nodes that remain when nodes with fewer than `least` playouts become leaves."""
    kept = 1
    for node in range(tree.state[USED]):
        if tree.children[node] > 0 and tree.visits[node] - tree.assumed[node] >= least:
            kept += tree.children[node]
    return kept


@compiled
def new_index(tree: Tree, node: int) -> int:
    """Return the index in the new tree of a node of the old one, or -1 if it was not copied."""
    return tree.first[node] if tree.children[node] == CLAIMED else -1
