"""Scripted dialogues: what an engine of GTP 2 has to answer, word for word."""

import json
from pathlib import Path

import numpy as np
import pytest

from helpers.conversation import Talk
from nobi.board.stones import BLACK, WHITE
from nobi.gtp.commands import COMMANDS
from nobi.networks import make_network
from nobi.networks.model import Model, save_model

STANDARD = [
    "protocol_version", "name", "version", "known_command", "list_commands", "quit", "boardsize",
    "rectangular_boardsize", "clear_board", "komi", "play", "genmove", "reg_genmove", "undo", "showboard",
    "fixed_handicap", "place_free_handicap", "set_free_handicap", "time_settings", "time_left", "kgs-time_settings",
    "final_score", "final_status_list", "loadsgf", "printsgf", "list_stones", "lz-analyze", "kata-analyze",
    "lz-genmove_analyze", "kata-genmove_analyze", "gogui-analyze_commands", "kata-get-rules", "kata-set-rules",
]  # fmt: skip


def talk_through(talk, script):
    """A line that begins with a sign is what the engine has to answer to the line above it."""
    said = ""
    for line in map(str.strip, script.strip().splitlines()):
        if line[0] in "=?":
            assert said.endswith("\n\n")
            assert said.rstrip() == line
        else:
            said = talk(line)


def test_administration():
    talk = Talk()
    talk_through(
        talk,
        """
        1 protocol_version
        =1 2
        2 name
        =2 nobi playout
        3 known_command play
        =3 true
        4 known_command castle
        =4 false
        5 known_command
        ?5 syntax error
        6 castle
        ?6 unknown command
        7 PLAY b C3
        ?7 unknown command
        8
        ?8 unknown command
        castle
        ? unknown command
        9 quit
        =9
        """,
    )
    assert talk.session.is_over
    listed = Talk().ask("list_commands").split("\n")
    assert set(STANDARD) <= set(listed)
    assert listed == sorted(listed)
    assert Talk().ask("version")


def test_playing():
    talk_through(
        Talk(),
        """
        1 boardsize 9
        =1
        clear_board
        =
        2 komi 5.5
        =2
        3 play black E5
        =3
        4 play W e5
        ?4 illegal move
        5 play w I5
        ?5 invalid color or coordinate
        6 play w K5
        ?6 invalid color or coordinate
        7 play w A10
        ?7 invalid color or coordinate
        8 play green A1
        ?8 invalid color or coordinate
        9 play w
        ?9 syntax error
        10 play w pass
        =10
        11 play b C3
        =11
        12 list_stones black
        =12 E5 C3
        13 list_stones white
        =13
        14 undo
        =14
        15 list_stones b
        =15 E5
        16 undo
        =16
        undo
        =
        17 undo
        ?17 cannot undo
        18 list_stones b
        =18
        19 genmove
        ?19 syntax error
        20 genmove green
        ?20 invalid color
        21 komi none
        ?21 syntax error
        22 komi nan
        ?22 syntax error
        23 komi 0.3
        ?23 komi must be a multiple of 0.5 between -1000 and 1000, not 0.3
        """,
    )


@pytest.mark.parametrize("size", range(5, 26))
def test_every_board_size_in_one_process(size):
    talk = _one_process()
    talk.ask(f"boardsize {size}", "clear_board")
    first = talk.ask("genmove b")
    assert talk.ask("list_stones b") == first
    assert len(talk.ask("showboard").splitlines()) == 1 + 1 + size + 2
    assert talk.fault(f"rectangular_boardsize {size} {size + 1}") == "unacceptable size"
    talk.ask(f"rectangular_boardsize {size} {size}")


def _one_process(found=[]):  # noqa: B006
    if not found:
        found.append(Talk())
    return found[0]


def test_sizes_that_are_not_served():
    talk = Talk()
    for size in ("0", "4", "26", "1000", "2147483647"):
        assert talk.fault(f"boardsize {size}") == "unacceptable size"
    for size in ("", "x", "-9", "9.5", "99999999999"):
        assert talk.fault(f"boardsize {size}") == "syntax error"
    assert talk.fault("rectangular_boardsize 9") == "syntax error"
    talk.ask("play b A9")  # still 9x9
    assert talk.fault("play b A10") == "invalid color or coordinate"


