"""The search of one game: a tree, threads that grow it, and what it has found."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import Boards, board_points, points_of
from nobi.errors import NobiError
from nobi.games.base import Game, Variant
from nobi.memory import load_board
from nobi.search.evaluator import EvalStats, Evaluator, allocate_queue
from nobi.search.playout import searcher_of
from nobi.search.policy import Policy, policy_from_file
from nobi.search.rollouts import codes_of
from nobi.search.settings import SearchSettings
from nobi.search.state import DEEPEST, DONE, new_position, new_workspace
from nobi.search.tree import (
    FULL,
    LEAF,
    USED,
    Tree,
    allocate_tree,
    child_with_move,
    clear_tree,
    copy_subtree,
    nodes_kept,
)
from nobi.streams import stream_of

SLICE_SECONDS = 0.02
"""About how long a thread searches before it looks up."""

_NODE_BYTES = 35
MOST_VISITS = 2.0**24 - 2**16
"""Of the root: visits are kept as 32-bit floating-point numbers, which count no further than to 2²⁴."""
_NO_STOP = threading.Event()


@dataclass(frozen=True)
class Child:
    """What has been found of one move."""

    move: int
    visits: int
    """Playouts that began with it."""
    winrate: float
    """The share of playouts, prior knowledge included, that the player to move has won with it."""
    prior: float
    """The network's probability of the move; 0 without a network."""
    solved: int
    """1 if the move is known to win, -1 if to lose, else 0."""
    variation: list[int]
    """The line that the search expects, this move first."""


