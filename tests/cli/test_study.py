"""The command `nobi study`."""

import json
import signal
import subprocess
import sys
import time

import pytest

from helpers.commands import call
from nobi import studies

SMALL = "s08-fig5"
"""A study that takes a second."""


def without_times(document):
    return {key: value for key, value in document.items() if key not in ("spent", "jobs", "threads")}


def test_help(capsys):
    code, out, _ = call(capsys, "study", "--help")
    words = " ".join(out.replace("│", " ").split())
    assert code == 0
    for spec in (
        "NAME",
        "--scale",
        "--data",
        "ROLE=DATASET",
        "--out",
        "--fresh",
        "--engine",
        "gnugo",
        "--seed",
        "--json",
        "--threads",
        "schaul",
        SMALL,
    ):
        assert spec in words
    assert "nobi study list" in words


def test_help_loads_nothing_heavy():
    program = "import sys; from nobi.cli import run\ntry: run(['study', '--help'])\nexcept SystemExit: pass\n"
    program += "print([m for m in ('numba', 'numpy', 'scipy', 'matplotlib', 'torch') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "[]"


def test_list(capsys):
    code, out, err = call(capsys, "study", "list")
    assert (code, err) == (0, "")
    for name in [*studies.names(), *studies.COLLECTIONS]:
        assert f" {name} " in out
    rows = json.loads(call(capsys, "study", "list", "--json")[1])
    assert {row["name"]: row["title"] for row in rows} == {name: studies.find(name).title for name in studies.names()}
    [table] = [row for row in rows if row["name"] == "c14-table3"]
    assert (table["scales"], table["data"]) == ("tiny, quick, day, paper", "pro, kgs")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["s08-fig99"], "There is no study 's08-fig99'; did you mean 's08-fig9'? 'nobi study list' shows"),
        (["S08-tabel1"], "There is no study 'S08-tabel1'; did you mean 's08-table1'? 'nobi study list' shows"),
        (["whatever"], "There is no study 'whatever'; 'nobi study list' shows them all."),
        ([SMALL, "nothing"], "There is no study 'nothing'; "),
        ([], "Give at least one study; 'nobi study list' lists them."),
        (["list", SMALL], "'list' cannot be combined with studies: use 'nobi study list'."),
        ([SMALL, "--engine", "pachi"], "--engine takes NAME=COMMAND, as in "),
        ([SMALL, "--engine", "deepblue=x"], "There is no engine 'deepblue'; choose one of gnugo, "),
        (
            ["c14-table5", "--scale", "day", "--engine", "fuego=no-such-program"],
            "There is no program 'no-such-program'",
        ),
        ([SMALL, "--resume"], "'nobi study' has no option --resume; 'nobi study --help' describes its arguments."),
        ([SMALL, "--scale", "day"], f"The study '{SMALL}' has no scale 'day'; choose one of tiny, quick or paper."),
        (
            ["c14-table1"],
            "The study 'c14-table1' needs games of professionals on 19x19: make a dataset with 'nobi data ",
        ),
        (["c14-table1", "--data", "pro"], "--data takes ROLE=DATASET, as in pro=data/pro, not 'pro'."),
        (
            ["c14-table1", "--data", "pros=x"],
            "There is no dataset role 'pros'; did you mean 'pro'? ",
        ),
        (["c14-table1", "--data", "pro=nowhere"], "There is no dataset 'nowhere'"),
        ([SMALL, "--threads", "-1"], "--threads must be 0 or more, not -1."),
        ([SMALL, "--seed", "-1"], "--seed must be 0 or more, not -1."),
    ],
)
def test_bad_input_gets_one_sentence_and_the_code_2(tmp_path, capsys, arguments, sentence):
    code, out, err = call(capsys, "study", *arguments, "--out", str(tmp_path / "out"))
    assert (code, out) == (2, "")
    [line] = err.splitlines()
    assert line.startswith(f"nobi: {sentence}")
    assert not (tmp_path / "out").exists()


def test_an_unknown_scale(capsys):
    code, out, err = call(capsys, "study", SMALL, "--scale", "huge")
    assert (code, out) == (2, "")
    assert err == "nobi: --scale cannot be 'huge'; choose one of quick, day, paper or tiny.\n"


def test_a_study_as_json_and_as_tables(tmp_path, capsys):
    command = ["study", SMALL, "s08-fig2", "--scale", "tiny", "--seed", "5", "--out", str(tmp_path)]
    code, out, err = call(capsys, *command, "--json")
    document = json.loads(out)
    assert (code, err) == (0, "")
    assert document["folder"] == str(tmp_path / "results")
    assert [one["study"] for one in document["studies"]] == [SMALL, "s08-fig2"]
    for one in document["studies"]:
        assert one == json.loads((tmp_path / "results" / f"{one['study']}.json").read_text())
        assert (one["scale"], one["seed"]) == ("tiny", 5)
        for picture in one["pictures"]:
            assert (tmp_path / "results" / picture["file"]).exists()

    code, out, _ = call(capsys, *command)
    assert code == 0
    assert out.count("its samples are far too small, and neither its rows nor its claims decide anything.") == 1
    assert all("decide anything" in one["notes"][-1] for one in document["studies"])
    for spec in ("paper", "ours [95 %]", "outcome", "✓ agrees", "Agreement and time", "total", SMALL, "CPU time"):
        assert spec in out
    again = json.loads((tmp_path / "results" / f"{SMALL}.json").read_text())
    assert without_times(again) == without_times(document["studies"][0])

    code, out, err = call(capsys, *command, "--fresh")
    assert (code, out) == (2, "")
    assert err.startswith(f"nobi: The folder {str(tmp_path)!r} is not empty;")


def test_of_a_group_the_possible_studies_are_run(tmp_path, capsys):
    code, out, err = call(capsys, "study", "m15", "--scale", "tiny", "--out", str(tmp_path), "--json")
    assert code == 0
    assert [one["study"] for one in json.loads(out)["studies"]] == ["m15-fig2", "m15-search"]
    assert "nobi: skipped: The study 'm15-depth'" in err
    code, out, err = call(capsys, "study", "c14", "--scale", "tiny", "--out", str(tmp_path))
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1


def test_the_folder_is_named_by_the_scale(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = call(capsys, "study", "s08-fig2", "--scale", "tiny")
    assert code == 0
    assert "The results: runs/studies-tiny/results" in " ".join(out.split())
    assert (tmp_path / "runs" / "studies-tiny" / "results" / "s08-fig2.png").exists()


def test_ctrl_c_saves_and_prints_how_to_resume(tmp_path):
    command = [sys.executable, "-m", "nobi", "study", "s09-fig3b", "--scale", "paper", "--out", str(tmp_path), "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob("runs/*/checkpoint.safetensors")):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert err.splitlines()[-1] == (
        f"nobi: interrupted before the end; finished work is kept in {str(tmp_path)!r}, and the same command continues."
    )
    [run] = (tmp_path / "runs").iterdir()
    assert len((run / "metrics.jsonl").read_text().splitlines()) > 0
    assert json.loads((run / "spent.json").read_text())["seconds"] > 0
