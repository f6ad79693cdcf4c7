"""Tables, opponents and jobs: everything between the browser and the players."""

import threading

import pytest

from helpers.engines import fake, gnugo
from nobi.board.stones import BLACK, PASS
from nobi.errors import NobiError
from nobi.web import opinion
from nobi.web.jobs import OPEN_OF_A_VISITOR, WENT_WRONG, Jobs, Priority
from nobi.web.looking import Looker
from nobi.web.opponents import Catalogue
from nobi.web.session import Session
from nobi.web.setup import Setup
from nobi.web.table import Table
from nobi.web.visitors import KEEP_SECONDS, MOST_VISITORS, Visitors


def start(table, **settings):
    table.new_game(Setup(**settings))


def test_the_first_opponent_is_a_model(table, catalogue):
    assert table.opponent.kind == "model"
    assert table.opponent.title == "small"
    assert catalogue.first_for("gomoku", 9) == "model-gomoku-stacked"
    assert catalogue.first_for("go", 9) == "model-go-main"


def test_a_whole_game_against_naive(table, settle):
    start(table, game="atari-go", size=5, opponent="naive")
    while not table.session.is_over:
        table.play(table.session.game.legal_moves()[0])
        settle(table)
    assert table.session.result.sentence.startswith(("Black wins: ", "White wins: "))


def test_the_opponent_begins_when_the_visitor_is_white(table, settle):
    start(table, size=5, opponent="naive", colour="white")
    settle(table)
    assert len(table.session.game.moves) == 1


def test_a_network_varies_its_opening(table, settle):
    seen = set()
    for _ in range(12):
        start(table, size=7, opponent="file-1", colour="white")
        settle(table)
        seen.add(table.session.game.moves[0])
    assert len(seen) > 1


def test_a_search_reports_its_progress(table, settle):
    start(table, size=5, opponent="mcts", strength=1)
    table.play_cell(12)
    settle(table)
    assert len(table.session.game.moves) == 2
    assert 0 <= table.session.black_chance[1] <= 1


def test_a_search_moves_on_request(table, settle, monkeypatch):
    monkeypatch.setattr(
        "nobi.web.opponents.PLAYOUTS", (1, 1, 1, 1, 10_000_000)
    )  # more than it makes before the request
    start(table, size=9, opponent="mcts", strength=4)
    table.play_cell(40)
    table.move_now()  # possibly before the job has started
    settle(table)
    assert table.failed == ""
    assert len(table.session.game.moves) == 2


def test_a_search_reports_and_stops_on_request(catalogue, monkeypatch):
    monkeypatch.setattr(opinion, "REPORT_SECONDS", 0.0)
    game = Setup(size=9).new_game()
    bot = catalogue["mcts"].bot(Setup(size=9).variant(), 4, seed=1)
    stop, seen = threading.Event(), []

    def report(thinking):
        seen.append(thinking)
        stop.set()

    move, found = opinion.think(bot, game, stop, report)
    assert game.is_legal(move)
    assert 0 < seen[0].playouts < 10_000
    assert found.measure == "playouts"
    bot.close()


def test_out_of_turn_and_illegal_moves_change_nothing(table, settle):
    start(table, size=9, opponent="mcts", strength=3)
    table.play_cell(40)
    with pytest.raises(NobiError, match="Wait for White's move"):
        table.play_cell(41)
    table.undo()
    settle(table)
    assert table.session.game.moves == []
    with pytest.raises(NobiError, match="not a point"):
        table.play_cell(81)


def test_hints_and_overlays(table, settle):
    start(table, size=7, opponent="file-1")
    table.ask_hint()
    settle(table)
    assert table.message.startswith("small would play ")
    assert 0 <= table.hint < 49
    table.set_overlay("preferences")
    settle(table)
    assert sum(table.opinion.shares) == pytest.approx(1, abs=1e-3)
    assert table.opinion.measure == "preference"
    assert table.opinion.black_chance is None
    with pytest.raises(NobiError, match="Only Go has territory"):
        table.set_overlay("ownership")
    start(table, game="go", size=5, opponent="naive")
    table.set_overlay("ownership")
    settle(table)
    assert len(table.owned) == 25


