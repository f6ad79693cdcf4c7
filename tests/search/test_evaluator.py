"""Evaluation of nodes by a network."""

import threading
import time

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from helpers.policies import Favourite, started
from helpers.processes import wait_until
from nobi.board.stones import PASS, WHITE, board_points
from nobi.encoding import position_planes
from nobi.errors import NobiError
from nobi.features import make_planes
from nobi.games import variant
from nobi.models.model import Model, save_model
from nobi.networks.deep import make_deep
from nobi.search.evaluator import DROPPED, HEAD, TAIL, allocate_queue, enqueue, write_policy
from nobi.search.policy import NodeEncoder
from nobi.search.tree import EVALUATED, LEAF, QUEUED, UNASKED, UNKNOWN


@pytest.mark.parametrize("mode", ["asynchronous", "synchronous"])
def test_the_policy_is_followed(mode):
    policy = Favourite(5, 3)
    search = started(policy, mode=mode, follow=50)
    search.run(300)
    favourite = int(board_points(5)[3])
    children = {child.move: child for child in search.children()}
    assert search.children()[0].move == favourite
    assert_allclose(sum(child.prior for child in children.values()), 1, rtol=1e-5)
    assert_allclose(children[favourite].prior, 1 / (1 + 24 * 0.01), rtol=1e-5)
    assert children[PASS].prior == 0


def test_every_new_node_is_evaluated_in_the_synchronous_mode():
    policy = Favourite(5, 3)
    search = started(policy, mode="synchronous")
    search.run(400)
    tree = search.tree
    expanded = [node for node in range(search.nodes) if tree.children[node] > 0]
    assert search.stats.evaluated == len(expanded) == sum(len(p) for p in policy.seen)
    for node in expanded:
        policies = tree.policy[tree.first[node] : tree.first[node] + tree.children[node]]
        assert policies.sum() == pytest.approx(1, abs=1e-5) or tree.children[node] == 1


def test_nodes_request_the_network_after_enough_playouts():
    search = started(Favourite(5, 3), mode="synchronous", evaluate_at=16)
    search.run(400)
    tree = search.tree
    for node in range(1, search.nodes):
        if tree.children[node] > 0:
            policies = tree.policy[tree.first[node] : tree.first[node] + tree.children[node]]
            assert bool(policies.any()) == bool(tree.visits[node] - tree.assumed[node] >= 16)
    assert tree.policy[tree.first[0] : tree.first[0] + tree.children[0]].any()  # the root always has one


def test_a_node_rejected_by_the_queue_requests_again():
    search = started(Favourite(5, 3), mode="synchronous")
    search.run(50)
    tree, workspace = search.tree, search._workspaces[0]
    node = int(tree.first[0])
    tree.evaluation[node] = UNASKED
    queue = allocate_queue(300)
    queue.ends[TAIL] = 299
    enqueue(queue, tree, node, workspace, 1)
    assert tree.evaluation[node] == UNASKED
    assert queue.ends[DROPPED] == 1
    queue.ends[HEAD] = 299
    enqueue(queue, tree, node, workspace, 1)
    assert tree.evaluation[node] == QUEUED
    assert queue.node[299] == node


def test_a_node_that_lost_its_children_in_the_queue_requests_again():
    search = started(Favourite(5, 3), mode="synchronous")
    search.run(50)
    tree, cells = search.tree, search._evaluator._cell_of
    node = next(node for node in range(1, search.nodes) if tree.children[node] > 0)
    tree.evaluation[node] = UNASKED
    children, tree.children[node] = int(tree.children[node]), LEAF
    write_policy(tree, node, np.ones(25, np.float32), 0.75, cells, False, 0.0)
    assert tree.evaluation[node] == UNASKED
    assert tree.value[node] == UNKNOWN
    tree.children[node] = children
    write_policy(tree, node, np.ones(25, np.float32), 0.75, cells, False, 0.0)
    assert tree.evaluation[node] == EVALUATED
    assert tree.value[node] == 0.75


@pytest.mark.parametrize("order", ["visits", "fifo"])
def test_the_order_of_the_queue(order):
    search = started(Favourite(5, 3), mode="synchronous", queue=order)
    search.run(400)
    tree, queue = search.tree, search._evaluator.queue
    nodes = [node for node in range(1, int(tree.first[0] + tree.children[0])) if tree.children[node] > 0]
    tree.visits[nodes] = tree.assumed[nodes] + 10 + np.arange(len(nodes))
    tree.evaluation[nodes] = UNASKED
    slots = [int(queue.ends[TAIL] + i) % len(queue.node) for i in range(len(nodes))]
    queue.node[slots], queue.depth[slots], queue.ready[slots] = nodes, 1, 1
    queue.line[slots, 0] = tree.move[nodes]
    queue.ends[TAIL] += len(nodes)
    assert search._evaluator.evaluate_next(2) == 2
    first = nodes[-2:] if order == "visits" else nodes[:2]
    assert [node for node in nodes if tree.evaluation[node] == EVALUATED] == first
    search._evaluator.evaluate_all()
    assert (tree.evaluation[nodes] == EVALUATED).all()
    assert not queue.ready.any()


