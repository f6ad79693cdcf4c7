"""The search as a whole: memory, threads, time, superko, scoring."""

import threading
import time

import numpy as np
import pytest

from helpers.clocks import count_playouts_as_milliseconds
from helpers.positions import SETTLED, position
from nobi.board.stones import BLACK, PASS, WHITE
from nobi.errors import NobiError
from nobi.games import variant
from nobi.games.base import Variant
from nobi.search.limits import Leader
from nobi.search.patterns import codes_of
from nobi.search.search import Search
from nobi.search.settings import SearchSettings
from nobi.search.tree import child_with_move


def started(spec="go", size=5, game=None, **settings):
    search = Search(variant(spec, size), SearchSettings(**settings))
    search.set_game(game or variant(spec, size).new())
    return search


def lines(tree, node=0, line=()):
    """All lines of the tree that end in a leaf."""
    if tree.children[node] <= 0:
        yield line
    for child in range(tree.first[node], tree.first[node] + max(0, tree.children[node])):
        yield from lines(tree, child, (*line, int(tree.move[child])))


KO = """
    . X O . .
    X O . O .
    . X O . .
    . . . . .
    . . . . .
"""


@pytest.mark.parametrize("ko", ["simple", "positional", "situational"])
def test_every_line_of_the_tree_is_legal(ko):
    game = position(f"go:ko={ko}", KO)
    search = started(f"go:ko={ko}", game=game, expand=0)
    search.run(3000)
    rng = np.random.default_rng(0)
    every = [line for line in lines(search.tree) if len(line) > 3]
    assert len(every) > 1000
    for i in rng.integers(0, len(every), 500):
        here = game.copy()
        for move in every[i]:
            assert move == PASS or here.is_legal(move)
            if not here.is_over:
                here.play(move)


def test_a_full_pool_is_cleared_of_rarely_visited_nodes():
    search = started(size=5, memory=1, expand=0)
    capacity = len(search.tree.move)
    assert capacity < 30_000
    before = search.run(3000)
    assert search.run(30_000) == 30_000
    assert before == 3000
    assert search.nodes <= capacity
    tree = search.tree
    assert tree.visits[0] == 33_000
    first, count = int(tree.first[0]), int(tree.children[0])
    played = tree.visits[first : first + count] - tree.assumed[first : first + count]
    assert played.sum() == 33_000
    assert search.children()[0].move == variant("go", 5).new()._as_point("C3")
    every = {line[:depth] for line in lines(tree) for depth in range(len(line) + 1)}
    assert len(every) == search.nodes  # every child index leads to a different node


def test_the_tree_is_kept_after_moves():
    game = variant("go", 5).new()
    search = started(game=game)
    search.run(2000)
    tree = search.tree
    move, reply = search.children()[0].variation[:2]
    child = next(c for c in range(tree.first[0], tree.first[0] + tree.children[0]) if tree.move[c] == move)
    grandchild = next(
        c for c in range(tree.first[child], tree.first[child] + tree.children[child]) if tree.move[c] == reply
    )
    known, wins = float(tree.visits[grandchild]), float(tree.wins[grandchild])
    game.play(move)
    game.play(reply)
    search.set_game(game)
    assert (search.tree.visits[0], search.tree.wins[0]) == (known, wins)
    search.run(100)
    assert search.tree.visits[0] == known + 100
    other = variant("go", 5).new()
    other.play("A1")
    search.set_game(other)
    assert search.nodes == 1


def test_threads_share_the_work():
    search = started(size=9, threads=3)
    assert search.run(3000) == 3000
    tree = search.tree
    first, count = int(tree.first[0]), int(tree.children[0])
    played = float((tree.visits[first : first + count] - tree.assumed[first : first + count]).sum())
    assert 2900 <= played <= 3000  # simultaneous additions of two threads may be lost
    assert sorted(int(m) for m in tree.move[first : first + count]) == sorted(variant("go", 9).new().legal_moves())
    search.close()


