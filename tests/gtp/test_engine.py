"""The engine as a process: bytes in, bytes out, and nothing but the protocol."""

import io
import re
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from helpers.clocks import count_playouts_as_milliseconds
from helpers.conversation import Talk
from helpers.positions import position
from nobi.board.stones import BLACK
from nobi.board.text import point_named
from nobi.cli.engines import Gtp
from nobi.games import variant
from nobi.gtp.engine import serve
from nobi.gtp.session import Session
from nobi.models.model import Model, save_model
from nobi.networks import make_network
from nobi.networks.deep import make_deep
from nobi.players import make_bot
from nobi.players.base import Bot
from nobi.search.report import MoveReport, RootReport
from nobi.workers import usable_threads


def session(spec="playout", game="go", size=5):
    return Session(variant(game, size), lambda where: make_bot(spec, where))


def test_bytes_of_all_kinds():
    out = io.BytesIO()
    lines = b"1 name\r\n\n \t\n# nothing\n2 \xff\xfe\n3 \xc3\xa4\n4\tname\n5 known_command \xff\n6 quit\n7 name\n"
    serve(session(), io.BytesIO(lines), out)
    answers = out.getvalue().split(b"\n\n")
    expected = [
        b"=1 nobi playout", b"?2 unknown command", b"?3 unknown command", b"=4 nobi playout", b"=5 false", b"=6 ", b"",
    ]  # fmt: skip
    assert answers == expected


def test_the_end_of_the_input_ends_the_engine():
    out = io.BytesIO()
    serve(session(), io.BytesIO(b"name"), out)
    assert out.getvalue() == b"= nobi playout\n\n"


class Thinker(Bot):
    """Reports its first legal move at every interval until stopped."""

    name = "thinker"

    def __init__(self):
        self.pondered = []
        self.closed = False
        self.decided = threading.Event()

    def choose(self, game, clock):
        del clock
        return game.legal_moves()[0]

    def analyse(self, game, report, interval, stop):
        moves = game.legal_moves()
        visits = 0
        while True:
            visits += 10
            best = MoveReport(moves[0], visits, 0.75, 0.4816, 0.5, moves[:3], [visits] * 3)
            found = RootReport(visits, 0.75, None, [best])
            report(found)
            if stop.wait(interval):
                return found

    def choose_reporting(self, game, clock, report, interval):
        self.analyse(game, report, interval, self.decided)
        return self.choose(game, clock)

    def ponder(self, game, stop):
        self.pondered.append(len(game.moves))
        stop.wait()

    def close(self):
        self.closed = True


class Pipe(io.RawIOBase):
    """A stream whose lines arrive one at a time, when they are sent."""

    def __init__(self):
        self._lines = []
        self._news = threading.Condition()

    def send(self, line):
        with self._news:
            self._lines.append(line)
            self._news.notify()

    def readline(self, size=-1):
        del size
        with self._news:
            self._news.wait_for(lambda: self._lines, timeout=60)
            return self._lines.pop(0)


@pytest.mark.parametrize("input_line", [b"\n", b"stop\n", b"name\n", b"", b"# comment\n"])
def test_an_analysis_continues_until_the_next_input(input_line):
    bot = Thinker()
    pipe, out = Pipe(), io.BytesIO()
    engine = threading.Thread(target=serve, args=(Session(variant("go", 5), lambda _: bot), pipe, out))
    engine.start()
    pipe.send(b"7 lz-analyze b 2\n")
    deadline = time.monotonic() + 30
    while out.getvalue().count(b"info move") < 3:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert b"\n\n" not in out.getvalue()
    pipe.send(input_line)
    pipe.send(b"")
    engine.join(30)
    assert not engine.is_alive()
    lines = out.getvalue().split(b"\n\n")[0].split(b"\n")
    assert lines[0] == b"=7"
    assert lines[1] == b"info move A5 visits 10 winrate 7500 prior 5000 lcb 4816 order 0 pv A5 B5 C5"
    assert all(line.startswith(b"info move A5 visits ") for line in lines[1:])
    assert bot.closed


@pytest.mark.parametrize(("form", "winrate"), [("lz", "7500"), ("kata", "0.750000")])
def test_genmove_analyze_reports_and_is_not_interrupted_by_input(form, winrate):
    """As in KataGo's documentation: synchronous, regardless of input; ends with `play` and the move."""
    bot = Thinker()
    pipe, out = Pipe(), io.BytesIO()
    engine = threading.Thread(target=serve, args=(Session(variant("go", 5), lambda _: bot), pipe, out))
    engine.start()
    pipe.send(f"8 {form}-genmove_analyze b 2\n".encode())
    deadline = time.monotonic() + 30
    while out.getvalue().count(b"info move") < 2:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    pipe.send(b"\n")
    pipe.send(b"stop\n")
    time.sleep(0.1)
    output = out.getvalue()
    assert b"play" not in output
    while out.getvalue().count(b"info move") < output.count(b"info move") + 2:  # it goes on
        assert time.monotonic() < deadline
        time.sleep(0.01)
    bot.decided.set()
    pipe.send(b"list_stones b\n")
    pipe.send(b"")
    engine.join(30)
    assert not engine.is_alive()
    answer, stop, stones, rest = out.getvalue().decode().split("\n\n")
    first, *lines, last = answer.split("\n")
    assert (first, last, rest) == ("=8", "play A5", "")
    assert lines[0].startswith("info move A5 visits 10 ")
    assert f" winrate {winrate} " in lines[0]
    assert [line.split()[4] for line in lines] == [str(10 * i) for i in range(1, len(lines) + 1)]
    assert (stop, stones) == ("= ", "= A5")