def test_handicap():
    talk_through(
        Talk(),
        """
        1 fixed_handicap 2
        =1 C3 G7
        2 fixed_handicap 2
        ?2 board not empty
        3 place_free_handicap 2
        ?3 board not empty
        4 set_free_handicap A1 A2
        ?4 board not empty
        clear_board
        5 fixed_handicap 1
        ?5 invalid number of stones
        6 fixed_handicap 10
        ?6 invalid number of stones
        7 place_free_handicap 1
        ?7 invalid number of stones
        8 place_free_handicap 20
        =8 C3 G7 C7 G3 C5 G5 E3 E7 E5
        clear_board
        9 set_free_handicap A1
        ?9 bad vertex list
        10 set_free_handicap A1 A1
        ?10 bad vertex list
        11 set_free_handicap A1 pass
        ?11 bad vertex list
        12 set_free_handicap A1 Z9
        ?12 bad vertex list
        13 set_free_handicap A1 A2 E5
        =13
        14 list_stones b
        =14 E5 A2 A1
        15 undo
        ?15 cannot undo
        boardsize 5
        16 fixed_handicap 2
        ?16 invalid number of stones
        17 place_free_handicap 3
        =17 B2 D4 B4
        """,
    )


def test_a_colour_may_move_twice_and_undo_takes_one_move_back():
    talk = Talk(size=5)
    talk.ask("play b A1", "play b B1", "play b C1")
    assert talk.ask("list_stones b") == "A1 B1 C1"
    talk.ask("undo")
    assert talk.ask("list_stones b") == "A1 B1"
    talk.ask("play w A2", "play w B2", "play w C1")  # captures
    assert talk.ask("list_stones b") == ""
    talk.ask("gg-undo 3")
    assert talk.ask("list_stones b") == "A1 B1"
    assert talk.ask("list_stones w") == ""
    assert talk.fault("gg-undo 9") == "cannot undo"


def test_moves_after_two_passes():
    talk = Talk(size=5)
    talk.ask("play b C3", "play w pass", "play b pass", "play w B2")
    assert talk.ask("list_stones w") == "B2"
    talk.ask("play b pass", "play w pass", "play b pass", "play w pass")
    assert talk.ask("reg_genmove b") != ""
    talk.ask("genmove b")


def test_ko_and_suicide():
    talk = Talk(size=5)
    talk.ask("gogui-setup b A1 b B2 w B1 w C2 w D1", "play b C1")
    assert talk.ask("list_stones w") == "C2 D1"
    assert talk.fault("play w B1") == "illegal move"
    talk.ask("play w E5", "play b E4", "play w B1")
    assert talk.ask("list_stones b") == "E4 B2 A1"
    talk.ask("clear_board", "gogui-setup b B1 b A2", "gogui-setup_player w")
    assert talk.fault("play w A1") == "illegal move"
    assert talk.fault("gogui-setup b B1") == "B1 is set up twice"
    assert talk.fault("gogui-setup b") == "syntax error"


def test_rules():
    talk = Talk()
    talk.ask("kata-set-rules japanese")
    rules = json.loads(talk.ask("kata-get-rules"))
    assert (rules["ko"], rules["scoring"], rules["suicide"]) == ("SIMPLE", "TERRITORY", False)
    talk.ask('kata-set-rules {"ko": "SITUATIONAL", "scoring": "AREA", "suicide": true, "tax": "NONE"}')
    rules = json.loads(talk.ask("kata-get-rules"))
    assert (rules["ko"], rules["scoring"], rules["suicide"]) == ("SITUATIONAL", "AREA", True)
    talk.ask(f"kata-set-rules {talk.ask('kata-get-rules')}")
    talk.ask("kata-set-rule ko SIMPLE", "kgs-rules new_zealand")
    assert json.loads(talk.ask("kata-get-rules"))["ko"] == "SITUATIONAL"
    assert "tromp-taylor" in talk.fault("kata-set-rules calvinball")
    assert talk.fault("kata-set-rules") == "syntax error"
    assert talk.fault("kata-set-rules {") == "syntax error"
    assert talk.fault('kata-set-rules {"tax":"ALL"}') == "tax cannot be ALL"
    assert talk.fault("kata-set-rules {" + '"a":{' * 5000) == "syntax error"
    assert talk.fault("kata-set-rule hasButton true") == "hasButton cannot be true"
    assert talk.fault("kgs-rules ing") == "syntax error"


