"""Tables, opponents and jobs: everything between the browser and the players."""

import threading

import pytest

from helpers.engines import fake, gnugo
from nobi.board.stones import BLACK, PASS
from nobi.errors import NobiError
from nobi.web import evaluation
from nobi.web.inside import InsideState
from nobi.web.jobs import OPEN_OF_A_VISITOR, WENT_WRONG, Jobs, Priority
from nobi.web.opponents import Catalogue
from nobi.web.play import PlayState
from nobi.web.session import GameSession
from nobi.web.setup import Setup
from nobi.web.visitors import KEEP_SECONDS, MOST_VISITORS, Visitors


def start(state, **settings):
    state.new_game(Setup(**settings))


def test_the_first_opponent_is_a_model(state, catalogue):
    assert state.opponent.kind == "model"
    assert state.opponent.title == "small"
    assert catalogue.first_for("gomoku", 9) == "model-gomoku-stacked"
    assert catalogue.first_for("go", 9) == "model-go-main"


def test_a_whole_game_against_naive(state, settle):
    start(state, game="atari-go", size=5, opponent="naive")
    while not state.session.is_over:
        state.play(state.session.game.legal_moves()[0])
        settle(state)
    assert state.session.result.sentence.startswith(("Black wins: ", "White wins: "))


def test_the_opponent_begins_when_the_visitor_is_white(state, settle):
    start(state, size=5, opponent="naive", colour="white")
    settle(state)
    assert len(state.session.game.moves) == 1


def test_a_network_varies_its_opening(state, settle):
    seen = set()
    for _ in range(12):
        start(state, size=7, opponent="file-1", colour="white")
        settle(state)
        seen.add(state.session.game.moves[0])
    assert len(seen) > 1


def test_a_search_tells_what_it_thinks(state, settle):
    start(state, size=5, opponent="mcts", strength=1)
    state.play_cell(12)
    settle(state)
    assert len(state.session.game.moves) == 2
    assert 0 <= state.session.black_chance[1] <= 1


def test_a_search_moves_when_asked_to(state, settle, monkeypatch):
    monkeypatch.setattr("nobi.web.opponents.PLAYOUTS", (1, 1, 1, 1, 10_000_000))  # more than it makes until asked
    start(state, size=9, opponent="mcts", strength=4)
    state.play_cell(40)
    state.move_now()  # perhaps before the job has begun
    settle(state)
    assert state.failed == ""
    assert len(state.session.game.moves) == 2


def test_a_search_reports_and_stops_when_told_to(catalogue, monkeypatch):
    monkeypatch.setattr(evaluation, "REPORT_SECONDS", 0.0)
    game = Setup(size=9).new_game()
    bot = catalogue["mcts"].bot(Setup(size=9).variant(), 4, seed=1)
    stop, seen = threading.Event(), []

    def report(progress):
        seen.append(progress)
        stop.set()

    move, found = evaluation.choose_and_evaluate(bot, game, stop, report)
    assert game.is_legal(move)
    assert 0 < seen[0].playouts < 10_000
    assert found.measure == "playouts"
    bot.close()


def test_out_of_turn_and_illegal_moves_change_nothing(state, settle):
    start(state, size=9, opponent="mcts", strength=3)
    state.play_cell(40)
    with pytest.raises(NobiError, match="Wait for White's move"):
        state.play_cell(41)
    state.undo()
    settle(state)
    assert state.session.game.moves == []
    with pytest.raises(NobiError, match="not a point"):
        state.play_cell(81)


def test_hints_and_overlays(state, settle):
    start(state, size=7, opponent="file-1")
    state.ask_hint()
    settle(state)
    assert state.message.startswith("small would play ")
    assert 0 <= state.hint < 49
    state.set_overlay("preferences")
    settle(state)
    assert sum(state.evaluation.shares) == pytest.approx(1, abs=1e-3)
    assert state.evaluation.measure == "preference"
    assert state.evaluation.black_chance is None
    with pytest.raises(NobiError, match="Only Go has territory"):
        state.set_overlay("ownership")
    start(state, game="go", size=5, opponent="naive")
    state.set_overlay("ownership")
    settle(state)
    assert len(state.owned) == 25


