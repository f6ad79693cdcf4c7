"""Every field of a query: accepted values, errors and warnings."""

import pytest

from helpers.analysing import BASE, answer, answers
from nobi.search.settings import SearchSettings


def test_a_result_has_every_field_of_the_protocol():
    found = answer(
        moves=[["b", "e5"], ["White", "(2,2)"]],
        includeOwnership=True,
        includeOwnershipStdev=True,
        includeMovesOwnership=True,
        includeMovesOwnershipStdev=True,
        includePolicy=True,
        includePVVisits=True,
        includeNoResultValue=True,
        overrideSettings={"reportAnalysisWinratesAs": "white"},
        maxVisits=100,
        analysisPVLen=2,
    )
    assert found.keys() == {
        "id", "turnNumber", "isDuringSearch", "moveInfos", "rootInfo", "ownership", "ownershipStdev", "policy",
    }  # fmt: skip
    assert (found["id"], found["turnNumber"], found["isDuringSearch"]) == ("q", 2, False)
    assert len(found["ownership"]) == len(found["ownershipStdev"]) == 81
    assert max(map(abs, found["ownership"])) <= 1
    policy = found["policy"]
    assert len(policy) == 82
    assert [i for i, value in enumerate(policy) if value < 0] == [20, 40]  # the stones
    assert sum(value for value in policy if value >= 0) == pytest.approx(1, abs=1e-3)
    root = found["rootInfo"]
    assert root["visits"] == 100
    assert root["currentPlayer"] == "B"
    assert {"weight", "winrate", "scoreLead", "scoreSelfplay", "scoreStdev", "utility"} <= root.keys()
    assert "thisHash" not in root  # Ogatak compares it with KataGo's own
    for order, info in enumerate(found["moveInfos"]):
        assert {
            "move", "visits", "edgeVisits", "weight", "edgeWeight", "winrate", "scoreLead", "scoreMean", "scoreStdev",
            "scoreSelfplay", "utility", "utilityLcb", "lcb", "prior", "order", "playSelectionValue", "pv", "pvVisits",
            "pvEdgeVisits", "ownership", "ownershipStdev", "noResultValue",
        } == info.keys()  # fmt: skip
        assert info["order"] == order
        assert info["pv"][0] == info["move"]
        assert len(info["pv"]) == len(info["pvVisits"]) <= 3
        assert info["pvVisits"][0] == info["visits"]
        assert info["lcb"] >= info["winrate"]  # seen from the other side
    assert sum(info["visits"] for info in found["moveInfos"]) <= 100


def test_the_value_of_a_network_is_reported():
    def raw(perspective):
        query = {
            "id": "q",
            **BASE,
            "moves": [["B", "E5"]],
            "overrideSettings": {"reportAnalysisWinratesAs": perspective},
        }
        [found] = answers(query, search=SearchSettings(memory=8, model="go-small", mode="synchronous"))
        return found["rootInfo"]["rawWinrate"]

    assert raw("BLACK") == pytest.approx(1 - raw("WHITE"), abs=1e-5)
    assert "rawWinrate" not in answer()["rootInfo"]


