"""The three indivisible operations by which searching threads keep out of each other's way.

Numba has none for the CPU; these become single instructions of the processor, and no compiler moves other loads or
stores across them.

MERGED search/tree.py: The search tree: a pool of nodes that is allocated once.

A node is a number. What is known of it lies in arrays, one for each fact, and the children of a node are consecutive:
choosing among them is a loop over contiguous numbers, which vectorises. Values are kept from the view of the player
whose move leads to the node. The root is node 0.

Several threads work on one tree without locks (see `docs/search.md`): a node is expanded by the one thread that turns
its `children` from LEAF to CLAIMED; its children are complete before `children` says how many there are.
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

_ORDER = "seq_cst"


def _pointer(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    where = builder.trunc(index, ir.IntType(64)) if index.type.width > 64 else index
    if where.type.width < 64:
        where = builder.zext(where, ir.IntType(64))
    inside: Any = make_array(kind)(context, builder, array)  # type: ignore[no-untyped-call]
    return get_item_pointer(context, builder, kind, inside, [where])  # type: ignore[no-untyped-call]


def _cast(context: Any, builder: Any, value: Any, kind: Any, wanted: Any) -> Any:
    return context.cast(builder, value, kind, wanted)


def _fetch_add(typing: Any, array: Any, index: Any, amount: Any) -> tuple[Any, Callable[..., Any]]:  # noqa: ARG001
    """array[index] += amount; returns what was there before. For arrays of whole numbers."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, _, given = signature.args
        value = _cast(context, builder, arguments[2], given, kind.dtype)
        return builder.atomic_rmw("add", _pointer(context, builder, kind, *arguments[:2]), value, _ORDER)

    return array.dtype(array, index, amount), generate


def _exchange(typing: Any, array: Any, index: Any, value: Any) -> tuple[Any, Callable[..., Any]]:  # noqa: ARG001
    """array[index] = value, after all that was written before; returns what was there. For whole numbers."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, _, given = signature.args
        new = _cast(context, builder, arguments[2], given, kind.dtype)
        return builder.atomic_rmw("xchg", _pointer(context, builder, kind, *arguments[:2]), new, _ORDER)

    return array.dtype(array, index, value), generate


def _replace_if(typing: Any, array: Any, index: Any, expected: Any, value: Any) -> tuple[Any, Callable[..., Any]]:  # noqa: ARG001
    """array[index] = value if it is `expected`; returns whether it was. For arrays of whole numbers."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, _, of_expected, of_value = signature.args
        old = _cast(context, builder, arguments[2], of_expected, kind.dtype)
        new = _cast(context, builder, arguments[3], of_value, kind.dtype)
        where = _pointer(context, builder, kind, *arguments[:2])
        return builder.extract_value(builder.cmpxchg(where, old, new, _ORDER, _ORDER), 1)

    return types.boolean(array, index, expected, value), generate


# Numba's decorator hides the signature: in compiled code each takes the arguments but the first
fetch_add: Any = intrinsic(_fetch_add)
exchange: Any = intrinsic(_exchange)
replace_if: Any = intrinsic(_replace_if)


LEAF, CLAIMED = 0, -1
"""What `Tree.children` holds for a node without children, and for one whose children are just being made."""

WON, LOST, OPEN = 1, -1, 0
"""What `Tree.solved` holds: the move to this node wins, loses, or is not decided yet."""

USED, FULL = 0, 8
"""Where in `Tree.state` the number of nodes in use stands, and whether room was missing."""


