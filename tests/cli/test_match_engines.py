"""`nobi match` with engines and `nobi tournament`, as a user meets them."""

import json
import signal
import subprocess
import sys
import time

import pytest

from helpers.commands import call
from helpers.engines import fake, gnugo


def engine(manner, *arguments):
    return "gtp:" + fake(manner, *arguments)


def test_a_match_with_an_engine(capsys, tmp_path):
    folder = tmp_path / "match"
    arguments = ["match", "playout", engine("crash", 3), "--game", "go", "--size", "5", "--games", "3",
                 "--folder", str(folder), "--timeout", "5"]  # fmt: skip
    code, out, err = call(capsys, *arguments)
    assert code == 0, err
    assert "A = playout against B = gtp:" in out
    assert "Elo of A less that of B: +∞ (" in out
    assert "Forfeited, 2 times: white ended at 'genmove' with the exit code 3." in out
    assert "Forfeited, 1 times: black ended at 'genmove' with the exit code 3." in out
    assert sorted(file.name for file in folder.iterdir()) == [
        "config.json", "game-0001.sgf", "game-0002.sgf", "game-0003.sgf", "games.jsonl",
    ]  # fmt: skip
    code, _, err = call(capsys, *arguments)
    assert code == 2
    assert "add --resume" in err
    arguments[arguments.index("--games") + 1] = "4"
    code, out, _ = call(capsys, *arguments, "--resume", "--json", "--parallel", "2")
    assert code == 0
    document = json.loads(out)
    assert document["results"]["all"]["wins"] == 4
    assert [game["game"] for game in document["games"]] == [0, 1, 2, 3]
    assert document["settings"]["size"] == 5


def test_a_match_by_the_clock(capsys, tmp_path):
    folder = tmp_path / "match"
    arguments = ["match", "mcts:rollouts=0", engine("slow"), "--game", "go", "--size", "5", "--games", "2",
                 "--folder", str(folder), "--main-time", "0.9", "--byo-yomi", "0.2", "--periods", "2"]  # fmt: skip
    code, out, err = call(capsys, *arguments)
    assert code == 0, err
    assert "Forfeited, 1 times: white overstepped the time." in out
    config = json.loads((folder / "config.json").read_text())
    assert (config["main_time"], config["byo_yomi"], config["periods"], config["stones"]) == (0.9, 0.2, 2, None)
    assert "OT[2x0.2 byo-yomi]" in (folder / "game-0001.sgf").read_text()
    arguments[arguments.index("--periods") + 1] = "3"
    assert "has another periods; resume it with the same." in call(capsys, *arguments, "--resume")[2]


def test_openings_random_moves_and_handicap(capsys, tmp_path):
    book = tmp_path / "book.txt"
    book.write_text("C3 B2\nD4\n")
    common = ["match", "playout", "naive", "--game", "go:komi=0.5", "--size", "7", "--json"]
    games = json.loads(call(capsys, *common, "--games", "6", "--openings", str(book))[1])["games"]
    assert [game["moves"][0] for game in games] == ["C3", "C3", "D4", "D4", "C3", "C3"]
    games = json.loads(call(capsys, *common, "--games", "4", "--random-moves", "3")[1])["games"]
    assert games[0]["moves"][:3] == games[1]["moves"][:3] != games[2]["moves"][:3]
    [game] = json.loads(call(capsys, *common, "--games", "1", "--handicap", "2")[1])["games"]
    assert game["stones"] == ["B E5", "B C3"]


