"""Dominance tournaments, and the transfer of networks to other boards."""

import json
import math
from dataclasses import astuple

import numpy as np
import pytest

from helpers.commands import call
from nobi.errors import NobiError
from nobi.evolution.fitness import Fitness
from nobi.evolution.transfer import dominance_tournament, load_models, measure_transfer, transfer
from nobi.models.model import Model, save_model
from nobi.networks import make_network
from nobi.statistics import Interval, correlation, share_interval

NETWORK = make_network("mdrnn:hidden=2")
WEIGHTS = np.random.default_rng(0).standard_normal((5, NETWORK.weight_count(5))).astype(np.float32)


def test_all_champions_are_dominant_if_later_ones_are_better():
    assert dominance_tournament(lambda i, j: i - j, 5) == [0, 1, 2, 3, 4]
    assert dominance_tournament(lambda i, j: j - i, 5) == [0]
    assert dominance_tournament(lambda i, j: 0.0, 5) == [0]  # noqa: ARG005 a draw is no win
    assert dominance_tournament(lambda i, j: 1.0, 1) == [0]  # noqa: ARG005
    assert dominance_tournament(lambda i, j: 1.0, 0) == []  # noqa: ARG005


def test_rock_paper_scissors():
    hands = "RPSPR"  # paper beats rock; scissors lose to rock, paper ties, rock loses to paper
    beats = {"PR", "SP", "RS"}

    def score(i, j):
        pair = hands[i] + hands[j]
        return 1.0 if pair in beats else -1.0 if pair[::-1] in beats else 0.0

    assert dominance_tournament(score, 5) == [0, 1]


def test_no_unnecessary_games():
    played = []

    def score(i, j):
        played.append((i, j))
        return {(1, 0): 1, (2, 1): -1, (3, 1): 1, (3, 0): 1}[i, j]

    assert dominance_tournament(score, 4) == [0, 1, 3]
    assert played == [(1, 0), (2, 1), (3, 1), (3, 0)]


def test_transfer():
    small = np.array([-0.5, 0.0, 0.2, 0.4, 0.8])
    large = np.array([-0.4, 0.3, 0.2, 0.3, 0.9])  # higher, higher, equal, lower, higher
    found = transfer(small, large)
    assert found.networks == 5
    assert found.higher == share_interval(3, 5)
    assert found.higher.value == 0.6
    assert found.correlation == correlation(small, large)


def test_transfer_with_too_few_models():
    nothing = Interval(math.nan, -1.0, 1.0)
    line = np.array([0.1, 0.2, 0.3, 0.4])
    for small, large, p in [
        (np.zeros(4), line, 1.0),
        (line, np.zeros(4), 0.0),
        (np.full(4, 0.1), np.full(4, 0.1), 0.0),
        (line[:2], line[1:3], 1.0),
        (line[:1], line[:1], 0.0),
        (line[:0], line[:0], math.nan),
    ]:
        found = transfer(small, large)
        np.testing.assert_equal(astuple(found.correlation), astuple(nothing))
        np.testing.assert_equal(found.higher.value, p)
        assert 0 <= found.higher.low <= found.higher.high <= 1


def test_transfer_refuses_invalid_pairs():
    with pytest.raises(ValueError, match="one fitness per network"):
        transfer(np.zeros(3), np.zeros(4))
    with pytest.raises(ValueError, match="finite"):
        transfer(np.array([0.0, np.nan]), np.zeros(2))


def save_models(folder, count):
    paths = []
    for i in range(count):
        paths.append(folder / f"m{i}.safetensors")
        save_model(paths[-1], Model(NETWORK, WEIGHTS[i], 5, {"training": {"game": "atari-go"}}))
    return paths


def test_transfer_of_one_model_has_an_interval_over_its_games(tmp_path):
    model, weights = load_models(save_models(tmp_path, 1))
    report = measure_transfer(model.network, weights, "atari-go", (5, 7), ("naive",), 40, seed=3)
    alone = Fitness("atari-go", (5,), NETWORK, ("naive",), 40, 3)
    assert [row.size for row in report.sizes] == [5, 7]
    assert report.sizes[0].fitness.value == pytest.approx(alone.measure(WEIGHTS[:1], 0)[0])
    assert report.sizes[0].fitness.low < report.sizes[0].fitness.value < report.sizes[0].fitness.high
    assert report.pairs == []


def test_transfer_of_several_models_compares_boards(tmp_path):
    model, weights = load_models(save_models(tmp_path, 5))
    report = measure_transfer(model.network, weights, "atari-go", (5, 6, 7), ("naive",), 40, seed=3)
    assert [(pair.small, pair.large) for pair in report.pairs] == [(5, 6), (5, 7), (6, 7)]
    small, large = (np.array(report.sizes[i].per_model) for i in (0, 2))
    assert report.pairs[1].transfer == transfer(small, large)


def test_models_of_different_kinds_are_refused(tmp_path):
    paths = save_models(tmp_path, 1)
    other = make_network("mdrnn:hidden=3")
    paths.append(tmp_path / "other.safetensors")
    save_model(paths[-1], Model(other, np.zeros(other.weight_count(5), np.float32), 5))
    with pytest.raises(NobiError, match="different networks"):
        load_models(paths)


def test_the_command(capsys, tmp_path):
    paths = [str(path) for path in save_models(tmp_path, 3)]
    arguments = ["transfer", *paths, "--sizes", "5", "6", "--games", "20", "--figure", str(tmp_path / "new" / "f.png")]
    code, out, _ = call(capsys, *arguments)
    assert code == 0
    assert "5x5 → 6x6" in out
    assert (tmp_path / "new" / "f.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "new" / "f.svg").read_text().startswith("<?xml")
    document = json.loads(call(capsys, *arguments, "--json")[1])
    assert document["models"] == 3
    assert [row["size"] for row in document["sizes"]] == [5, 6]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["none.safetensors"], "There is no model file 'none.safetensors'."),
        (["M", "--games", "3"], "--games must be an even number, half for each colour, not 3."),
        (["M", "--measure", "beauty"], "There is no measure 'beauty'"),
        (["M", "--opponents", "nobody"], "There is no player 'nobody'"),
        (["M", "--sizes", "4"], "The board size must be 5 to 25, not 4."),
    ],
)
def test_bad_input_to_the_command(capsys, tmp_path, arguments, sentence):
    [path] = save_models(tmp_path, 1)
    code, out, err = call(capsys, "transfer", *[str(path) if spec == "M" else spec for spec in arguments])
    assert (code, out) == (2, "")
    [line] = err.splitlines()
    assert sentence in line