def test_two_passes_count_the_board(table, settle):
    start(table, game="go", size=5, opponent="naive", komi=0.5)
    table.session.play(table.session.game._as_point("C3"))
    table.session.play(PASS)
    table.pass_turn()
    assert table.session.needs_counting
    settle(table)
    assert table.session.result.winner == BLACK
    assert table.session.result.sgf == "B+24.5"


def test_the_previous_game_can_be_restored(table, settle):
    start(table, size=5, opponent="naive")
    table.play_cell(12)
    settle(table)
    moves = list(table.session.game.moves)
    start(table, size=9, opponent="naive")
    assert table.session.game.moves == []
    table.back()
    assert (table.session.size, table.session.game.moves) == (5, moves)
    with pytest.raises(NobiError, match="no previous game"):
        table.back()


def test_a_variation_begins_at_an_earlier_move(table, settle):
    start(table, size=9, opponent="naive")
    for cell in (20, 60):
        table.play_cell(cell)
        settle(table)
        if table.session.is_over:
            pytest.fail("too short a game")
    before = list(table.session.game.moves)
    table.show(2)
    free = next(i for i, stone in enumerate(table.session.stones()) if stone == "." and i != 60)
    table.play_cell(free)
    settle(table)
    assert table.session.game.moves[:2] == before[:2]
    assert table.session.game.moves[2] != before[2]
    table.back()
    assert table.session.game.moves == before


def test_an_sgf_is_opened_at_its_start(table, settle):
    start(table, size=9, opponent="naive")
    table.open_sgf(b"(;GM[1]SZ[9]KM[5.5];B[ee];W[cc])")
    settle(table)
    assert table.session.setup.game == "go"
    assert table.session.setup.komi == 5.5
    assert table.session.shown == 0
    assert not table.busy
    with pytest.raises(NobiError):
        table.open_sgf(b"nonsense")
    assert table.session.move_names() == ["E5", "C7"]


def test_a_network_for_one_size_refuses_others(tmp_path, jobs):
    import numpy as np

    from nobi.models.model import Model, save_model
    from nobi.networks import make_network

    network = make_network("mlp")
    path = tmp_path / "fixed.safetensors"
    save_model(path, Model(network, np.zeros(network.weight_count(7), np.float32), 7))
    table = Table("visitor", Catalogue([path]), jobs, Session(Setup(size=7, opponent="file-1")))
    assert table.opponent.refusal("atari-go", 9) == "fixed plays on 7×7 only."
    table.new_game(Setup(size=9, opponent="file-1"))
    assert table.session.setup.opponent == "model-atari-go-mdlstm"
    with pytest.raises(NobiError, match="fixed plays on 7×7 only"):
        table.change(opponent="file-1")
    table.close()


def test_an_engine_that_stops_is_reported(jobs, settle):
    table = Table("visitor", Catalogue(engines=[fake("crash")]), jobs)
    start(table, game="go", size=9, opponent="engine-1")
    table.play_cell(40)
    settle(table)
    assert table.failed
    assert len(table.session.game.moves) == 1
    table.retry()
    settle(table)
    assert table.failed
    table.close()


def test_gnugo_plays(jobs, settle):
    table = Table("visitor", Catalogue(engines=[f"{gnugo()} --mode gtp --level 5"]), jobs)
    start(table, game="go", size=9, opponent="engine-1", handicap=2, komi=0.5)
    settle(table)
    assert table.opponent.title == "GNU Go"
    assert len(table.session.game.moves) == 1
    table.close()


def test_opponents_are_named_only_by_id(catalogue):
    for key in ("../../etc/passwd", "file-9", "", "mcts:rollouts=9", "C:/x.safetensors"):
        with pytest.raises(NobiError, match="no such opponent"):
            catalogue[key]


def test_a_missing_model_is_one_sentence(tmp_path):
    with pytest.raises(NobiError, match="There is no model file"):
        Catalogue([tmp_path / "none.safetensors"])


def test_only_given_engines_are_offered(catalogue):
    assert [one for one in catalogue.for_game("go") if one.kind == "engine"] == []


