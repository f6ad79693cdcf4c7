"""One playout: descent to a leaf, a rollout to the end of the game, and backup.

The templates are bound to the rules of a game and to six functions with knowledge of the game (`GameHooks`) by
`searcher_of`. Go uses tactics, 3x3 patterns and eye detection (`go.py`); for other games the rules are sufficient.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from nobi.board.stones import BLACK, EMPTY, PASS, RUNNING, WHITE, as_point, enemy_of, swap_empties
from nobi.compiling import UNBOUND, compiled, inlined, specialise
from nobi.games.base import LOSES, UNDECIDED, WINS, Game
from nobi.memory import Words, copy_words
from nobi.search.evaluator import EvalQueue, enqueue, has_entries
from nobi.search.state import (
    COLOUR_MASK,
    DEPTH,
    DONE,
    MAX_DEPTH,
    PLY_SHIFT,
    ROOT_MOVE,
    SELECTIONS,
    SearchParams,
    SearchPosition,
    SearchWorkspace,
    first_play,
    note_result,
)
from nobi.search.tactics import as_count
from nobi.search.tree import (
    FULL,
    LEAF,
    LOST,
    OPEN,
    UNASKED,
    UNKNOWN,
    WON,
    Tree,
    allocate_nodes,
    claim,
    exchange,
    publish,
)
from nobi.streams import below

play: Any = UNBOUND  # this and the next ten are bound by `specialise`
immediate_outcome: Any = UNBOUND
legal: Any = UNBOUND
may_pass: Any = UNBOUND
advance: Any = UNBOUND
prepare: Any = UNBOUND
is_candidate: Any = UNBOUND
set_prior: Any = UNBOUND
complete_priors: Any = UNBOUND
finish: Any = UNBOUND
expand: Any = UNBOUND


class GameHooks(NamedTuple):
    """The compiled functions of one game that the search calls in addition to the rules."""

    advance: Callable[..., None]
    """(position, move): play a move of the tree."""
    prepare: Callable[..., None]
    """(position, workspace): called before the moves of a new node are listed."""
    is_candidate: Callable[..., bool]
    """(position, move) → whether a legal move becomes a child."""
    set_prior: Callable[..., None]
    """(position, workspace, move, i, params): write the prior of a move to `workspace.visits[i]` and `.wins[i]`."""
    complete_priors: Callable[..., None]
    """(workspace, count, params): called when the priors of all `count` moves of a node are set."""
    finish: Callable[..., float]
    """(position, workspace, params) → Black's result, 0 to 1, of a rollout to the end of the game."""


def _advance(position: SearchPosition, move: int) -> None:
    position.previous[0] = position.boards.stones.last[0]
    play(position.boards, 0, move)


@inlined
def _no_preparation(position: SearchPosition, workspace: SearchWorkspace) -> None:
    pass


@inlined
def _any_move(position: SearchPosition, move: int) -> bool:  # noqa: ARG001
    return True


@inlined
def _even_prior(position: SearchPosition, workspace: SearchWorkspace, move: int, i: int, params: SearchParams) -> None:  # noqa: ARG001
    """Set the prior to one playout, half of it won."""
    workspace.visits[i] = 1.0
    workspace.wins[i] = 0.5


@inlined
def _nothing_to_complete(workspace: SearchWorkspace, count: int, params: SearchParams) -> None:
    pass


@inlined
def black_result(outcome: int) -> float:
    """Return Black's result: 1, 0.5 or 0."""
    return 1.0 if outcome == BLACK else 0.0 if outcome == WHITE else 0.5


def _finish_randomly(position: SearchPosition, workspace: SearchWorkspace, params: SearchParams) -> float:  # noqa: ARG001
    """Play uniformly random moves, avoiding moves that lose at once."""
    boards = position.boards
    stones = boards.stones
    while stones.outcome[0] == RUNNING:
        left = stones.empties[0]
        move = as_point(PASS)
        while left > 0:
            i = below(workspace.streams, 0, left)
            move = stones.empty[0, i]
            if immediate_outcome(boards, 0, move) != LOSES:
                break
            left -= 1
            swap_empties(stones, 0, i, left)
        if workspace.played[move] == EMPTY:
            workspace.played[move] = first_play(stones.to_move[0], stones.ply[0])
        play(boards, 0, move)
    return black_result(stones.outcome[0])


@cache
def hooks_of(game: type[Game]) -> GameHooks:
    """Return the hooks of a game."""
    if game.name == "go":
        from nobi.search.go import GO_HOOKS

        return GO_HOOKS
    rules = game.rules
    return GameHooks(
        specialise(_advance, game.name, play=rules.play),
        _no_preparation,
        _any_move,
        _even_prior,
        _nothing_to_complete,
        specialise(_finish_randomly, game.name, play=rules.play, immediate_outcome=rules.immediate_outcome),
    )


_SOLVED_VALUE = np.float32(1e6)
"""The bonus to the value of a move that is proved to win."""


