"""The search of one game: a tree, the threads that grow it, and its results."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import Boards, cell_tables, points_of
from nobi.errors import NobiError
from nobi.games.base import Game, Variant
from nobi.memory import load_board
from nobi.models.model import Model, load_model
from nobi.search.evaluator import EvalStats, Evaluator, allocate_queue
from nobi.search.limits import CHECK_SECONDS, Budget, Leader
from nobi.search.patterns import codes_of
from nobi.search.playout import searcher_of
from nobi.search.policy import Policy, policy_from_model
from nobi.search.report import Child, Restriction, RootReport, avoided_moves, children_of, report_root
from nobi.search.settings import SearchSettings
from nobi.search.state import DONE, MAX_DEPTH, SCORED, new_position, new_workspace
from nobi.search.tree import (
    FULL,
    LEAF,
    UNKNOWN,
    USED,
    Tree,
    allocate_tree,
    child_with_move,
    clear_tree,
    copy_subtree,
    count_kept,
)
from nobi.spec import as_type, settings_with
from nobi.streams import derive_seed, stream_of

SLICE_SECONDS = 0.02
"""Approximate time that a thread searches before it checks time and stop conditions."""

_NODE_BYTES = 48
MAX_VISITS = 2.0**24 - 2**16
"""Maximum visit count of the root: 32-bit floating-point numbers count exactly up to 2²⁴."""
_NO_STOP = threading.Event()


class Search:
    """Searches the positions of one game on one board; the fields of the settings are also keyword arguments.

    >>> search = nobi.Search(nobi.variant("go", 5), rave=1000)
    >>> search.set_game(nobi.game("go", 5)); search.run(100)
    100
    """

    def __init__(
        self,
        variant: Variant,
        settings: SearchSettings | None = None,
        *,
        policy: Policy | Model | None = None,
        seed: int = 0,
        game: int = 0,
        **fields: Any,
    ) -> None:
        """`policy` replaces that of `settings.model`. `seed` and `game` set the random numbers, as in the arena."""
        self.variant = as_type(variant, Variant, "variant")
        self._stream = derive_seed(seed, game)
        self.settings = settings_with(settings or SearchSettings(), fields)
        self._loop = searcher_of(variant.game)
        self._params = self.settings.params(variant.game.name, variant.size)
        nodes = max(8 * (variant.size**2 + 1), self.settings.memory * 2**20 // (2 * _NODE_BYTES))
        self._tree, self._spare = allocate_tree(nodes), allocate_tree(nodes)
        if policy is None and self.settings.model:
            policy = load_model(self.settings.model)
        if isinstance(policy, Model):
            threads = self.settings.threads if self.settings.mode == "asynchronous" else 0
            policy = policy_from_model(policy, variant, self.settings.sharpness, threads)
        self.policy: Policy | None = policy
        self._evaluator = Evaluator(variant, policy, self.settings) if policy else None
        self._queue = self._evaluator.queue if self._evaluator else allocate_queue(0)
        self._pool: ThreadPoolExecutor | None = None
        self._workspaces = [new_workspace(variant.size) for _ in range(self.settings.threads)]
        self._allocate_positions(0)
        self._root_game: tuple[Any, ...] | None = None  # set-up and moves of the root position
        self._trees = 0  # trees so far, each with its own random numbers
        self._has_position = False
        self._active = self.settings.threads
        self._restrictions: tuple[Restriction, ...] = ()
        self._root_power, self._root_is_widened = 1.0, False
        self.clear()

    def __repr__(self) -> str:
        return f"<Search {self.variant} {self.variant.size}x{self.variant.size}, {self.nodes} nodes>"

    # --- the root ---------------------------------------------------------------------------------------------------

    def clear(self) -> None:
        """Remove all nodes except the root."""
        with self._tree_locked():
            clear_tree(self._tree)
            self._root_game = None
            if self._evaluator:
                self._evaluator.clear()

    def reset(self) -> None:
        """Restore the state before the first search, random numbers included."""
        self.clear()
        self._trees = 0

    def seed(self, stream: int) -> None:
        """Restart the threads' random streams."""
        for i, workspace in enumerate(self._workspaces):
            workspace.streams[0] = stream_of(stream, i)

    def set_game(self, game: Game) -> None:
        """Make the current position of a game the root; keep its subtree if moves were only added."""
        self.variant.check(game)
        if game.is_over:
            raise NobiError("The game is over: there is nothing to search.")
        root = (game.start_setup, tuple(game.moves))
        with self._tree_locked():
            reuse = self.settings.reuse and self._root_game is not None and not self._restrictions
            kept = reuse and self._keep_subtree(*root)
            self._root_is_widened &= kept and root == self._root_game
            if not kept:
                self.clear()
                self.seed(derive_seed(self._stream, self._trees) if self._trees else self._stream)
                self._trees += 1
            self._set_root(game.boards, 0, game.moves, same=kept and root == self._root_game)
            self._root_game = root

    def restrict(self, restrictions: Sequence[Restriction] = ()) -> None:
        """Set the restrictions of later searches; in a game without a pass, they apply only at the root."""
        restrictions = tuple(restrictions)
        if restrictions == self._restrictions:
            return
        if not self.variant.game.has_pass:
            restrictions = tuple(one._replace(until=min(one.until, 1)) for one in restrictions)
        self.clear()
        self._restrictions = restrictions
        found = avoided_moves(restrictions, self.variant.size, cell_tables(self.variant.size).point_of)
        for workspace in self._workspaces:
            workspace.avoided[:] = found

    def widen(self, power: float) -> None:
        """Raise the network's policy at the root to this power: below 1 the search considers more moves."""
        if power != self._root_power:
            self.clear()
            self._root_power = power

    def use_threads(self, threads: int) -> None:
        """Limit later searches to this number of threads."""
        self._active = max(1, min(threads, len(self._workspaces)))

    def set_board(self, boards: Boards, g: int, stream: int) -> None:
        """Make board g the root of a new tree; all random numbers come from `stream`."""
        with self._tree_locked():
            self.clear()
            self.seed(stream)
            self._set_root(boards, g, [])

    def _tree_locked(self) -> AbstractContextManager[Any]:
        """Return a lock that prevents a network from writing evaluations of an earlier search to the tree."""
        return self._evaluator.tree_lock if self._evaluator else nullcontext()

    def _keep_subtree(self, set_up: Any, moves: tuple[int, ...]) -> bool:
        """Make the node reached by the moves from the old root the new root; return whether it exists."""
        old_set_up, old_moves = self._root_game or (None, ())
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
            self._copy_tree(node, 0.0, moves[len(old_moves) :])
            self._tree.solved[0] = 0
        return True

    def _set_root(self, boards: Boards, g: int, moves: Sequence[int], *, same: bool = False) -> None:
        """Set the root position; `same`: it has not changed, and statistics of its moves are kept."""
        if int(boards.stones.ply[g]) + MAX_DEPTH + 2 > self._history_length:
            self._allocate_positions(int(boards.stones.ply[g]))
        self._has_position = True
        position = self._root
        load_board(position.boards, boards, g)
        position.previous[0] = moves[-2] if len(moves) > 1 else 0
        if position.codes.shape[1] > 1:
            position.codes[0] = codes_of(position.boards.stones, 0)
        self.to_move = int(boards.stones.to_move[g])
        # the counts of a kept tree, including prior knowledge, which `value` excludes
        self._counts_before = float(self._tree.visits[0]), float(self._tree.wins[0])
        self._playouts = 0
        for workspace in self._workspaces:
            workspace.counts[DONE] = 0
            if not same:
                workspace.owned[:] = 0
                workspace.results[:] = 0
        if self._evaluator:
            position, words = self._replay_position
            self._evaluator.set_root(self._tree, moves, position, self._root_words, words)

    def _allocate_positions(self, ply: int) -> None:
        """Allocate the positions of root, threads and evaluator, with a history long enough for this ply."""
        self._history_length = max(self.variant.most_moves, 2 * ply) + MAX_DEPTH + 2
        codes = points_of(self.variant.size) if self.variant.game.name == "go" else 1

        def new() -> Any:
            boards: Any = self.variant.allocate(1)
            if hasattr(boards, "history"):
                boards = boards._replace(history=np.zeros((1, self._history_length), np.uint64))
            return new_position(boards, codes=codes)

        self._root, self._root_words = new()
        self._positions = [new() for _ in self._workspaces]
        self._replay_position = new()

    def close(self) -> None:
        """Stop the threads."""
        if self._pool:
            self._pool.shutdown()
            self._pool = None
        if self._evaluator:
            self._evaluator.close()

    # --- search -----------------------------------------------------------------------------------------------------

    def run(
        self,
        rollouts: int = 0,
        seconds: float = 0.0,
        stop: threading.Event = _NO_STOP,
        report: Callable[[], None] | None = None,
        interval: float = 0.0,
        *,
        early: bool = False,
    ) -> int:
        """Search until a limit is reached, `stop` is set or visit counts are exhausted; return the number of playouts.

        `report` is called about every `interval` seconds, between playouts. With `early`, a search limited by time ends
        when no other move can get more playouts than the best one, or when the best move is clear.
        """
        self._check_position()
        start = time.perf_counter()
        budget = Budget(rollouts or 2**62, start + (seconds or 1e12), stop)
        leader = Leader(start, seconds) if early and seconds else None
        try:
            with self._evaluating(budget):
                self._run(budget, report, interval, start, leader)
        except BaseException:
            budget.cancel()  # otherwise the other threads would continue after Ctrl-C
            raise
        made = self._playouts_made
        self._playouts += made
        return made

    def _check_position(self) -> None:
        if not self._has_position:
            raise NobiError("The search has no position yet; call set_game first.")

    @property
    def _playouts_made(self) -> int:
        """The playouts of this run so far."""
        return int(sum(workspace.counts[DONE] for workspace in self._workspaces)) - self._playouts

    @contextmanager
    def _evaluating(self, budget: Budget) -> Iterator[None]:
        """Evaluate the root, then, in the asynchronous mode, new nodes during the search."""
        evaluator = self._evaluator
        if evaluator is None:
            yield
            return
        if self._tree.children[0] <= LEAF:
            self._work(0, budget, 0.0, most=1)
            evaluator.evaluate_all()  # the root, the only node
        evaluator.evaluate_root()  # if the tree was kept, the root may still be in the queue
        self._widen_root()
        with evaluator.running() if self.settings.mode == "asynchronous" else nullcontext():
            yield

    def _widen_root(self) -> None:
        if self._root_power == 1.0 or self._root_is_widened:
            return
        with self._tree_locked():
            first, count = int(self._tree.first[0]), max(0, int(self._tree.children[0]))
            policy = self._tree.policy[first : first + count]
            powers = policy**self._root_power
            if powers.sum() > 0:
                policy[:] = powers / powers.sum()
            self._root_is_widened = True

    def _run(
        self,
        budget: Budget,
        report: Callable[[], None] | None,
        interval: float,
        start: float,
        leader: Leader | None,
    ) -> None:
        due = start + interval if report else 1e300
        while not (budget.over() or self.is_full or (leader and leader.is_decided(self._tree, self._playouts_made))):
            pause = min(due, budget.deadline, time.perf_counter() + CHECK_SECONDS if leader else 1e300)
            self._round(budget, pause)
            if self._tree.state[FULL]:
                self._prune()
            if self._evaluator and self.settings.mode == "synchronous":
                self._evaluator.evaluate_all()
            if report and time.perf_counter() >= due:
                report()
                due = time.perf_counter() + interval

    def _round(self, budget: Budget, until: float) -> None:
        """Let all threads search until `until`, the end of the budget, or a full tree."""
        if self._active == 1:
            self._work(0, budget, until)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(len(self._workspaces))
        for future in [self._pool.submit(self._work, i, budget, until) for i in range(self._active)]:
            future.result()

    def _work(self, thread: int, budget: Budget, until: float, most: int = 16) -> None:
        position, words = self._positions[thread]
        synchronous = self._evaluator is not None and self.settings.mode == "synchronous"
        amount = most
        while (share := budget.take(amount, self._active)) > 0:
            begin = time.perf_counter()
            made = self._loop(
                self._tree,
                self._root_words,
                words,
                position,
                self._workspaces[thread],
                self._params,
                self._queue,
                share,
                synchronous,
            )
            end = time.perf_counter()
            budget.give_back(share - made)
            if made < share or end >= until or budget.over():
                return
            # slices of about SLICE_SECONDS, which do not affect the results
            slice_ = min(SLICE_SECONDS, until - end)
            amount = max(1, min(int(amount * slice_ / max(end - begin, 1e-9)), 4 * amount))

    def _prune(self) -> None:
        """Drop the least visited nodes until half of the pool is free."""
        least = 1.0
        while count_kept(self._tree, least) > len(self._tree.move) // 2:
            least *= 2
        self._copy_tree(0, least)

    def _copy_tree(self, root: int, least: float, played: Sequence[int] = ()) -> None:
        """Copy the tree below a node, which is reached by these moves, into the other pool."""
        with self._tree_locked():
            copy_subtree(self._tree, root, self._spare, least)
            self._tree, self._spare = self._spare, self._tree
            if self._evaluator:
                self._evaluator.remap(self._spare, self._tree, played)

    # --- results ----------------------------------------------------------------------------------------------------

    @property
    def tree(self) -> Tree:
        """The current tree."""
        return self._tree

    @property
    def value(self) -> float:
        """The share of won playouts of the player to move from this position, without prior knowledge."""
        visits, lost = self._counts_before
        playouts = float(self._tree.visits[0]) - visits
        return 1 - (float(self._tree.wins[0]) - lost) / playouts if playouts > 0 else 0.5

    @property
    def expected_result(self) -> float | None:
        """Return the network's probability that the player to move wins; None if it is not available for the root."""
        value = float(self._tree.value[0])
        return None if value == UNKNOWN else value

    @property
    def is_full(self) -> bool:
        """Whether the visit counts are exhausted."""
        return bool(self._tree.visits[0] >= MAX_VISITS)

    @property
    def stats(self) -> EvalStats | None:
        """Statistics of the network's evaluations; None without a network."""
        return self._evaluator.stats if self._evaluator else None

    @property
    def nodes(self) -> int:
        """The number of nodes of the tree."""
        return int(self._tree.state[USED])

    def children(self) -> list[Child]:
        """Return the moves at the root, best first: proved wins, then by playouts, then by win rate."""
        return children_of(self._tree, MAX_DEPTH)

    def report(self, fewest: int = 0, length: int = MAX_DEPTH, *, owners: bool = False) -> RootReport:
        """Return win rates and scores of the position and of its moves; with `owners` also the ownership of each move.

        See `report_root`.
        """
        self._check_position()
        return report_root(
            self._tree,
            self._results(),
            self.to_move,
            self.variant.size,
            fewest=fewest,
            length=length,
            ownership=self.ownership if owners else None,
        )

    def _results(self) -> NDArray[np.float64]:
        """Return the sums over all threads, [root move + 1, 5]."""
        return np.sum([workspace.results for workspace in self._workspaces], axis=0)

    def ownership(self, row: int | None = None) -> NDArray[np.float64]:
        """Return the mean owner of each point at the end of the playouts, [n, n]: from −1, White, to 1, Black.

        With `row`, only playouts that began with this child of the root are included.
        """
        size = self.variant.size
        rows = slice(None) if row is None else slice(row, row + 1)
        total = sum(workspace.owned[rows].sum(axis=0, dtype=np.int64) for workspace in self._workspaces)
        made = sum(float(workspace.results[rows, SCORED].sum()) for workspace in self._workspaces)
        return (np.asarray(total)[cell_tables(size).point_of] / max(1.0, made)).reshape(size, size)
