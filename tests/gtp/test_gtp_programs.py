"""Dialogues of graphical programs with the real process, as recorded from their sources."""

import queue
import re
import signal
import subprocess
import sys
import threading
import time

import pytest


class Engine:
    """`nobi gtp` as a program."""

    def __init__(self, *arguments):
        command = [sys.executable, "-m", "nobi", "gtp", *arguments]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )
        self.errors = []
        self._lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_errors, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(line.decode().removesuffix("\n"))

    def _read_errors(self):
        for line in self.process.stderr:
            self.errors.append(line.decode().rstrip())

    def send(self, line):
        self.process.stdin.write(line.encode() + b"\n")

    def line(self):
        return self._lines.get(timeout=300)

    def rest(self):
        """The lines up to the empty one that ends an answer."""
        found = []
        while line := self.line():
            found.append(line)
        return found

    def ask(self, line):
        """The text of a successful answer."""
        self.send(line)
        number = re.match(r"\d*", line)[0]
        answer = "\n".join(self.rest())
        assert re.match(rf"={number}( |$)", answer), (line, answer)
        return answer.removeprefix(f"={number}").strip()

    def refuses(self, line):
        self.send(line)
        answer = "\n".join(self.rest())
        assert answer.startswith("?"), (line, answer)
        return answer

    def wait_until_ready(self):
        deadline = time.monotonic() + 300
        while "GTP ready" not in self.errors:
            assert self.process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()


@pytest.fixture(scope="module")
def engine():
    with Engine("mcts:rollouts=100,memory=16", "--size", "9") as found:
        found.wait_until_ready()
        yield found


def fields(info):
    """The fields of an info by name; that of the variation, the last one, is a list."""
    head, _, variation = info.partition(" pv ")
    words = head.split()
    return dict(zip(words[::2], words[1::2], strict=True)) | {"pv": variation.split()}


def test_sabaki(engine):
    names = [engine.ask(command) for command in ("name", "version", "protocol_version")]
    assert names[2] == "2"
    commands = engine.ask("list_commands").split("\n")
    assert next(name for name in ("analyze", "kata-analyze", "lz-analyze") if name in commands) == "kata-analyze"
    for line in ("boardsize 9", "clear_board", "komi 0", "komi 7.5", "play B E5"):
        engine.ask(line)
    engine.send("kata-analyze W 20")
    assert engine.line() == "="  # before any report
    for _ in range(2):
        line = engine.line()
        assert line.startswith("info ")
        for info in line.split("info ")[1:]:
            found = fields(info)
            assert re.fullmatch(r"[01]\.\d+", found["winrate"])  # 0.52.2 takes 1 for 0.01 %
            assert re.fullmatch(r"-?\d+\.\d+", found["scoreLead"])
            assert int(found["visits"]) >= 1
            assert found["pv"][0] == found["move"]
    engine.send("protocol_version")
    while engine.line():
        pass
    assert engine.rest() == ["= 2"]
    engine.send("kata-genmove_analyze W 20")
    assert engine.line() == "="
    assert engine.rest()[-1].startswith("play ")
    engine.ask("undo")


def test_lizzie(engine):
    """Numbers in every answer; analysis with a region."""
    for i, line in enumerate(("boardsize 9", "komi 7.5", "clear_board", "play b E5")):
        assert engine.ask(f"{i} {line}") == ""
    assert "unacceptable size" in engine.refuses("4 boardsize 9 13")
    engine.send("5 lz-analyze w 10 avoid w E4,E6,pass 1")
    assert engine.line() == "=5"
    infos = [fields(info) for info in engine.line().split("info ")[1:]]
    assert not {"E4", "E6"} & {info["move"] for info in infos}
    assert all(0 <= int(info["winrate"]) <= 10000 for info in infos)
    engine.send("6 name")
    while engine.line():
        pass
    assert engine.rest()[0].startswith("=6 ")


def test_lizgoban(engine):
    """LizGoban tries each feature and uses those with a successful response."""
    supported = [
        "kata-analyze interval 1", "kata-set-rules chinese", "set_free_handicap A1", "set_position b A1 w B2",
        "kata-analyze interval 1 minmoves 2", "kata-analyze interval 1 pvVisits true",
        "kata-analyze interval 1 pvEdgeVisits true", "kata-analyze interval 1 ownershipStdev true",
        "kata-analyze interval 1 movesOwnership true", "kata-analyze interval 1 rootInfo true",
        "kata-analyze interval 1 allow b A2,A3 1 allow w A2 1", "clear_cache", "kata-get-models",
    ]  # fmt: skip
    engine.ask("clear_board")
    for i, line in enumerate(supported):
        engine.send(f"{i} {line}")
        assert re.match(rf"={i}( |$)", engine.line()), line
        if line.startswith("kata-analyze"):
            report = engine.line()
            assert report.startswith("info ")
            if "allow" in line:
                assert set(re.findall(r"move (\S+)", report)) <= {"A2", "A3"}
            if "rootInfo" in line:
                assert " rootInfo visits " in report
            engine.send("name")
            engine.rest()
            engine.rest()
        else:
            engine.rest()
    for line in ("lz-setoption name visits value 5", "kata-get-param humanSLProfile", "kata-analyze interval 1 odd 1"):
        engine.refuses(f"7 {line}")
    engine.send("8 kata-search_analyze_cancellable b 5")
    assert engine.line() == "=8"
    engine.send("9 name")
    assert engine.rest()[-1].startswith("play ")
    engine.rest()
    engine.ask("clear_board")


