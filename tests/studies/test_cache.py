"""Jobs: computed once, stored, and the same after any interruption."""

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from helpers.runs import error_of
from nobi.evolution.settings import CoevolutionSettings, EvolutionSettings
from nobi.storage import make_writable_folder, save_tensors
from nobi.studies.cache import JobCache, Spent
from nobi.studies.jobs import ChampionsJob, CoevolutionJob, EvolutionJob, RandomNetworksJob, random_weights
from studies.made_up import Numbers, forget, interrupt_at, made

TESTS = Path(__file__).parent.parent


def real_jobs():
    """One small job of each kind."""
    evolution = EvolutionJob(
        EvolutionSettings(sizes=(5,), net="mdrnn:hidden=2", method="cmaes", generations=8, games=4, seed=3)
    )
    coevolution = CoevolutionJob(
        CoevolutionSettings(
            net="mdrnn:hidden=2", generations=8, population=4, selected=2, parasites=2, hall=2,
            measure_against="naive", measure_games=4, seed=4,
        )
    )  # fmt: skip
    return [
        RandomNetworksJob("mdrnn:hidden=2", "atari-go", 5, "naive", networks=20, games=4, seed=1),
        evolution,
        coevolution,
        ChampionsJob((evolution,), first=2, step=3, size=7, opponent="naive", games=4, seed=2),
    ]


KILLED = """
import os, signal, sys
from pathlib import Path
from nobi.evolution import run
from nobi.studies.cache import JobCache
from studies.test_cache import real_jobs

run.SAVE_SECONDS = 0.0
left = int(sys.argv[3])

def progress(done, what):
    global left
    left -= what.startswith(sys.argv[2])
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)

JobCache(Path(sys.argv[1]), threads=1).make(real_jobs(), progress)
"""