def test_two_passes_count_the_board(state, settle):
    start(state, game="go", size=5, opponent="naive", komi=0.5)
    state.session.play(state.session.game._as_point("C3"))
    state.session.play(PASS)
    state.pass_turn()
    assert state.session.needs_counting
    settle(state)
    assert state.session.result.winner == BLACK
    assert state.session.result.sgf == "B+24.5"


def test_an_evaluation_of_an_earlier_position_is_discarded(state, settle, monkeypatch):
    released, begun = threading.Event(), threading.Event()

    def slow(_):
        begun.set()
        assert released.wait(60)
        return (1.0,) * 25

    monkeypatch.setattr("nobi.web.play.expected_ownership", slow)
    start(state, game="go", size=5, opponent="naive", komi=0.5)
    state.session.play(state.session.game._as_point("C3"))
    state.session.play(PASS)
    state.set_overlay("ownership")
    assert begun.wait(60)
    state.pass_turn()  # the game ends, and its count must stay visible
    released.set()
    settle(state)
    assert state.session.result.owners
    assert state.owned == ()


def test_the_game_before_comes_back(state, settle):
    start(state, size=5, opponent="naive")
    state.play_cell(12)
    settle(state)
    moves = list(state.session.game.moves)
    start(state, size=9, opponent="naive")
    assert state.session.game.moves == []
    state.back()
    assert (state.session.size, state.session.game.moves) == (5, moves)
    with pytest.raises(NobiError, match="no previous game"):
        state.back()


def test_a_variation_begins_at_an_earlier_move(state, settle):
    start(state, size=9, opponent="naive")
    for cell in (20, 60):
        state.play_cell(cell)
        settle(state)
        if state.session.is_over:
            pytest.fail("too short a game")
    before = list(state.session.game.moves)
    state.show(2)
    free = next(i for i, stone in enumerate(state.session.stones()) if stone == "." and i != 60)
    state.play_cell(free)
    settle(state)
    assert state.session.game.moves[:2] == before[:2]
    assert state.session.game.moves[2] != before[2]
    state.back()
    assert state.session.game.moves == before


def test_an_sgf_is_opened_at_its_start(state, settle):
    start(state, size=9, opponent="naive")
    state.open_sgf(b"(;GM[1]SZ[9]KM[5.5];B[ee];W[cc])")
    settle(state)
    assert state.session.setup.game == "go"
    assert state.session.setup.komi == 5.5
    assert state.session.shown == 0
    assert not state.busy
    with pytest.raises(NobiError):
        state.open_sgf(b"nonsense")
    assert state.session.move_names() == ["E5", "C7"]


def test_a_network_for_one_size_says_so(tmp_path, jobs):
    import numpy as np

    from nobi.models.model import Model, save_model
    from nobi.networks import make_network

    network = make_network("mlp")
    path = tmp_path / "fixed.safetensors"
    save_model(path, Model(network, np.zeros(network.weight_count(7), np.float32), 7))
    state = PlayState("visitor", Catalogue([path]), jobs, GameSession(Setup(size=7, opponent="file-1")))
    assert state.opponent.refusal("atari-go", 9) == "fixed plays on 7×7 only."
    state.new_game(Setup(size=9, opponent="file-1"))
    assert state.session.setup.opponent == "model-atari-go-mdlstm"
    with pytest.raises(NobiError, match="fixed plays on 7×7 only"):
        state.change(opponent="file-1")
    state.close()


def test_an_engine_that_stops_is_told_of(jobs, settle):
    state = PlayState("visitor", Catalogue(engines=[fake("crash")]), jobs)
    start(state, game="go", size=9, opponent="engine-1")
    state.play_cell(40)
    settle(state)
    assert state.failed
    assert len(state.session.game.moves) == 1
    state.retry()
    settle(state)
    assert state.failed
    state.close()


def test_gnugo_plays(jobs, settle):
    state = PlayState("visitor", Catalogue(engines=[f"{gnugo()} --mode gtp --level 5"]), jobs)
    start(state, game="go", size=9, opponent="engine-1", handicap=2, komi=0.5)
    settle(state)
    assert state.opponent.title == "GNU Go"
    assert len(state.session.game.moves) == 1
    state.close()


def test_opponents_are_named_by_id_alone(catalogue):
    for key in ("../../etc/passwd", "file-9", "", "mcts:rollouts=9", "C:/x.safetensors"):
        with pytest.raises(NobiError, match="no such opponent"):
            catalogue[key]


