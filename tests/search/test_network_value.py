"""The network's prediction of the result in a search."""

import numpy as np
import pytest

from helpers.policies import Favourite, started
from nobi.board.stones import BLACK, PASS
from nobi.board.text import point_named
from nobi.games import variant
from nobi.search.report import Restriction
from nobi.search.tree import UNKNOWN, allocate_tree, copy_subtree


class Foresight(Favourite):
    """Predicts a fixed probability that Black wins."""

    def __init__(self, size, cell, black):
        super().__init__(size, cell)
        self.black = black

    def evaluate(self, positions):
        values = np.where(positions.white, 1 - self.black, self.black).astype(np.float32)
        return super().evaluate(positions)._replace(values=values)


def test_values_are_mixed_with_the_results_of_playouts():
    def found(policy, **settings):
        search = started(policy, size=5, mode="synchronous", **settings)
        search.run(400)
        return search

    by_rollouts = found(Favourite(5, 3)).value
    unused = found(Foresight(5, 3, 0.125))
    assert unused.value == by_rollouts
    assert unused.expected_result == 0.125
    assert found(Favourite(5, 3), value=0.5).expected_result is None
    assert found(Favourite(5, 3), value=0.5).value == by_rollouts
    # the first playout ends before the root is evaluated; the other results are the network's value
    assert found(Foresight(5, 3, 0.125), value=1.0).value == pytest.approx(0.125, abs=0.01)
    assert found(Foresight(5, 3, 0.875), value=1.0).value == pytest.approx(0.875, abs=0.01)
    low, high = (found(Foresight(5, 3, black), value=0.5).value for black in (0.0, 1.0))
    assert high - low > 0.4
    moves = [(child.move, child.visits) for child in found(Foresight(5, 3, 1.0), value=0.5).children()]
    assert moves == [(child.move, child.visits) for child in found(Foresight(5, 3, 1.0), value=0.5).children()]


@pytest.mark.parametrize("passing", ["friendly", "strict"])
def test_the_network_does_not_overrule_the_end_of_a_game(passing):
    game = variant("go", 5).new()
    for name in ("B2", "B3", "C2", "C3", "D3"):
        game.play(point_named(name, 5))
        game.play(PASS)
    rates = []
    for value in (0.0, 1.0):
        search = started(Foresight(5, 3, 0.0), mode="synchronous", value=value, passing=passing)
        search.restrict([Restriction(BLACK, (PASS,), until=1, allow=True)])
        search.set_game(game)
        search.run(100)
        [passed] = search.children()
        rates.append(passed.winrate)
    assert rates[0] == rates[1] > 0.9  # Black owns the whole board


def test_values_are_kept_with_their_nodes():
    search = started(Foresight(5, 3, 0.25), mode="synchronous")
    search.run(200)
    tree, copy = search.tree, allocate_tree(len(search.tree.move))
    node = next(n for n in range(1, search.nodes) if tree.value[n] != UNKNOWN)
    expected = float(tree.value[node])
    copy_subtree(tree, node, copy, 0.0)
    assert float(copy.value[0]) == expected == 0.75  # White's view
    below = copy.value[1 : int(copy.children[0]) + 1]
    assert set(below.tolist()) <= {-1.0, 0.25}
    search.run(50)
