"""Learnt priors: minorisation-maximisation, feature extraction, and `nobi priors`."""

import json

import numpy as np
import pytest

from helpers.datasets import make_dataset
from nobi.cli import run
from nobi.imitation.bradley_terry import (
    COLUMNS,
    Competitions,
    competitions_of,
    frequent_shapes,
    learn,
    measure,
    number_shapes,
)
from nobi.records.dataset import Dataset
from nobi.search.features import OFFSETS
from nobi.search.gammas import FILE, load_gammas


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return make_dataset(tmp_path_factory.mktemp("priors") / "games", sizes=(5, 6), games=30)


def test_known_strengths_are_found():
    """Two levels of one group compete; one of them is three times as strong."""
    rng = np.random.default_rng(0)
    count = 4000
    features = np.zeros((2 * count, COLUMNS), np.uint16)
    for group in range(len(OFFSETS) - 1):
        features[:, group + 1] = OFFSETS[group]
    features[1::2, 1] += 1
    chosen = 2 * np.arange(count) + (rng.random(count) < 0.75)
    competitions = Competitions(features, np.zeros((2 * count, 5), np.uint32), np.arange(0, 2 * count + 1, 2), chosen)
    gammas = learn(competitions, 0, 30)
    assert gammas.levels[1] / gammas.levels[0] == pytest.approx(3, rel=0.1)
    assert measure(competitions, gammas).top1 == pytest.approx(0.75, abs=0.02)


def test_competitions_contain_the_played_move(data):
    games = Dataset.open(data).collection("train")
    found = competitions_of([games], range(5, 7), 50, seed=0)
    assert len(found.chosen) == 50
    assert (found.start[:-1] <= found.chosen).all()
    assert (found.chosen < found.start[1:]).all()
    levels = found.features[:, 1:-1]
    assert (levels >= np.array(OFFSETS[:-1])).all()
    assert (levels < np.array(OFFSETS[1:])).all()


def test_the_command_writes_priors_that_the_search_reads(data, tmp_path, capsys):
    out = tmp_path / "priors.safetensors"
    flags = ["--data", data, "--positions", "60", "--test-positions", "20", "--sweeps", "3", "--json"]
    assert run(["priors", str(out), *flags]) == 0
    results = json.loads(capsys.readouterr().out)["results"]
    assert list(results) == ["small"]
    assert load_gammas(9, out).pattern.shape == (1 << 16,)
    again = tmp_path / "again.safetensors"
    assert run(["priors", str(again), *flags]) == 0
    assert again.read_bytes() == out.read_bytes()
    assert run(["priors", str(out)]) == 2
    assert "--data" in capsys.readouterr().err


def test_the_shipped_priors_are_small_and_for_all_sizes():
    assert FILE.stat().st_size <= 300_000
    for size in (5, 9, 13, 19, 25):
        gammas = load_gammas(size)
        assert (gammas.pattern > 0).all()
        assert (gammas.levels > 0).all()


def test_moves_are_numbered_by_their_largest_frequent_shape():
    shapes = np.array([[1, 2, 3, 4, 5], [1, 2, 3, 4, 6], [1, 2, 7, 8, 9]], np.uint32)
    features = np.zeros((3, COLUMNS), np.uint16)
    competitions = Competitions(features, shapes, np.array([0, 3]), np.array([1]))
    number_shapes(competitions, np.array([1, 2, 3, 9], np.uint32))
    assert features[:, -1].tolist() == [3, 3, 2]  # 9 is around an unknown shape
    number_shapes(competitions, np.zeros(0, np.uint32))
    assert not features.any()


def test_shapes_are_frequent_if_they_were_played_often_or_avoided_often():
    shapes = np.array([[1, 2], [1, 2], [1, 3], [4, 4]], np.uint32)
    competitions = Competitions(np.zeros((4, COLUMNS), np.uint16), shapes, np.arange(5), np.array([0, 1, 2]))
    assert frequent_shapes(competitions, 2)[:2].tolist() == [1, 2]
    assert 4 not in frequent_shapes(competitions, 1)
    shapes = np.concatenate([shapes, np.full((400, 2), 5, np.uint32)])
    features = np.zeros((len(shapes), COLUMNS), np.uint16)
    competitions = Competitions(features, shapes, np.array([0, 202, 404]), np.array([0, 202]))
    assert frequent_shapes(competitions, 2).tolist() == [5]