def test_a_missing_model_is_one_sentence(tmp_path):
    with pytest.raises(NobiError, match="There is no model file"):
        Catalogue([tmp_path / "none.safetensors"])


def test_no_engine_is_offered_that_was_not_given(catalogue):
    assert [one for one in catalogue.for_game("go") if one.kind == "engine"] == []


def test_an_unexpected_error_is_told_to_the_visitor(state, settle, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("secret")

    start(state, size=5, opponent="naive")
    monkeypatch.setattr("nobi.web.play.choose_and_evaluate", broken)
    state.play_cell(12)
    settle(state)
    assert state.failed == WENT_WRONG
    monkeypatch.undo()
    state.retry()
    settle(state)
    assert state.failed == ""
    assert len(state.session.game.moves) == 2
    monkeypatch.setattr("nobi.web.play.evaluate_by_search", broken)
    state.ask_hint()
    settle(state)
    assert state.message == WENT_WRONG


def test_the_score_is_estimated_in_go(state, settle):
    start(state, game="go", size=5, opponent="naive", komi=0.5)
    state.play_cell(12)
    settle(state)
    assert -25 <= state.session.black_score[1] <= 25
    kept = GameSession.from_plain(state.session.plain())
    assert kept.black_score == state.session.black_score
    state.undo()
    assert state.session.black_score == {}


def test_all_tabs_and_views_of_a_browser_share_its_limit(catalogue):
    jobs, release, running = Jobs(4), threading.Event(), []

    def work(_):
        running.append(1)
        release.wait(10)

    inside_state = InsideState("a", catalogue, jobs, "one")
    open_jobs = [jobs.submit("a", Priority.REVIEW, work, f"view {i}") for i in range(OPEN_OF_A_VISITOR - 1)]
    with pytest.raises(NobiError, match="Too many computations"):
        jobs.submit("a", Priority.MOVE, work, "one more")
    other = jobs.submit("b", Priority.REVIEW, lambda _: "other")
    assert other.done.wait(240)
    assert len(running) <= 2  # of the four threads one visitor gets two
    state = PlayState("a", catalogue, jobs, GameSession(Setup(size=5, opponent="naive")), "two")
    state.play_cell(12)
    assert state.failed.startswith("Too many computations")
    release.set()
    for job in open_jobs:
        assert job.done.wait(10)
    assert inside_state.failed == ""
    state.close()
    jobs.close()


def test_the_newer_evaluation_of_a_view_wins():
    jobs, release = Jobs(1), threading.Event()
    first = jobs.submit("a", Priority.MOVE, lambda _: release.wait(10))
    old = jobs.submit("a", Priority.EVALUATION, lambda _: "old")
    new = jobs.submit("a", Priority.EVALUATION, lambda _: "new")
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


def test_visitors_have_their_own_games_and_the_page_can_be_full(catalogue):
    now = [0.0]
    visitors = Visitors(catalogue, Jobs(1), lambda: now[0])
    one, two = visitors.play_state("one"), visitors.play_state("two")
    one.new_game(Setup(size=5, opponent="naive"))
    assert two.session.size == 9
    assert visitors.play_state("one") is one
    kept = one.session.plain()
    assert visitors.play_state("three", kept).session.size == 5
    assert visitors.play_state("four", {"setup": "damaged"}).session.size == 9
    one.play_cell(12)
    fresh = visitors.play_state("five", last=one.session.plain())
    assert fresh.session.game.moves == []  # a new tab has a game of its own
    fresh.back()
    assert fresh.session.size == 5
    made = visitors.keep("one", "review", list)
    assert visitors.keep("one", "review", list) is made
    assert visitors.keep("two", "review", list) is not made
    gone = one.session.plain() | {"setup": one.session.setup.plain() | {"opponent": "champion-run-7"}}
    assert visitors.play_state("six", gone).session.game.moves == one.session.game.moves
    for i in range(MOST_VISITORS - 6):
        visitors.play_state(f"more-{i}")
    with pytest.raises(NobiError, match="The server is full"):
        visitors.play_state("late")
    now[0] = 1000.0
    visitors.touch("one")
    visitors.play_state("late")
    assert len(visitors) == MOST_VISITORS
    now[0] += KEEP_SECONDS + 1
    visitors.play_state("last")
    assert len(visitors) == 1
    visitors.close()
