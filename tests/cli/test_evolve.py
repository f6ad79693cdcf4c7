"""The commands `nobi evolve` and `nobi coevolve`."""

import json
import signal
import subprocess
import sys
import time

import pytest

from helpers.commands import call

SMALL = {
    "evolve": ["--sizes", "5", "--net", "mdrnn:hidden=2", "--method", "es:parents=3,offspring=3", "--games", "4"],
    "coevolve": ["--net", "mdrnn:hidden=2", "--population", "4", "--selected", "2", "--parasites", "2", "--hall", "2"],
}


@pytest.mark.parametrize("command", SMALL)
def test_help(capsys, command):
    code, out, _ = call(capsys, command, "--help")
    assert code == 0
    assert "usage: nobi" in out
    for spec in ("DIR", "--seed", "--threads", "--json", "--net", "--generations", "--resume", "mdlstm", "gomoku"):
        assert spec in out


def test_evolve_as_json(tmp_path, capsys):
    command = ["evolve", str(tmp_path), *SMALL["evolve"], "--generations", "3"]
    code, out, _ = call(capsys, *command, "--json")
    document = json.loads(out)
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert code == 0
    assert document["generations"] == len(lines) == 3
    assert document["last"] == lines[-1]
    assert document["best"] == max(line["best"] for line in lines)
    for name in ("champion.safetensors", "curve.png", "curve.svg"):
        assert (tmp_path / name).stat().st_size > 0
    code, out, _ = call(capsys, "match", document["champion"], "random", "--size", "7", "--games", "10", "--json")
    assert code == 0


def test_evolve_prints_its_result(tmp_path, capsys):
    code, out, _ = call(capsys, "evolve", str(tmp_path / "new" / "run"), *SMALL["evolve"], "--generations", "2")
    assert code == 0
    assert out.startswith("2 generations in ")
    assert "Last generation: mean fitness " in out


def test_coevolve_as_json(tmp_path, capsys):
    command = ["coevolve", str(tmp_path), *SMALL["coevolve"], "--generations", "4", "--measure-against", "naive",
               "--measure-games", "4", "--ciao"]  # fmt: skip
    code, out, _ = call(capsys, *command, "--json")
    document = json.loads(out)
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert code == 0
    assert document["generations"] == len(lines) == 4
    assert document["last"] == lines[-1]
    assert document["dominance_number"] == len(document["dominant"]["all"]) >= 1
    for name in ("champion", "champion-a", "champion-b"):
        assert str(tmp_path / f"{name}.safetensors") in document["champions"]
    for name in ("curve.png", "curve.svg", "ciao.png", "ciao.svg"):
        assert (tmp_path / name).stat().st_size > 0
    code, out, _ = call(capsys, *command, "--resume")
    assert code == 0
    assert out.startswith("All 4 generations were done before.")
    assert f"Dominance number: {document['dominance_number']} of 4 champions" in out
    assert f"against naive {lines[-1]['absolute']:+.3f}" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["evolve", "--net", "brain"], "There is no network 'brain'"),
        (["evolve", "--net", "mdrnn:hidden=0"], "hidden must be 1 to 64, not 0."),
        (["evolve", "--method", "wish"], "There is no trainer 'wish'"),
        (["evolve", "--method", "es:mothers=2"], "there is no setting 'mothers'"),
        (["evolve", "--games", "5"], "games must be an even number, half for each colour, not 5."),
        (["evolve", "--games", "0"], "games must be an even number, half for each colour, not 0."),
        (["evolve", "--measures", "beauty"], "There is no measure 'beauty'; choose one of points, score"),
        (["evolve", "--measures", "black", "white"], "takes one measure, not 2."),
        (["evolve", "--generations", "0"], "generations must be 1 or more, not 0."),
        (["evolve", "--opponents", "clever"], "There is no player 'clever'"),
        (["evolve", "--game", "chess"], "There is no game 'chess'"),
        (["evolve", "--sizes", "4"], "The board size must be 5 to 25, not 4."),
        (["evolve", "--net", "mlp", "--sizes", "5", "7"], "plays on one size of board only; give one size."),
        (["evolve", "--curriculum", "start=2"], "start at most 1"),
        (["evolve", "--curriculum", "hard"], "'hard' is not of the form key=value."),
        (["evolve", "--threads", "-1"], "--threads must be 0 or more, not -1."),
        (["coevolve", "--net", "brain"], "There is no network 'brain'"),
        (["coevolve", "--game", "chess"], "There is no game 'chess'"),
        (["coevolve", "--size", "26"], "The board size must be 5 to 25, not 26."),
        (["coevolve", "--games", "3"], "games must be an even number, half for each colour, not 3."),
        (["coevolve", "--measure-games", "3"], "measure-games must be an even number"),
        (["coevolve", "--measure-against", "clever"], "There is no player 'clever'"),
        (["coevolve", "--temperature", "-1"], "temperature must be 0 or more, not -1.0."),
        (["coevolve", "--selected", "15"], "With --elitist, --selected must be less than --population"),
        (["coevolve", "--parasites", "16"], "--parasites must be 1 to --population, not 16 of 15."),
        (["coevolve", "--mutation", "0"], "mutation must be above 0, not 0.0."),
        (["coevolve", "--generations", "0"], "generations must be 1 or more, not 0."),
        (["coevolve", "--seed", "-1"], "--seed must be 0 or more, not -1."),
    ],
)
def test_bad_input_gets_one_sentence_and_the_code_2(tmp_path, capsys, arguments, sentence):
    command, *flags = arguments
    code, out, err = call(capsys, command, str(tmp_path / "run"), *flags)
    assert code == 2
    assert out == ""
    [line] = err.splitlines()
    assert line.startswith("nobi: ")
    assert sentence in line
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("command", SMALL)
def test_a_folder_that_cannot_be_created(tmp_path, capsys, command):
    (tmp_path / "file").write_text("")
    code, _, err = call(capsys, command, str(tmp_path / "file" / "run"), *SMALL[command])
    assert code == 2
    assert "cannot be written to" in err


@pytest.mark.parametrize("command", SMALL)
def test_ctrl_c_saves(tmp_path, command):
    folder = tmp_path / "run"
    arguments = [command, str(folder), *SMALL[command], "--generations", "1000000", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "nobi", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 120
    while not (folder / "checkpoint.safetensors").exists():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    generations = json.loads(out)["generations"]
    assert 0 < generations == len((folder / "metrics.jsonl").read_text().splitlines())
    assert f"interrupted after {generations:,} of 1,000,000 generations" in err
