"""`nobi match` with engines and `nobi tournament`."""

import json
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest

from helpers.answering import answering
from helpers.commands import call
from helpers.engines import fake, gnugo
from helpers.processes import processes_with, wait_until


def engine(manner, *arguments):
    return "gtp:" + fake(manner, *arguments)


def test_a_match_with_an_engine(capsys, tmp_path):
    folder = tmp_path / "match"
    arguments = ["match", "playout", engine("crash", 3), "--game", "go", "--size", "5", "--games", "3",
                 "--folder", str(folder), "--timeout", "60"]  # fmt: skip
    code, out, err = call(capsys, *arguments)
    assert code == 0, err
    assert "A = playout against B = gtp:" in out
    assert "Elo difference A − B: +∞ (" in out
    assert "Forfeited 3 times: B ended at 'genmove' with the exit code 3.\n" in out
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
    assert document["results"]["all"]["elo"]["value"] is document["results"]["all"]["elo"]["high"] is None
    assert document["results"]["forfeits"] == {"B ended at 'genmove' with the exit code 3": 4}
    assert [game["game"] for game in document["games"]] == [0, 1, 2, 3]
    assert document["settings"]["size"] == 5


def test_a_match_with_a_clock(capsys, tmp_path):
    folder = tmp_path / "match"
    arguments = ["match", "mcts:rollouts=0", engine("slow"), "--game", "go", "--size", "5", "--games", "2",
                 "--folder", str(folder), "--main-time", "0.9", "--byo-yomi", "0.2", "--periods", "2"]  # fmt: skip
    code, out, err = call(capsys, *arguments)
    assert code == 0, err
    assert "Forfeited 2 times: B overstepped the time.\n" in out
    config = json.loads((folder / "config.json").read_text())
    assert (config["main_time"], config["byo_yomi"], config["periods"], config["stones"]) == (0.9, 0.2, 2, None)
    assert "OT[2x0.2 byo-yomi]" in (folder / "game-0001.sgf").read_text()
    arguments[arguments.index("--periods") + 1] = "3"
    assert "has another --periods (2, not 3); resume it with the same." in call(capsys, *arguments, "--resume")[2]


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


def test_repeated_games_are_reported(capsys):
    arguments = ["match", engine("good"), engine("passes"), "--game", "go", "--size", "5", "--games", "4"]
    code, out, _ = call(capsys, *arguments)
    assert code == 0
    assert "Omitted because they repeat an earlier game: 2 of 4 games." in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["gtp:no-such-engine"], "There is no program 'no-such-engine' to start as an engine."),
        (["gtp:true"], "does not speak GTP"),
        (["gtp:"], "The engine command is empty"),
        ([f"gtp:{answering(boardsize='? unacceptable size')}"], "cannot play go on 9x9: it refused 'boardsize': unacc"),
        (["naive", "--referee", "no-such-engine"], "There is no program 'no-such-engine'"),
        (["naive", "--referee", answering(komi="? no")], "cannot play go on 9x9: it refused 'komi': no."),
        (["naive", "--resume"], "--resume needs --folder"),
        (["naive", "--handicap", "2", "--random-moves", "2"], "Only one of --handicap, --openings and --random-moves"),
        (["naive", "--handicap", "1"], "Handicap on 9x9 is 2 to 9 stones, not 1."),
        (["naive", "--parallel", "-1"], "--threads must be 0 or more, not -1."),
        (["naive", "--timeout", "0"], "--timeout must be above 0"),
        (["naive", "--seconds", "-1"], "--seconds must be above 0"),
        (["naive", "--main-time", "0"], "--main-time must be above 0"),
        (["naive", "--main-time", "9", "--seconds", "1"], "--seconds and a clock, by --main-time and --byo-yomi"),
        (["naive", "--periods", "3"], "--periods and --stones need --byo-yomi"),
        (["naive", "--byo-yomi", "9", "--periods", "0"], "--periods must be 1 or more, not 0."),
        (
            ["naive", "--byo-yomi", "9", "--periods", "2", "--stones", "5"],
            "Only one of --periods and --stones",
        ),
        (["naive", "--openings", "nothing.txt"], "cannot be read"),
        (["naive", "--random-moves", "2", "--show"], "--show is not available"),
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


def test_games_without_a_result_are_reported(capsys):
    unsure = answering(final_score="perhaps")
    common = ["--game", "go", "--size", "5", "--games", "2", "--random-moves", "2", "--referee", unsure]
    reason = "no result: the referee answered 'final_score' with 'perhaps'"
    code, out, _ = call(capsys, "match", "playout", "naive", *common)
    assert code == 0
    assert f"2 games have {reason}.\n" in out
    players = ["playout", "naive", "random"]
    code, out, _ = call(capsys, "tournament", *players, *common)
    assert code == 0
    told = re.findall(rf"(\d+) games? ha(?:ve|s) {reason}(?:, stopped after 75 moves)?\.\n", out)
    assert sum(map(int, told)) == 6
    document = json.loads(call(capsys, "tournament", *players, *common, "--json")[1])
    assert document["void"] == 6
    assert document["forfeits"] == {}
    assert document["elo"]["naive"] == {"value": 0.0, "low": None, "high": None}