def test_repeated_games_are_told(capsys):
    arguments = ["match", engine("good"), engine("passes"), "--game", "go", "--size", "5", "--games", "4"]
    code, out, _ = call(capsys, *arguments)
    assert code == 0
    assert "Left out, because they repeat an earlier game: 2 of 4 games." in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["gtp:no-such-engine"], "There is no program 'no-such-engine' to start as an engine."),
        (["gtp:true"], "does not speak GTP"),
        (["gtp:"], "The engine command is empty"),
        (["naive", "--referee", "no-such-engine"], "There is no program 'no-such-engine'"),
        (["naive", "--resume"], "--resume needs --folder"),
        (["naive", "--handicap", "2", "--random-moves", "2"], "Give only one of"),
        (["naive", "--handicap", "1"], "Handicap on 9x9 is 2 to 9 stones, not 1."),
        (["naive", "--parallel", "0"], "--parallel must be 1 or more, not 0."),
        (["naive", "--timeout", "0"], "--timeout must be above 0"),
        (["naive", "--seconds", "-1"], "--seconds must be above 0"),
        (["naive", "--main-time", "0"], "--main-time must be above 0"),
        (["naive", "--main-time", "9", "--seconds", "1"], "Give --seconds, or a clock"),
        (["naive", "--periods", "3"], "--periods and --stones need --byo-yomi"),
        (["naive", "--byo-yomi", "9", "--periods", "0"], "--periods must be 1 or more, not 0."),
        (["naive", "--byo-yomi", "9", "--periods", "2", "--stones", "5"], "Give only one of --periods and --stones."),
        (["naive", "--openings", "nothing.txt"], "cannot be read"),
        (["naive", "--random-moves", "2", "--sgf", "x"], "leave --sgf out"),
        (["naive", "--random-moves", "2", "--show"], "there is no --show"),
        (["clever", "--seconds", "1"], "There is no player 'clever'"),
    ],
)
def test_bad_input_gets_one_sentence_and_the_code_2(capsys, tmp_path, arguments, sentence):
    folder = tmp_path / "match"
    more = [] if "--resume" in arguments else ["--folder", str(folder)]
    code, out, err = call(capsys, "match", "random", *arguments, "--game", "go", *more)
    assert code == 2
    assert out == ""
    [line] = err.splitlines()
    assert line.startswith("nobi: ")
    assert sentence in line
    assert not folder.exists()


def test_a_tournament(capsys, tmp_path):
    folder = tmp_path / "tournament"
    players = ["playout", "naive", engine("passes")]
    arguments = ["tournament", *players, "--size", "5", "--games", "2", "--folder", str(folder)]
    code, out, err = call(capsys, *arguments)
    assert code == 0, err
    assert "6 games; Elo relative to the mean of all" in out
    assert "points" in out
    arguments[arguments.index("--games") + 1] = "4"
    code, out, _ = call(capsys, *arguments, "--resume", "--json")
    document = json.loads(out)
    assert len(document["games"]) == 12
    points = document["points"]
    assert sum(map(sum, points)) == 12 - document["repeated"]
    assert set(document["elo"]) == set(players)
    assert sum(one["value"] for one in document["elo"].values()) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "needs two players or more"),
        (["naive"], "needs two players or more"),
        (["naive", "naive"], "A player is named twice"),
        (["naive", "random", "--games", "0"], "--games must be 1 or more"),
        (["naive", "heuristic"], "The player 'heuristic' plays atari-go, not go."),
    ],
)
def test_no_tournament(capsys, arguments, sentence):
    code, out, err = call(capsys, "tournament", *arguments)
    assert (code, out) == (2, "")
    assert sentence in err


def test_ctrl_c_ends_engines_and_keeps_the_games(tmp_path, capsys):
    folder = tmp_path / "match"
    arguments = ["match", "playout", engine("slow"), "--game", "go", "--size", "5", "--folder", str(folder)]
    command = [sys.executable, "-m", "nobi", *arguments, "--games", "1000", "--json", "--parallel", "2"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 240
    while not (folder / "games.jsonl").exists():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    document = json.loads(out)
    assert len(document["games"]) == len((folder / "games.jsonl").read_text().splitlines()) > 0
    assert "of 1000 games" in err
    assert "has another timeout" in call(capsys, *arguments, "--games", "1000", "--resume", "--timeout", "61")[2]
    assert "holds more games" in call(capsys, *arguments, "--games", "1", "--resume")[2] or len(document["games"]) == 1
    count = max(game["game"] for game in document["games"]) + 1
    code, out, _ = call(capsys, *arguments, "--games", str(count), "--resume", "--json")
    assert code == 0
    assert [game["game"] for game in json.loads(out)["games"]] == list(range(count))


def test_a_match_against_gnugo(capsys, tmp_path):
    """Both rulesets, a referee, two games at once, on the real engine."""
    command = f"{gnugo()} --mode gtp --level 1"
    common = ["--games", "4", "--parallel", "2", "--random-moves", "2", "--size", "7", "--json"]
    for scoring, flag in (("area", "--chinese-rules"), ("territory", "--japanese-rules")):
        arguments = ["match", "playout", f"gtp:{command} {flag}", "--game", f"go:komi=6.5,scoring={scoring}", *common]
        folder = str(tmp_path / scoring)
        code, out, err = call(capsys, *arguments, "--referee", f"{command} {flag}", "--folder", folder)
        assert code == 0, err
        results = json.loads(out)["results"]
        assert results["all"]["games"] == 4
        assert results["all"]["losses"] >= 3  # random play does not beat GNU Go
        assert results["forfeits"] == {}
        assert all(game["reason"] == "by the referee" for game in json.loads(out)["games"])
