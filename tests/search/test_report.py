"""Analysis reports: win rates, scores, owners, and searches that exclude moves."""

import numpy as np
import pytest

from helpers.policies import Favourite
from helpers.positions import position
from nobi.board.stones import BLACK, PASS, WHITE
from nobi.board.text import point_named
from nobi.games import variant
from nobi.search.report import Restriction, utility_of
from nobi.search.search import Search
from nobi.search.settings import SearchSettings
from nobi.search.state import PLAYOUTS, SCORED

SETTLED = """
    X . X O O
    X X X O .
    . X X O O
    X X X O .
    X X X O O
"""
"""Only eyes are left."""


def searched(game, playouts=200, **settings):
    where = variant(game.rules_text(), game.size)
    search = Search(where, SearchSettings(**settings), seed=1)
    search.set_game(game)
    search.run(playouts)
    return search


@pytest.mark.parametrize("to_move", [BLACK, WHITE])
@pytest.mark.parametrize(("rules", "lead"), [("go:komi=0.5", 4.5), ("go:komi=7.5", -2.5)])
def test_a_settled_position_has_its_score(to_move, rules, lead):
    """Black has 15 points, White 10."""
    game = variant(rules, 5).new()
    game.set_up(position("go", SETTLED).start, to_move)
    root = searched(game).report()
    sign = 1 if to_move == BLACK else -1
    assert root.visits == 200
    assert root.score.lead == pytest.approx(sign * lead)
    assert (root.winrate > 0.5) == (sign * lead > 0)
    assert root.score.utility == pytest.approx(utility_of(root.winrate, root.score.lead, 5))
    owned = searched(game).ownership()
    assert owned[:, :3].min() == 1
    assert owned[:, 3:].max() == -1


def test_territory_is_counted():
    game = variant("go:komi=0.5,scoring=territory,ko=simple", 5).new()
    game.set_up(position("go", SETTLED).start, BLACK)
    assert searched(game).report().score.lead == pytest.approx(2 - 2 - 0.5)


def test_the_playouts_of_the_moves_are_those_of_the_position():
    search = searched(variant("go", 5).new(), 300)
    results = search._results()
    report = search.report(owners=True)
    children = search.tree.move[search.tree.first[0] :].tolist()
    assert results[:, PLAYOUTS].sum() == results[:, SCORED].sum() == report.visits == 300
    for one in report.moves:
        row = children.index(one.move)
        assert results[row, PLAYOUTS] == one.visits == one.variation_visits[0]
        np.testing.assert_array_equal(one.ownership, search.ownership(row))
        assert len(one.variation) == len(one.variation_visits)
        assert one.variation[0] == one.move
        assert one.lcb < one.winrate
        assert one.utility_lcb < one.score.utility
    parts = [results[one, PLAYOUTS] * search.ownership(one) for one in range(len(results))]
    np.testing.assert_allclose(np.sum(parts, axis=0) / 300, search.ownership(), atol=1e-12)


def test_statistics_are_kept_in_a_position_and_reset_after_a_move():
    search = searched(variant("go", 5).new(), 200)
    game = variant("go", 5).new()
    search.set_game(game)
    assert search.report().visits == 200
    search.run(100)
    assert search.report().visits == 300
    best = search.report().moves[0]
    game.play(best.move)
    search.set_game(game)
    report = search.report()
    assert report.visits == 0
    assert report.moves[0].visits > 0  # of the tree that was kept
    search.run(50)
    assert search.report().visits == 50
    assert search.report().score is not None


@pytest.mark.parametrize("spec", ["gomoku", "atari-go", "pente"])
def test_games_without_a_score_have_none(spec):
    root = searched(variant(spec, 5).new()).report()
    assert root.score is None
    assert root.visits == 200
    assert all(one.score is None and one.utility_lcb is None for one in root.moves)


def test_only_moves_with_a_share_of_the_playouts_are_reported():
    search = searched(variant("go", 9).new(), 3000)
    moves = search.report().moves
    assert 1 <= len(moves) < 60
    assert min(one.visits for one in moves) >= 0.01 * moves[0].visits
    assert [one.visits for one in moves] == sorted((one.visits for one in moves), reverse=True)
    assert len(search.report(fewest=70).moves) == 70
    assert all(len(one.variation) <= 3 for one in search.report(length=3).moves)


def test_few_playouts_do_not_give_extreme_win_rates():
    for one in searched(variant("go", 9).new(), 40).report().moves:
        assert abs(one.winrate - 0.5) < 0.45


def test_proved_moves():
    game = position("gomoku", ". . . . .\n X X X X .\n O O O . .\n . . . . .\n . . . . .")
    best = searched(game, 100).report().moves[0]
    assert (best.move, best.winrate, best.lcb) == (point_named("E4", 5), 1.0, 1.0)


def avoid(colour, *names, until=1, allow=False):
    return Restriction(colour, tuple(point_named(name, 5) for name in names), until, allow)


def test_moves_are_excluded():
    search = Search(variant("go", 5), SearchSettings(), seed=1)
    game = variant("go", 5).new()

    def moves(*restrictions):
        search.restrict(restrictions)
        search.set_game(game)
        search.run(200)
        return {child.move for child in search.children()}

    whole = moves()
    assert moves(avoid(BLACK, "C3", "pass")) == whole - {point_named("C3", 5), PASS}
    assert moves(avoid(WHITE, "C3")) == whole
    assert moves(avoid(BLACK, "C3", "B2", allow=True)) == {point_named("C3", 5), point_named("B2", 5)}
    assert moves(avoid(BLACK, allow=True)) == {PASS}  # nothing is left
    assert moves() == whole


def test_moves_are_excluded_up_to_a_depth():
    search = Search(variant("go", 5), SearchSettings(expand=0), seed=1)
    names = ("C3", "C4", "C2", "B3", "D3")
    search.restrict([avoid(WHITE, *names, until=2)])
    search.set_game(variant("go", 5).new())
    search.run(500)
    tree = search.tree
    first, count = int(tree.first[0]), int(tree.children[0])
    expanded = [node for node in range(first, first + count) if tree.children[node] > 0]
    assert expanded
    for node in expanded:
        replies = tree.move[tree.first[node] : tree.first[node] + tree.children[node]]
        assert not {point_named(name, 5) for name in names} & set(map(int, replies))


def test_a_game_without_a_pass_is_restricted_at_the_root():
    search = Search(variant("gomoku", 5), SearchSettings(), seed=1)
    search.restrict([avoid(BLACK, "C3", until=9, allow=True), avoid(WHITE, "C4", until=9, allow=True)])
    search.set_game(variant("gomoku", 5).new())
    search.run(200)
    assert [child.move for child in search.children()] == [point_named("C3", 5)]


def test_a_flatter_policy_at_the_root():
    priors = []
    for power in (1.0, 0.5):
        search = Search(variant("go", 5), SearchSettings(mode="synchronous"), policy=Favourite(5, 12), seed=1)
        search.widen(power)
        search.set_game(variant("go", 5).new())
        search.run(20)
        search.run(20)
        priors.append(max(child.prior for child in search.children()))
        assert sum(child.prior for child in search.children()) == pytest.approx(1, abs=1e-3)
    assert priors[0] == pytest.approx(1 / 1.24)
    assert priors[1] == pytest.approx(1 / 3.4)


def test_fewer_threads():
    search = Search(variant("go", 5), SearchSettings(threads=2))
    search.set_game(variant("go", 5).new())
    for threads in (1, 2, 99):
        search.use_threads(threads)
        assert search.run(100) == 100
    search.close()