@pytest.mark.parametrize("replace", [True, False])
def test_the_policy_replaces_won_playouts_of_priors(replace):
    search = started(Favourite(5, 3), mode="synchronous", evaluate_at=8, replace=replace, policy_wins=20)
    search.run(200)
    tree = search.tree
    seen = set()
    for node in range(search.nodes):
        children = slice(tree.first[node], tree.first[node] + tree.children[node])
        if tree.children[node] <= 1:
            continue
        evaluated = bool(tree.evaluation[node] == EVALUATED)
        won = np.maximum(2 * tree.assumed_wins[children] - tree.assumed[children], 0)
        new = np.floor(20 * np.sqrt(tree.policy[children].astype(float)) + 0.5)
        expected = np.where(tree.move[children] == PASS, 0, won - new) if evaluated and replace else 0
        assert_array_equal(tree.withdrawn[children], expected)
        seen.add(evaluated)
    assert seen == {True, False}


def test_batches_are_full_while_the_network_is_busy():
    policy = Favourite(5, 3, delay=0.01)
    search = started(policy, batch=8, wait=1000)
    search.run(seconds=0.5)
    sizes = [len(positions) for positions in policy.seen]
    assert sizes[0] == 1  # the root
    assert len(sizes) > 3
    assert set(sizes[1:]) == {8}
    assert search.stats.mean_lag >= 0.009
    assert search.stats.rate < 8 / 0.01


def played(game, line):
    """The game after these moves, a copy."""
    game = game.copy()
    for move in line:
        game.play(int(move))
    return game


def stones_of(game):
    """Own and enemy stones: uint8[2, n, n]."""
    colours = np.array([game.colour(point) for point in game.points()]).reshape(game.size, game.size)
    return np.stack([colours == game.to_move, colours == 3 - game.to_move])


@pytest.fixture
def looks(monkeypatch):
    """The evaluated positions of searches: their moves from the first position, and the inputs of the network."""
    found = []
    set_root, encode = NodeEncoder.set_root, NodeEncoder.encode

    def note_root(self, moves, *rest):
        self.noted = list(moves)
        set_root(self, moves, *rest)

    def note(self, lines, depths):
        positions = encode(self, lines, depths)
        at_once = zip(lines, depths, positions.planes, positions.white, strict=True)
        found.extend(([*self.noted, *line[:depth]], planes, white) for line, depth, planes, white in at_once)
        return positions

    monkeypatch.setattr(NodeEncoder, "set_root", note_root)
    monkeypatch.setattr(NodeEncoder, "encode", note)
    return found


@pytest.mark.parametrize("spec", ["go", "atari-go", "gomoku", "pente"])
def test_stones_are_those_of_the_nodes(spec, looks):
    started(Favourite(7, 10), spec, 7, mode="synchronous").run(200)
    assert len(looks) > 20
    for moves, planes, white in looks:
        game = played(variant(spec, 7).new(), moves)
        assert (planes == stones_of(game)).all()
        assert white == (game.to_move == WHITE)


@pytest.mark.parametrize("spec", ["m15", "c14-7"])
def test_planes_are_those_of_the_nodes(spec, looks):
    """With moves before the root, so that the latest moves of a node are before and after it; also after a move."""
    policy = Favourite(5, 3)
    policy.planes = make_planes(spec)
    search = started(policy, mode="synchronous", expand=0)
    game = variant("go", 5).new()
    for _ in range(4):
        search.run(150)
        game.play(search.children()[0].move)
        search.set_game(game)
    assert len({len(moves) for moves, _, _ in looks}) > 4
    for moves, planes, white in looks[::7]:
        game = played(variant("go", 5).new(), moves)
        assert_array_equal(planes, position_planes(game, policy.planes, rank=9))
        assert white == (game.to_move == WHITE)


def test_waiting_nodes_survive_moves_and_a_full_pool(looks):
    policy = Favourite(5, 3, delay=0.002)
    search = started(policy, batch=4, expand=0, memory=1)
    game = variant("go", 5).new()
    for _ in range(3):
        search.set_game(game)
        search.run(1500)
        game.play(search.children()[0].move)
        if game.is_over:
            break
    assert search.stats.evaluated > 20
    for moves, planes, _ in looks:
        assert (planes == stones_of(played(variant("go", 5).new(), moves))).all()


class Held(Favourite):
    """Evaluates the root at once, and all other positions when released."""

    def __init__(self, size, cell):
        super().__init__(size, cell)
        self.may_answer, self.asked = threading.Event(), 0

    def evaluate(self, positions):
        self.asked += 1
        if self.asked > 1:
            assert self.may_answer.wait(60)
        return super().evaluate(positions)