def test_ogatak_over_gtp(engine):
    engine.send("11 kata-analyze b 28.999999999999996 ownership true")
    assert engine.line() == "=11"
    report = engine.line()
    owners = report.partition(" ownership ")[2].split()
    assert len(owners) == 81
    engine.send("12 name")
    while engine.line():
        pass
    engine.rest()


def test_lizzieyzy(engine):
    assert engine.ask("list_commands").startswith("protocol_version\n")
    assert '"ko"' in engine.ask("kata-get-rules")
    engine.ask("kata-set-param analysisWideRootNoise 0.04")
    assert engine.ask("kata-get-param analysisWideRootNoise") == "0.04"
    engine.refuses("kata-set-param playoutDoublingAdvantage 1")
    engine.ask('kata-set-params {"analysisWideRootNoise": 0}')
    engine.ask("stop")


def test_gogui(engine):
    commands = engine.ask("list_commands").split("\n")
    assert {"gogui-analyze_commands", "gogui-interrupt", "gogui-play_sequence", "gg-undo", "cputime"} <= set(commands)
    engine.ask("gogui-play_sequence b E5 w C3 b pass")
    engine.ask("gg-undo 2")
    assert engine.ask("list_stones w") == ""
    assert float(engine.ask("cputime")) > 0
    engine.ask("kata-set-param maxVisits 900000000")
    engine.send("genmove w")
    engine.send("# interrupt")  # otherwise the search would not end
    assert engine.rest()[0].startswith("= ")
    engine.ask("kata-set-param maxVisits 50")
    assert "playouts" in engine.ask("gomill-explain_last_move")
    engine.ask("clear_board")


def test_cgos_and_ogs(engine):
    engine.send("kata-genmove_analyze b ownership true")  # no interval: the last line is read
    assert engine.line() == "="
    *infos, last = engine.rest()
    assert last.startswith("play ")
    assert "scoreLead" in infos[-1]
    engine.ask("kgs-game_over")
    assert "fischer-capped" in engine.ask("kata-list_time_settings").split()
    for line in ("fischer-capped 60 5 120 -1", "byoyomi 60 10 3", "none"):
        engine.ask(f"kata-time_settings {line}")
    engine.send("list_commands\r")  # lines end in CR LF
    assert engine.rest()[0].startswith("= ")
    engine.ask("clear_board")
    assert len(engine.ask("place_free_handicap 12").split()) == 12
    engine.ask("clear_board")


def test_kgs(engine):
    """kgsGtp first requests the list of commands, and sends the time before every move."""
    commands = set(engine.ask("list_commands").split("\n"))
    assert {"kgs-rules", "kgs-time_settings", "kgs-genmove_cleanup", "kgs-game_over", "final_status_list"} <= commands
    for line in ("boardsize 9", "clear_board", "komi 7.5", "kgs-rules chinese", "kgs-time_settings byoyomi 60 10 3"):
        engine.ask(line)
    for black, white in (("E5", "C3"), ("G3", "C7")):
        engine.ask(f"play b {black}")
        engine.ask("time_left w 60 0")
        engine.ask("time_left b 55 0")
        assert engine.ask("genmove w")
        engine.ask("undo")  # a player who asks for one gets it
        engine.ask(f"play w {white}")
    for line in ("play b pass", "play w pass", "final_status_list dead"):
        engine.ask(line)
    engine.ask("time_left b 0 3")
    assert engine.ask("kgs-genmove_cleanup b")
    engine.ask("kgs-game_over")
    engine.ask("kata-time_settings none")
    engine.ask("clear_board")


@pytest.mark.parametrize("end", ["SIGINT", "SIGTERM"])
def test_the_process_ends_at_once(end):
    with Engine("mcts:memory=16", "--size", "9", "--threads", "2", "--name", "KataGo", "--version-text", "1.15") as one:
        one.wait_until_ready()
        assert (one.ask("name"), one.ask("version")) == ("KataGo", "1.15")  # for Lizzie
        one.send("kata-analyze 100000")
        assert one.line() == "="
        time.sleep(0.3)
        one.process.send_signal(getattr(signal, end))
        assert one.process.wait(60) == 130
        assert not any("Traceback" in line for line in one.errors)


def test_the_process_ends_when_its_output_is_closed():
    command = [sys.executable, "-m", "nobi", "gtp", "mcts:memory=16", "--size", "9"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        with subprocess.Popen(["head", "-n", "1"], stdin=process.stdout, stdout=subprocess.DEVNULL) as reader:
            process.stdout.close()  # only `head` has it
            process.stdin.write(b"kata-analyze 100000\n")
            process.stdin.flush()
            assert reader.wait(300) == 0
        assert process.wait(60) == 0
        assert b"Traceback" not in process.stderr.read()