def test_an_unexpected_error_is_shown_to_the_visitor(table, settle, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("secret")

    start(table, size=5, opponent="naive")
    monkeypatch.setattr("nobi.web.table.think", broken)
    table.play_cell(12)
    settle(table)
    assert table.failed == WENT_WRONG
    monkeypatch.undo()
    table.retry()
    settle(table)
    assert table.failed == ""
    assert len(table.session.game.moves) == 2
    monkeypatch.setattr("nobi.web.table.search_opinion", broken)
    table.ask_hint()
    settle(table)
    assert table.message == WENT_WRONG


def test_the_score_is_estimated_in_go(table, settle):
    start(table, game="go", size=5, opponent="naive", komi=0.5)
    table.play_cell(12)
    settle(table)
    assert -25 <= table.session.black_score[1] <= 25
    kept = Session.from_plain(table.session.plain())
    assert kept.black_score == table.session.black_score
    table.undo()
    assert table.session.black_score == {}


def test_all_tabs_and_views_of_a_browser_share_its_limit(catalogue):
    jobs, release, running = Jobs(4), threading.Event(), []

    def work(_):
        running.append(1)
        release.wait(10)

    looker = Looker("a", catalogue, jobs, "one")
    open_jobs = [jobs.submit("a", Priority.REVIEW, work, f"view {i}") for i in range(OPEN_OF_A_VISITOR - 1)]
    with pytest.raises(NobiError, match="Too many computations"):
        jobs.submit("a", Priority.MOVE, work, "one more")
    other = jobs.submit("b", Priority.REVIEW, lambda _: "other")
    assert other.done.wait(240)
    assert len(running) <= 2  # of the four threads one visitor gets two
    table = Table("a", catalogue, jobs, Session(Setup(size=5, opponent="naive")), "two")
    table.play_cell(12)
    assert table.failed.startswith("Too many computations")
    release.set()
    for job in open_jobs:
        assert job.done.wait(10)
    assert looker.failed == ""
    table.close()
    jobs.close()


def test_the_newer_evaluation_of_a_view_replaces_the_older():
    jobs, release = Jobs(1), threading.Event()
    first = jobs.submit("a", Priority.MOVE, lambda _: release.wait(10))
    old = jobs.submit("a", Priority.OPINION, lambda _: "old")
    new = jobs.submit("a", Priority.OPINION, lambda _: "new")
    other = jobs.submit("b", Priority.MOVE, lambda _: "other")
    release.set()
    for job in (first, old, new, other):
        assert job.done.wait(10)
    assert (new.take(), other.take()) == ("new", "other")
    with pytest.raises(NobiError, match="Stopped"):
        old.take()
    jobs.close()


def test_moves_come_before_reviews():
    jobs, release, order = Jobs(1), threading.Event(), []
    jobs.submit("a", Priority.MOVE, lambda _: release.wait(10))
    last = jobs.submit("b", Priority.REVIEW, lambda _: order.append("review"))
    jobs.submit("c", Priority.MOVE, lambda _: order.append("move"))
    release.set()
    assert last.done.wait(10)
    assert order == ["move", "review"]
    jobs.close()


def test_visitors_have_their_own_games_and_the_server_can_be_full(catalogue):
    now = [0.0]
    visitors = Visitors(catalogue, Jobs(1), lambda: now[0])
    one, two = visitors.table("one"), visitors.table("two")
    one.new_game(Setup(size=5, opponent="naive"))
    assert two.session.size == 9
    assert visitors.table("one") is one
    kept = one.session.plain()
    assert visitors.table("three", kept).session.size == 5
    assert visitors.table("four", {"setup": "damaged"}).session.size == 9
    one.play_cell(12)
    fresh = visitors.table("five", last=one.session.plain())
    assert fresh.session.game.moves == []  # a new tab has its own game
    fresh.back()
    assert fresh.session.size == 5
    made = visitors.keep("one", "desk", list)
    assert visitors.keep("one", "desk", list) is made
    assert visitors.keep("two", "desk", list) is not made
    gone = one.session.plain() | {"setup": one.session.setup.plain() | {"opponent": "champion-run-7"}}
    assert visitors.table("six", gone).session.game.moves == one.session.game.moves
    for i in range(MOST_VISITORS - 6):
        visitors.table(f"more-{i}")
    with pytest.raises(NobiError, match="The server is full"):
        visitors.table("late")
    now[0] = 1000.0
    visitors.touch("one")
    visitors.table("late")
    assert len(visitors) == MOST_VISITORS
    now[0] += KEEP_SECONDS + 1
    visitors.table("last")
    assert len(visitors) == 1
    visitors.close()
