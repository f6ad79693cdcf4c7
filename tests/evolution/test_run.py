"""Runs of evolution: resumed runs are bit-identical to uninterrupted ones."""

import dataclasses
import json

import numpy as np
import pytest
from safetensors import safe_open

from helpers.commands import call
from helpers.runs import (
    assert_same_files,
    check_interruptions,
    check_kills,
    error_of,
    files_of,
    finish,
    leave_after,
)
from nobi.evolution.fitness import Fitness
from nobi.evolution.run import Curriculum, CurriculumSettings, EvolutionRun
from nobi.evolution.settings import EvolutionSettings
from nobi.models.model import load_model
from nobi.storage import save_tensors
from nobi.workers import ThreadExecutor

SMALL = EvolutionSettings(
    sizes=(5,), net="mdrnn:hidden=2", method="es:parents=3,offspring=3", generations=7, games=4, seed=5
)
KINDS = {
    "es": {},
    "cmaes": {"method": "cmaes"},
    "curriculum": {"method": "cmaes", "curriculum": "start=0.9,end=0.05,factor=0.8,threshold=-0.5"},
    "nsga2": {"method": "nsga2:population=4", "measures": ("black", "white")},
    "sizes and opponents": {"sizes": (5, 6), "opponents": ("naive", "random"), "measures": ("score",)},
}


def maker(**changes):
    settings = dataclasses.replace(SMALL, **changes)
    return lambda folder, **options: EvolutionRun(folder, settings, **options)


@pytest.mark.parametrize("kind", KINDS)
def test_resumed_runs_end_in_the_same_files(tmp_path, kind):
    check_interruptions(maker(**KINDS[kind]), tmp_path)


def test_killed_runs_end_in_the_same_files(tmp_path):
    command = ["evolve", str(tmp_path / "killed"), "--sizes", "5", "--net", SMALL.net, "--method", SMALL.method,
               "--games", "4", "--seed", "5", "--threads", "1"]  # fmt: skip
    check_kills(command, lambda generations: maker(generations=generations), tmp_path)


def test_results_do_not_depend_on_threads(tmp_path):
    for threads in (1, 2):
        finish(maker(), tmp_path / str(threads), executor=ThreadExecutor(threads))
    assert_same_files(tmp_path / "1", tmp_path / "2")


def test_results_depend_on_the_seed(tmp_path):
    one, other = (files_of(finish(maker(seed=seed), tmp_path / str(seed)).folder) for seed in (1, 2))
    assert all(one[name] != other[name] for name in one)


def test_a_run_can_be_extended(tmp_path):
    finish(maker(generations=3), tmp_path / "run")
    finish(maker(), tmp_path / "run")
    finish(maker(), tmp_path / "whole")
    assert_same_files(tmp_path / "whole", tmp_path / "run")


def test_contents_of_the_files(tmp_path):
    """The champion is the best candidate, and its games are reproducible."""
    run = finish(maker(), tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [line["generation"] for line in lines] == list(range(7))
    with safe_open(tmp_path / "checkpoint.safetensors", "numpy") as file:
        told, champions = file.get_tensor("told"), file.get_tensor("champions")
    assert told.shape == (7, 6)
    assert champions.shape == (7, 12)
    np.testing.assert_array_equal([line["best"] for line in lines], told.max(axis=1))
    np.testing.assert_array_equal([line["mean"] for line in lines], told.mean(axis=1))
    fitness = Fitness("atari-go", (5,), run.network, ("naive",), 4, 5)
    for generation, champion in enumerate(champions):
        assert fitness.measure(champion[None], generation)[0] == lines[generation]["best"]
    model = load_model(tmp_path / "champion.safetensors")
    np.testing.assert_array_equal(model.weights, champions[-1])
    assert model.provenance["training"]["seed"] == 5
    assert model.provenance["generation"] == 7


def test_the_curriculum_becomes_harder(tmp_path):
    levels = [line["e"] for line in finish(maker(**KINDS["curriculum"]), tmp_path).metrics()]
    assert levels[0] == 0.9
    assert levels == sorted(levels, reverse=True)
    assert levels[-1] < 0.9


def test_other_settings_do_not_resume(tmp_path):
    leave_after(maker(), tmp_path, 2)
    before = files_of(tmp_path)
    for name, value in (("seed", 6), ("games", 6), ("net", "mdrnn:hidden=3"), ("sizes", (6,)), ("game", "gomoku")):
        assert f"has another --{name.replace('_', '-')} (" in error_of(maker(**{name: value}), tmp_path, resume=True)
    assert "already contains a run; add --resume" in error_of(maker(), tmp_path, resume=False)
    assert files_of(tmp_path) == before


def test_the_command_refuses_them_too(tmp_path, capsys):
    command = ["evolve", str(tmp_path), "--sizes", "5", "--net", SMALL.net, "--method", SMALL.method, "--games", "4",
               "--generations", "2"]  # fmt: skip
    assert call(capsys, *command)[0] == 0
    for more, sentence in (([], "already contains a run"), (["--resume", "--seed", "1"], "has another --seed")):
        code, out, err = call(capsys, *command, *more)
        assert (code, out) == (2, "")
        [line] = err.splitlines()
        assert sentence in line


def test_damaged_files(tmp_path):
    leave_after(maker(), tmp_path, 3)
    whole = files_of(tmp_path)
    path = tmp_path / "checkpoint.safetensors"
    with safe_open(path, "numpy") as file:
        tensors = {name: file.get_tensor(name) for name in ("told", "champions")}
        texts = file.metadata()
    for content in (whole[path.name][:-5], whole[path.name][:20], b"", b"\xff" * 100):
        path.write_bytes(content)
        assert "checkpoint.safetensors' cannot be read" in error_of(maker(), tmp_path, resume=True)
    for changed, texts_now, sentence in (
        ({"told": tensors["told"][:, :5]}, texts, "is damaged"),
        ({"told": tensors["told"][0]}, texts, "is damaged"),
        ({"champions": tensors["champions"]}, texts, "is damaged"),
        (tensors, {**texts, "format": "other"}, "is not a checkpoint of this version"),
        (tensors, {"format": texts["format"]}, "is damaged"),
        (tensors, {**texts, "fingerprint": "0"}, "draws other weights than before"),
    ):
        save_tensors(path, changed, texts_now)
        assert sentence in error_of(maker(), tmp_path, resume=True)
    path.write_bytes(whole[path.name])
    for content in (b"{", b"[]", b"\xff"):
        (tmp_path / "config.json").write_bytes(content)
        assert "config.json'" in error_of(maker(), tmp_path, resume=True)
    (tmp_path / "config.json").write_bytes(whole["config.json"])
    finish(maker(), tmp_path)


def test_levels_of_a_curriculum():
    curriculum = Curriculum(CurriculumSettings(start=0.4, end=0.15, threshold=0.25, factor=0.5))
    levels = [curriculum.level]
    # means: 0.0, 0.25, 0.2 with a best of 0.9, 0.5, 0.5
    for fitness in ([-0.5, 0.5], [0.0, 0.5], [-0.5, 0.9], [0.5, 0.5], [[0.5, 1.0], [0.5, 0.0]]):
        curriculum.tell(np.array(fitness))
        levels.append(curriculum.level)
    assert levels == [0.4, 0.4, 0.2, 0.2, 0.15, 0.15]


@pytest.mark.parametrize("wrong", [{"start": 0.1, "end": 0.2}, {"start": 1.5}, {"end": -0.1}, {"factor": 1.0}])
def test_invalid_settings_of_a_curriculum(wrong):
    with pytest.raises(ValueError, match="must be"):
        CurriculumSettings(**wrong)
