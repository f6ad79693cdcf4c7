"""The environments pass PettingZoo's own tests and play by the rules of the games."""

import doctest
import subprocess
import sys

import numpy as np
import pytest

import nobi
from nobi.board.stones import BLACK, WHITE
from nobi.games import variant
from nobi.pettingzoo import BoardEnv, env

pettingzoo_test = pytest.importorskip("pettingzoo.test")
GAMES = [("atari-go", 5), ("gomoku", 5), ("pente", 7), ("go:komi=0.5", 5)]


def test_the_module_is_loaded_when_it_is_first_used():
    code = "import nobi; print(nobi.pettingzoo.env('atari-go', size=7).possible_agents)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "['black', 'white']\n"


def test_the_example():
    result = doctest.testmod(nobi.pettingzoo, extraglobs={"nobi": nobi})
    assert (result.failed, result.attempted) == (0, 3)


@pytest.mark.parametrize(("game", "size"), GAMES)
@pytest.mark.filterwarnings("ignore")
def test_pettingzoos_own_tests_pass(game, size):
    pettingzoo_test.api_test(env(game, size), num_cycles=300)
    pettingzoo_test.seed_test(lambda: env(game, size), num_cycles=60)


@pytest.mark.parametrize(("game", "size"), GAMES)
def test_random_games_end_by_the_rules(game, size):
    rng = np.random.default_rng(0)
    for _ in range(5):
        environment, twin = env(game, size), variant(game, size).new()
        environment.reset()
        points = twin.points()
        for agent in environment.agent_iter(max_iter=2000):
            observation, reward, over, _, _ = environment.last()
            if over:
                winner = {BLACK: "black", WHITE: "white"}.get(twin.outcome)
                assert reward == (0 if winner is None else 1 if agent == winner else -1)
                environment.step(None)
                continue
            mask = observation["action_mask"]
            moves = [*points, 0] if twin.has_pass else points
            assert [m for m, allowed in zip(moves, mask, strict=True) if allowed] == twin.legal_moves()
            own, enemy = observation["observation"][..., 0], observation["observation"][..., 1]
            me = BLACK if agent == "black" else WHITE
            assert [int(v) for v in own.ravel()] == [twin.colour(p) == me for p in points]
            assert int(enemy.sum()) == sum(twin.colour(p) not in (0, me) for p in points)
            action = int(rng.choice(np.flatnonzero(mask)))
            environment.step(action)
            twin.play(moves[action])
        assert twin.is_over


def test_rendering():
    text, picture = (BoardEnv("gomoku", 5, render_mode=mode) for mode in ("ansi", "rgb_array"))
    for environment in (text, picture):
        environment.reset()
        environment.step(12)
    assert "C3" not in text.render()
    assert text.render().count("X") == str(variant("gomoku", 5).new()).count("X") + 1
    pixels = picture.render()
    assert pixels.shape == (144, 144, 3)
    assert (pixels[72, 72] < 50).all()
    assert (pixels[24, 24] != pixels[2, 2]).any()


def test_an_illegal_action_loses():
    environment = env("atari-go", 5)
    environment.reset()
    environment.step(12 if environment.observe("black")["action_mask"][12] else 0)
    taken = int(np.flatnonzero(environment.observe(environment.agent_selection)["action_mask"] == 0)[0])
    loser = environment.agent_selection
    environment.step(taken)
    assert environment.terminations[loser]
    assert environment.rewards[loser] == -1
