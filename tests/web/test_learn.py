"""Following a run, saving its champion and playing against it."""

import json
import shutil
import time

import pytest

from nobi.errors import NobiError
from nobi.web.jobs import WENT_WRONG, Task
from nobi.web.learn import LearnState
from nobi.web.opponents import Catalogue
from nobi.web.runs import Runs


@pytest.fixture
def runs(tmp_path, model_file):
    folder = tmp_path / "runs" / "mine"
    folder.mkdir(parents=True)
    config = {"game": "atari-go", "sizes": [7], "net": "mdlstm", "generations": 3}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "metrics.jsonl").write_text('{"mean": 0, "best": 0.5}\n' * 3)
    shutil.copy(model_file, folder / "champion.safetensors")
    return Runs(tmp_path / "runs")


@pytest.fixture
def state(runs, jobs, tmp_path):
    return LearnState("visitor", "tab", runs, Catalogue(saved=tmp_path / "models"), jobs)


def test_the_champion_plays_on_two_boards_and_is_measured(state):
    assert state.run.state == "finished"
    state.large_size = 9
    end = time.monotonic() + 240
    while state.small is None:
        state.poll()
        assert time.monotonic() < end, state.failed
        time.sleep(0.01)
    assert (state.small.size, state.large.size) == (7, 9)
    assert [one.size for one in state.rates] == [5, 7, 9, 11, 13, 15, 19]


def test_a_champion_is_saved_and_played(state, tmp_path):
    one = state.opponent()
    assert (one.title, one.origin) == ("mine", "run")
    assert state.catalogue[one.id] is one
    saved = state.save("my-model")
    assert saved.id == "saved-my-model"
    assert state.catalogue.models()[0] is saved
    again = Catalogue(saved=tmp_path / "models")
    assert again["saved-my-model"].weight_count == saved.weight_count
    with pytest.raises(NobiError, match="already"):
        state.save("my-model")
    for name in ("", "../x", "a/b", "x" * 41, "a b", ".hidden", "go-main"):
        with pytest.raises(NobiError):
            state.save(name)
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["my-model.safetensors"]


def test_a_run_without_champion_says_so(state):
    state.run.champion.unlink()
    for action in (state.opponent, lambda: state.save("x")):
        with pytest.raises(NobiError, match="no champion yet"):
            action()


def test_a_damaged_model_is_omitted_from_the_list(tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "bad.safetensors").write_bytes(b"nonsense")
    assert [one for one in Catalogue(saved=folder).models() if one.origin == "saved"] == []


def test_an_abandoned_computation_ends(jobs):
    now = [0.0]
    task = Task(jobs, "visitor", "test", lambda: now[0])
    steps = []

    def work(stop, report):
        while not stop.is_set():
            steps.append(1)
            now[0] += 100
            report(0.5)
        return "ended"

    task.start(work)
    end = time.monotonic() + 60
    while len(steps) < 7 or task._job is None or not task._job.done.is_set():
        assert time.monotonic() < end
        time.sleep(0.01)
    assert task.poll() == "ended"
    assert len(steps) == 7


def test_an_unexpected_error_of_a_computation_is_a_sentence(jobs):
    task = Task(jobs, "visitor", "test")
    task.start(lambda *_: 1 / 0)
    end = time.monotonic() + 60
    while task.busy:
        assert task.poll() is None
        assert time.monotonic() < end
        time.sleep(0.01)
    assert task.failed == WENT_WRONG
