"""Networks trained on records as jobs: exact resumption, and reuse independent of the path of the dataset."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from helpers.datasets import make_dataset
from helpers.runs import error_of
from nobi.imitation import run as imitation
from nobi.imitation.metrics import gain_of, gains_apart, guesses_gain, metrics_of, prediction_of
from nobi.imitation.prediction import first_filters, open_evaluation
from nobi.imitation.settings import ImitationSettings
from nobi.models.model import load_model
from nobi.records.dataset import Dataset
from nobi.studies.cache import JobCache
from nobi.studies.resources import parse_datasets, require_dataset
from nobi.studies.training_jobs import (
    CURVE,
    BatchTimeJob,
    ImitationJob,
    KoJob,
    LegalChoicesJob,
    PredictionJob,
    curve_lines,
    move_rankings,
    weight_count,
)

NET = "m15:layers=1,filters=4,position=false"


@pytest.fixture(scope="module")
def games57(tmp_path_factory):
    return make_dataset(tmp_path_factory.mktemp("datasets") / "both", sizes=(5, 7), games=20, seed=1)


def jobs_of(dataset, **changes):
    digest = Dataset.open(dataset).digest
    settings = {"net": NET, "steps": 12, "batch": 8, "validation": 20, "measurements": 3, "seed": 5, **changes}
    run = ImitationJob(ImitationSettings(data=(digest,), **settings))
    return run, PredictionJob(run, (digest,), positions=40, seed=2), PredictionJob(run, (digest,), 0, "train", (7,))


@pytest.fixture(scope="module")
def whole(tmp_path_factory, games57):
    cache = JobCache(tmp_path_factory.mktemp("whole"), 1, {"small": games57})
    cache.make(jobs_of(games57))
    return cache


def assert_same(one, other, jobs):
    for job in jobs:
        ours, theirs = one.arrays(job), other.arrays(job)
        assert ours.keys() == theirs.keys()
        for name in ours:
            assert np.array_equal(ours[name], theirs[name], equal_nan=True), (job.name, name)


def test_the_result_of_training(whole, games57):
    run, _, _ = jobs_of(games57)
    arrays = whole.arrays(run)
    assert set(arrays) == set(CURVE)
    assert arrays["positions"].tolist() == [0, 32, 64, 96]
    assert run.positions == 96
    assert np.isnan(arrays["loss"]).tolist() == [True, False, False, False]
    assert not np.isnan(arrays["validation_loss"]).any()
    lines = curve_lines(arrays)
    assert "loss" not in lines[0]
    assert lines[3]["loss"] == arrays["loss"][3]
    assert run.model(whole).is_file()
    assert first_filters(load_model(run.model(whole)).module()).shape == (4, 36, 5, 5)
    assert weight_count(run.settings.net) == f"{36 * 4 * 25 + 4 + 4 * 2 * 9 + 2:,}"


def test_a_prediction_equals_the_measurement(whole, games57):
    run, tests, trains = jobs_of(games57)
    work = open_evaluation(run.model(whole), [games57], "test", (), 40, 2)
    expected = work.measure(torch.device("cpu"))
    found = prediction_of(move_rankings(whole.arrays(tests)))
    assert found == expected
    assert found.all.positions == work.count
    assert set(found.by_size) == {5, 7}
    assert set(move_rankings(whole.arrays(trains)).size.tolist()) == {7}


def test_legal_choices_and_positions_with_ko(whole, games57):
    run, prediction, _ = jobs_of(games57)
    legal = LegalChoicesJob(run, prediction.data, 40, seed=2)
    ko = KoJob(prediction.data[0], 30, 7)
    assert legal.name != prediction.name
    whole.make([legal, ko])
    chosen = whole.arrays(legal)["legal"]
    assert (len(chosen), chosen.dtype) == (40, bool)
    loaded = open_evaluation(run.model(whole), [str(games57)], "test", (), 40, 2)
    assert loaded.count == 40
    assert loaded.legal_choices(torch.device("cpu")).tolist() == chosen.tolist()
    assert len(whole.arrays(ko)["ko"]) == 30


def test_the_time_of_a_batch(whole):
    job = BatchTimeJob(NET, size=5, batch=4, repetitions=2)
    whole.make([job])
    assert (whole.arrays(job)["seconds"] > 0).tolist() == [True, True]


def test_gains_are_differences_on_the_same_positions(whole, games57):
    _, tests, _ = jobs_of(games57)
    found = move_rankings(whole.arrays(tests))
    nothing = gain_of(found, found)
    assert (nothing.accuracy.value, nothing.accuracy.low, nothing.accuracy.high) == (0, 0, 0)
    better = type(found)(**{**vars(found), "better": np.zeros_like(found.better)})
    gain = gain_of(better, found)
    assert gain.accuracy.value == pytest.approx(metrics_of(better).accuracy.value - metrics_of(found).accuracy.value)
    assert gain.rank.value == pytest.approx(metrics_of(better).rank.value - metrics_of(found).rank.value)
    assert gain.rank.low < gain.rank.value < 0
    assert gains_apart((better, found), (better, found)).value == 0
    assert gains_apart((better, found), (found, found)) == gain.accuracy
    assert guesses_gain(found, 1, better, 1).value == pytest.approx(-gain.accuracy.value)
    assert guesses_gain(found, 3, found, 1).value >= 0
    with pytest.raises(ValueError, match="not the same"):
        gain_of(found, found.select(found.size == 5))


def test_an_interrupted_run_ends_in_the_same_bits_after_the_dataset_was_moved(tmp_path, whole, games57, monkeypatch):
    moved = tmp_path / "elsewhere"
    shutil.copytree(games57, moved)
    jobs = jobs_of(games57)
    assert [job.name for job in jobs_of(moved)] == [job.name for job in jobs]
    monkeypatch.setattr(imitation, "SAVE_SECONDS", 0.0)

    def press(done, what):  # Ctrl-C in the middle of the run
        if what.startswith("imitate") and 0.4 < done < 0.9:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        JobCache(tmp_path / "out", 1, {"small": games57}).make(jobs, press)
    left = JobCache(tmp_path / "out", 1, {"small": moved})
    assert not left.has(jobs[0])
    assert (left.run_folder(jobs[0]) / "checkpoint.safetensors").exists()
    left.make(jobs)
    assert_same(left, whole, jobs)
    assert jobs[0].model(left).read_bytes() == jobs[0].model(whole).read_bytes()
    assert str(tmp_path).encode() not in jobs[0].model(left).read_bytes(), "a model does not tell where data lay"


def test_the_same_games_in_another_folder_have_the_same_digest(tmp_path, games57):
    again = make_dataset(tmp_path / "again", sizes=(5, 7), games=20, seed=1)
    other = make_dataset(tmp_path / "other", sizes=(5, 7), games=19, seed=1)
    assert Dataset.open(again).digest == Dataset.open(games57).digest != Dataset.open(other).digest


def test_other_settings_are_other_jobs(games57):
    some = [jobs_of(games57, **changes) for changes in ({}, {"seed": 6}, {"steps": 13}, {"clip": 1.0})]
    names = {job.name for jobs in some for job in jobs}
    assert len(names) == 12
    assert all(name.replace("-", "").replace("+", "").isalnum() for name in names)
    with pytest.raises(ValueError, match="in steps"):
        jobs_of(games57, steps=0)


def test_a_deleted_model_and_a_missing_dataset(tmp_path, games57):
    run, tests, _ = jobs_of(games57, steps=2, measurements=1)
    assert "has the digest" in error_of(JobCache(tmp_path, 1).make, [run])
    cache = JobCache(tmp_path, 1, {"small": games57})
    cache.make([run])
    shutil.rmtree(cache.run_folder(run))
    sentence = error_of(cache.make, [tests])
    assert "is missing; delete" in sentence
    assert str(cache.path(run)) in sentence


def test_contents_of_a_dataset(whole, games57):
    found = whole.datasets["small"]
    dataset = Dataset.open(games57)
    assert found.games["train"] == dataset.sizes("train")
    assert found.count("test") == sum(found.positions["test"].values())
    assert found.count("test", (5,)) == found.positions["test"][5]
    text = found.describe()
    assert text.startswith("20 games on 5x5 and 20 games on 7x7, split by game: ")
    assert games57 not in text
    assert found.describe((7,)).startswith("20 games on 7x7, split")


def test_datasets_for_roles(whole, tmp_path):
    assert parse_datasets(["pro=a/b", "small=c=d"]) == {"pro": Path("a/b"), "small": Path("c=d")}
    assert "--data takes ROLE=DATASET" in error_of(parse_datasets, ["pro"])
    assert "did you mean 'pro'" in error_of(parse_datasets, ["prof=a"])
    assert "twice" in error_of(parse_datasets, ["pro=a", "pro=b"])
    assert "'nobi data import'" in error_of(JobCache, tmp_path, 1, {"pro": tmp_path / "none"})
    require_dataset("some", "small", (5, 7), whole.datasets)
    sentence = error_of(require_dataset, "some", "pro", (19,), whole.datasets)
    assert "games of professionals on 19x19" in sentence
    assert "--data pro=DATASET" in sentence
    assert "needs games on 9x9 in every split" in error_of(require_dataset, "some", "small", (9,), whole.datasets)