class Search:
    """Searches the positions of one game on one board."""

    def __init__(
        self,
        variant: Variant,
        settings: SearchSettings | None = None,
        *,
        policy: Policy | None = None,
        seed: int = 0,
        game: int = 0,
    ) -> None:
        """`policy` guides the search, if not that of `settings.model`.

        `seed` and `game` choose the random numbers, as in the arena.
        """
        self.variant = variant
        self._stream = int(stream_of(seed, game)) >> 1
        self.settings = settings or SearchSettings()
        self._loop = searcher_of(variant.game)
        self._knobs = self.settings.params
        nodes = max(8 * (variant.size**2 + 1), self.settings.memory * 2**20 // (2 * _NODE_BYTES))
        self._tree, self._spare = allocate_tree(nodes), allocate_tree(nodes)
        if policy is None and self.settings.model:
            searching = self.settings.threads if self.settings.mode == "asynchronous" else 0
            policy = policy_from_file(self.settings.model, variant, self.settings.sharpness, searching)
        self.policy = policy
        """What guides the search, if anything does."""
        self._evaluator = Evaluator(variant, policy, self.settings.batch, self.settings.wait / 1000) if policy else None
        self._waiting = self._evaluator.waiting if self._evaluator else allocate_queue(0)
        self._pool: ThreadPoolExecutor | None = None
        self._workspaces = [new_workspace(variant.size) for _ in range(self.settings.threads)]
        self._make_scenes(0)
        self._known: tuple[Any, ...] | None = None  # whose tree this is: set-up and moves
        self._begun = 0  # trees, each with random numbers of its own
        self.clear()

    # --- the root ---------------------------------------------------------------------------------------------------

    def clear(self) -> None:
        """Forgets everything but the position."""
        with self._tree_held():
            clear_tree(self._tree)
            self._known = None
            if self._evaluator:
                self._evaluator.forget()

    def renew(self) -> None:
        """Forgets even that it has ever searched: the next game is again the first."""
        self.clear()
        self._begun = 0

    def seed(self, stream: int) -> None:
        """Starts the threads' random streams anew."""
        for i, workspace in enumerate(self._workspaces):
            workspace.streams[0] = stream_of(stream, i)

    def set_game(self, game: Game) -> None:
        """Makes the present position of a game the root; keeps what the tree knows of it if moves were only added."""
        if game.is_over:
            raise NobiError("The game is over: there is nothing to search.")
        known = (game.start_setup, tuple(game.moves))
        with self._tree_held():
            kept = self.settings.reuse and self._known is not None and self._follow(*known)
            if not kept:
                self.clear()
                self.seed(int(stream_of(self._stream, self._begun)) >> 1 if self._begun else self._stream)
                self._begun += 1
            self._set_root(game.boards, 0, game.moves)
            self._known = known

    def set_board(self, boards: Boards, g: int, stream: int) -> None:
        """Makes board g the root of a fresh tree; all chance comes from `stream`."""
        with self._tree_held():
            self.clear()
            self.seed(stream)
            self._set_root(boards, g, [])

    def _tree_held(self) -> AbstractContextManager[Any]:
        """Keeps a network that still works for an earlier search from the tree and its root."""
        return self._evaluator.tree_lock if self._evaluator else nullcontext()

    def _follow(self, set_up: Any, moves: tuple[int, ...]) -> bool:
        """Makes the node to which the moves lead from the old root the new one; returns whether there is one."""
        old_set_up, old_moves = self._known or (None, ())
        if set_up != old_set_up or moves[: len(old_moves)] != old_moves:
            return False
        node = 0
        for move in moves[len(old_moves) :]:
            node = child_with_move(self._tree, node, move) if self._tree.children[node] > 0 else -1
            if node < 0:
                return False
        if self._tree.children[node] <= LEAF:
            return False
        if node:
            self._move_tree(node, 0.0, moves[len(old_moves) :])
            self._tree.solved[0] = 0
        return True

    def _set_root(self, boards: Boards, g: int, moves: Sequence[int]) -> None:
        if int(boards.stones.ply[g]) + DEEPEST + 2 > self._room_for_moves:
            self._make_scenes(int(boards.stones.ply[g]))
        position = self._root
        load_board(position.boards, boards, g)
        position.previous[0] = moves[-2] if len(moves) > 1 else 0
        if position.codes.shape[1] > 1:
            position.codes[0] = codes_of(position.boards.stones, 0)
        self.to_move = int(boards.stones.to_move[g])
        # what a kept tree knows of this position already, prior knowledge among it
        self._known_before = float(self._tree.visits[0]), float(self._tree.wins[0])
        self._rolled = 0
        for workspace in self._workspaces:
            workspace.owned[:] = 0
            workspace.counts[DONE] = 0
        if self._evaluator:
            self._evaluator.set_root(self._tree, moves, self._view_scene[0], self._root_words, self._view_scene[1])

    def _make_scenes(self, ply: int) -> None:
        """Makes the root's board and one for each thread, with a history long enough for this ply."""
        self._room_for_moves = max(self.variant.most_moves, 2 * ply) + DEEPEST + 2
        codes = points_of(self.variant.size) if self.variant.game.name == "go" else 1

        def new() -> Any:
            boards: Any = self.variant.allocate(1)
            if hasattr(boards, "history"):
                boards = boards._replace(history=np.zeros((1, self._room_for_moves), np.uint64))
            return new_position(boards, codes=codes)

        self._root, self._root_words = new()
        self._scenes = [new() for _ in self._workspaces]
        self._view_scene = new()

    def close(self) -> None:
        """Ends the threads."""
        if self._pool:
            self._pool.shutdown()
            self._pool = None
        if self._evaluator:
            self._evaluator.close()

    # --- searching --------------------------------------------------------------------------------------------------

    def run(
        self,
        rollouts: int = 0,
        seconds: float = 0.0,
        stop: threading.Event = _NO_STOP,
        report: Callable[[], None] | None = None,
        interval: float = 0.0,
    ) -> int:
        """Searches until so many playouts are made, the time is over, `stop` is set or the tree can count no further.

        Returns the playouts made.

        `report` is called about every `interval` seconds, between playouts.
        """
        start = time.perf_counter()
        budget = _Budget(rollouts or 2**62, start + (seconds or 1e12), stop)
        with self._evaluating(budget):
            self._search_on(budget, report, interval, start)
        made = int(sum(workspace.counts[DONE] for workspace in self._workspaces)) - self._rolled
        self._rolled += made
        return made

    @contextmanager
    def _evaluating(self, budget: "_Budget") -> Iterator[None]:
        """Has the network look at the root, then, in the asynchronous mode, at new nodes while the search goes on."""
        evaluator = self._evaluator
        if evaluator is None:
            yield
            return
        if self._tree.children[0] <= LEAF:
            self._work(0, budget, 0.0, most=1)
            evaluator.evaluate_all()  # the root, which is all there is
        evaluator.evaluate_root()  # where the tree was kept, its turn may not have come yet
        with evaluator.working() if self.settings.mode == "asynchronous" else nullcontext():
            yield

    def _search_on(self, budget: "_Budget", report: Callable[[], None] | None, interval: float, start: float) -> None:
        due = start + interval if report else 1e300
        while not (budget.over() or self.is_full):
            pause = min(due, budget.deadline)
            self._round(budget, pause)
            if self._tree.state[FULL]:
                self._make_room()
            if self._evaluator and self.settings.mode == "synchronous":
                self._evaluator.evaluate_all()
            if report and time.perf_counter() >= due:
                report()
                due = time.perf_counter() + interval

    def _round(self, budget: "_Budget", until: float) -> None:
        """Lets all threads search until something is to be done between playouts."""
        if len(self._workspaces) == 1:
            self._work(0, budget, until)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(len(self._workspaces))
        for future in [self._pool.submit(self._work, i, budget, until) for i in range(len(self._workspaces))]:
            future.result()

    def _work(self, thread: int, budget: "_Budget", until: float, most: int = 16) -> None:
        position, words = self._scenes[thread]
        waits = self._evaluator is not None and self.settings.mode == "synchronous"
        amount = most
        while (share := budget.take(amount, len(self._workspaces))) > 0:
            begin = time.perf_counter()
            made = self._loop(
                self._tree,
                self._root_words,
                words,
                position,
                self._workspaces[thread],
                self._knobs,
                self._waiting,
                share,
                waits,
            )
            end = time.perf_counter()
            budget.give_back(share - made)
            if made < share or end >= until or budget.over():
                return
            # slices of about SLICE_SECONDS; how playouts are cut into slices changes nothing but the time
            slice_ = min(SLICE_SECONDS, until - end)
            amount = max(1, min(int(amount * slice_ / max(end - begin, 1e-9)), 4 * amount))

    def _make_room(self) -> None:
        """Drops the least visited nodes until half of the pool is free."""
        least = 1.0
        while nodes_kept(self._tree, least) > len(self._tree.move) // 2:
            least *= 2
        self._move_tree(0, least)

    def _move_tree(self, root: int, least: float, played: Sequence[int] = ()) -> None:
        """Copies the tree below a node, to which these moves lead, into the other pool."""
        with self._tree_held():
            copy_subtree(self._tree, root, self._spare, least)
            self._tree, self._spare = self._spare, self._tree
            if self._evaluator:
                self._evaluator.moved(self._spare, self._tree, played)

    # --- what has been found ----------------------------------------------------------------------------------------

    @property
    def tree(self) -> Tree:
        """The tree as it is."""
        return self._tree

    @property
    def value(self) -> float:
        """The share of the playouts from this position that the player to move has won, without any prior knowledge."""
        visits, lost = self._known_before
        playouts = float(self._tree.visits[0]) - visits
        return 1 - (float(self._tree.wins[0]) - lost) / playouts if playouts > 0 else 0.5

    @property
    def is_full(self) -> bool:
        """Whether the tree can count no further playouts."""
        return bool(self._tree.visits[0] >= MOST_VISITS)

    @property
    def stats(self) -> EvalStats | None:
        """What the network's evaluations have cost so far; None without a network."""
        return self._evaluator.stats if self._evaluator else None

    @property
    def nodes(self) -> int:
        """How many nodes the tree has."""
        return int(self._tree.state[USED])

    def children(self) -> list[Child]:
        """The moves at the root, the best first: by playouts, then by wins."""
        tree = self._tree
        first, count = int(tree.first[0]), max(0, int(tree.children[0]))
        found = [self._child(node) for node in range(first, first + count)]
        order = sorted(range(count), key=lambda i: (-found[i].solved, -found[i].visits, -found[i].winrate))
        return [self._with_variation(found[i], first + i) for i in order]

    def _child(self, node: int) -> Child:
        tree, solved = self._tree, int(self._tree.solved[node])
        return Child(
            move=int(tree.move[node]),
            visits=round(float(tree.visits[node] - tree.assumed[node])),
            winrate=(1 + solved) / 2 if solved else float(tree.wins[node] / tree.visits[node]),
            prior=float(tree.policy[node]),
            solved=solved,
            variation=[],
        )

    def _with_variation(self, child: Child, node: int) -> Child:
        tree = self._tree
        child.variation.append(child.move)
        while tree.children[node] > 0 and len(child.variation) < DEEPEST:
            first = int(tree.first[node])
            played = (
                tree.visits[first : first + tree.children[node]] - tree.assumed[first : first + tree.children[node]]
            )
            if played.max() <= 0:
                break
            node = first + int(played.argmax())
            child.variation.append(int(tree.move[node]))
        return child

    def ownership(self) -> NDArray[np.float64]:
        """[n, n] whose each point is at the end of the playouts: from -1, always white's, to 1, always black's."""
        size = self.variant.size
        total = sum(workspace.owned.astype(np.int64) for workspace in self._workspaces)
        made = max(1, int(sum(workspace.counts[DONE] for workspace in self._workspaces)))
        return (np.asarray(total)[board_points(size)] / made).reshape(size, size)


class _Budget:
    """What is left to do, shared by the threads."""

    def __init__(self, playouts: int, deadline: float, stop: threading.Event) -> None:
        self._left = playouts
        self.deadline = deadline
        self._stop = stop
        self._lock = threading.Lock()

    def take(self, amount: int, threads: int) -> int:
        """Takes up to so many playouts; the last ones are shared out evenly."""
        with self._lock:
            share = max(1, min(amount, self._left // threads)) if self._left > 0 else 0
            self._left -= share
            return share

    def give_back(self, amount: int) -> None:
        """Returns playouts that were not made."""
        with self._lock:
            self._left += amount

    def over(self) -> bool:
        """Whether the search is to end."""
        return self._left <= 0 or self._stop.is_set() or time.perf_counter() >= self.deadline