def test_a_search_reports_at_the_requested_interval(monkeypatch):
    out = io.BytesIO()
    lines = b"kata-genmove_analyze b interval 5 maxmoves 2\nlist_stones b\n"
    engine = session("mcts:rollouts=0,seconds=0.6", size=5)
    count_playouts_as_milliseconds(monkeypatch, engine.bot.search)
    serve(engine, io.BytesIO(b"reg_genmove b\n" + lines), out)
    _, answer, stones, _ = out.getvalue().decode().split("\n\n")
    first, *output, last = answer.split("\n")
    assert first == "="
    assert 3 <= len(output) <= 13  # in at most 0.6 s (the search may end early), and one at the end
    assert all(line.count("info move") == 2 for line in output)
    visits = [sum(int(spec.split()[0]) for spec in line.split(" visits ")[1:]) for line in output]
    assert visits == sorted(visits)
    assert visits[-1] > visits[0]
    assert last == f"play {stones.removeprefix('= ')}" == f"play {output[-1].split()[2]}"


def test_pondering_ends_with_the_next_line():
    bot = Thinker()
    pipe, out = Pipe(), io.BytesIO()
    options = {"ponder": True}
    engine = threading.Thread(target=serve, args=(Session(variant("go", 5), lambda _: bot), pipe, out), kwargs=options)
    engine.start()
    pipe.send(b"genmove b\n")
    deadline = time.monotonic() + 30
    while not bot.pondered:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert out.getvalue() == b"= A5\n\n"
    pipe.send(b"play w C3\n")
    pipe.send(b"")
    engine.join(30)
    assert not engine.is_alive()
    assert bot.pondered == [1]


def test_the_command_prints_nothing_but_the_protocol(tmp_path):
    network = make_network("mdrnn:hidden=2")
    weights = np.random.default_rng(1).normal(size=network.weight_count(7)).astype(np.float32)
    model = tmp_path / "net.safetensors"
    save_model(model, Model(network, weights, 7, {"training": {"game": "gomoku"}}))
    log = tmp_path / "log.txt"
    command = [sys.executable, "-m", "nobi", "gtp", str(model), "--log", str(log)]
    lines = "1 gogui-rules_game_id\n2 boardsize 7\n3 genmove b\n4 lz-analyze w 100\n5 showboard\n6 quit\n"
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=300, check=True)
    answers = done.stdout.split("\n\n")
    assert answers[0] == "=1 Gomoku"
    assert [answer.split()[0] for answer in answers[:-1]] == ["=1", "=2", "=3", "=4", "=5", "=6"]
    assert answers[-1] == ""
    assert "> 3 genmove b" in log.read_text()
    assert "< =1 Gomoku" in log.read_text()


def test_the_search_prints_nothing_but_the_protocol():
    command = [sys.executable, "-m", "nobi", "gtp", "mcts:rollouts=30", "--size", "7", "--threads", "2"]
    lines = "1 name\n2 genmove b\n3 kata-genmove_analyze w 1 ownership true\n4 final_score\n5 nobi-ownership\n6 quit\n"
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=300, check=True)
    answers = done.stdout.split("\n\n")
    assert answers[0] == "=1 nobi mcts:rollouts=30,threads=2"
    assert re.fullmatch(r"=2 [A-G][1-7]", answers[1])
    first, *output, last = answers[2].split("\n")
    assert first == "=3"
    assert output
    assert all(line.startswith("info move ") for line in output)
    assert re.fullmatch(r"play [A-G][1-7]", last)
    assert re.fullmatch(r"=4 [BW]\+[0-9.]+", answers[3])
    assert len(answers[4].removeprefix("=5 ").split()) == 49
    assert answers[5:] == ["=6 ", ""]