def searched_until_asked(policy):
    """A search that has ended while the network evaluates a child of the root."""
    search = started(policy, batch=1, wait=0)
    assert wait_until(lambda: search.run(100) and policy.asked > 1, 60)
    assert len(policy.seen) == 1  # the root
    return search


def test_the_search_does_not_wait_for_a_batch_and_its_results_follow_the_node():
    policy = Held(5, 3)
    search = searched_until_asked(policy)
    [nodes] = search._evaluator._in_flight
    search.set_game(played(search.variant.new(), [search.tree.move[nodes[0]]]))
    assert nodes.tolist() == [0]  # the child is the root now
    policies = search.tree.policy[1 : search.tree.children[0] + 1]
    assert policies.sum() == 0
    policy.may_answer.set()
    search.close()
    assert policies.sum() == pytest.approx(1, abs=1e-5)


def test_results_for_a_discarded_tree_are_dropped():
    policy = Held(5, 3)
    search = searched_until_asked(policy)
    search.clear()
    before = search.tree.policy.copy()
    policy.may_answer.set()
    search.close()
    assert_array_equal(search.tree.policy, before)
    assert search.stats.evaluated == 2


def test_batches_do_not_accumulate_over_fast_searches():
    policy = Held(5, 3)
    search = searched_until_asked(policy)
    for _ in range(5):
        search.run(100)
    assert len(search._evaluator._in_flight) == 1
    policy.may_answer.set()
    search.close()


@pytest.mark.parametrize("mode", ["asynchronous", "synchronous"])
def test_an_error_of_the_network_is_raised(mode):
    class Failing(Favourite):
        def evaluate(self, positions):
            if self.seen:
                raise NobiError("The network is ill.")
            return super().evaluate(positions)

    with pytest.raises(NobiError, match="ill"):
        started(Failing(5, 3), mode=mode, wait=0).run(seconds=0.5)


@pytest.mark.parametrize("spec", ["atari-go", "gomoku", "pente"])
def test_other_games(spec):
    search = started(Favourite(7, 10), spec, 7, mode="synchronous", follow=5)
    search.run(200)
    assert search.children()[0].prior > 0
    assert search.stats.evaluated > 10


def test_waiting_nodes_do_not_delay_the_next_move():
    class Held(Favourite):
        """Evaluates the first batch after the root until it is released."""

        looking, released, gave_up = threading.Event(), threading.Event(), False

        def evaluate(self, positions):
            if threading.current_thread() is not threading.main_thread():
                self.looking.set()
                self.gave_up = not self.released.wait(60)
            return super().evaluate(positions)

    policy = Held(9, 3)
    search = started(policy, size=9, batch=4, expand=0)
    game = variant("go", 9).new()
    while not policy.looking.is_set():
        search.run(500)
    ends = search._evaluator.queue.ends
    assert ends[TAIL] - ends[HEAD] > 100
    game.play(search.children()[0].move)
    search.set_game(game)
    policy.seen.clear()
    assert search.run(500) == 500
    assert not policy.gave_up
    assert [len(positions) for positions in policy.seen] in ([], [1])  # the root at most
    policy.released.set()
    search.close()


def test_discarded_nodes_are_not_evaluated():
    policy = Favourite(5, 3)
    search = started(policy, mode="synchronous")
    search.run(20)
    evaluator = search._evaluator
    queue = evaluator.queue
    policy.seen.clear()
    slots = [int(queue.ends[TAIL] + i) % len(queue.node) for i in range(3)]
    queue.node[slots], queue.depth[slots], queue.ready[slots] = [-1, 0, -1], 0, 1
    queue.ends[TAIL] += 3
    assert evaluator.evaluate_next(64) == 3
    assert [len(positions) for positions in policy.seen] == [1]
    assert evaluator.evaluate_next(64) == 0


def test_a_slow_network_gets_small_batches_during_the_search():
    class Slow(Favourite):
        def evaluate(self, positions):
            time.sleep(0.02 * len(positions))
            return super().evaluate(positions)

    policy = Slow(9, 3)
    search = started(policy, size=9, batch=64, expand=0)
    search.run(seconds=0.5)  # which measures its time
    policy.seen.clear()
    search.run(seconds=1.0)
    assert policy.seen
    assert max(len(positions) for positions in policy.seen) <= 10


def test_a_synchronous_search_with_a_network_is_reproducible(tmp_path):
    path = tmp_path / "deep.safetensors"
    save_model(path, Model.from_module(make_deep("nobi-net:width=16,blocks=1", seed=2), 9))

    def found():
        search = started(None, size=7, mode="synchronous", model=str(path))
        search.run(300)
        return [(child.move, child.visits, child.winrate, child.prior) for child in search.children()]

    assert found() == found()