def test_perspectives():
    def values(**more):
        found = answer(moves=[["B", "E5"]], maxVisits=60, includeOwnership=True, **more)
        return found["rootInfo"]["winrate"], found["rootInfo"]["scoreLead"], found["ownership"][40]

    white, silent = (values(overrideSettings={"reportAnalysisWinratesAs": name}) for name in ("WHITE", "SIDETOMOVE"))
    black = values(overrideSettings={"reportAnalysisWinratesAs": "Black"})
    assert white == silent == values()
    assert black == pytest.approx([1 - white[0], -white[1], -white[2]], abs=1e-5)
    assert black[2] > 0  # the stone is Black's


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("boardXSize", 4), ("boardXSize", 26), ("boardXSize", "9"), ("boardXSize", None), ("boardYSize", 9.5),
        ("boardYSize", 13), ("moves", None), ("moves", {}), ("moves", [["B"]]), ("moves", [["X", "E5"]]),
        ("moves", [["B", "K10"]]), ("moves", [["B", "I5"]]), ("moves", [["B", "(9,0)"]]), ("moves", [["B", 3]]),
        ("initialStones", 1), ("initialStones", [["B", "pass"]]), ("initialStones", [["B", "Z1"]]),
        ("initialPlayer", "green"), ("initialPlayer", 1), ("analyzeTurns", [1]), ("analyzeTurns", ["0"]),
        ("analyzeTurns", 0), ("analyzeTurns", [-1]), ("priorities", [1]), ("rules", None), ("rules", "calvinball"),
        ("rules", {"ko": "odd"}), ("rules", {"odd": 1}), ("rules", 3), ("komi", 7.3), ("komi", 500), ("komi", "7"),
        ("whiteHandicapBonus", "M"), ("overrideSettings", []), ("overrideSettings", {"maxVisits": 0}),
        ("overrideSettings", {"reportAnalysisWinratesAs": "GREEN"}), ("overrideSettings", {"humanSLProfile": "9d"}),
        ("maxVisits", 0), ("maxVisits", 1.5), ("maxVisits", "5"), ("maxVisits", True), ("analysisPVLen", 0),
        ("analysisPVLen", 1001), ("rootPolicyTemperature", 0), ("rootFpuReductionMax", 3), ("includeOwnership", 1),
        ("includePolicy", "true"), ("includePVVisits", 0), ("reportDuringSearchEvery", 0),
        ("firstReportDuringSearchAfter", "1"), ("priority", 1.5), ("priority", 2**63), ("avoidMoves", {}),
        ("avoidMoves", [1]),
    ],
)  # fmt: skip
def test_errors_name_the_field(field, value):
    found = answer(**{field: value})
    assert found.keys() == {"error", "field", "id"}
    assert (found["field"], found["id"]) == (field, "q")
    assert found["error"]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"avoidMoves": [{"player": "X", "moves": [], "untilDepth": 1}]}, "player"),
        ({"avoidMoves": [{"player": "B", "moves": ["Z9"], "untilDepth": 1}]}, "moves"),
        ({"avoidMoves": [{"player": "B", "moves": ["A9"], "untilDepth": 0}]}, "untilDepth"),
        ({"avoidMoves": [], "allowMoves": []}, "allowMoves"),
        ({"allowMoves": 2 * [{"player": "B", "moves": ["A9"], "untilDepth": 1}]}, "allowMoves"),
        ({"analyzeTurns": [0], "priorities": [1, 2]}, "priorities"),
        ({"analyzeTurns": [0], "priorities": [1], "priority": 1}, "priority"),
        ({"boardXSize": 3, "moves": 1, "rules": 2}, "boardXSize"),  # the first error ends the query
    ],
)
def test_errors_of_several_fields(fields, field):
    assert answer(**fields)["field"] == field


@pytest.mark.parametrize("line", [b"once upon a time", b"[1]", b"3", b'{"a":1}', b'{"id":1}', b"\xff", b"{" * 5000])
def test_errors_without_an_id(line):
    [found] = answers(line)
    assert found.keys() == {"error"}


def test_an_unknown_action_is_an_error_without_an_id_and_empty_lines_are_skipped():
    [found] = answers(b"", b"  ", {"id": "x", "action": "dance"})
    assert found.keys() == {"error"}


def test_nan_and_infinity_are_not_json():
    for text in (b'{"id":"q","komi":NaN}', b'{"id":"q","komi":Infinity}'):
        [found] = answers(text)
        assert found.keys() == {"error"}


def test_warnings_do_not_end_a_query():
    found = answers(
        {
            "id": "q", **BASE, "colour": 1, "spice": 2, "rules": {"scoring": "TERRITORY", "tax": "SEKI"},
            "overrideSettings": {"antiMirror": True, "playoutDoublingAdvantage": 1.5, "wideRootNoise": 0.04},
            "rootFpuReductionMax": 0.1,
        }
    )  # fmt: skip
    *warnings, last = found
    assert all(one.keys() == {"warning", "field", "id"} for one in warnings)
    assert sorted(one["field"] for one in warnings) == [
        "colour", "overrideSettings", "overrideSettings", "rootFpuReductionMax", "rules", "spice",
    ]  # fmt: skip
    assert last["rootInfo"]["visits"] == 20


@pytest.mark.parametrize(
    "rules",
    ["japanese", "chinese", "korean", "aga", "tromp-taylor", "new zealand", "stone_scoring", "Chinese", "AGA-button",
     {"ko": "SIMPLE", "scoring": "AREA", "suicide": False, "tax": "NONE", "whiteHandicapBonus": "N",
      "hasButton": False, "friendlyPassOk": True, "komi": 5.5}],
)  # fmt: skip
def test_rules_that_clients_send(rules):
    assert answers({"id": "q", **BASE, "rules": rules})[-1]["rootInfo"]["visits"] == 20