@pytest.mark.parametrize("threads", [1, 2])
def test_time_is_kept(monkeypatch, threads):
    search = started(size=9, threads=threads)
    search.run(10)
    count_playouts_as_milliseconds(monkeypatch, search)
    assert 300 <= search.run(seconds=0.3) <= 300 + 20 * threads  # a thread finishes its slice
    search.close()


def test_stop_and_reports():
    search = started(size=9)
    stop, reports = threading.Event(), []

    def report():
        reports.append(search.children()[0].visits)
        if len(reports) == 3:
            stop.set()

    search.run(stop=stop, report=report, interval=0.05)
    assert len(reports) == 3
    assert reports == sorted(reports)


def test_nothing_to_search():
    game = variant("go", 5).new()
    game.play(PASS)
    game.play(PASS)
    with pytest.raises(NobiError, match="over"):
        started(game=game)


@pytest.mark.parametrize("to_move", [BLACK, WHITE])
def test_territory_scoring(to_move):
    """28 points of area for black, 21 for white; dead stones count the same under territory scoring."""
    game = position("go:scoring=territory,komi=0.5", SETTLED, to_move)
    placed = [(game.boards.stones.colour[0] == colour).sum() for colour in (BLACK, WHITE)]
    margin = 28 - 21 - (int(placed[0]) - int(placed[1]))
    for komi, wins in ((margin - 1.5, True), (margin + 1.5, False)):
        asked = position(f"go:scoring=territory,komi={komi}", SETTLED, to_move)
        search = Search(Variant(type(asked), 7, asked.settings))
        search.set_game(asked)
        search.run(300)
        black = search.tree.wins[0] / search.tree.visits[0]
        black = black if to_move == WHITE else 1 - black
        assert (black > 0.5) == wins


def test_pattern_codes_are_kept_up_to_date():
    """After rollouts with captures, the pattern codes of the thread's board agree with its stones."""
    search = started(size=7)
    for _ in range(50):
        search.run(1)
        position = search._positions[0][0]
        on_board = position.boards.stones.neighbours[:, 0] != 0
        assert (position.codes[0] == codes_of(position.boards.stones, 0))[on_board].all()


def test_the_value_of_a_kept_tree_excludes_prior_knowledge():
    where = variant("go", 9)
    search = Search(where, SearchSettings())
    game = where.new()
    for _ in range(3):
        search.set_game(game)
        made = search.run(200)
        visits, wins = search._counts_before
        playouts = search.tree.visits[0] - visits
        assert playouts == made
        assert search.value == pytest.approx(1 - (search.tree.wins[0] - wins) / made)
        game.play(search.children()[0].move)


def test_a_tree_with_the_maximum_count_stops():
    search = Search(variant("go", 5), SearchSettings())
    search.set_game(variant("go", 5).new())
    search.run(100)
    search.tree.visits[0] = 2.0**24 - 10
    assert search.is_full
    assert search.run(1000) == 0


def test_a_second_game_has_other_random_numbers():
    search = Search(variant("go", 5), SearchSettings(reuse=False))
    game = variant("go", 5).new()
    visits = []
    for _ in range(2):
        search.set_game(game)
        search.run(200)
        visits.append(search.tree.visits[: search.nodes].copy())
    assert len(visits[0]) != len(visits[1]) or (visits[0] != visits[1]).any()


def test_a_timed_search_ends_if_no_other_move_can_catch_up():
    search = Search(variant("go", 5), seed=1)
    search.set_game(variant("go", 5).new())
    search.run(300)
    now = time.perf_counter()
    assert not Leader(now - 10, 1e9).is_decided(search.tree, 300)  # billions of playouts are left
    assert Leader(now - 10, 10.001).is_decided(search.tree, 300)


def test_win_rates_exclude_prior_knowledge():
    search = Search(variant("go", 5), seed=1)
    search.set_game(variant("go", 5).new())
    search.run(200)
    tree, best = search.tree, search.children()[0]
    node = child_with_move(tree, 0, best.move)
    real = (tree.wins[node] - tree.assumed_wins[node]) / (tree.visits[node] - tree.assumed[node])
    assert best.winrate == pytest.approx(float(real))
    assert best.winrate < tree.wins[node] / tree.visits[node]
