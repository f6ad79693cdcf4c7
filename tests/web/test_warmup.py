"""Compilation of the games in advance."""

import threading

import pytest

from helpers.processes import wait_until
from nobi import games
from nobi.board.text import point_at
from nobi.web import warmup
from nobi.web.session import GameSession
from nobi.web.setup import GAME_TITLES, Setup
from nobi.web.visitors import Visitors


def test_a_requested_game_is_compiled_next(monkeypatch):
    compiled, go_on = [], threading.Semaphore(0)

    def compile_one(game):
        go_on.acquire(timeout=60)
        compiled.append(game)

    monkeypatch.setattr(warmup, "warm_up", compile_one)
    warming = warmup.BackgroundWarmUp()
    warming.prefer("go")
    assert not warming.is_ready(["go"])
    go_on.release()
    go_on.release()
    assert wait_until(lambda: warming.is_ready(["go"]))
    assert "go" in compiled[:2]
    assert not warming.is_ready()
    for _ in GAME_TITLES:
        go_on.release()
    assert wait_until(warming.is_ready)
    assert sorted(compiled) == sorted(GAME_TITLES)


def test_the_first_opponent_is_compiled_after_the_first_game(monkeypatch, catalogue, jobs):
    order = []
    monkeypatch.setattr(warmup, "warm_up", order.append)
    visitors = Visitors(catalogue, jobs)

    def first():
        visitors.warm_up(Setup())
        order.append("opponent")

    warming = warmup.BackgroundWarmUp(first)
    assert wait_until(warming.is_ready, 240)
    assert order[1] == "opponent"
    assert sorted(order) == sorted([*GAME_TITLES, "opponent"])


def test_an_error_in_one_game_does_not_block_the_others(monkeypatch, caplog):
    def fail(game):
        raise ValueError(game)

    monkeypatch.setattr(warmup, "warm_up", fail)
    warming = warmup.BackgroundWarmUp()
    assert wait_until(warming.is_ready)
    assert "compiling go failed" in caplog.text


def test_compilation_is_reported_after_a_while(monkeypatch):
    assert not warmup.is_compiling()
    monkeypatch.setattr(warmup, "_NOTICE_SECONDS", 0.0)
    warmup._compiler.on_start(None)
    warmup._compiler.on_start(None)
    warmup._compiler.on_end(None)
    assert wait_until(warmup.is_compiling)
    warmup._compiler.on_end(None)
    assert not warmup.is_compiling()


@pytest.mark.parametrize("game", GAME_TITLES)
def test_a_session_compiles_nothing_after_the_warm_up(game):
    rules = games.find(game).rules
    functions = (rules.clear, rules.setup, rules.legal, rules.play)
    warmup.warm_up(game)
    known = [len(function.signatures) for function in functions]
    assert all(known)
    session = GameSession(Setup(game=game, size=7))
    session.play(point_at(1, 1, 7))
    session.play(point_at(1, 2, 7))
    session.show(1)
    session.play_from_here()
    session.stones()
    GameSession.from_plain(session.plain())
    assert [len(function.signatures) for function in functions] == known