def test_illegal_moves_end_the_query():
    found = answer(moves=[["B", "E5"], ["W", "E5"]], analyzeTurns=[0, 1])
    assert (found["field"], found["error"]) == ("moves", "Illegal move 1: E5")
    corner = [["B", "A8"], ["W", "pass"], ["B", "B9"]]
    assert answer(moves=[*corner, ["W", "A9"]])["error"] == "Illegal move 3: A9"  # the suicide of one stone


def test_moves_that_are_tolerated():
    ko = [["B", "B1"], ["W", "C1"], ["B", "A2"], ["W", "D2"], ["B", "B3"], ["W", "C3"], ["B", "C2"], ["W", "B2"]]
    assert answer(moves=[*ko, ["B", "C2"]], rules="tromp-taylor")["turnNumber"] == 9  # retakes the ko at once
    assert answer(moves=[["B", "E5"], ["B", "E6"], ["W", "pass"], ["B", "pass"], ["W", "A1"]])["turnNumber"] == 5
    suicide = [["B", "A9"], ["W", "A7"], ["B", "pass"], ["W", "B8"], ["B", "pass"], ["W", "B9"], ["B", "A8"]]
    assert answer(moves=suicide, includeOwnership=True)["turnNumber"] == 7


def test_set_up_stones_replace_and_capture():
    stones = [["B", "A9"], ["W", "B9"], ["W", "A8"], ["B", "E5"], ["W", "E5"]]
    found = answer(initialStones=stones, includePolicy=True)
    assert found["rootInfo"]["currentPlayer"] == "B"
    assert found["policy"][0] == -1  # A9 was captured, and is suicide for Black
    assert found["policy"][40] == -1
    handicap = [["B", "C3"], ["B", "G7"]]
    assert answer(initialStones=handicap)["rootInfo"]["currentPlayer"] == "W"
    assert answer(initialStones=handicap, initialPlayer="b")["rootInfo"]["currentPlayer"] == "B"


def test_komi_moves_the_score():
    def lead(**more):
        found = answer(**{"maxVisits": 50, "overrideSettings": {"reportAnalysisWinratesAs": "BLACK"}, **more})
        return found["rootInfo"]["scoreLead"]

    assert lead(komi=-20) > lead() > lead(komi=30)
    assert lead(rules="japanese") != lead()
    handicap = {"initialStones": [["B", "C3"], ["B", "G7"], ["B", "C7"]], "maxVisits": 400}
    free, paid = (lead(**handicap, whiteHandicapBonus=bonus) for bonus in ("0", "N"))
    assert free > paid


def test_turns_priorities_and_duplicates():
    query = {
        **BASE,
        "id": "q",
        "moves": [["B", "E5"], ["W", "C3"]],
        "analyzeTurns": [0, 2, 1, 2],
        "priorities": [1, 9, 5, 2],
    }
    assert [one["turnNumber"] for one in answers(query)] == [2, 1, 0]
    assert [one["turnNumber"] for one in answers({**BASE, "id": "q", "analyzeTurns": []})] == []


@pytest.mark.parametrize("until", [1, 3])
def test_avoided_and_allowed_moves(until):
    def moves(**more):
        return [info["move"] for info in answer(moves=[["B", "E5"]], maxVisits=80, **more)["moveInfos"]]

    best = moves()[:2]
    avoid = {"player": "W", "moves": best, "untilDepth": until}
    assert not set(best) & set(moves(avoidMoves=[avoid]))
    other = {"player": "B", "moves": best, "untilDepth": 1}
    assert moves(avoidMoves=[other]) == moves()
    assert set(moves(allowMoves=[{"player": "W", "moves": ["C3", "pass"], "untilDepth": until}])) <= {"C3", "pass"}
    assert moves(allowMoves=[{"player": "W", "moves": [], "untilDepth": until}]) == []


def test_limits_by_time():
    found = answer(maxVisits=10**9, overrideSettings={"maxTime": 0.05})
    assert 0 < found["rootInfo"]["visits"] < 10**6
    assert not found["isDuringSearch"]