def test_output_of_engines_is_printed_verbatim(capsys, monkeypatch):
    """Rich would interpret [bold] and :cat:."""
    words = "[/oops] [bold]bad[/bold] :cat:"
    rude = f"gtp:{answering(genmove=f'? {words}')} [/x] :dog:"
    common = ["--game", "go", "--size", "5", "--games", "2"]
    for terminal in (False, True):
        if terminal:
            monkeypatch.setenv("FORCE_COLOR", "1")
            monkeypatch.setenv("COLUMNS", "400")
            monkeypatch.setenv("TERM", "xterm")  # a dumb one gets no live table
        code, out, err = call(capsys, "match", rude, "playout", *common)
        assert code == 0, err
        assert f"A = {rude} against B = playout" in out
        assert f"Forfeited 2 times: A refused 'genmove': {words}.\n" in out
        code, out, err = call(capsys, "tournament", rude, "playout", *common)
        assert code == 0, err
        assert f"Forfeited 2 times: {rude} refused 'genmove': {words}.\n" in out
        assert out.count("[/x] :dog:") == 2  # in the table and in this line
        assert ("[/x] :dog:" in err) == terminal


def test_many_reasons_are_summarised():
    from nobi.cli.match import Match
    from nobi.cli.series import series_notes
    from nobi.matches.folder import GameResult

    def lost(number, reason):
        return GameResult(number, 0, 1, "white", "W+F", f"black {reason}", True, "", [], [], [0.0, 0.0])

    records = [lost(number, f"chose {max(0, number - 2)}") for number in range(10)]
    assert series_notes(Match(a="", b=""), records, "AB") == [
        "Forfeited 3 times: A chose 0.",
        *(f"Forfeited once: A chose {number}." for number in (1, 2, 3, 4)),
        "Forfeited 3 times: other reasons, see the records of the games.",
    ]


def test_an_engine_that_refuses_the_rules_is_reported_once(capsys):
    stubborn = f"gtp:{answering(known_command='true', **{'kata-set-rules': '? none of these'}, genmove='pass')}"
    arguments = ["match", stubborn, "random", "--game", "go", "--size", "5", "--games", "4", "--parallel", "2"]
    code, _, err = call(capsys, *arguments)
    assert code == 0
    assert err.startswith("nobi: The engine ")
    assert "its own rules" in err
    assert err.endswith("refused 'kata-set-rules': none of these.\n")
    assert err.count("nobi: ") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "needs two players or more"),
        (["naive"], "needs two players or more"),
        (["naive", "naive"], "A player is given twice"),
        (["naive", "random", "--games", "0"], "--games must be 1 or more"),
        (["naive", "heuristic"], "The player 'heuristic' plays atari-go, not go."),
    ],
)
def test_invalid_tournaments(capsys, arguments, sentence):
    code, out, err = call(capsys, "tournament", *arguments)
    assert (code, out) == (2, "")
    assert sentence in err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_an_engine_that_starts(number, tmp_path):
    folder = tmp_path / "match"
    silent = shlex.join([sys.executable, "-S", "-E", "-c", "import time; time.sleep(300)", str(tmp_path)])
    arguments = ["match", "playout", f"gtp:{silent}", "--game", "go", "--folder", str(folder)]
    process = subprocess.Popen([sys.executable, "-m", "nobi", *arguments], stderr=subprocess.PIPE, text=True)
    assert wait_until(lambda: processes_with(tmp_path) - {process.pid}, 120)
    process.send_signal(number)
    assert process.communicate(timeout=30)[1].endswith("nobi: interrupted.\n")
    assert process.returncode == 130
    assert processes_with(tmp_path) == set()
    assert not folder.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_engines_and_keeps_the_games(number, tmp_path, capsys):
    folder = tmp_path / "match"
    slow = f"{engine('slow', 1)} {tmp_path}"
    arguments = ["match", "playout", slow, "--game", "go", "--size", "5", "--folder", str(folder)]
    command = [sys.executable, "-m", "nobi", *arguments, "--games", "1000", "--json", "--threads", "2"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 240
    while not (folder / "games.jsonl").exists():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert len(processes_with(tmp_path) - {process.pid}) == 2
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert processes_with(tmp_path) == set()
    document = json.loads(out)
    assert len(document["games"]) == len((folder / "games.jsonl").read_text().splitlines()) > 0
    assert "of 1,000 games" in err
    assert (
        "has another --timeout (60.0, not 61.0)"
        in call(capsys, *arguments, "--games", "1000", "--resume", "--timeout", "61")[2]
    )
    assert "more games than" in call(capsys, *arguments, "--games", "1", "--resume")[2] or len(document["games"]) == 1
    count = max(game["game"] for game in document["games"]) + 1
    code, out, _ = call(capsys, *arguments, "--games", str(count), "--resume", "--json")
    assert code == 0
    assert [game["game"] for game in json.loads(out)["games"]] == list(range(count))


def test_a_match_against_gnugo(capsys, tmp_path):
    """Both rulesets, a referee and two games at once with the real engine."""
    command = f"{gnugo()} --mode gtp --level 1"
    common = ["--games", "4", "--threads", "2", "--random-moves", "2", "--size", "7", "--json"]
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
