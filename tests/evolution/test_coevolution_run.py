"""Runs of coevolution: resumed runs are bit-identical to uninterrupted ones; contents of the files."""

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
from nobi.evolution.coevolution import CoevolutionRun, shared_fitness
from nobi.evolution.fitness import Fitness, play_each_other
from nobi.evolution.settings import CoevolutionSettings
from nobi.evolution.transfer import dominance_tournament
from nobi.figures.training import champions_curve, ciao_plot
from nobi.games import variant
from nobi.models.model import load_model
from nobi.networks import make_network
from nobi.storage import save_tensors
from nobi.workers import ThreadExecutor

SMALL = CoevolutionSettings(
    net="mdrnn:hidden=2", population=4, selected=2, parasites=2, hall=5, mutation=0.3, generations=7, seed=5
)
KINDS = {
    "elitist": {},  # the number of opponents grows with the hall, from 4 to 7
    "non-elitist": {"elitist": False},
    "measured": {"measure_against": "naive", "measure_games": 4},
    "by chance": {"temperature": 0.3, "games": 4},
}


def maker(**changes):
    settings = dataclasses.replace(SMALL, **changes)
    return lambda folder, **options: CoevolutionRun(folder, settings, **options)


@pytest.mark.parametrize("kind", KINDS)
def test_resumed_runs_end_in_the_same_files(tmp_path, kind):
    check_interruptions(maker(**KINDS[kind]), tmp_path)


def test_killed_runs_end_in_the_same_files(tmp_path):
    command = ["coevolve", str(tmp_path / "killed"), "--net", SMALL.net, "--population", "4", "--selected", "2",
               "--parasites", "2", "--hall", "5", "--mutation", "0.3", "--seed", "5", "--threads", "1"]  # fmt: skip
    check_kills(command, lambda generations: maker(generations=generations), tmp_path)


def test_threads_change_nothing(tmp_path):
    runs = [
        finish(maker(**KINDS["measured"]), tmp_path / str(threads), executor=ThreadExecutor(threads))
        for threads in (1, 2)
    ]
    assert_same_files(tmp_path / "1", tmp_path / "2")
    assert runs[0].dominance() == runs[1].dominance()
    assert np.array_equal(runs[0].ciao(), runs[1].ciao())


def test_resuming_repeats_no_measurement(tmp_path, monkeypatch):
    leave_after(maker(**KINDS["measured"]), tmp_path, 5)
    asked = []
    measure = Fitness.measure
    monkeypatch.setattr(Fitness, "measure", lambda *a, **k: asked.append(a[2]) or measure(*a, **k))
    finish(maker(**KINDS["measured"]), tmp_path)
    assert asked == [5, 6]


def test_measurements_do_not_affect_selection(tmp_path):
    plain, measured = (finish(maker(**KINDS[kind]), tmp_path / kind) for kind in ("elitist", "measured"))
    for one, other in zip(plain.done, measured.done, strict=True):
        assert one.champion.tobytes() == other.champion.tobytes()
        assert one.line == {key: value for key, value in other.line.items() if key != "absolute"}


