"""Help, lists, and messages about bad arguments."""

import json
import subprocess
import sys

import pytest
from rich.console import Console

import nobi
from helpers.commands import call
from helpers.diagrams import ENDLESS_LADDER
from helpers.positions import position
from nobi.cli import parsing
from nobi.encoding import position_planes
from nobi.features import make_planes

COMMANDS = [name for commands in parsing.COMMANDS.values() for name in commands]
HEAVY = ("numba", "numpy", "scipy", "matplotlib", "torch")


def modules_loaded_by(*arguments):
    """The modules in memory after a command in a new process."""
    program = f"import sys; from nobi.cli import run\ntry: run({list(arguments)})\nexcept SystemExit: pass\n"
    program += "print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    return out.splitlines()[-1].split()


@pytest.mark.parametrize("command", COMMANDS)
def test_help(capsys, command):
    code, out, err = call(capsys, *command.split(), "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"usage: nobi {command} ")
    for flag in ("--seed", "--threads", "--json"):
        assert flag in out
    assert "None" not in out


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_of_all_commands_fits_one_screen(capsys, arguments):
    code, out, err = call(capsys, *arguments)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("usage: nobi ")
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
    names = [line.split("  ")[1].strip() for line in lines if line.startswith("  ")]
    assert names == COMMANDS


def test_help_of_a_group_of_commands(capsys):
    code, out, _ = call(capsys, "data", "--help")
    assert code == 0
    assert [line.split()[:2] for line in out.splitlines()[3:]] == [["data", "import"], ["data", "info"]]


def test_help_loads_neither_commands_nor_heavy_packages():
    loaded = modules_loaded_by("--help")
    assert [name for name in loaded if name.startswith("nobi.cli.")] == ["nobi.cli.parsing"]
    assert not {"tyro", "rich", *HEAVY} & set(loaded)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_loads_nothing_heavy(command):
    assert not set(HEAVY) & set(modules_loaded_by(*command.split(), "--help"))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["mitch", "a"], "There is no command 'mitch'; did you mean 'match'?"),
        (["", "go"], "There is no command ''; choose one of "),
        (["--json", "games"], "'nobi' has no option --json; 'nobi --help' lists the commands."),
        (["data"], "'nobi data' needs a command; choose one of import or info."),
        (["data", "imprt"], "'nobi data' has no command 'imprt'; did you mean 'import'?"),
        (["data", "--json", "info", "x"], "'nobi data' has no command '--json'; choose one of import or info."),
        (["data", "info", "x", "--jsn"], "'nobi data info' has no option --jsn; did you mean --json?"),
        (["evolve", "run", "--size", "5"], "'nobi evolve' has no option --size; did you mean --sizes?"),
        (["evolve", "run", "--sizs=5"], "'nobi evolve' has no option --sizs=5; did you mean --sizes?"),
        (["evolve", "--sizs=5"], "'nobi evolve' has no option --sizs=5; did you mean --sizes?"),
        (["evolve", "run", "-s", "5"], "'nobi evolve' has no option -s; 'nobi evolve --help' describes"),
        (["imitate", "r", "--symmetries"], "has no option --symmetries; did you mean --no-symmetries?"),
        (["games", "--quickly"], "'nobi games' has no option --quickly; 'nobi games --help' describes its arguments."),
        (["games", "--version"], "'nobi games' has no option --version; 'nobi games --help' describes its arguments."),
        (["games", "go"], "'nobi games': unexpected argument 'go'; 'nobi games --help' describes its arguments."),
        (["match"], "'nobi match' needs A and B; "),
        (["match", "random"], "'nobi match' needs B; "),
        (["match", "a", "b", "c"], "'nobi match': unexpected argument 'c'; "),
        (["match", "a", "b", "--size", "big"], "--size must be a whole number, not 'big'."),
        (["match", "a", "b", "--size=big"], "--size must be a whole number, not 'big'."),
        (["match", "a", "b", "--size"], "--size needs a value; "),
        (["match", "a", "b", "--seconds", "x"], "--seconds must be a number, not 'x'."),
        (["match", "a", "b", "--random-moves", "x"], "--random-moves must be a whole number, not 'x'."),
        (["match", "a", "b", "--json=3"], "--json takes no value; "),
        (["evolve", "run", "--sizes", "5", "seven"], "--sizes must be a whole number, not 'seven'."),
        (["data", "import", "x"], "'nobi data import' needs --out; "),
        (["data", "import", "x", "--out", "y", "--shares", "1", "2"], "--shares needs 3 values; "),
        (["data", "import", "x", "--out", "y", "--duplicates", "all"], "--duplicates cannot be 'all'; choose one of"),
        (["study", "x", "--scale", "huge"], "--scale cannot be 'huge'; choose one of quick, day, paper or tiny."),
        (["show", "x", "--out", "y", "--size", "z"], "--size must be a whole number, not 'z'."),  # --out is an alias
        (["export", "x"], "'nobi export' needs --onnx; "),
    ],
)
def test_bad_arguments_are_one_sentence_and_the_code_2(capsys, arguments, sentence):
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("nobi: ")
    assert sentence in err
    assert err.count("\n") == 1


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


@pytest.mark.parametrize("command", ["models", "players"])
def test_a_list_on_a_narrow_terminal_has_all_names(capsys, monkeypatch, command):
    console = Console(markup=False, force_terminal=True, color_system=None, width=80)
    monkeypatch.setattr("nobi.cli.base.output_console", lambda: console)
    monkeypatch.setattr("nobi.cli.inspect.output_console", lambda: console)
    _, out, _ = call(capsys, command)
    assert {entry["name"] for entry in json.loads(call(capsys, command, "--json")[1])} <= set(out.split())
    assert "…" not in out
    assert all(len(line.rstrip()) <= 80 for line in out.splitlines() if not line.startswith("Elo"))


def test_a_closed_output_pipe_causes_no_error():
    command = f"{sys.executable} -m nobi match --help | head -n 1"
    found = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert found.stdout.startswith("usage: nobi match")
    assert found.stderr == ""


def test_ladders_that_were_not_read_to_the_end_are_reported(capsys, monkeypatch):
    class ReadsLadders:
        def run(self):
            position_planes(position("go:ko=simple", ENDLESS_LADDER), make_planes("m15"))
            return 0

    monkeypatch.setattr("nobi.cli.parsing.parse", lambda _: ReadsLadders())
    for _ in range(2):  # each command reports its own
        code, out, err = call(capsys, "some-command")
        assert (code, out) == (0, "")
        assert err.startswith("nobi: 1 ladder was not read to the end")
    monkeypatch.undo()
    assert call(capsys, "games")[2] == ""


def test_an_optional_flag_shows_its_type(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    _, out, _ = call(capsys, "match", "--help")
    for flag in ("--folder PATH", "--seconds FLOAT", "--periods INT", "--openings PATH"):
        assert f" {flag} " in out


@pytest.mark.parametrize(
    ("words", "old", "present"),
    [
        (["match", "random"], "--sgf", "--folder needs a value"),
        (["tournament"], "--parallel=x", "--threads must be a whole number, not 'x'"),
        (["show"], "--out", "--figure needs a value"),
    ],
)
def test_former_flags_are_accepted_but_not_in_the_help(capsys, words, old, present):
    assert present in call(capsys, *words, old)[2]
    assert old.partition("=")[0] not in call(capsys, words[0], "--help")[1]
