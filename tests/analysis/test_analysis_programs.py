"""Dialogues of programs with the real process, as recorded from their sources."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers.analysing import Process

MODEL = "mcts:memory=16"  # no network: quick to start


@pytest.fixture(scope="module")
def katrain():
    """The process as started by KaTrain, with any program as its EXE."""
    with Process(
        "analysis", "-override-config", "homeDataDir=/tmp/a folder", "-analysis-threads", "2", MODEL
    ) as engine:
        yield engine


KATRAIN = {
    "rules": "japanese",
    "komi": 6.5,
    "boardXSize": 9,
    "boardYSize": 9,
    "includeOwnership": True,
    "includeMovesOwnership": True,
    "includePolicy": True,
    "initialStones": [],
    "initialPlayer": "B",
    "overrideSettings": {"reportAnalysisWinratesAs": "BLACK", "wideRootNoise": 0.04, "maxTime": 8.0},
    "reportDuringSearchEvery": 1,
}
UNLIMITED = {**KATRAIN, "overrideSettings": {"reportAnalysisWinratesAs": "BLACK", "wideRootNoise": 0.04}}


def katrain_reads(found):
    """The fields that KaTrain reads from an answer; in KaTrain a KeyError would discard the answer."""
    assert found["rootInfo"]["visits"] >= 1
    assert 0 <= found["rootInfo"]["winrate"] <= 1
    assert isinstance(found["rootInfo"]["scoreLead"], float)
    assert len(found["policy"]) == 82
    for info in found["moveInfos"]:
        assert isinstance(info["scoreLead"], float)
        assert 0 <= info["winrate"] <= 1
        assert info["pv"][0] == info["move"]
        assert info["visits"] >= 1
        assert isinstance(info["order"], int)
        assert 0 <= info["prior"] <= 1


def test_katrain(katrain):
    move = [["B", "E5"]]
    katrain.send(
        {**KATRAIN, "priority": -99, "analyzeTurns": [0], "maxVisits": 25, "moves": [], "id": "QUERY:1"},
        {**KATRAIN, "priority": 1001, "analyzeTurns": [1], "maxVisits": 500, "moves": move, "id": "QUERY:2"},
        {
            **UNLIMITED, "reportDuringSearchEvery": 0.25, "priority": 101, "analyzeTurns": [1],
            "maxVisits": 10000000, "moves": move, "id": "QUERY:3",
        },
    )  # fmt: skip
    found = []
    while not ({"QUERY:1", "QUERY:2"} <= final(found) and "QUERY:3" in {one["id"] for one in found}):
        found.append(katrain.receive())
    katrain.send({"action": "terminate", "terminateId": "QUERY:3", "id": "QUERY:4"})
    while not ({"QUERY:3"} <= final(found) and "QUERY:4" in {one["id"] for one in found}):
        found.append(katrain.receive())
    [echo] = [one for one in found if one["id"] == "QUERY:4"]
    assert echo == {"action": "terminate", "terminateId": "QUERY:3", "id": "QUERY:4"}
    [last] = [one for one in found if one["id"] == "QUERY:3" and not one["isDuringSearch"]]
    assert found.index(echo) < found.index(last)
    for one in found:
        if "rootInfo" in one:
            katrain_reads(one)
            assert len(one["ownership"]) == 81
            assert all(len(info["ownership"]) == 81 for info in one["moveInfos"])
    off = {"includeOwnership": False, "includeMovesOwnership": False}
    katrain.send(
        {**UNLIMITED, **off, "priority": -9, "analyzeTurns": [2], "maxVisits": 25, "id": "QUERY:5",
         "moves": [["B", "E5"], ["W", "E5"]]},
        {**UNLIMITED, "priority": 101, "analyzeTurns": [1], "maxVisits": 500, "moves": move, "id": "QUERY:6",
         "avoidMoves": [{"moves": ["E4", "E6"], "player": "W", "untilDepth": 1}]},
    )  # fmt: skip
    error = katrain.receive()
    assert (error["id"], error["field"]) == ("QUERY:5", "moves")
    assert "Illegal move" in error["error"]
    found = [katrain.receive()]
    while not final(found):
        found.append(katrain.receive())
    katrain_reads(found[-1])
    assert not {"E4", "E6"} & {info["move"] for info in found[-1]["moveInfos"]}


def final(found):
    """The queries with a complete answer."""
    return {one["id"] for one in found if "rootInfo" in one and not one["isDuringSearch"]}


def test_ogatak(katrain):
    """One query at a time; the next one is sent after the echo of `terminate`."""
    katrain.send({"id": "query_version!", "action": "query_version"})
    assert katrain.receive()["version"].count(".") == 2
    katrain.send(
        {"id": "test_bs29", "maxVisits": 1, "rules": "Chinese", "boardXSize": 29, "boardYSize": 29, "moves": []}
    )
    assert "error" in katrain.receive()
    query = {
        "rules": "chinese", "komi": 7.5, "boardXSize": 9, "boardYSize": 9, "maxVisits": 1000000, "analysisPVLen": 32,
        "reportDuringSearchEvery": 0.1, "firstReportDuringSearchAfter": 0.05, "includePolicy": True,
        "overrideSettings": {"reportAnalysisWinratesAs": "BLACK", "wideRootNoise": 0.0},
    }  # fmt: skip
    for i in range(3):
        name = f"node_{i}"
        katrain.send({**query, "id": name, "moves": [["B", "E5"], ["W", "C3"]][:i]})
        report = katrain.receive()
        assert report["id"] == name
        assert report["moveInfos"]
        assert "thisHash" not in report["rootInfo"]
        katrain.send({"id": "t", "action": "terminate", "terminateId": name})
        found = [katrain.receive()]
        while not (final(found) and any(one["id"] == "t" for one in found)):
            found.append(katrain.receive())
        [echo] = [one for one in found if one["id"] == "t"]
        assert (echo["action"], echo["terminateId"]) == ("terminate", name)


def test_lizzieyzy(katrain):
    """Flash analysis: every turn of a game, numbers as ids."""
    katrain.send(
        {
            "id": "7", "moves": [["B", "E5"], ["W", "C3"]], "initialStones": [], "rules": "tromp-taylor", "komi": 7.5,
            "boardXSize": 9, "boardYSize": 9, "analyzeTurns": [0, 1, 2], "maxVisits": 30,
            "overrideSettings": {"reportAnalysisWinratesAs": "SIDETOMOVE"},
        }
    )  # fmt: skip
    found = [katrain.receive() for _ in range(3)]
    assert {one["turnNumber"] for one in found} == {0, 1, 2}
    for one in found:
        for info in one["moveInfos"]:
            assert {
                "order",
                "move",
                "visits",
                "winrate",
                "lcb",
                "prior",
                "scoreLead",
                "scoreStdev",
                "pv",
            } <= info.keys()


def memory_of(process):
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    [line] = [line for line in lines if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


def test_memory_is_bounded_over_a_thousand_queries(katrain):
    query = {**KATRAIN, "maxVisits": 5, "moves": [["B", "E5"]], "analyzeTurns": [1]}
    del query["reportDuringSearchEvery"]
    before = 0.0
    for block in range(10):
        katrain.send(*({**query, "id": f"{block}-{i}"} for i in range(100)))
        for _ in range(100):
            assert katrain.receive()["rootInfo"]["visits"] == 5
        before = before or memory_of(katrain.process)
    assert memory_of(katrain.process) < before + 50  # megabytes


def test_the_start_is_reported_and_the_end_of_the_input_ends_the_process(katrain):
    katrain.wait_for_error("ready to begin handling requests")
    assert not any("xception" in line or "what()" in line for line in katrain.errors)
    katrain.send({**KATRAIN, "maxVisits": 50, "moves": [], "id": "last"})
    katrain.process.stdin.close()
    found = []
    while line := katrain.line():
        found.append(json.loads(line))
    assert "last" in final(found)
    assert katrain.process.wait(30) == 0


ENDLESS = {**UNLIMITED, "maxVisits": 10**7, "moves": [], "id": "q", "reportDuringSearchEvery": 100}


@pytest.mark.parametrize("end", ["SIGINT", "SIGTERM", "input"])
def test_the_process_ends_within_a_second(end):
    with Process("analysis", MODEL, "-quit-without-waiting") as engine:
        engine.wait_for_error("ready to begin handling requests")
        engine.send({**ENDLESS, "firstReportDuringSearchAfter": 0.1})
        engine.receive()
        start = time.monotonic()
        if end == "input":
            engine.process.stdin.close()
        else:
            engine.process.send_signal(getattr(signal, end))
        code = engine.process.wait(30)
        seconds = time.monotonic() - start
        assert code == (130 if end.startswith("SIG") else 0)
        assert seconds < 5  # a second on an idle machine
        assert not any("Traceback" in line for line in engine.errors)


def test_the_process_ends_when_its_output_is_closed():
    command = [sys.executable, "-m", "nobi", "analysis", MODEL]
    query = json.dumps({**ENDLESS, "firstReportDuringSearchAfter": 0.1}).encode() + b"\n"
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        with subprocess.Popen(["head", "-n", "1"], stdin=process.stdout, stdout=subprocess.DEVNULL) as reader:
            process.stdout.close()  # only `head` has it
            process.stdin.write(query)
            process.stdin.flush()
            assert reader.wait(300) == 0
        assert process.wait(60) == 0
        assert b"Traceback" not in process.stderr.read()
