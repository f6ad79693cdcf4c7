"""What the search knows of each game: five compiled functions, bound into its loop.

Go has tactics, patterns and an eye for eyes; every other game is known by its rules alone.

MERGED search/room.py: What a searching thread works on: its board, and scratch space.

MERGED search/descent.py: One playout: down the tree to a leaf, on to the end of the game, and back.

The templates here are bound to a game's rules and kit by `searcher_of`.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from nobi.board.stones import BLACK, EMPTY, PASS, RUNNING, WHITE, as_point, enemy_of, swap_empties
from nobi.compiling import UNBOUND, compiled, inlined, specialise
from nobi.games.base import LOSES, UNDECIDED, WINS, Game
from nobi.memory import Words, copy_words
from nobi.search.evaluator import EvalQueue, ask_for_policy, somebody_waits
from nobi.search.rollouts import as_count
from nobi.search.state import DEEPEST, DONE, SearchParams, SearchPosition, Workspace
from nobi.search.tree import FULL, LEAF, LOST, OPEN, WON, Tree, claim, exchange, publish, take_nodes
from nobi.streams import below

play: Any = UNBOUND  # these are bound by `specialise`
immediate_outcome: Any = UNBOUND
legal: Any = UNBOUND
may_pass: Any = UNBOUND
advance: Any = UNBOUND
prepare: Any = UNBOUND
worthwhile: Any = UNBOUND
assume: Any = UNBOUND
finish: Any = UNBOUND
expand: Any = UNBOUND


class GameHooks(NamedTuple):
    """The functions for one game."""

    advance: Callable[..., None]
    """(scene, move): plays a move of the tree."""
    prepare: Callable[..., None]
    """(scene, room): called before a node's moves are looked at."""
    worthwhile: Callable[..., bool]
    """(scene, move) → whether a legal move is looked at."""
    assume: Callable[..., None]
    """(scene, room, move, at, weight): prior knowledge of a move."""
    finish: Callable[..., float]
    """(scene, room, knobs) → what black gets, 0 to 1, after playing to the end."""


def _advance(position: SearchPosition, move: int) -> None:
    position.previous[0] = position.boards.stones.last[0]
    play(position.boards, 0, move)


@inlined
def _prepare_nothing(position: SearchPosition, workspace: Workspace) -> None:
    pass


@inlined
def _every_move(position: SearchPosition, move: int) -> bool:  # noqa: ARG001
    return True


@inlined
def _assume_even(position: SearchPosition, workspace: Workspace, move: int, at: int, weight: float) -> None:  # noqa: ARG001
    """One playout, half won."""
    workspace.visits[at] = 1.0
    workspace.wins[at] = 0.5


@inlined
def value_of(outcome: int) -> float:
    """What black gets."""
    return 1.0 if outcome == BLACK else 0.0 if outcome == WHITE else 0.5


def _finish_plainly(position: SearchPosition, workspace: Workspace, params: SearchParams) -> float:  # noqa: ARG001
    """Plays random moves, but none that loses at once if there is another."""
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
            workspace.played[move] = stones.to_move[0]
        play(boards, 0, move)
    return value_of(stones.outcome[0])


@cache
def hooks_of(game: type[Game]) -> GameHooks:
    """The kit of a game."""
    if game.name == "go":
        from nobi.search.go import GO_KIT

        return GO_KIT
    rules = game.rules
    return GameHooks(
        specialise(_advance, game.name, play=rules.play),
        _prepare_nothing,
        _every_move,
        _assume_even,
        specialise(_finish_plainly, game.name, play=rules.play, immediate_outcome=rules.immediate_outcome),
    )


_MANY = 64
"""Where a node has more playouts, RAVE may learn sparingly."""

_SURE = np.float32(1e6)
"""Added to the value of a move that is known to win."""


def _expand(tree: Tree, node: int, position: SearchPosition, workspace: Workspace, params: SearchParams) -> bool:
    """Makes the children of a leaf, which is the present position; returns whether this thread has."""
    if not claim(tree, node):
        return False
    boards = position.boards
    stones = boards.stones
    prepare(position, workspace)
    count = 0
    best = LOSES
    for i in range(stones.empties[0]):
        move = stones.empty[0, i]
        if worthwhile(position, move) and legal(boards, 0, move):
            said = immediate_outcome(boards, 0, move)
            best = max(best, said)
            workspace.found[count] = move
            workspace.outcomes[count] = said
            assume(position, workspace, move, count, params.tactics)
            count += 1
    if may_pass:
        said = UNDECIDED if params.agreed else immediate_outcome(boards, 0, as_point(PASS))
        best = max(best, said)
        workspace.found[count] = PASS
        workspace.outcomes[count] = said
        assume(position, workspace, as_point(PASS), count, params.tactics)
        count += 1
    first = take_nodes(tree, count)
    if first < 0:
        exchange(tree.children, node, LEAF)
        return False
    for i in range(count):
        child = first + i
        tree.move[child] = workspace.found[i]
        tree.visits[child] = workspace.visits[i]
        tree.wins[child] = workspace.wins[i]
        tree.assumed[child] = workspace.visits[i]
        tree.rave_visits[child] = 0
        tree.rave_wins[child] = 0
        tree.policy[child] = 0
        tree.children[child] = LEAF
        tree.solved[child] = workspace.outcomes[i]
    if best == WINS:
        tree.solved[node] = LOST
    elif best == LOSES:
        tree.solved[node] = WON
    publish(tree, node, first, count)
    return True