def test_contents_of_the_files(tmp_path):
    run = finish(maker(**KINDS["measured"]), tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [line["generation"] for line in lines] == list(range(7))
    assert "".join(line["population"] for line in lines) == "abababa"
    with safe_open(tmp_path / "checkpoint.safetensors", "numpy") as file:
        told, champions = file.get_tensor("told"), file.get_tensor("champions")
        np.testing.assert_array_equal(file.get_tensor("absolute"), [line["absolute"] for line in lines])
    assert told.shape[:2] == (7, 4)
    fitness = Fitness("atari-go", (5,), run.network, ("naive",), 4, 5)
    for generation, (line, padded) in enumerate(zip(lines, told, strict=True)):
        scores = padded[:, ~np.isnan(padded[0])]
        best = scores.mean(axis=1).argmax()
        assert line["score"] == scores.mean(axis=1)[best]
        assert line["shared"] == shared_fitness(scores > 0)[best]
        assert line["absolute"] == fitness.measure(champions[generation][None], generation, "score")[0]
    for name, i in (("champion", 6), ("champion-a", 6), ("champion-b", 5)):
        np.testing.assert_array_equal(load_model(tmp_path / f"{name}.safetensors").weights, champions[i])
    np.testing.assert_array_equal(run.champions("a"), champions[::2])
    np.testing.assert_array_equal(run.champions("b"), champions[1::2])


def test_after_one_generation_only_one_population_has_a_champion(tmp_path):
    run = finish(maker(generations=1), tmp_path)
    assert (tmp_path / "champion-a.safetensors").exists()
    assert not (tmp_path / "champion-b.safetensors").exists()
    assert run.ciao().shape == (1, 0)
    assert run.dominance().all == run.dominance().a == [0]
    assert run.dominance().b == []


def test_dominance_and_ciao(tmp_path):
    """The same as from a table of all pairs; the networks have no ties, so the seed of the games has no effect."""
    run = finish(maker(net="mlp", generations=13), tmp_path)
    champions = np.stack([one.champion for one in run.done])
    table = play_each_other(variant("atari-go", 5), make_network("mlp"), champions, champions)
    same = (champions[:, None] == champions[None]).all(axis=2)
    table[same] = 0
    dominance = run.dominance()
    assert dominance.all == dominance_tournament(lambda i, j: table[i, j], 13)
    assert dominance.a == [2 * i for i in dominance_tournament(lambda i, j: table[2 * i, 2 * j], 7)]
    assert dominance.b == [2 * i + 1 for i in dominance_tournament(lambda i, j: table[2 * i + 1, 2 * j + 1], 6)]
    assert len(dominance.all) > 1
    np.testing.assert_array_equal(run.ciao(), table[::2, 1::2])


def test_figures(tmp_path):
    run = finish(maker(**KINDS["measured"]), tmp_path)
    for name in ("one", "two"):
        ciao_plot(run.ciao(), tmp_path / f"{name}.png", "title")
        champions_curve(run.metrics(), run.dominance().all, tmp_path / f"{name}-curve.png", "title", "naive")
    for suffix in (".png", ".svg", "-curve.png", "-curve.svg"):
        assert (tmp_path / f"one{suffix}").read_bytes() == (tmp_path / f"two{suffix}").read_bytes()
    assert (tmp_path / "one.svg").read_bytes().startswith(b"<?xml")


def test_other_settings_do_not_resume(tmp_path, capsys):
    leave_after(maker(), tmp_path, 2)
    before = files_of(tmp_path)
    for name, value in (("seed", 6), ("games", 4), ("elitist", False), ("mutation", 0.2), ("measure_against", "naive")):
        assert f"has another --{name.replace('_', '-')} (" in error_of(maker(**{name: value}), tmp_path, resume=True)
    assert "already contains a run; add --resume" in error_of(maker(), tmp_path, resume=False)
    for command, more in (("coevolve", []), ("coevolve", ["--resume"]), ("evolve", ["--resume"])):
        code, out, err = call(capsys, command, str(tmp_path), *more)
        assert (code, out) == (2, "")
        assert len(err.splitlines()) == 1
    assert files_of(tmp_path) == before


def test_damaged_checkpoints(tmp_path):
    make = maker(**KINDS["measured"])
    leave_after(make, tmp_path, 3)
    path = tmp_path / "checkpoint.safetensors"
    whole = path.read_bytes()
    with safe_open(path, "numpy") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        texts = file.metadata()
    for content in (whole[:-5], whole[:20], b""):
        path.write_bytes(content)
        assert "cannot be read" in error_of(make, tmp_path, resume=True)
    for changed in ({**tensors, "told": tensors["told"][:, :, :3]}, {**tensors, "told": np.zeros(())},
                    {name: tensors[name] for name in ("told", "champions")}):  # fmt: skip
        save_tensors(path, changed, texts)
        assert "is damaged" in error_of(make, tmp_path, resume=True)
    save_tensors(path, {**tensors, "told": np.where(np.isnan(tensors["told"]), np.nan, -tensors["told"])}, texts)
    assert "draws other weights than before" in error_of(make, tmp_path, resume=True)
    path.write_bytes(whole)
    finish(make, tmp_path)
