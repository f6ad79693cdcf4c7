"""Runs that the page starts, stops, resumes and follows."""

import json
import sys
import time

import pytest

from nobi.errors import NobiError
from nobi.web.runs import Run, RunChoice, Runs, evolve_command

QUICK = RunChoice(size=5, generations=2000)


def wait_for(runs, condition, seconds=240):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, [(run.state, run.error, len(run.metrics)) for run in runs.all()]
        runs.poll()
        for run in runs.all():
            run.read()
        time.sleep(0.05)


def write_run(folder, lines=3, **config):
    folder.mkdir(parents=True)
    settings = {"nobi": "0", "game": "atari-go", "sizes": [7], "net": "mdlstm", "generations": 10}
    (folder / "config.json").write_text(json.dumps(settings | config))
    text = "".join(json.dumps({"generation": i, "mean": 0.1 * i, "best": 0.2 * i}) + "\n" for i in range(lines))
    (folder / "metrics.jsonl").write_text(text)


def test_a_run_is_started_stopped_and_resumed(tmp_path):
    runs = Runs(tmp_path / "runs")
    run = runs.start(QUICK, seed=3)
    assert run.state == "running"
    wait_for(runs, lambda: len(run.metrics) >= 2 and run.champion.exists())
    runs.stop(run.id)
    wait_for(runs, lambda: run.state == "stopped")
    done = len(run.metrics)
    assert 2 <= done < 2000
    assert run.error == ""
    runs.resume(run.id)
    wait_for(runs, lambda: len(run.metrics) > done)
    runs.stop(run.id)
    wait_for(runs, lambda: run.state == "stopped")
    assert set(run.curve()) == {"best", "mean"}


def test_a_second_run_waits_for_the_first(tmp_path):
    runs = Runs(tmp_path / "runs")
    first, second = runs.start(QUICK, seed=1), runs.start(QUICK, seed=2)
    assert (first.state, second.state) == ("running", "waiting")
    assert runs.place(second) == 2
    with pytest.raises(NobiError, match="already running"):
        runs.resume(second.id)
    runs.stop(second.id)
    assert second.state == "stopped"
    runs.close()
    first.process.wait(30)


def test_a_run_of_the_command_line_is_found_and_followed(tmp_path):
    runs = Runs(tmp_path / "runs")
    assert runs.all() == []
    write_run(tmp_path / "runs" / "mine")
    runs.look()
    (run,) = runs.all()
    assert (run.title, run.state, len(run.metrics), run.size, run.total) == ("mine", "elsewhere", 3, 7, 10)
    with pytest.raises(NobiError, match="started elsewhere"):
        runs.stop(run.id)
    with (run.folder / "metrics.jsonl").open("a") as file:
        file.write('{"generation": 3, "mean": 0.5, "best": 0.9}\nnot a line\n')
    assert run.read()
    assert run.curve()["best"][-1] == (3.0, 0.9)
    assert not run.read()
    runs.look()
    assert len(runs.all()) == 1


def test_folders_without_a_run_are_omitted(tmp_path):
    (tmp_path / "runs" / "empty").mkdir(parents=True)
    (tmp_path / "runs" / "other").mkdir()
    (tmp_path / "runs" / "other" / "config.json").write_text("[]")
    write_run(tmp_path / "elsewhere")
    runs = Runs(tmp_path / "runs", [tmp_path / "elsewhere"])
    assert [run.title for run in runs.all()] == ["elsewhere"]


def test_runs_are_named_only_by_id(tmp_path):
    runs = Runs(tmp_path)
    for key in ("../../etc", "run-1", "", "/", "mine"):
        with pytest.raises(NobiError, match="no such run"):
            runs[key]


@pytest.mark.parametrize(
    "choice",
    [
        {"net": "mlp; rm -rf /"},
        {"game": "chess"},
        {"method": "../x"},
        {"opponent": "gtp:sh"},
        {"size": 25},
        {"generations": 10**9},
        {"game": "gomoku", "opponent": "heuristic"},
    ],
)
def test_only_offered_choices_can_be_started(choice):
    with pytest.raises(NobiError):
        RunChoice(**choice)


def test_a_run_that_cannot_continue_shows_the_reason(tmp_path):
    runs = Runs(tmp_path / "runs")
    run = runs.start(QUICK, seed=1)
    run.process.kill()
    run.process.wait()
    run.process = None
    config = json.loads(json.dumps(run.config)) | {"seed": 99}
    (run.folder / "config.json").write_text(json.dumps(config))
    run.config["seed"] = 1
    runs.resume(run.id)
    wait_for(runs, lambda: run.state == "failed")
    assert "another --seed" in run.error
    assert str(tmp_path) not in run.error


def test_the_command_has_all_settings():
    config = {
        "game": "atari-go", "sizes": [5, 7], "net": "mdlstm", "method": "es", "opponents": ["naive"],
        "generations": 20, "games": 100, "measures": ["points"], "curriculum": "", "seed": 4,
    }  # fmt: skip
    command = evolve_command("x", config)
    assert command[:5] == [sys.executable, "-m", "nobi", "evolve", "x"]
    assert "--sizes 5 7 --net mdlstm" in " ".join(command)
    assert "--curriculum" not in command
    assert command[-1] == "--resume"
    assert not Run("a", None, {"net": "mdrnn"}).resumable
