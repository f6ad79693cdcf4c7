"""Actions, the order of answers, and the end of the input."""

import io
import json
import threading

import pytest

import nobi
from helpers.analysing import BASE, answers
from nobi.analysis.engine import AnalysisEngine, serve
from nobi.analysis.settings import Defaults, EngineSettings, read_config, read_overrides
from nobi.errors import NobiError
from nobi.search.settings import SearchSettings


def test_actions_echo_the_query():
    found = answers(
        {"id": "1", "action": "query_version", "more": 1},
        {"id": "2", "action": "query_models"},
        {"id": "3", "action": "clear_cache"},
        {"id": "4", "action": "terminate", "terminateId": "nobody", "turnNumbers": [1]},
        {"id": "5", "action": "terminate_all"},
        {"id": "6", "action": "terminate"},
        {"id": "7", "action": "terminate_all", "turnNumbers": "x"},
    )
    assert found[0] == {"id": "1", "action": "query_version", "more": 1, "version": nobi.__version__, "git_hash": ""}
    assert len(found[0]["version"].split(".")) == 3  # Ogatak expects that
    assert found[1]["models"] == []
    assert found[2:5] == [
        {"id": "3", "action": "clear_cache"},
        {"id": "4", "action": "terminate", "terminateId": "nobody", "turnNumbers": [1]},
        {"id": "5", "action": "terminate_all"},
    ]
    assert found[5] == {"error": "Must be a string", "field": "terminateId", "id": "6"}
    assert found[6]["field"] == "turnNumbers"


def test_an_action_that_is_not_a_string_is_a_query():
    [found] = answers({"id": "q", **BASE, "action": 3})
    assert found["rootInfo"]["visits"] == 20