def _expand(tree: Tree, node: int, position: SearchPosition, workspace: SearchWorkspace, params: SearchParams) -> bool:
    """Create the children of a leaf at this position; return whether this thread has created them."""
    if not claim(tree, node):
        return False
    boards = position.boards
    stones = boards.stones
    prepare(position, workspace)
    count = 0
    best = LOSES
    avoided = workspace.avoided[stones.to_move[0]]
    depth = workspace.counts[DEPTH]
    for i in range(stones.empties[0]):
        move = stones.empty[0, i]
        if avoided[move] <= depth and is_candidate(position, move) and legal(boards, 0, move):
            outcome = immediate_outcome(boards, 0, move)
            best = max(best, outcome)
            workspace.found[count] = move
            workspace.outcomes[count] = outcome
            set_prior(position, workspace, move, count, params)
            count += 1
    if may_pass and (count == 0 or avoided[PASS] <= depth):
        outcome = UNDECIDED if params.agreed else immediate_outcome(boards, 0, as_point(PASS))
        best = max(best, outcome)
        workspace.found[count] = PASS
        workspace.outcomes[count] = outcome
        set_prior(position, workspace, as_point(PASS), count, params)
        count += 1
    complete_priors(workspace, count, params)
    first = allocate_nodes(tree, count)
    if first < 0:
        exchange(tree.children, node, LEAF)
        return False
    for i in range(count):
        child = first + i
        tree.move[child] = workspace.found[i]
        tree.visits[child] = workspace.visits[i]
        tree.wins[child] = workspace.wins[i]
        tree.assumed[child] = workspace.visits[i]
        tree.assumed_wins[child] = workspace.wins[i]
        tree.rave_visits[child] = 0
        tree.rave_wins[child] = 0
        tree.withdrawn[child] = 0
        tree.policy[child] = np.float32(params.bias) * workspace.values[i] if params.bias > 0.0 else np.float32(0.0)
        tree.value[child] = UNKNOWN
        tree.children[child] = LEAF
        tree.solved[child] = workspace.outcomes[i]
        tree.evaluation[child] = UNASKED
    if best == WINS:
        tree.solved[node] = LOST
    elif best == LOSES:
        tree.solved[node] = WON
    publish(tree, node, first, count)
    return True


@compiled
def choose_child(tree: Tree, node: int, workspace: SearchWorkspace, params: SearchParams) -> int:
    """Return the child of the highest value (`docs/search.md` has the formula)."""
    first = tree.first[node]
    count = tree.children[node]
    visits = tree.visits[first : first + count]
    wins = tree.wins[first : first + count]
    rave_visits = tree.rave_visits[first : first + count]
    rave_wins = tree.rave_wins[first : first + count]
    policy = tree.policy[first : first + count]
    assumed = tree.assumed[first : first + count]
    withdrawn = tree.withdrawn[first : first + count]
    solved = tree.solved[first : first + count]
    values = workspace.values
    total = tree.visits[node]
    one = np.float32(1.0)
    tiny = np.float32(1e-6)
    per_rave = np.float32(1.0 / params.rave)
    workspace.counts[SELECTIONS] += 1
    skips = params.rave_skip > 0 and workspace.counts[SELECTIONS] % params.rave_skip == 0
    use = np.float32(0.0) if skips else one
    explore = np.float32((params.skip_explore if skips else params.explore) * np.sqrt(np.log(total + 1.0)))
    follow = np.float32(params.follow * np.sqrt(total))
    for i in range(count):
        n = visits[i] - withdrawn[i]
        r = rave_visits[i] * use
        beta = r / (r + n + n * r * per_rave)
        value = (one - beta) * ((wins[i] - withdrawn[i]) / n) + beta * (rave_wins[i] / (r + tiny))
        prior = follow * policy[i] / (one + visits[i] - assumed[i])
        values[i] = value + explore / np.sqrt(n) + prior + _SOLVED_VALUE * np.float32(solved[i])
    best = 0
    highest = values[0]
    for i in range(1, count):
        if values[i] > highest:
            highest = values[i]
            best = i
    return first + best


@compiled
def _all_lost(tree: Tree, node: int) -> bool:
    first = tree.first[node]
    for i in range(tree.children[node]):
        if tree.solved[first + i] != LOST:
            return False
    return True


@inlined
def _should_evaluate(tree: Tree, node: int, playouts: int) -> bool:
    """Return whether to queue a node for the network: at this number of playouts, and again if the queue was full."""
    made = as_count(tree.visits[node] - tree.assumed[node])
    return tree.evaluation[node] == UNASKED and made > 0 and made % playouts == 0


