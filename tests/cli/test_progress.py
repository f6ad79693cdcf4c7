"""Progress without a terminal, compilation time, and `nobi warm-up`."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from helpers.commands import call
from nobi import cli, compiling, games, networks, players
from nobi.cli import base, progress, warm_up
from nobi.cli.base import Stopwatch
from nobi.cli.progress import ProgressText, progress_bar, progress_lines
from nobi.errors import INTERRUPTED, NobiError


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand."""
    now = SimpleNamespace(seconds=0.0)
    stopped = SimpleNamespace(monotonic=lambda: now.seconds, perf_counter=lambda: now.seconds)
    for module in (base, progress):
        monkeypatch.setattr(module, "time", stopped)
    return now


def test_progress_as_text(clock):
    text = ProgressText("games", 100)
    assert str(text) == "games 0 of 100, 0:00 so far"
    clock.seconds = 60
    text.update(20, 100)
    assert (
        str(text) == "games 20 of 100, 1:00 so far"
    )  # the time of these 20 is unknown: they may be from an earlier run
    clock.seconds = 125
    text.update(50, 100, "naive leads")
    assert str(text) == "games 50 of 100, 2:05 so far, about 1:48 left; naive leads"
    clock.seconds = 3723
    text.update(100, 100)
    assert str(text) == "games 100 of 100, 1:02:03 so far"


def test_a_share_of_the_work_as_text(clock):
    text = ProgressText("work", 0, share=True)
    assert str(text) == "work 0 %, 0:00 so far"
    text.update(0, 80)
    clock.seconds = 30
    text.update(20, 80, "table 1")
    assert str(text) == "work 25 %, 0:30 so far, about 1:30 left; table 1"


def test_without_a_terminal_progress_is_printed_as_lines(capsys, monkeypatch):
    monkeypatch.setattr(progress, "LOG_SECONDS", 0.01)
    with progress_bar("games", 9, note=True) as update:
        update(4, "so far so good")
        _, err = until_something_is_said(capsys)
    assert re.fullmatch(r"(nobi: games (0|4) of 9, 0:00 so far(; so far so good)?\n)+", err)


def until_something_is_said(capsys):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        time.sleep(0.05)
        out, err = capsys.readouterr()
        if err:
            return out, err
    raise AssertionError("nothing was said")


def test_nothing_is_printed_after_the_end_or_if_switched_off(capsys, monkeypatch):
    monkeypatch.setattr(progress, "LOG_SECONDS", 0.01)
    with progress_lines(lambda: "x"):
        pass
    capsys.readouterr()
    with progress_bar("games", 9, show=False) as update:
        update(3)
        time.sleep(0.1)
    assert capsys.readouterr().err == ""


def test_the_stopwatch_excludes_compilation_time(clock, monkeypatch):
    spent = SimpleNamespace(seconds=5.0)
    monkeypatch.setattr(compiling, "seconds_compiling", lambda: spent.seconds)
    watch = Stopwatch()
    clock.seconds, spent.seconds = 10.0, 12.0
    assert watch.seconds() == 3.0
    clock.seconds = 17.0
    assert watch.seconds() == 10.0


def test_a_finished_run_is_reported(capsys, tmp_path):
    command = [
        "evolve",
        str(tmp_path / "run"),
        "--net",
        "mdrnn:hidden=1",
        "--sizes",
        "5",
        "--method",
        "es:parents=1,offspring=1",
    ]
    command += ["--games", "2", "--opponents", "random", "--generations", "2", "--threads", "1"]
    _, out, _ = call(capsys, *command)
    assert out.startswith("2 generations in ")
    _, out, _ = call(capsys, *command, "--resume")
    assert out.startswith("All 2 generations were done before.\n")


def test_every_game_player_network_and_set_of_planes_is_warmed_up(tmp_path):
    commands = [step.command for step in warm_up.steps_in(tmp_path, games.names())]
    matches = [command for command in commands if command[0] == "match"]
    for game in games.names():
        met = {command[1:3] for command in matches if command[command.index("--game") + 1] == game}
        built_in = [name for name in players.names() if name not in ("mcts", "gtp")]
        own = [name for name in built_in if game in (players.find(name).games or [game])]
        assert {frozenset((a, b)) for a in own for b in own} <= {frozenset(pair) for pair in met}  # in either order
        assert any(a.startswith("mcts:") for a, _ in met)
        trained = {
            command[command.index("--net") + 1] for command in commands if command[0] == "evolve" and game in command
        }
        assert trained == set(networks.names())
        evolutions = [command for command in commands if command[0] == "evolve" and game in command]
        assert all(set(own) <= set(command) for command in evolutions)  # every network meets every player
    kinds = {command[0] for command in commands}
    assert kinds == {"match", "evolve", "coevolve", "show", "data", "imitate", "predict"}
    assert any("planes=m15" in spec for command in commands for spec in command)


def one_step(*command):
    return lambda *_: iter([warm_up.Step("something", command)])


def test_a_warm_up_reports_what_it_compiled(capsys, monkeypatch):
    def run(_):
        compiling._watch.say("the rules of chess")
        return 0

    monkeypatch.setattr(warm_up, "steps_in", one_step("games"))
    code, out, err = call(capsys, "warm-up")
    assert (code, err) == (0, "")
    assert out.startswith("Everything was compiled before.\nThe compiled code is in ")
    call_itself = cli.run
    monkeypatch.setattr(cli, "run", run)
    capsys.readouterr()
    assert warm_up.WarmUp().run() == 0
    assert re.match(r"Compiled in \d+ s: the rules of chess\.\nThe compiled code is in ", capsys.readouterr().out)
    assert warm_up.WarmUp(json=True).run() == 0
    document = json.loads(capsys.readouterr().out)
    assert document["compiled"] == ["the rules of chess"]
    assert Path(document["folder"]).is_dir()
    monkeypatch.setattr(cli, "run", call_itself)


def test_a_warm_up_of_some_games(capsys, tmp_path):
    about = [step.about for step in warm_up.steps_in(tmp_path, ["gomoku"])]
    assert about
    assert all("gomoku" in text for text in about)
    code, _, err = call(capsys, "warm-up", "chess")
    assert code == 2
    assert "chess" in err


def test_a_warm_up_that_fails_names_the_command(monkeypatch):
    monkeypatch.setattr(warm_up, "steps_in", one_step("match", "nobody", "random"))
    with pytest.raises(NobiError, match=r"'nobi match nobody random' failed: nobi: There is no player 'nobody'"):
        warm_up.WarmUp().run()
    monkeypatch.setattr(cli, "run", lambda _: INTERRUPTED)
    with pytest.raises(KeyboardInterrupt):
        warm_up.WarmUp().run()


def test_compilation_is_reported_with_a_hint_at_first():
    program = (
        "from nobi.cli.base import announce_compiling; from nobi import compiling; announce_compiling();"
        "compiling._watch.say('the rules of go'); compiling._watch.say('the boards')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines() == [
        "Compiling the rules of go (once per version; 'nobi warm-up' compiles everything) …",
        "Compiling the boards (once per version) …",
    ]