def test_rules_that_forbid_a_move_of_the_game_are_refused():
    talk = Talk(size=5)
    talk.ask("kata-set-rules tromp-taylor", "gogui-setup b B1 b B2 b A3 w A2", "gogui-setup_player w", "play w A1")
    assert talk.ask("list_stones w") == ""  # two stones captured themselves
    assert talk.fault("kata-set-rules chinese") == "a move of this game would be illegal"
    assert json.loads(talk.ask("kata-get-rules"))["suicide"]
    talk.ask("komi 0.5", "undo", "kata-set-rules chinese")
    assert talk.fault("play w A1") == "illegal move"


HALVES = "b C1 b C2 b C3 b C4 b C5 w D1 w D2 w D3 w D4 w D5"


def test_final_score_and_status():
    talk = Talk(size=5)
    talk.ask("komi 0.5", f"gogui-setup {HALVES} w B3")
    assert talk.ask("final_score") == "B+4.5"
    assert talk.ask("final_status_list dead") == "B3"
    assert talk.ask("final_status_list alive") == "C5 C4 C3 C2 C1\nD5 D4 D3 D2 D1"
    assert talk.ask("final_status_list seki") == ""
    assert talk.fault("final_status_list") == "syntax error"
    assert talk.fault("final_status_list undead") == "syntax error"
    talk.ask("kata-set-rules japanese", "komi 5")  # 10 points and a prisoner against 5
    assert talk.ask("final_score") == "B+1"
    talk.ask("komi 6")
    assert talk.ask("final_score") == "0"
    talk.ask("komi 6.5")
    assert talk.ask("final_score") == "W+0.5"


def test_records(tmp_path):
    talk = Talk(size=9)
    file = tmp_path / "a game.sgf"
    talk.ask("komi 3.5", "fixed_handicap 2", "play w E5", "play b pass", "play w D4", f"printsgf {file}")
    text = file.read_text()
    for part in ("AB[cg][gc]", "KM[3.5]", "SZ[9]", ";W[ee];B[", "PL[W]"):
        assert part in text.replace("\n", "")
    assert talk.ask("printsgf").replace("\n", "") == text.replace("\n", "")
    other = Talk(size=19)
    other.ask(f"loadsgf {file}")
    assert other.ask("list_stones w") == "E5 D4"
    assert other.ask("list_stones b") == "G7 C3"
    assert other.session.variant.settings.komi == 3.5
    other.ask(f"loadsgf {file} 3")
    assert other.ask("list_stones w") == "E5"
    assert other.session.game.to_move == WHITE
    other.ask(f"loadsgf {file} 1")
    assert other.ask("list_stones w") == ""


def test_records_that_cannot_be_loaded_change_nothing(tmp_path):
    talk = Talk(size=9)
    talk.ask("play b C3")
    bad = {
        "none.sgf": None,
        "text.sgf": b"once upon a time",
        "huge.sgf": b"(;FF[4]GM[1]SZ[39];B[aa])",
        "illegal.sgf": b"(;FF[4]GM[1]SZ[7];B[aa];W[aa])",
        "komi.sgf": b"(;FF[4]GM[1]SZ[7]KM[6.33];B[aa];W[bb])",
        "point.sgf": b"(;FF[4]GM[1]SZ[7];B[zz])",
        "twice.sgf": b"(;FF[4]GM[1]SZ[7]AB[aa][aa]AW[aa];B[bb])",
    }
    for name, content in bad.items():
        if content is not None:
            (tmp_path / name).write_bytes(content)
        assert talk.fault(f"loadsgf {tmp_path / name}") == "cannot load file", name
        assert talk.ask("list_stones b") == "C3"
        assert talk.session.bot.player.variant.size == 9
    assert talk.fault("loadsgf") == "syntax error"
    assert talk.fault("loadsgf a\x00b") == "cannot load file"
    assert talk.fault(f"printsgf {tmp_path}/no/such/folder.sgf") == "cannot write file"
    talk.ask("undo")