@compiled
def choose_child(tree: Tree, node: int, workspace: Workspace, params: SearchParams) -> int:
    """The child to look at next, the one of the highest value (`docs/search.md` has the formula)."""
    first = tree.first[node]
    count = tree.children[node]
    visits = tree.visits[first : first + count]
    wins = tree.wins[first : first + count]
    rave_visits = tree.rave_visits[first : first + count]
    rave_wins = tree.rave_wins[first : first + count]
    policy = tree.policy[first : first + count]
    assumed = tree.assumed[first : first + count]
    solved = tree.solved[first : first + count]
    values = workspace.values
    total = tree.visits[node]
    one = np.float32(1.0)
    tiny = np.float32(1e-6)
    per_rave = np.float32(1.0 / params.rave)
    wide = np.float32(params.explore * np.sqrt(np.log(total + 1.0)))
    lead = np.float32(params.follow * np.sqrt(total))
    for i in range(count):
        n = visits[i]
        r = rave_visits[i]
        share = r / (r + n + n * r * per_rave)
        value = (one - share) * (wins[i] / n) + share * (rave_wins[i] / (r + tiny))
        values[i] = (
            value + wide / np.sqrt(n) + lead * policy[i] / (one + n - assumed[i]) + _SURE * np.float32(solved[i])
        )
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
def _learn(tree: Tree, node: int, me: int, workspace: Workspace, gain: float) -> None:
    """RAVE: the children whose moves the player to move played later on share in the result."""
    first = tree.first[node]
    count = tree.children[node]
    moves = tree.move[first : first + count]
    rave_visits = tree.rave_visits[first : first + count]
    rave_wins = tree.rave_wins[first : first + count]
    gained = np.float32(gain)
    for i in range(count):
        if workspace.played[moves[i]] == me:
            rave_visits[i] += np.float32(1.0)
            rave_wins[i] += gained


def _search(
    tree: Tree,
    root: Words,
    work: Words,
    position: SearchPosition,
    workspace: Workspace,
    params: SearchParams,
    waiting: EvalQueue,
    playouts: int,
    one_by_one: bool,
) -> int:
    """Makes playouts from the position `root` until there are enough or the pool is full.

    With `one_by_one` it returns as well when a node waits for the network. Returns the number of playouts made.
    """
    stones = position.boards.stones
    done = 0
    asks = len(waiting.node) > 0
    while done < playouts and tree.state[FULL] == 0:
        if one_by_one and somebody_waits(waiting):
            break
        copy_words(root, work)
        for point in range(len(workspace.played)):
            workspace.played[point] = 0
        node = 0
        depth = 0
        workspace.path[0] = 0
        workspace.movers[0] = enemy_of(stones.to_move[0])
        tree.visits[0] += np.float32(1.0)
        decided = OPEN
        while depth < DEEPEST:
            if tree.children[node] <= 0:
                ripe = depth == 0 or tree.visits[node] - tree.assumed[node] > params.expand_after
                if not ripe or stones.outcome[0] != RUNNING or not expand(tree, node, position, workspace, params):
                    break
                if asks:
                    ask_for_policy(waiting, node, workspace, depth)
            node = choose_child(tree, node, workspace, params)
            # the visit counts at once and the win later: to other threads this playout is lost so far (virtual loss)
            tree.visits[node] += np.float32(1.0)
            depth += 1
            move = tree.move[node]
            workspace.path[depth] = node
            workspace.moves[depth] = move
            workspace.movers[depth] = stones.to_move[0]
            decided = tree.solved[node]
            if decided != OPEN:
                break
            advance(position, move)
        if decided != OPEN:
            black = 1.0 if (workspace.movers[depth] == BLACK) == (decided == WON) else 0.0
        else:
            black = finish(position, workspace, params)
        for d in range(depth, -1, -1):
            node = workspace.path[d]
            mover = as_count(workspace.movers[d])
            gain = black if mover == BLACK else 1.0 - black
            tree.wins[node] += np.float32(gain)
            visits = as_count(tree.visits[node])
            if tree.children[node] > 0 and (visits < _MANY or visits % params.sparing == 0):
                _learn(tree, node, enemy_of(mover), workspace, 1.0 - gain)
            if decided != OPEN and d > 0:  # a move that wins refutes the one before; when all lose, that one wins
                parent = workspace.path[d - 1]
                if tree.solved[node] == WON:
                    tree.solved[parent] = LOST
                elif tree.solved[node] == LOST and tree.solved[parent] == OPEN and _all_lost(tree, parent):
                    tree.solved[parent] = WON
            if d > 0 and workspace.moves[d] != PASS:
                workspace.played[workspace.moves[d]] = mover
        done += 1
    workspace.counts[DONE] += done
    return done


Searcher = Callable[..., int]


@cache
def searcher_of(game: type[Game]) -> Searcher:
    """The compiled search loop of a game."""
    hooks, rules = hooks_of(game), game.rules
    expand = specialise(
        _expand,
        game.name,
        legal=rules.legal,
        immediate_outcome=rules.immediate_outcome,
        may_pass=game.has_pass,
        prepare=hooks.prepare,
        worthwhile=hooks.worthwhile,
        assume=hooks.assume,
    )
    return specialise(_search, game.name, expand=expand, advance=hooks.advance, finish=hooks.finish)