@pytest.fixture(autouse=True)
def forget_all():
    forget()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A cache in which all jobs were computed without interruption."""
    cache = JobCache(tmp_path_factory.mktemp("whole"))
    cache.make(real_jobs())
    return cache


def assert_same(arrays, others):
    assert arrays.keys() == others.keys()
    for name, array in arrays.items():
        assert array.dtype == others[name].dtype
        assert np.array_equal(array, others[name]), name


def test_a_job_is_computed_once(tmp_path):
    jobs = [Numbers(3), Numbers(5), Numbers(3)]
    first = JobCache(tmp_path)
    first.make(jobs)
    first.make(jobs)
    second = JobCache(tmp_path)
    second.make([*jobs, Numbers(1)])
    assert made == [3, 5, 1]
    assert np.array_equal(second.arrays(Numbers(5))["values"], np.arange(5) / 7)
    assert second.has(Numbers(1))
    assert not second.has(Numbers(2))


def test_progress_counts_jobs(tmp_path):
    reported = []
    cache = JobCache(tmp_path)
    cache.make([Numbers(2), Numbers(4)], lambda done, name: reported.append((done, name.split("-")[1])))
    assert reported == [(0.5, "2"), (1, "2"), (1.5, "4"), (2, "4")]


def test_ctrl_c_keeps_finished_jobs_only(tmp_path):
    interrupt_at.add(5)
    with pytest.raises(KeyboardInterrupt):
        JobCache(tmp_path).make([Numbers(3), Numbers(5), Numbers(6)])
    assert [path.name.split("-")[1] for path in (tmp_path / "jobs").iterdir()] == ["3"]
    cache = JobCache(tmp_path)
    cache.make([Numbers(3), Numbers(5), Numbers(6)])
    assert made == [3, 5, 6]
    # the time before the interruption counts, at least 0.05 s
    assert cache.spent(Numbers(5)).seconds > 0.05 > cache.spent(Numbers(3)).cpu
    assert JobCache(tmp_path).spent(Numbers(5)).seconds == pytest.approx(cache.spent(Numbers(5)).seconds, abs=1e-3)


def test_files_of_the_first_format_are_read(tmp_path):
    header = {"format": "nobi-piece-1", "piece": Numbers(3).description, "seconds": "1.5", "cpu": "2.5"}
    make_writable_folder(tmp_path / "pieces")
    save_tensors(tmp_path / "pieces" / f"{Numbers(3).name}.safetensors", {"values": np.arange(3.0)}, header)
    cache = JobCache(tmp_path)
    cache.make([Numbers(3)])
    assert made == []
    assert cache.arrays(Numbers(3))["values"].tolist() == [0, 1, 2]
    assert cache.spent(Numbers(3)) == Spent(1.5, 2.5)


@pytest.mark.parametrize("damage", ["cut", "empty", "other", "text"])
def test_an_unusable_file_gets_a_sentence(tmp_path, damage):
    JobCache(tmp_path).make([Numbers(3), Numbers(4)])
    three, four = sorted((tmp_path / "jobs").iterdir())
    content = {"cut": three.read_bytes()[:-5], "empty": b"", "other": four.read_bytes(), "text": b"numbers"}[damage]
    three.write_bytes(content)
    cache = JobCache(tmp_path)
    for ask in (cache.arrays, cache.spent):
        sentence = error_of(ask, Numbers(3))
        assert str(three) in sentence
        assert "delete it to compute it again" in sentence
    three.unlink()
    cache.make([Numbers(3)])
    assert np.array_equal(cache.arrays(Numbers(3))["values"], np.arange(3) / 7)


def test_a_missing_result_gets_a_sentence(tmp_path):
    assert "numbers-3" in error_of(JobCache(tmp_path).arrays, Numbers(3))


def test_names_are_unique():
    jobs = [
        RandomNetworksJob("mdrnn:hidden=2", game, size, "naive", networks, 4, seed)
        for game in ("atari-go", "gomoku")
        for size in (5, 7)
        for networks in (3, 4)
        for seed in (0, 1)
    ]
    assert len({job.name for job in jobs}) == len(jobs) == 16
    for job in [*jobs, *real_jobs()]:
        assert job.name.replace("-", "").replace(".", "").replace("+", "").replace("_", "").isalnum()


def test_killed_and_resumed_jobs_are_the_same(tmp_path, whole):
    for kind, after in (("random", 1), ("evolve", 3), ("coevolve", 5)):
        command = [sys.executable, "-c", KILLED, str(tmp_path), kind, str(after)]
        process = subprocess.run(command, capture_output=True, text=True, cwd=TESTS)
        assert process.returncode == -signal.SIGKILL, process.stderr
    cache = JobCache(tmp_path, threads=2)
    assert [cache.has(job) for job in real_jobs()] == [True, True, False, False]
    cache.make(real_jobs())
    for job in real_jobs():
        assert_same(cache.arrays(job), whole.arrays(job))
        assert_same(JobCache(tmp_path).arrays(job), whole.arrays(job))


def test_results_of_real_jobs(whole):
    random, evolution, coevolution, champions = (whole.arrays(job) for job in real_jobs())
    assert {name: array.shape for name, array in random.items()} == {"points": (20,), "score": (20,)}
    assert evolution["mean"].shape == evolution["best"].shape == (8,)
    assert len(evolution["champions"]) == len(coevolution["champions"]) == len(coevolution["absolute"]) == 8
    assert coevolution["ciao"].shape == (4, 4)
    assert champions["run"].tolist() == [0, 0]
    assert np.abs(champions["points"]).max() <= 1


def test_random_networks_are_the_same_on_every_board():
    five, seven = (random_weights("mdrnn:hidden=2", 3, size, 1) for size in (5, 7))
    assert np.array_equal(five, seven)
    assert not np.array_equal(five[0], five[1])
    assert not np.array_equal(five, random_weights("mdrnn:hidden=2", 3, 5, 2))
    assert np.array_equal(random_weights("mdrnn:hidden=2", 5, 5, 1)[:3], five)  # more networks start with the same ones
