"""The command `nobi match`."""

import json
import signal
import subprocess
import sys
import time

import pytest

from helpers.commands import call


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
    arguments = ["match", "naive", "random", "--game", "go:komi=0.5", "--size", "5", "--games", "50",
                 "--json", "--show"]  # fmt: skip
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
        (["random", "naive", "--game", "go:komi=nan"], "komi must be a finite number"),
        (["random", "naive", "--game", "go:ko=never"], "choose one of simple, positional or situational."),
        (["heuristic", "naive", "--game", "gomoku"], "The player 'heuristic' plays atari-go, not gomoku."),
        (["random", "naive", "--games", "0"], "--games must be 1 or more, not 0."),
        (["random", "naive", "--threads", "-1"], "--threads must be 0 or more, not -1."),
        (["random", "naive", "--seed", "-1"], "--seed must be 0 or more, not -1."),
        (["random", "naive", "--folder", __file__ + "/below"], "cannot be written to"),
    ],
)
def test_bad_input_gets_one_sentence_and_the_code_2(capsys, arguments, sentence):
    code, out, err = call(capsys, "match", *arguments)
    assert code == 2
    assert out == ""
    [line] = err.splitlines()
    assert line.startswith("nobi: ")
    assert sentence in line


def test_ctrl_c_reports_the_games_played(capsys):
    players = ["match", "heuristic", "heuristic", "--size", "9"]
    call(capsys, *players, "--games", "1")  # compiles
    command = [sys.executable, "-m", "nobi", *players, "--games", "10000000", "--json"]
    for seconds in (4, 15, 60):  # a slow machine may still be importing when the signal comes
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130
        if out:
            break
    played = json.loads(out)["results"]["all"]["games"]
    assert 0 < played < 10_000_000
    assert f"interrupted after {played:,} of 10,000,000 games" in err
