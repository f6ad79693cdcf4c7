"""The Inside view: the same weights on two boards."""

import base64
import time

import numpy as np
import pytest

from nobi import games
from nobi.errors import NobiError
from nobi.models.model import load_model
from nobi.players.network import player_from_model
from nobi.web import inside
from nobi.web.inside import InsideState, centred
from nobi.web.session import GameSession
from nobi.web.setup import Setup
from nobi.web.sweeps import look_inside_file


@pytest.fixture
def state(catalogue, jobs):
    return InsideState("visitor", catalogue, jobs)


def settle(state):
    end = time.monotonic() + 240
    while state.busy:
        state.poll()
        assert time.monotonic() < end
        time.sleep(0.01)
    return state.boards


def test_the_shares_order_the_moves_as_the_network_does(model_file):
    file = load_model(model_file)
    for size in (7, 19):
        variant = games.variant("atari-go", size)
        game = variant.new()
        game.play("D4")
        found = look_inside_file(file, game)
        raw = player_from_model(file, variant).inspect(game)
        shares = np.array(found.evaluation.shares)
        assert shares.sum() == pytest.approx(1, abs=0.01)
        legal = shares > 0.001
        order = np.argsort(raw.output.ravel()[legal], kind="stable")
        assert (np.diff(shares[legal][order]) >= 0).all()
        assert found.evaluation.best[0].move in raw.best


def test_the_sweeps_are_the_hidden_units(model_file):
    variant = games.variant("atari-go", 7)
    game = variant.new()
    game.play("D4")
    found = look_inside_file(load_model(model_file), game)
    layer = player_from_model(load_model(model_file), variant).inspect(game).layers[0]
    assert len(found.frames) == len(layer.sweeps)
    assert found.units == 3
    assert [frame.corner for frame in found.frames] == sorted(frame.corner for frame in found.frames)
    largest = np.abs(layer.hidden).max()
    first = next(i for i, label in enumerate(layer.sweeps) if label.arrow == found.frames[0].arrow)
    for unit in range(3):
        sent = np.frombuffer(base64.b64decode(found.frames[0].units[unit]), np.int8).reshape(7, 7)
        assert np.abs(sent / 127 - layer.hidden[first, unit] / largest).max() <= 0.5 / 127 + 1e-6


def test_the_same_position_stands_in_the_middle_of_the_other_board():
    session = GameSession(Setup(size=7))
    for name in ("D4", "C3", "A1", "G7"):
        session.play(session.game._as_point(name))
    large, outside = centred(session.game, 9)
    assert (outside, large.colour("E5"), large.to_move) == (0, session.game.colour("D4"), session.game.to_move)
    small, outside = centred(session.game, 5)
    assert (outside, small.colour("C3")) == (2, session.game.colour("D4"))


def test_chains_without_liberties_are_left_out_of_a_smaller_board():
    session = GameSession(Setup(size=7))
    for name in ("B6", "B5", "F2", "C6"):  # on 5x5, B6 is in the corner between two stones
        session.play(session.game._as_point(name))
    small, outside = centred(session.game, 5)
    assert outside == 1
    assert sum(small.colour(point) != 0 for point in small.points()) == 3


def test_the_second_board_changes_and_the_first_does_not(state):
    first, second = settle(state)
    assert (first.size, second.size) == (7, 19)
    weights = state.weights()
    state.resize(9)
    again, other = settle(state)
    assert again == first
    assert other.size == 9
    assert state.weights() == weights
    state.play_cell(0)
    assert settle(state)[0].stones[0] in "bw"
    state.undo()
    assert settle(state)[0] == first
    state.clear()
    assert set(settle(state)[0].stones) == {"."}
    with pytest.raises(NobiError):
        state.undo()
    with pytest.raises(NobiError):
        state.resize(26)
    with pytest.raises(NobiError):
        state.choose("naive")


def test_the_position_of_the_game_is_taken_over(state):
    session = GameSession(Setup(size=9))
    for name in ("D4", "C3", "E5"):
        session.play(session.game._as_point(name))
    session.show(2)
    state.look_at(session)
    first, second = settle(state)
    assert first.size == 9
    assert first.stones == session.stones()
    assert second.size == 19


def test_a_network_of_the_game_is_shown_unless_the_visitor_has_chosen_one(state):
    settle(state)
    own = state.model
    state.look_at(GameSession(Setup(game="gomoku", size=9)))
    assert set(settle(state)[0].stones) == {"."}
    assert state.model.games == ("gomoku",)
    state.choose(own.id)
    before = settle(state)[0].stones
    state.look_at(GameSession(Setup(game="pente", size=9)))
    assert state.model is own
    assert settle(state)[0].stones == before


def test_the_opponent_is_shown_first(catalogue, jobs):
    assert (
        InsideState("visitor", catalogue, jobs, setup=Setup(opponent="model-atari-go-conv")).model.title
        == "atari-go-conv"
    )
    assert InsideState("visitor", catalogue, jobs, setup=Setup(game="go", opponent="mcts")).model.games == ("go",)


def test_a_finished_game_is_shown_before_its_last_move(state):
    session = GameSession(Setup(size=5))
    for name in ("C3", "A1", "B1", "E5", "A2"):
        session.play(session.game._as_point(name))
    assert session.is_over
    state.look_at(session)
    first = settle(state)[0]
    assert first.view is not None
    assert first.stones.count("w") == 2


def test_a_network_that_cannot_answer_says_why(state, monkeypatch):
    settle(state)

    def fail(*_):
        raise NobiError("The model file is damaged.")

    monkeypatch.setattr(inside, "look_at_both", fail)
    state.clear()
    settle(state)
    assert state.failed == "The model file is damaged."
    monkeypatch.undo()
    state.clear()
    settle(state)
    assert state.failed == ""
