"""Random lines for the engines, most of them nearly valid, and checks of the answers."""

import io
import json
import random
import re

from helpers.conversation import Talk
from nobi.analysis.engine import AnalysisEngine, serve
from nobi.analysis.settings import Defaults, EngineSettings
from nobi.gtp.protocol import read_command
from nobi.gtp.session import COMMANDS
from nobi.search.settings import SearchSettings

# --- JSON -----------------------------------------------------------------------------------------------------------

FIELDS = [
    "id", "action", "terminateId", "turnNumbers", "boardXSize", "boardYSize", "moves", "initialStones",
    "initialPlayer", "rules", "komi", "whiteHandicapBonus", "analyzeTurns", "priority", "priorities", "maxVisits",
    "analysisPVLen", "rootPolicyTemperature", "rootFpuReductionMax", "includeOwnership", "includeOwnershipStdev",
    "includeMovesOwnership", "includePolicy", "includePVVisits", "includeNoResultValue", "reportDuringSearchEvery",
    "firstReportDuringSearchAfter", "avoidMoves", "allowMoves", "overrideSettings", "extra", "player", "untilDepth",
]  # fmt: skip
SCALARS = [
    None, True, False, 0, 1, 2, 5, -1, 0.5, 1.5, 7.5, 1e300, 2**62, 2**63, 10**30, "", "B", "w", "black", "E5", "a1",
    "pass", "(0,0)", "(9,9)", "Z99", "I5", "chinese", "japanese", "stone_scoring", "odd", "N-1", "0", "terminate",
    "terminate_all", "query_version", "query_models", "clear_cache", "\ud800", "\x00", "é", "BLACK", "SIDETOMOVE",
]  # fmt: skip
VERTICES = ["A1", "B2", "C3", "D4", "E5", "a5", "c1", "pass", "(1,2)", "b4", "D2"]
SETTINGS = ["maxVisits", "wideRootNoise", "reportAnalysisWinratesAs", "antiMirror", "rootPolicyTemperature", "odd"]


def random_value(rng, depth=0):
    kind = rng.random()
    if kind < 0.7 or depth > 2:
        return rng.choice(SCALARS)
    if kind < 0.85:
        return [random_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(FIELDS): random_value(rng, depth + 1) for _ in range(rng.randrange(4))}


def random_query(rng, number):
    """A valid query of a few visits, with up to two fields changed."""
    size = rng.choice([5, 5, 6, 7])
    moves = [["BW"[i % 2], rng.choice(VERTICES)] for i in range(rng.randrange(4))]
    query = {
        "id": f"{number}", "boardXSize": size, "boardYSize": size, "moves": moves, "maxVisits": rng.randrange(1, 4),
        "rules": rng.choice(["chinese", "japanese", "tromp-taylor", "aga", {"ko": "SPIGHT"}]),
    }  # fmt: skip
    options = {
        "includePolicy": True, "includeOwnership": True, "includeMovesOwnership": True, "priority": rng.randrange(9),
        "komi": rng.randrange(20) / 2, "initialStones": [["B", "C3"]], "reportDuringSearchEvery": 0.001,
        "analyzeTurns": [rng.randrange(len(moves) + 1)], "includePVVisits": True,
        "avoidMoves": [{"player": "B", "moves": [rng.choice(VERTICES)], "untilDepth": rng.randrange(1, 4)}],
        "overrideSettings": {rng.choice(SETTINGS): random_value(rng, 2)},
    }  # fmt: skip
    for name in rng.sample(sorted(options), rng.randrange(4)):
        query[name] = options[name]
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        query[rng.choice(FIELDS)] = random_value(rng)
    if rng.random() < 0.05:
        query = {"id": query["id"], "action": rng.choice(SCALARS), "terminateId": f"{rng.randrange(max(1, number))}"}
    if query.get("overrideSettings") == {"maxTime": 0}:
        del query["overrideSettings"]
    return query


