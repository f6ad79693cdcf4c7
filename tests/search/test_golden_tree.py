"""Whole trees: equal to those of the reference implementation, and the same bits for the same seed."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from nobi.board.text import row_column, vertex_name
from nobi.games import variant
from nobi.search.search import Search
from nobi.search.settings import SearchSettings
from reference.search import Position, Stream
from reference.search import search as search_plainly


def facts(tree):
    used = int(tree.state[0])
    return [array[:used] for array in tree[:-1]]


@pytest.mark.parametrize(("size", "playouts", "expand", "opening"), [(5, 400, 2, 0), (6, 300, 0, 0), (5, 500, 1, 12)])
def test_the_tree_of_the_reference(size, playouts, expand, opening):
    game, plain = variant("gomoku", size).new(), Position(size)
    for _ in range(opening):  # this number of moves first, so that wins and full boards are near
        move = game.legal_moves()[(5 * len(game.moves)) % len(game.legal_moves())]
        game.play(move)
        plain.play(row_column(move, size))
    # the reference uses the order of the board's own list of empty points
    stones = game.boards.stones
    plain.empty = [row_column(int(p), size) for p in stones.empty[0, : stones.empties[0]]]
    search = Search(variant("gomoku", size), SearchSettings(rave=50, expand=expand), seed=7)
    search.set_game(game)
    search.run(playouts)
    stream = Stream.of(Stream.of(7, 0).spec >> 1, 0)
    root = search_plainly(plain, playouts, stream, rave=50.0, expand_after=expand)
    assert_same_tree(search.tree, 0, root, size)


def assert_same_tree(tree, node, plain, size):
    assert tree.visits[node] == plain.visits
    assert tree.wins[node] == plain.wins
    assert tree.rave_visits[node] == plain.rave_visits
    assert tree.rave_wins[node] == plain.rave_wins
    assert tree.solved[node] == plain.solved
    first, count = tree.first[node], tree.children[node]
    assert count == len(plain.children)
    for child, twin in zip(range(first, first + count), plain.children, strict=True):
        assert row_column(int(tree.move[child]), size) == twin.move
        assert_same_tree(tree, child, twin, size)


@pytest.mark.parametrize("spec", ["go", "atari-go", "pente"])
def test_one_thread_and_a_seed_give_the_same_bits(spec):
    """For any division of the playouts into runs."""
    trees = []
    for runs in ([300], [1, 17, 182, 100]):
        search = Search(variant(spec, 5), seed=3)
        search.set_game(variant(spec, 5).new())
        assert sum(search.run(playouts) for playouts in runs) == 300
        trees.append(facts(search.tree))
    for one, other in zip(*trees, strict=True):
        assert_array_equal(one, other)
    other = Search(variant(spec, 5), seed=4)
    other.set_game(variant(spec, 5).new())
    other.run(300)
    assert not np.array_equal(facts(other.tree)[1], trees[0][1])


def test_a_recorded_tree_of_go():
    """Go's rollouts and priors have no reference: recorded numbers, so that every change of play is detected."""
    search = Search(variant("go", 5), seed=1)
    search.set_game(variant("go", 5).new())
    search.run(500)
    found = [(vertex_name(child.move, 5), child.visits) for child in search.children()[:4]]
    assert found == [("C3", 470), ("B2", 17), ("D2", 8), ("D4", 5)]
    assert (search.nodes, float(search.tree.wins[0])) == (3461, 149.0)


def test_counts_are_consistent():
    search = Search(variant("go", 5), SearchSettings(expand=1))
    search.set_game(variant("go", 5).new())
    search.run(500)
    tree = search.tree
    played = tree.visits - tree.assumed
    for node in range(search.nodes):
        if tree.children[node] > 0:
            below = played[tree.first[node] : tree.first[node] + tree.children[node]].sum()
            # the playouts of a node are those of its children and those that ended here before it had any
            assert 0 <= played[node] - below <= 2
            assert played[node] - below == (0 if node == 0 else 1)
        assert 0 <= tree.wins[node] <= tree.visits[node]
        assert 0 <= tree.rave_wins[node] <= tree.rave_visits[node]
    assert played[0] == 500