def test_twenty_queries_at_once_are_answered_completely_in_the_order_of_priority():
    first = {**BASE, "id": "first", "maxVisits": 2000, "priority": 100}
    queries = [{**BASE, "id": f"{i}", "priority": (7 * i) % 20 // 2} for i in range(20)]
    found = answers(first, *queries)
    assert len(found) == 21
    assert all(not one["isDuringSearch"] and one["rootInfo"]["visits"] in (20, 2000) for one in found)
    wanted = sorted(queries, key=lambda one: (-one["priority"], int(one["id"])))
    assert [one["id"] for one in found] == ["first", *(one["id"] for one in wanted)]


class Input:
    """An input stream whose lines arrive when they are sent."""

    def __init__(self):
        self._chunks, self._news = [], threading.Condition()

    def send(self, *queries):
        with self._news:
            self._chunks.append(b"".join(json.dumps(one).encode() + b"\n" for one in queries))
            self._news.notify()

    def end(self):
        with self._news:
            self._chunks.append(b"")
            self._news.notify()

    def read(self, _):
        with self._news:
            self._news.wait_for(lambda: self._chunks, timeout=60)
            return self._chunks.pop(0)


class Output(io.RawIOBase):
    """An output stream that collects JSON objects."""

    def __init__(self):
        self.written, self._news = [], threading.Condition()

    def write(self, line):
        with self._news:
            self.written.append(json.loads(line))
            self._news.notify()
        return len(line)

    def wait_for(self, condition):
        with self._news:
            assert self._news.wait_for(lambda: condition(self.written), timeout=60), self.written


@pytest.fixture
def talk():
    """The input and the output of an engine with two searches at once."""
    given, out = Input(), Output()
    engine = AnalysisEngine(SearchSettings(memory=8), EngineSettings(searches=2), out, cores=1)
    thread = threading.Thread(target=serve, args=(engine, given), kwargs={"finish": False})
    thread.start()
    yield given, out
    given.end()
    thread.join(30)
    assert not thread.is_alive()


def ids(written):
    return [one["id"] for one in written if "rootInfo" in one and not one["isDuringSearch"]]


ENDLESS = {**BASE, "maxVisits": 10_000_000, "reportDuringSearchEvery": 0.05}


def test_an_unlimited_search_does_not_block_others(talk):
    given, out = talk
    given.send({**ENDLESS, "id": "ponder", "priority": 101}, {**ENDLESS, "id": "other", "priority": 100})
    out.wait_for(lambda written: {"ponder", "other"} <= {one["id"] for one in written})
    given.send(*({**BASE, "id": f"{i}", "priority": -99} for i in range(5)))
    out.wait_for(lambda written: len(ids(written)) == 5)
    seen = len(out.written)
    out.wait_for(lambda written: sum(one["id"] == "ponder" for one in written[seen:]) > 2)  # and it goes on
    given.send({"id": "t", "action": "terminate", "terminateId": "ponder"}, {"id": "u", "action": "terminate_all"})
    out.wait_for(lambda written: {"ponder", "other"} <= set(ids(written)))
    [ponder] = [one for one in out.written if one["id"] == "ponder" and not one["isDuringSearch"]]
    assert ponder["rootInfo"]["visits"] > 0
    assert "t" in [one["id"] for one in out.written]


def test_a_waiting_query_is_terminated_without_results(talk):
    given, out = talk
    given.send(*({**ENDLESS, "id": f"{i}"} for i in range(2)))
    out.wait_for(lambda written: {"0", "1"} <= {one["id"] for one in written})
    given.send(
        {**BASE, "id": "late", "moves": [["B", "E5"]], "analyzeTurns": [0, 1], "priority": -5, "maxVisits": 10**7},
        {"id": "t", "action": "terminate", "terminateId": "late", "turnNumbers": [1]},
    )
    out.wait_for(lambda written: any(one["id"] == "t" for one in written))
    [none] = [one for one in out.written if one.get("noResults")]
    assert none == {"id": "late", "turnNumber": 1, "isDuringSearch": False, "noResults": True}
    assert out.written.index(none) < [one["id"] for one in out.written].index("t")


def test_the_first_report_may_come_early(talk):
    given, out = talk
    given.send({**ENDLESS, "id": "q", "reportDuringSearchEvery": 1000, "firstReportDuringSearchAfter": 0.01})
    out.wait_for(lambda written: len(written) == 1)
    assert out.written[0]["isDuringSearch"]


def test_at_the_end_of_the_input_queries_are_finished_or_dropped():
    query = {**BASE, "id": "q", "maxVisits": 300}
    assert answers(query)[-1]["rootInfo"]["visits"] == 300
    assert answers({**ENDLESS, "id": "q", "reportDuringSearchEvery": 100}, finish=False) == []


def test_a_closed_output_ends_the_engine():
    class Closed(io.RawIOBase):
        def write(self, _):
            raise BrokenPipeError

    given = Input()
    engine = AnalysisEngine(SearchSettings(memory=8), EngineSettings(searches=1), Closed(), cores=1)
    given.send({**BASE, "id": "q"})
    thread = threading.Thread(target=serve, args=(engine, given))
    thread.start()
    while not engine.scheduler.is_broken:
        assert thread.is_alive()
    given.send({})
    thread.join(30)
    assert not thread.is_alive()


def test_configurations(tmp_path):
    file = tmp_path / "analysis.cfg"
    file.write_text(
        "# a comment\nmaxVisits = 30  # here\nreportAnalysisWinratesAs=BLACK\nnnMaxBatchSize = 64\n\n"
        "numAnalysisThreads=3\n"
    )
    settings = EngineSettings().with_text(read_config(file)).with_text(read_overrides("maxVisits=40,homeDataDir=/x y"))
    assert settings == EngineSettings(Defaults(max_visits=40, perspective=1), 3)
    query = {key: value for key, value in BASE.items() if key != "maxVisits"}
    assert answers({"id": "q", **query}, settings=settings)[0]["rootInfo"]["visits"] == 40
    for text in ("maxVisits=0", "reportAnalysisWinratesAs=x", "numAnalysisThreads=no"):
        with pytest.raises(NobiError):
            EngineSettings().with_text(read_overrides(text))
    with pytest.raises(NobiError):
        read_overrides("maxVisits")
    with pytest.raises(NobiError):
        read_config(tmp_path / "none.cfg")