def random_json_line(rng, number):
    """A line as bytes, without its end; some are damaged."""
    line = json.dumps(random_query(rng, number)).encode()
    kind = rng.random()
    if kind < 0.05:
        return line[: rng.randrange(len(line))]
    if kind < 0.1:
        at = rng.randrange(len(line))
        return (line[:at] + bytes([rng.randrange(256)]) + line[at + 1 :]).replace(b"\n", b" ")
    if kind < 0.12:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(30))).replace(b"\n", b"")
    return line


def check_json(lines):
    """Serve lines; every answer has one of the shapes of the protocol."""
    out, complaints = io.BytesIO(), []
    settings = EngineSettings(Defaults(max_visits=2, max_time=0.02), searches=2)
    engine = AnalysisEngine(SearchSettings(memory=2), settings, out, cores=1, log=complaints.append)
    serve(engine, io.BytesIO(b"\n".join(lines)))
    assert complaints == []
    open_turns = {}
    for text in out.getvalue().splitlines():
        found = json.loads(text)
        assert isinstance(found, dict), text
        if "error" in found:
            assert found.keys() in ({"error"}, {"error", "field", "id"}), text
        elif "warning" in found:
            assert found.keys() == {"warning", "field", "id"}, text
        elif "action" in found and "rootInfo" not in found:
            assert isinstance(found["id"], str)
        else:
            assert found.get("noResults") or {"rootInfo", "moveInfos"} <= found.keys(), text
            key = found["id"], found["turnNumber"]
            open_turns[key] = found["isDuringSearch"]
    assert not any(open_turns.values()), "a query without a final answer"
    return len(out.getvalue().splitlines())


# --- GTP ------------------------------------------------------------------------------------------------------------

WORDS = [
    "b", "w", "black", "WHITE", "pass", "resign", "A1", "b2", "C3", "d4", "E5", "Z26", "0", "1", "2", "5", "7", "25",
    "-1", "4.5", "1e3", "nan", "inf", "true", "false", "dead", "alive", "tromp-taylor", "stone_scoring", "{}", "{",
    '{"ko":"SIMPLE"}', '{"maxVisits":3}', "absolute", "byoyomi", "fischer", "fischer-capped", "none", "interval",
    "minmoves", "maxmoves", "ownership", "movesOwnership", "rootInfo", "pvVisits", "avoid", "allow", "A1,B2", "pass,C3",
    "maxVisits", "analysisWideRootNoise", "99999999999", "claim", "#", "\t", "\x00", "é", "all",
]  # fmt: skip
SKIPPED = {"quit", "loadsgf", "printsgf", "boardsize", "rectangular_boardsize"}


def random_gtp_line(rng):
    names = sorted(set(COMMANDS) - SKIPPED)
    name = rng.choice(names) if rng.random() < 0.8 else rng.choice(["play", "genmove", "undo", *WORDS])
    number = [str(rng.randrange(10**6))] if rng.random() < 0.5 else []
    return " ".join([*number, name, *(rng.choice(WORDS) for _ in range(rng.randrange(6)))])


def check_gtp_answer(line, answer):
    """An answer has the form of the protocol."""
    asked = read_command(line)
    if asked is None:
        assert answer == ""
        return
    assert re.match(rf"[=?]{re.escape(asked.id)}( |\n)", answer), (line, answer)
    assert answer.endswith("\n\n")
    assert "\n\n" not in answer[:-1], (line, answer)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", answer), (line, answer)
    assert "internal error" not in answer, line


def check_gtp(lines, rng):
    """Answer lines, in dialogues of a few hundred."""
    talk = None
    for i, line in enumerate(lines):
        if i % 300 == 0:
            if talk:
                talk.session.bot.close()
            game = rng.choice(["go", "go", "go", "gomoku", "atari-go"])
            talk = Talk(game, rng.choice([5, 6]), "mcts:rollouts=4,memory=2,seconds=0.05", None)
        check_gtp_answer(line, talk(line))
    if talk:
        talk.session.bot.close()


def rng_of(seed):
    return random.Random(seed)