def test_the_search_captures_instead_of_passing():
    """Black has passed; white captures everything at C5, and would lose everything by a pass."""
    stones = "b A5 b B5 b A4 b B4 b A3 b B3 b A2 b B2 b A1 b B1 w D5 w E5 w D4 w E4 w D3 w E3 w D2 w E2 w D1 w E1"
    lines = f"boardsize 5\nkomi 0.5\ngogui-setup {stones} b C4 w C3 b C2 w C1\n"
    lines += "play black pass\ngenmove white\nfinal_score\nquit\n"
    command = [sys.executable, "-m", "nobi", "gtp", "mcts"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout.split("\n\n")[4:6] == ["= C5", "= W+25.5"]


def test_a_deep_network_is_an_engine(tmp_path):
    model = tmp_path / "deep.safetensors"
    save_model(model, Model.from_module(make_deep("c14-small:size=7"), 7))
    command = [sys.executable, "-m", "nobi", "gtp", str(model)]
    done = subprocess.run(command, input="genmove b\nquit\n", capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout.split()[0] == "="
    assert point_named(done.stdout.split()[1], 7)


def test_dead_stones_are_captured_before_a_game_that_is_scored_as_it_stands():
    """White's stone at C5 is dead. Counted as alive it costs black the game."""
    diagram = """
        . X . X O . O
        X X X X O O .
        . . O X O O O
        X X X X O . .
        . X . X O O O
        X X X X O . .
        . X . X O O .
    """
    talk = Talk(size=7, player="mcts:rollouts=300", bot=None)
    talk.session.set_up(position("go", diagram).start, BLACK)
    talk.ask("komi 6.5", "play b pass", "play w pass")
    assert talk.session.go.score().startswith("W+")
    assert talk.ask("final_score") == "B+0.5"
    assert talk.ask("reg_genmove b") == "pass"
    assert talk.ask("kgs-genmove_cleanup b") == "B5"
    assert "C5" not in talk.ask("list_stones w").split()
    talk.ask("play w pass")
    assert talk.ask("kgs-genmove_cleanup b") == "pass"
    assert talk.session.go.score() == "B+0.5"


def test_ownership_during_a_search_comes_from_its_playouts():
    talk = Talk(size=5, player="mcts:rollouts=50", bot=None)
    answer = talk("kata-genmove_analyze b 10 ownership true maxmoves 1")
    assert answer.split(" ownership ")[1].split("\n")[0].count(" ") == 24
    assert "info" not in talk("kata-genmove_analyze w 10 maxmoves 0")


def test_the_command_ends_at_quit_with_an_open_input():
    command = [sys.executable, "-m", "nobi", "gtp", "random"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdin.write(b"1 name\n2 quit\n")
        process.stdin.flush()  # and stays open, as Sabaki leaves it
        assert process.wait(60) == 0
        assert process.stdout.read().split() == [b"=1", b"nobi", b"random", b"=2"]
        assert process.stderr.read().splitlines()[-1] == b"GTP ready"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nobody"], "There is no player 'nobody'"),
        (["nothing.safetensors"], "There is no model file 'nothing.safetensors'."),
        (["heuristic", "--game", "go"], "The player 'heuristic' plays atari-go, not go."),
        (["random", "--size", "30"], "The board size must be 5 to 25, not 30."),
        (["random", "--json"], "remove --json"),
        (["random", "--threads", "-1"], "--threads must be 0 or more"),
        (["gtp:gnugo --mode gtp"], "'gtp:gnugo --mode gtp' is already an engine"),
        (["mcts:model=nothing.safetensors"], "There is no model file 'nothing.safetensors'."),
        (["random", "--log", "/no/such/folder/log"], "cannot be written to"),
    ],
)
def test_bad_input_gets_one_sentence_and_the_code_2(capsys, arguments, sentence):
    from helpers.commands import call

    code, out, err = call(capsys, "gtp", *arguments)
    assert code == 2
    assert out == ""
    [line] = err.splitlines()
    assert sentence in line


@pytest.mark.parametrize(
    ("spec", "threads", "name"),
    [
        ("mcts", 1, "mcts"),
        ("mcts", 3, "mcts:threads=3"),
        ("mcts", 0, f"mcts:threads={usable_threads()}"),
        ("mcts:rollouts=9", 3, "mcts:rollouts=9,threads=3"),
        ("mcts:threads=2", 3, "mcts:threads=2"),
        ("playout", 3, "playout"),
    ],
)
def test_threads_are_for_players_that_search(spec, threads, name):
    bot = Gtp(player=spec, threads=threads)._new_bot(variant("go", 5))
    assert bot.name == name.removesuffix(":threads=1")  # on a machine with one core
    bot.close()


def test_the_search_has_one_thread_by_default():
    assert Gtp(player="mcts")._new_bot(variant("go", 5)).settings.threads == 1


def test_a_game_has_the_settings_of_the_models_training(tmp_path):
    file = tmp_path / "net.safetensors"
    network = make_network("mlp:hidden=2")
    weights = network.random_weights(7, np.random.default_rng(1))
    save_model(file, Model(network, weights, 7, {"training": {"game": "gomoku"}}))
    for spec in (str(file), f"mcts:rollouts=5,model={file}"):
        assert Gtp(player=spec)._variant() == variant("gomoku", 7)
        assert Gtp(player=spec, game="go")._variant() == variant("go", 7)
    scalable = make_network("mdrnn:hidden=1")
    save_model(file, Model(scalable, scalable.random_weights(7, np.random.default_rng(1)), 7))
    assert Gtp(player=f"mcts:model={file}")._variant() == variant("atari-go", 19)
    assert Gtp(player="mcts")._variant() == variant("go", 19)
