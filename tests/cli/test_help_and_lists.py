"""The command line's help, its lists, and what it says of a wrong call."""

import json
import subprocess
import sys

import pytest

import nobi
from helpers.commands import call
from helpers.diagrams import ENDLESS_LADDER
from helpers.positions import position
from nobi.encoding import position_planes
from nobi.features import make_planes

COMMANDS = [
    *("evolve", "coevolve", "transfer", "study", "imitate", "predict", "show", "export"),
    *("play", "review", "match", "tournament", "gtp", "models", "games", "players", "warm-up", "bench"),
]


@pytest.mark.parametrize("command", [[], *[[c] for c in COMMANDS]])
def test_help(capsys, command):
    code, out, _ = call(capsys, *command, "--help")
    assert code == 0
    assert "usage: nobi" in out
    for flag in ["--seed", "--threads", "--json"] if command else COMMANDS:
        assert flag in out


@pytest.mark.parametrize("command", [["match"], ["data", "import"]])
def test_help_loads_nothing_heavy(command):
    program = f"import sys; from nobi.cli import run\ntry: run({[*command, '--help']})\nexcept SystemExit: pass\n"
    program += "print([m for m in ('numba', 'numpy', 'scipy', 'matplotlib', 'torch') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "[]"


@pytest.mark.parametrize("arguments", [["match"], ["match", "random"], ["match", "a", "b", "--size", "big"], ["mitch"]])
def test_bad_usage_has_the_code_2(capsys, arguments):
    code, out, err = call(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["mitch", "a"], "There is no command 'mitch'; did you mean 'match'? There are "),
        (["evolve", "run", "--size", "5"], "'nobi evolve' has no option --size; did you mean --sizes? 'nobi evolve"),
        (["evolve", "run", "--sizs=5"], "'nobi evolve' has no option --sizs=5; did you mean --sizes? 'nobi evolve"),
        (
            ["data", "info", "x", "--jsn"],
            "'nobi data info' has no option --jsn; did you mean --json? 'nobi data i",
        ),
        (["data", "--json", "info", "games"], "'nobi data' has no option --json; 'nobi data --help' tells"),
        (["imitate", "r", "--symmetries"], "'nobi imitate' has no option --symmetries; did you mean --no-symmetries? "),
        (["games", "--version"], "'nobi games' has no option --version; 'nobi games --help' tells what it takes.\n"),
        (["", "go"], "There is no command ''; choose one of "),
        (["games", "--quickly"], "'nobi games' has no option --quickly; 'nobi games --help' tells what it takes.\n"),
        (["games", "go"], "'nobi games' takes no 'go' there; 'nobi games --help' tells what it takes.\n"),
    ],
)
def test_what_is_not_known_is_told_in_one_sentence(capsys, arguments, sentence):
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"nobi: {sentence}")
    assert err.count("\n") == 1


def test_no_command_at_all_gets_the_help(capsys):
    code, out, err = call(capsys)
    assert (code, err) == (0, "")
    assert "usage: nobi" in out


def test_version(capsys):
    assert call(capsys, "--version") == (0, f"nobi {nobi.__version__}\n", "")


def test_lists(capsys):
    for command, names in (("games", ["atari-go", "gomoku", "pente", "go"]), ("players", ["heuristic", "naive"])):
        code, out, _ = call(capsys, command)
        assert code == 0
        assert all(name in out for name in names)
        listed = json.loads(call(capsys, command, "--json")[1])
        assert set(names) <= {entry["name"] for entry in listed}
    [go] = [entry for entry in json.loads(call(capsys, "games", "--json")[1]) if entry["name"] == "go"]
    assert {"name": "suicide", "default": "false", "values": "true, false"} in go["settings"]


def test_a_reader_who_has_seen_enough_meets_no_complaint():
    command = f"{sys.executable} -m nobi match --help | head -n 1"
    found = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert found.stdout.startswith("usage: nobi match")
    assert found.stderr == ""


def test_ladders_that_were_not_read_to_the_end_are_reported(capsys, monkeypatch):
    class ReadsLadders:
        def run(self):
            position_planes(position("go:ko=simple", ENDLESS_LADDER), make_planes("m15"))
            return 0

    monkeypatch.setattr("nobi.cli.main.parsed", lambda _: ReadsLadders())
    for _ in range(2):  # each command reports its own
        code, out, err = call(capsys, "some-command")
        assert (code, out) == (0, "")
        assert err.startswith("nobi: 1 ladder was not read to the end")
    monkeypatch.undo()
    assert call(capsys, "games")[2] == ""


def every_command():
    return [*([name] for name in COMMANDS), ["data", "import"], ["data", "info"]]


@pytest.mark.parametrize("command", every_command(), ids=" ".join)
def test_help_says_nothing_of_none(capsys, command):
    code, out, _ = call(capsys, *command, "--help")
    assert code == 0
    assert "None" not in out


def test_a_flag_that_may_be_left_out_shows_what_it_takes(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    _, out, _ = call(capsys, "match", "--help")
    for flag in ("--folder PATH", "--seconds FLOAT", "--periods INT", "--sgf PATH"):
        assert f" {flag} " in out
