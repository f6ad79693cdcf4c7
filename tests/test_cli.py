"""The command line, as a user meets it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sgfmill import sgf

from nobi import games
from nobi.cli import run
from nobi.games import variant
from nobi.records.sgf import sgf_of

COMMANDS = ["match", "games", "players", "bench"]


def call(capsys, *arguments):
    """The exit code, standard output and standard error of a command."""
    try:
        code = run(arguments)
    except SystemExit as end:
        code = end.code
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize("command", [[], *[[c] for c in COMMANDS]])
def test_help(capsys, command):
    code, out, _ = call(capsys, *command, "--help")
    assert code == 0
    assert "usage: nobi" in out
    for flag in ["--seed", "--threads", "--json"] if command else COMMANDS:
        assert flag in out


def test_help_loads_nothing_heavy():
    program = "import sys; from nobi.cli import run\ntry: run(['match', '--help'])\nexcept SystemExit: pass\n"
    program += "print([m for m in ('numba', 'numpy', 'scipy', 'matplotlib', 'torch') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "[]"


def test_match_prints_a_table(capsys):
    code, out, _ = call(capsys, "match", "random", "naive", "--size", "7", "--games", "100", "--show")
    assert code == 0
    assert "A = random against B = naive: atari-go, 7x7" in out
    assert " 7 " in out
    assert "A B C D E F G" in out
    rows = [line.split() for line in out.splitlines()]
    [black] = [row for row in rows if row[:1] == ["black"]]
    [white] = [row for row in rows if row[:1] == ["white"]]
    assert black[1] == white[1] == "50"
    assert int(black[2]) + int(black[3]) + int(black[4]) == 50


def test_match_as_json(capsys):
    arguments = [
        "match",
        "naive",
        "random",
        "--game",
        "go:komi=0.5",
        "--size",
        "5",
        "--games",
        "50",
        "--json",
        "--show",
    ]
    code, out, _ = call(capsys, *arguments, "--seed", "3")
    document = json.loads(out)
    assert code == 0
    results = document["results"]
    assert [results[key]["games"] for key in ("black", "white", "all")] == [25, 25, 50]
    assert results["all"]["wins"] + results["all"]["draws"] + results["all"]["losses"] == 50
    assert document["settings"]["seed"] == 3
    assert document["board"][0] == "   A B C D E"
    again = json.loads(call(capsys, *arguments, "--seed", "3", "--threads", "1")[1])
    assert again["results"] == results
    other = json.loads(call(capsys, *arguments, "--seed", "4")[1])
    assert other["results"] != results


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["random", "clever"], "There is no player 'clever'"),
        (
            ["random", "naive", "--game", "chess"],
            "There is no game 'chess'; choose one of atari-go, go, gomoku or pente.",
        ),
        (["random", "naive", "--size", "4"], "The board size must be 5 to 25, not 4."),
        (["random", "naive", "--size", "26"], "The board size must be 5 to 25, not 26."),
        (["random", "naive", "--game", "atari-go:captures=0"], "captures must be 1 to 100, not 0."),
        (["random", "naive", "--game", "atari-go:captures=one"], "captures is a whole number, not 'one'."),
        (["random", "naive", "--game", "go:komi=7.3"], "komi must be a multiple of 0.5"),
        (["random", "naive", "--game", "go:komi=nan"], "komi must be a multiple of 0.5"),
        (["random", "naive", "--game", "go:ko=never"], "choose one of simple, positional or situational."),
        (["heuristic", "naive", "--game", "gomoku"], "The player 'heuristic' plays atari-go, not gomoku."),
        (["random", "naive", "--games", "0"], "--games must be 1 or more, not 0."),
        (["random", "naive", "--threads", "-1"], "--threads must be 0 or more, not -1."),
        (["random", "naive", "--seed", "-1"], "--seed must be 0 to 2^63 - 1, not -1."),
        (["random", "naive", "--sgf", __file__ + "/below"], "cannot be written to"),
    ],
)
def test_bad_input_gets_one_sentence_and_the_code_2(capsys, arguments, sentence):
    code, out, err = call(capsys, "match", *arguments)
    assert code == 2
    assert out == ""
    [line] = err.splitlines()
    assert line.startswith("nobi: ")
    assert sentence in line


@pytest.mark.parametrize("arguments", [["match"], ["match", "random"], ["match", "a", "b", "--size", "big"], ["mitch"]])
def test_bad_usage_has_the_code_2(capsys, arguments):
    code, out, err = call(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert err


def test_lists(capsys):
    for command, names in (("games", ["atari-go", "gomoku", "pente", "go"]), ("players", ["heuristic", "naive"])):
        code, out, _ = call(capsys, command)
        assert code == 0
        assert all(name in out for name in names)
        listed = json.loads(call(capsys, command, "--json")[1])
        assert set(names) <= {entry["name"] for entry in listed}
    [go] = [entry for entry in json.loads(call(capsys, "games", "--json")[1]) if entry["name"] == "go"]
    assert {"name": "suicide", "default": "false", "values": "true, false"} in go["settings"]


@pytest.mark.parametrize("game", ["atari-go", "gomoku", "pente", "go"])
def test_saved_games_are_read_by_other_programs(capsys, tmp_path, game):
    folder = tmp_path / "games"
    code, _, _ = call(
        capsys, "match", "random", "naive", "--game", game, "--size", "7", "--games", "10", "--sgf", str(folder)
    )
    assert code == 0
    files = sorted(folder.glob("*.sgf"))
    assert [file.name for file in files] == [f"game-{i:02d}.sgf" for i in range(1, 11)]
    for i, file in enumerate(files):
        record = sgf.Sgf_game.from_bytes(file.read_bytes())
        assert record.get_size() == 7
        assert record.get_root().get("PB") == ("random" if i % 2 == 0 else "naive")
        game_again = variant(game, 7).new()
        for node in record.get_main_sequence()[1:]:
            _, move = node.get_move()
            game_again.play("pass" if move is None else "ABCDEFG"[move[1]] + str(move[0] + 1))
        assert game_again.standing() == record.get_root().get("RE")
    code, _, err = call(capsys, "match", "random", "naive", "--game", game, "--size", "7", "--sgf", str(folder))
    assert code == 2
    assert "holds games already" in err


def test_sgf_of_set_up_stones_and_handicap():
    go = variant("go:komi=0.5", 9).new()
    go.place_handicap(2)
    go.play("E5")
    go.play("pass")
    text = sgf_of(go, "one", "two").decode().replace("\n", "")
    for part in ("AB[cg][gc]", "PL[W]", "KM[0.5]", "PB[one]", "PW[two]", ";W[ee];B["):
        assert part in text
    pente = variant("pente", 9).new()
    pente.play("A1")
    assert "AW[ee]" in sgf_of(pente).decode()
    assert "GM[4]" in sgf_of(pente).decode()
    assert "RE" not in sgf_of(pente).decode()


def test_gnugo_reads_a_saved_game(tmp_path):
    """GNU Go loads the record and has the same stones on the board."""
    gnugo = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")
    if gnugo is None and os.environ.get("NOBI_TEST_ENGINES") != "required":
        pytest.skip("gnugo is not installed")
    assert gnugo, "gnugo is required but not installed"
    subprocess.run(
        [sys.executable, "-m", "nobi", "match", "playout", "playout", "--game", "go",
         "--games", "2", "--sgf", tmp_path],
        check=True, capture_output=True,
    )  # fmt: skip
    record = sgf.Sgf_game.from_bytes((tmp_path / "game-1.sgf").read_bytes())
    game = variant("go", 9).new()
    for node in record.get_main_sequence()[1:]:
        _, move = node.get_move()
        game.play("pass" if move is None else "ABCDEFGHJ"[move[1]] + str(move[0] + 1))
    commands = f"loadsgf {tmp_path / 'game-1.sgf'}\nlist_stones black\nlist_stones white\nquit\n"
    out = subprocess.run([gnugo, "--mode", "gtp"], input=commands, capture_output=True, text=True, check=True).stdout
    answers = [answer.lstrip("= ").split() for answer in out.split("\n\n")]
    for colour, names in ((1, answers[1]), (2, answers[2])):
        assert {game._as_point(name) for name in names} == {p for p in game.points() if game.colour(p) == colour}


def test_ctrl_c_reports_the_games_played():
    arguments = [sys.executable, "-m", "nobi", "match", "heuristic", "heuristic", "--size", "19", "--games", "1000000"]
    process = subprocess.Popen([*arguments, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(12)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    played = json.loads(out)["results"]["all"]["games"]
    assert 0 <= played < 1_000_000
    assert f"interrupted after {played} of 1000000 games" in err


def test_a_file_in_the_folder_is_a_game():
    """The registry finds games by their files alone."""
    folder = Path(games.__file__).parent
    files = {file.stem.replace("_", "-") for file in folder.glob("*.py")} - {"--init--", "base"}
    assert set(games.names()) == files
