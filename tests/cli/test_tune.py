"""`nobi tune`: sequential tests of two players, and the optimisation of settings."""

import json

import numpy as np
import pytest

from nobi.cli import run
from nobi.cli.tune import parse_parameter, spec_with
from nobi.errors import NobiError
from nobi.matches.folder import GameResult, pair_points
from nobi.matches.sprt import Sprt
from nobi.statistics import expected_share, pair_elo


def test_a_clear_difference_is_accepted_and_equality_rejected():
    sprt = Sprt(0, 30)
    stronger = np.tile([1.0, 0.5, 0.5, 1.0], 100)
    assert sprt.decision(stronger)[0] == 1
    equal = np.tile([1.0, 0.0, 0.5, 0.5], 400)
    accepted, used = sprt.decision(equal)
    assert accepted == -1
    assert sprt.decision(equal[: used - 1])[0] == 0


def test_error_rates_of_the_sequential_test():
    rng = np.random.default_rng(1)
    sprt = Sprt(0, 60, 0.1, 0.1)
    for elo, wrong in ((0.0, 1), (60.0, -1)):
        games = rng.random((200, 2000, 2)) < expected_share(elo)
        decisions = [sprt.decision(game.mean(axis=1))[0] for game in games]
        assert np.mean([decision == wrong for decision in decisions]) < 0.17


def test_elo_intervals_over_pairs_are_narrower_than_over_games_if_pairs_are_split():
    split = np.tile([0.5, 0.5, 0.5, 1.0], 20)
    assert pair_elo(split).low > 0


def test_only_complete_pairs_in_order_count():
    def game(number, winner):
        return GameResult(number, number % 2, 1 - number % 2, winner, "", "", False, "", [], [], [])

    games = [game(0, "black"), game(1, "black"), game(3, "white"), game(4, "black"), game(5, "white")]
    assert pair_points(games, 0).tolist() == [0.5]
    assert pair_points([*games, game(2, "black")], 0).tolist() == [0.5, 1.0, 1.0]
    assert pair_points([game(0, "void"), game(1, "black")], 0).tolist() == []


def test_parameters_are_scaled_between_their_bounds():
    rave, explore = parse_parameter("rave=100:10000"), parse_parameter("explore=0.0:0.5")
    assert (rave.text(-1), rave.text(0), rave.text(5)) == ("100", "1000", "10000")
    assert explore.text(0) == "0.25"
    assert spec_with("mcts:rave=7", [rave, explore], np.zeros(2)) == "mcts:rave=1000,explore=0.25"
    for wrong in ("rave", "rave=1", "rave=5:1", "=1:2"):
        with pytest.raises(NobiError, match="low:high"):
            parse_parameter(wrong)


def test_a_test_ends_when_it_is_decided(capsys):
    flags = ["--game", "atari-go", "--size", "5", "--elo1", "300", "--max-games", "400", "--json"]
    assert run(["tune", "naive", "random", *flags]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["accepted"] == 1
    assert found["games"] < 200


def test_a_test_can_be_resumed(tmp_path, capsys):
    command = ["tune", "mcts:rollouts=20", "mcts:rollouts=5", "--size", "5", "--json", "--folder", str(tmp_path / "t")]
    assert run([*command, "--max-games", "6", "--log", str(tmp_path / "log")]) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["games"] == 6
    assert json.loads((tmp_path / "log").read_text())["games"] == 6
    assert run([*command, "--max-games", "10", "--resume"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 10
    assert len((tmp_path / "t" / "games.jsonl").read_text().splitlines()) == 10


def test_settings_are_optimised(capsys):
    flags = ["--vary", "rave=100:6000", "--size", "5", "--generations", "2", "--candidate-games", "2", "--json"]
    assert run(["tune", "mcts:rollouts=8", *flags]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["generations"]) == 2
    assert found["best"].startswith("mcts:rollouts=8,rave=")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["mcts"], "--vary"),
        (["mcts", "mcts:rave=1", "--elo1", "-5"], "elo1"),
        (["mcts", "mcts:rave=1", "--max-games", "1"], "--max-games"),
        (["mcts", "--vary", "rave"], "low:high"),
    ],
)
def test_invalid_flags(flags, words, capsys):
    assert run(["tune", *flags]) == 2
    assert words in capsys.readouterr().err