class Tree(NamedTuple):
    """The nodes; all arrays are [node] but the last."""

    move: NDArray[np.uint16]
    """The move that leads here."""
    visits: NDArray[np.float32]
    """Playouts through the node, and the playouts that its prior knowledge is worth."""
    wins: NDArray[np.float32]
    """How many of them the player who moved here has won; a draw is half a win."""
    assumed: NDArray[np.float32]
    """The part of `visits` that is prior knowledge."""
    rave_visits: NDArray[np.float32]
    """Playouts through the parent in which the same player played this move first, now or later."""
    rave_wins: NDArray[np.float32]
    policy: NDArray[np.float32]
    """The network's probability of the move; 0 until it arrives."""
    first: NDArray[np.int32]
    """The first child."""
    children: NDArray[np.int32]
    """How many children there are, LEAF or CLAIMED."""
    solved: NDArray[np.int8]
    state: NDArray[np.int64]
    """[16] a line of the cache each for USED and FULL."""


def allocate_tree(nodes: int) -> Tree:
    """Makes room for so many nodes; memory is taken up only as they are used."""
    return Tree(
        move=np.zeros(nodes, np.uint16),
        visits=np.zeros(nodes, np.float32),
        wins=np.zeros(nodes, np.float32),
        assumed=np.zeros(nodes, np.float32),
        rave_visits=np.zeros(nodes, np.float32),
        rave_wins=np.zeros(nodes, np.float32),
        policy=np.zeros(nodes, np.float32),
        first=np.zeros(nodes, np.int32),
        children=np.zeros(nodes, np.int32),
        solved=np.zeros(nodes, np.int8),
        state=np.zeros(16, np.int64),
    )


@compiled
def clear_tree(tree: Tree) -> None:
    """Leaves a root without children."""
    tree.state[USED] = 1
    tree.state[FULL] = 0
    _ready(tree, 0)


@inlined
def _ready(tree: Tree, node: int) -> None:
    tree.move[node] = 0
    tree.visits[node] = 0
    tree.wins[node] = 0
    tree.assumed[node] = 0
    tree.rave_visits[node] = 0
    tree.rave_wins[node] = 0
    tree.policy[node] = 0
    tree.first[node] = 0
    tree.children[node] = LEAF
    tree.solved[node] = OPEN


@inlined
def claim(tree: Tree, node: int) -> bool:
    """Whether this thread, and no other, is to make the children of a leaf."""
    return replace_if(tree.children, node, LEAF, CLAIMED)


@inlined
def take_nodes(tree: Tree, amount: int) -> int:
    """The first of so many fresh nodes, or -1 if the pool has no room for them."""
    start = fetch_add(tree.state, USED, amount)
    if start + amount <= len(tree.move):
        return start
    fetch_add(tree.state, USED, -amount)
    exchange(tree.state, FULL, 1)
    return -1


@inlined
def publish(tree: Tree, node: int, first: int, count: int) -> None:
    """Shows finished children to all threads."""
    tree.first[node] = first
    exchange(tree.children, node, count)


@compiled
def child_with_move(tree: Tree, node: int, move: int) -> int:
    """The child that a move leads to, or -1."""
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
    target.rave_visits[to] = tree.rave_visits[node]
    target.rave_wins[to] = tree.rave_wins[node]
    target.policy[to] = tree.policy[node]
    target.first[to] = tree.first[node]
    target.children[to] = max(tree.children[node], LEAF)
    target.solved[to] = tree.solved[node]


@compiled
def copy_subtree(tree: Tree, root: int, target: Tree, least: float) -> None:
    """Copies the tree below `root` into another pool of the same size, breadth first.

    Nodes with fewer than `least` playouts become leaves. The old tree is used up: afterwards it tells where each of its
    nodes has gone, see `new_number`.
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
def nodes_kept(tree: Tree, least: float) -> int:
    """How many nodes are left when those with fewer than `least` playouts become leaves."""
    kept = 1
    for node in range(tree.state[USED]):
        if tree.children[node] > 0 and tree.visits[node] - tree.assumed[node] >= least:
            kept += tree.children[node]
    return kept


@compiled
def new_number(tree: Tree, node: int) -> int:
    """What the node of the old tree is in the new one, or -1 if it has not been copied."""
    return tree.first[node] if tree.children[node] == CLAIMED else -1