def test_time_settings():
    talk = Talk()
    for line in (
        "time_settings 600 30 5", "time_settings 0 1 0", "time_settings 10.5 0 0", "time_left b 10 0",
        "time_left white 9.5 3", "kgs-time_settings none", "kgs-time_settings absolute 60",
        "kgs-time_settings byoyomi 60 10 3", "kgs-time_settings canadian 60 10 3",
    ):  # fmt: skip
        talk.ask(line)
    for line in (
        "time_settings", "time_settings 1 2", "time_settings a b c", "time_settings -1 0 0", "time_left b 10",
        "time_left b ten 0", "kgs-time_settings", "kgs-time_settings hourglass 5", "kgs-time_settings byoyomi 60 10",
        "time_settings 1 2 -3",
    ):  # fmt: skip
        assert talk.fault(line) == "syntax error"
    assert talk.fault("time_left g 10 0") == "invalid color"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A swiping network that plays on any board."""
    network = make_network("mdlstm:hidden=2")
    weights = np.random.default_rng(1).normal(size=network.weight_count(7)).astype(np.float32)
    path = tmp_path_factory.mktemp("model") / "net.safetensors"
    save_model(path, Model(network, weights, 7, {"training": {"game": "atari-go"}}))
    return str(path)


def _lines_of(answer):
    assert answer.endswith("\n\n")
    first, *rest = answer[:-2].split("\n")
    return first, rest


def test_analysis(model):
    talk = Talk("atari-go", 5, model)
    assert talk.ask("play b B1") == ""
    first, [line] = _lines_of(talk("3 lz-analyze 10"))
    assert first == "=3"
    parts = line.split("info ")[1:]
    assert len(parts) == 24
    words = [part.split() for part in parts]
    assert words[0][::2][:6] == ["move", "visits", "winrate", "prior", "lcb", "order"]
    priors = [int(word[7]) for word in words]
    assert priors == sorted(priors, reverse=True)
    assert abs(sum(priors) - 10000) < 24
    assert [int(word[11]) for word in words] == list(range(24))
    best = talk.ask("reg_genmove w")
    assert words[0][1] == best == words[0][13]
    first, [line] = _lines_of(talk("kata-analyze w interval 50 maxmoves 3 ownership true rootInfo true"))
    assert first == "="
    assert line.count("info move") == 3
    assert 0 < float(line.split(" prior ")[1].split()[0]) < 1
    first, lines = _lines_of(talk("5 kata-genmove_analyze w 10"))
    assert first == "=5"
    assert lines[0].startswith(f"info move {best} ")
    assert lines[1:] == [f"play {best}"]
    assert talk.ask("list_stones w") == best
    assert talk.fault("lz-analyze b interval") == "syntax error"
    assert talk.fault("lz-analyze b interval x") == "syntax error"
    assert talk.fault("lz-analyze w") == "illegal move"  # it is black's turn, and this game has no pass


def test_a_player_that_cannot_analyse_still_generates():
    talk = Talk(size=5)
    assert talk.fault("lz-analyze") == "the player playout cannot analyse"
    _, [line] = _lines_of(talk("lz-genmove_analyze b"))
    assert line.startswith("play ")
    assert talk.ask("list_stones b") == line.split()[1]


def test_maps(model):
    talk = Talk("atari-go", 5, model)
    commands = [line.split("/") for line in talk.ask("gogui-analyze_commands").splitlines()]
    assert all(len(parts) == 3 and parts[0] in ("dboard", "sboard", "plist", "string") for parts in commands)
    assert sum(parts[2].startswith("nobi-hidden") for parts in commands) == 8 * 2
    talk.ask("play b B1")
    for kind, _, command in commands:
        answer = talk.ask(command)
        rows = [row.split() for row in answer.splitlines()]
        if kind in ("dboard", "sboard"):
            assert [len(row) for row in rows] == [5] * 5
        if kind == "dboard":
            assert all(-1 <= float(value) <= 1 for row in rows for value in row)
    policy = np.array([[float(value) for value in row.split()] for row in talk.ask("nobi-policy").splitlines()])
    assert policy.max() == 1
    row, column = np.argwhere(policy == 1)[0]
    assert talk.ask("reg_genmove w") == f"{'ABCDE'[column]}{5 - row}"
    assert talk.ask("nobi-policy_numbers").splitlines()[4].split()[1] == '""'
    hidden = talk.session.bot.inside(talk.session.game).layers[0].hidden
    told = np.array([row.split() for row in talk.ask("nobi-hidden 1 3 2").splitlines()], float)
    np.testing.assert_allclose(told, hidden[2, 1], atol=5e-4)
    assert talk.fault("nobi-hidden 2 1 1") == "there are 1 layers"
    assert talk.fault("nobi-hidden 1 9 1") == "the layer has 8 sweeps and 2 units"
    assert talk.fault("nobi-hidden 1") == "syntax error"
    plain = Talk(size=5)
    assert "has no policy" in plain.fault("nobi-policy")
    assert "has no hidden units" in plain.fault("nobi-hidden 1 1 1")
    plain.ask(f"gogui-setup {HALVES}")
    owned = np.array([row.split() for row in plain.ask("nobi-ownership").splitlines()], float)
    assert owned[:, 0].min() > 0.5
    assert owned[:, 4].max() < -0.5


def test_other_games():
    talk = Talk("gomoku", 7, "naive")
    assert talk.ask("gogui-rules_game_id") == "Gomoku"
    assert Talk("atari-go", 7, "naive").ask("gogui-rules_game_id") == "Atarigo"
    assert talk.ask("gogui-rules_board_size") == "7"
    talk.ask("komi 6.5", "play b A1", "play w D4")
    assert talk.ask("gogui-rules_board").splitlines() == [
        ". . . . . . .", ". . . . . . .", ". . . . . . .", ". . . O . . .", ". . . . . . .", ". . . . . . .",
        "X . . . . . .",
    ]  # fmt: skip
    assert talk.ask("gogui-rules_side_to_move") == "black"
    assert talk.fault("play w E5") == "illegal move"
    assert talk.fault("play b pass") == "illegal move"
    assert len(talk.ask("gogui-rules_legal_moves").split()) == 47
    assert talk.ask("gogui-rules_final_result") == "unknown"
    for black, white in (("B1", "A7"), ("C1", "B7"), ("D1", "C7")):
        talk.ask(f"play b {black}", f"play w {white}")
    assert talk.ask("genmove b") == "E1"  # wins
    assert talk.ask("gogui-rules_final_result") == "black"
    assert talk.ask("gogui-rules_legal_moves") == ""
    assert talk.fault("play w E5") == "illegal move"
    assert talk.ask("genmove w") == "pass"
    talk.ask("undo")
    assert talk.ask("gogui-rules_final_result") == "unknown"
    assert talk.fault("final_score") == "unknown command"
    assert Talk().fault("gogui-rules_board") == "unknown command"
    assert "final_score" not in talk.ask("list_commands").split()


def test_a_network_for_one_size_refuses_others(tmp_path):
    network = make_network("mlp:hidden=2")
    weights = np.zeros(network.weight_count(5), np.float32)
    path = tmp_path / "net.safetensors"
    save_model(path, Model(network, weights, 5))
    talk = Talk("atari-go", 5, str(path))
    assert talk.fault("boardsize 7") == "unacceptable size"
    talk.ask("genmove b")
    assert talk.session.game.size == 5
    assert talk.session.game.to_move == WHITE


def test_play_sequence_is_all_or_nothing():
    talk = Talk(size=5)
    talk.ask("gogui-play_sequence b A1 w A2 b B1")
    assert talk.fault("gogui-play_sequence w C3 b C3") == "illegal move"
    assert talk.ask("list_stones w") == "A2"
    assert talk.session.game.to_move == WHITE
    assert talk.session.table.first_to_move == BLACK


def test_an_answer_however_wrong_the_player(monkeypatch):
    talk = Talk(size=5)

    def fail(*_):
        raise RuntimeError("broken\n\nplayer")

    monkeypatch.setattr(talk.session.bot, "choose", fail)
    told = []
    monkeypatch.setattr(talk.engine, "_complain", told.append)
    assert talk.fault("genmove b") == "internal error: RuntimeError"
    assert "broken" in told[0]
    talk.ask("play w C3")
    monkeypatch.setattr(talk.session.bot, "choose", lambda *_: talk.session.point("C3"))
    assert talk.fault("genmove b") == "the player playout chose an illegal move"
    talk.ask("play b B2")


def test_every_command_is_in_the_documentation():
    page = (Path(__file__).parent.parent.parent / "docs" / "gtp.md").read_text()
    for entry in COMMANDS.values():
        row = f"| `{' '.join([entry.name, entry.arguments]).strip()}` | {entry.about}"
        assert row in page, row