@inlined
def _update_rave(
    tree: Tree, node: int, me: int, workspace: SearchWorkspace, result: float, end: float, slope: float
) -> None:
    """Add the result to the RAVE counts of children whose moves the player to move played later in the playout.

    The weight of a move at a ply is 1 + slope · (end − ply).
    """
    first = tree.first[node]
    count = tree.children[node]
    moves = tree.move[first : first + count]
    rave_visits = tree.rave_visits[first : first + count]
    rave_wins = tree.rave_wins[first : first + count]
    gained = np.float32(result)
    last = np.float32(end)
    rise = np.float32(slope)
    for i in range(count):
        entry = workspace.played[moves[i]]
        weight = np.float32((entry & COLOUR_MASK) == me)
        weight *= np.float32(1.0) + rise * (last - np.float32(entry >> PLY_SHIFT))
        rave_visits[i] += weight
        rave_wins[i] += weight * gained


def _search(
    tree: Tree,
    root: Words,
    work: Words,
    position: SearchPosition,
    workspace: SearchWorkspace,
    params: SearchParams,
    queue: EvalQueue,
    playouts: int,
    synchronous: bool,
) -> int:
    """Run playouts from the position `root` until their number is reached or the pool is full; return their number.

    With `synchronous` it also returns when a node waits for the network.
    """
    stones = position.boards.stones
    done = 0
    has_network = len(queue.node) > 0
    while done < playouts and tree.state[FULL] == 0:
        if synchronous and has_entries(queue):
            break
        copy_words(root, work)
        start = as_count(stones.ply[0])
        for point in range(len(workspace.played)):
            workspace.played[point] = 0
        node = 0
        depth = 0
        workspace.path[0] = 0
        workspace.movers[0] = enemy_of(stones.to_move[0])
        tree.visits[0] += np.float32(1.0)
        solved = OPEN
        expected = UNKNOWN  # Black's result by the network's value of the last evaluated node on the path
        while depth < MAX_DEPTH:
            if params.value > 0.0 and tree.value[node] != UNKNOWN:
                expected = tree.value[node] if stones.to_move[0] == BLACK else np.float32(1.0) - tree.value[node]
            if tree.children[node] <= 0:
                workspace.counts[DEPTH] = depth
                is_due = depth == 0 or tree.visits[node] - tree.assumed[node] > params.expand_after
                if not is_due or stones.outcome[0] != RUNNING or not expand(tree, node, position, workspace, params):
                    break
                if has_network and params.evaluate_at == 0:
                    enqueue(queue, tree, node, workspace, depth)
            elif has_network and params.evaluate_at > 0 and _should_evaluate(tree, node, params.evaluate_at):
                enqueue(queue, tree, node, workspace, depth)
            node = choose_child(tree, node, workspace, params)
            # the visit is added now and the win later: until then the playout is a loss to other threads (virtual loss)
            tree.visits[node] += np.float32(1.0)
            depth += 1
            move = tree.move[node]
            workspace.path[depth] = node
            workspace.moves[depth] = move
            workspace.movers[depth] = stones.to_move[0]
            solved = tree.solved[node]
            if solved != OPEN:
                break
            advance(position, move)
        workspace.counts[ROOT_MOVE] = workspace.path[1] - tree.first[0] if depth > 0 else len(workspace.results) - 1
        if solved != OPEN:
            black = 1.0 if (workspace.movers[depth] == BLACK) == (solved == WON) else 0.0
        else:
            is_over = stones.outcome[0] != RUNNING
            black = finish(position, workspace, params)
            if expected != UNKNOWN and not is_over:
                black += params.value * (expected - black)
        note_result(workspace, black)
        end = as_count(stones.ply[0])
        for d in range(depth, -1, -1):
            node = workspace.path[d]
            mover = as_count(workspace.movers[d])
            result = black if mover == BLACK else 1.0 - black
            tree.wins[node] += np.float32(result)
            if tree.children[node] > 0:
                slope = (params.rave_near - 1.0) / max(end - start - d, 1)
                _update_rave(tree, node, enemy_of(mover), workspace, 1.0 - result, end, slope)
            if solved != OPEN and d > 0:  # a winning move refutes the previous one; if all lose, that one wins
                parent = workspace.path[d - 1]
                if tree.solved[node] == WON:
                    tree.solved[parent] = LOST
                elif tree.solved[node] == LOST and tree.solved[parent] == OPEN and _all_lost(tree, parent):
                    tree.solved[parent] = WON
            if d > 0 and workspace.moves[d] != PASS:
                workspace.played[workspace.moves[d]] = first_play(mover, start + d - 1)
        done += 1
    workspace.counts[DONE] += done
    return done


@cache
def searcher_of(game: type[Game]) -> Callable[..., int]:
    """Return the compiled search loop of a game."""
    hooks, rules = hooks_of(game), game.rules
    expand = specialise(
        _expand,
        game.name,
        merge=True,
        legal=rules.legal,
        immediate_outcome=rules.immediate_outcome,
        may_pass=game.has_pass,
        prepare=hooks.prepare,
        is_candidate=hooks.is_candidate,
        set_prior=hooks.set_prior,
        complete_priors=hooks.complete_priors,
    )
    return specialise(_search, game.name, expand=expand, advance=hooks.advance, finish=hooks.finish)
