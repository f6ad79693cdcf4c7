"""Scripted dialogues: rules, counting, records and time."""

import json

import pytest

from helpers.conversation import HALVES, Talk
from nobi.board.stones import BLACK, WHITE
from nobi.board.text import point_named
from nobi.games import variant
from nobi.games.base import COLOUR_NAMES
from nobi.gtp.engine import GtpEngine
from nobi.gtp.session import Session
from nobi.players import make_player
from nobi.players.base import PlayerBot


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
    assert "tromp-taylor" in talk.error("kata-set-rules calvinball")
    assert talk.error("kata-set-rules") == "syntax error"
    assert talk.error("kata-set-rules {") == "syntax error"
    warnings = []
    talk.session.warn = warnings.append
    talk.ask('kata-set-rules {"tax":"ALL"}', "kata-set-rules stone_scoring", "kata-set-rules new zealand")
    assert len(warnings) == 2
    assert "tax" in warnings[0]
    assert talk.error("kata-set-rules {" + '"a":{' * 5000) == "syntax error"
    assert talk.error("kata-set-rule hasButton true") == "hasButton cannot be true"
    assert talk.error("kgs-rules ing") == "syntax error"


def test_rules_that_forbid_a_move_of_the_game_are_refused():
    talk = Talk(size=5)
    talk.ask("kata-set-rules tromp-taylor", "gogui-setup b B1 b B2 b A3 w A2", "gogui-setup_player w", "play w A1")
    assert talk.ask("list_stones w") == ""  # two stones captured themselves
    assert talk.error("kata-set-rules chinese") == "by these rules, move 1, white at A1, is illegal: it is suicide"
    assert json.loads(talk.ask("kata-get-rules"))["suicide"]
    talk.ask("komi 0.5", "undo", "kata-set-rules chinese")
    assert talk.error("play w A1") == "illegal move"


def test_final_score_and_status():
    talk = Talk(size=5)
    talk.ask("komi 0.5", f"gogui-setup {HALVES} w B3")
    assert talk.ask("final_score") == "B+4.5"
    assert talk.ask("final_status_list dead") == "B3"
    assert talk.ask("final_status_list alive") == "C5 C4 C3 C2 C1\nD5 D4 D3 D2 D1"
    assert talk.ask("final_status_list seki") == ""
    assert talk.ask("final_status_list black_territory") == "A5 B5 A4 B4 A3 A2 B2 A1 B1"
    assert talk.ask("final_status_list white_territory") == "E5 E4 E3 E2 E1"
    assert talk.ask("final_status_list dame") == ""
    assert talk.error("final_status_list") == "syntax error"
    assert talk.error("final_status_list undead") == "syntax error"
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
    assert talk.ask("printsgf -") == talk.ask("printsgf")
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
        "point.sgf": b"(;FF[4]GM[1]SZ[7];B[zz])",
        "twice.sgf": b"(;FF[4]GM[1]SZ[7]AB[aa][aa]AW[aa];B[bb])",
    }
    for name, content in bad.items():
        if content is not None:
            (tmp_path / name).write_bytes(content)
        assert talk.error(f"loadsgf {tmp_path / name}").startswith("cannot load file: "), name
        assert talk.ask("list_stones b") == "C3"
        assert talk.session.bot.player.variant.size == 9
    assert talk.error("loadsgf") == "syntax error"
    assert talk.error(f"loadsgf {tmp_path / 'illegal.sgf'}").endswith(": move 2, white at A7, is illegal: it is taken")
    assert talk.error("loadsgf a\x00b").startswith("cannot load file")
    assert talk.error(f"printsgf {tmp_path}/no/such/folder.sgf") == "cannot write file"
    talk.ask("undo")


def test_a_record_that_sets_up_its_handicap_after_the_root(tmp_path):
    file = tmp_path / "handicap.sgf"
    file.write_bytes(b"(;GM[1]SZ[9]HA[2];AB[cc][gg];W[ee];B[dd])")
    talk = Talk(size=9)
    talk.ask(f"loadsgf {file}")
    assert talk.ask("list_stones b") == "C7 D6 G3"
    assert talk.ask("list_stones w") == "E5"
    assert talk.session.game.to_move == WHITE


def loaded(file, content, move="", komi=7.5):
    """The stones on the board, black and white, and the player to move, after a record is loaded."""
    file.write_bytes(content)
    talk = Talk(game=f"go:komi={komi}", size=9)
    talk.ask(f"loadsgf {file} {move}")
    return talk.ask("list_stones b"), talk.ask("list_stones w"), COLOUR_NAMES[talk.session.game.to_move]


@pytest.mark.parametrize(
    ("content", "black", "white", "to_move"),
    [
        ("(;SZ[9]PB[許];B[aa];W[bb])".encode("big5"), "A9", "B8", "black"),
        ("(;SZ[9]PB[慭];B[aa];W[bb])".encode("gb18030"), "A9", "B8", "black"),
        ("(;SZ[9]PB[表];B[aa];W[bb])".encode("shift_jis"), "A9", "B8", "black"),
        (b"(;SZ[9];B[aa]W[bb];B[cc])", "A9 C7", "B8", "white"),
        (b"(;SZ[9]HA[2];W[ee])", "G7 C3", "E5", "black"),
        (b"(;SZ[9]AB[aa][bb]PL[1])", "A9 B8", "", "black"),
        (b"(;SZ[9]AB[aa]AW[bb]PL[white])", "A9", "B8", "white"),
        (b"(;SZ[9:9];B[ aa];W[bb ])", "A9", "B8", "black"),
        (b"(SZ[9];B[aa]()(;W[bb]);B[cc])", "A9", "B8", "black"),
        (b"(;SZ[9];B[aa];W[b", "A9", "", "white"),
        (b"(;SZ[9];W[aa])", "", "A9", "black"),
        (b"(;SZ[9];B[aa];W[bb];AE[aa]AW[cc];B[dd])", "D6", "B8 C7", "white"),  # stones between moves
        (b"(;SZ[9];B[aa];W[bb];AB[cc:dc]PL[W])", "A9 C7 D7", "B8", "white"),
    ],
)
def test_unusual_records(tmp_path, content, black, white, to_move):
    assert loaded(tmp_path / "record.sgf", content) == (black, white, to_move)


def test_a_record_is_loaded_up_to_the_first_unreadable_part(tmp_path):
    late = b"(;SZ[9];B[aa];W[bb];AE[aa]AB[ii];W[cc])"
    file = tmp_path / "record.sgf"
    assert loaded(file, late, "2") == ("A9", "", "white")
    assert loaded(file, late, "3") == ("J1", "B8", "white")
    assert loaded(file, late, "4") == loaded(file, late) == ("J1", "B8 C7", "black")
    broken = b"(;SZ[9];B[aa];W[bb];B[zz];W[cc])"
    assert loaded(file, broken, "3") == ("A9", "B8", "black")
    talk = Talk(size=9)
    for end in ("", "4", "99"):
        assert talk.error(f"loadsgf {file} {end}") == "cannot load file: Move 3 is 'zz', which is not a point"


def test_an_illegal_move_of_a_record_is_named_with_the_reason(tmp_path):
    file = tmp_path / "record.sgf"
    ko = b"(;SZ[9]AB[ba][ab][bc]AW[ca][cc][db];B[cb];W[bb];B[cb])"
    suicide = b"(;SZ[9]AB[ba][ab];W[aa])"
    send_two = b"(;SZ[5]AB[ad][bd]AW[cd][be][de]"  # white sends two stones and takes one back
    again = "it repeats an earlier position"
    reasons = {
        (ko, "simple"): "move 3, black at C8, is illegal: it recaptures a ko at once",
        (suicide, "simple"): "move 1, white at A9, is illegal: it is suicide",
        (send_two + b"PL[W];W[ae];B[ce];W[be])", "positional"): (
            f"move 3, white at B1, is illegal: {again}, which positional superko forbids"
        ),
        (send_two + b"PL[B];B[];W[ae];B[ce];W[be])", "situational"): (
            f"move 4, white at B1, is illegal: {again} with the same player to move, which situational superko forbids"
        ),
    }
    for (content, rule), reason in reasons.items():
        file.write_bytes(content)
        assert Talk(game=f"go:ko={rule}", size=9).error(f"loadsgf {file}") == f"cannot load file: {reason}"
    assert Talk(game="go:ko=simple", size=9).ask(f"loadsgf {file}") == ""


def test_komi_of_own_records_is_in_points(tmp_path):
    talk, file = Talk(size=9), tmp_path / "komi.sgf"
    for komi in ("3.75", "1001", "-0.3", "375"):
        talk.ask(f"komi {komi}", f"printsgf {file}", "komi 5", f"loadsgf {file}")
        assert talk.ask("get_komi") == komi


def test_set_position():
    talk = Talk(size=9)
    talk.ask("play b A1", "set_position b C3 w D4 B E5")
    assert (talk.ask("list_stones b"), talk.ask("list_stones w")) == ("E5 C3", "D4")
    assert talk.session.game.to_move == BLACK
    assert talk.error("undo") == "cannot undo"
    for words, message in (
        ("b", "syntax error"),
        ("b C3 w C3", "C3 is set up twice"),
        ("b pass", "invalid color or coordinate"),
        ("b Z1", "invalid color or coordinate"),
        ("green C3", "invalid color"),
        ("b A2 b B1 w A1", "The stones at A1 are set up without a liberty"),
    ):
        assert talk.error(f"set_position {words}") == message
        assert talk.ask("list_stones b") == "E5 C3"
    talk.ask("set_position")
    assert talk.ask("list_stones b") == talk.ask("list_stones w") == ""


def test_komi_of_records(tmp_path):
    talk = Talk(size=9)
    talk.ask("komi 5.5")
    file = tmp_path / "komi.sgf"
    for text, komi in (("", 5.5), ("abc", 5.5), ("6.33", 5.5), ("3.75", 7.5), ("6.5", 6.5), ("375", 7.5)):
        file.write_text(f"(;FF[4]GM[1]SZ[9]KM[{text}];B[ee];W[cc])")
        talk.ask(f"loadsgf {file}")
        assert talk.session.variant.settings.komi == komi
        assert talk.ask("list_stones b") == "E5"


def test_the_result_in_the_record_is_that_of_final_score():
    talk = Talk(size=5)
    talk.ask("komi 0.5", f"gogui-setup {HALVES} w A3")
    assert "RE[" not in talk.ask("printsgf")
    talk.ask("play b pass", "play w pass")
    assert talk.ask("final_score") == "B+4.5"
    assert talk.session.go.score() == "W+6.5"  # all stones alive
    assert "RE[B+4.5]" in talk.ask("printsgf").replace("\n", "")
    talk.ask("play b B3")
    assert "RE[" not in talk.ask("printsgf")


def test_rules_and_handicap_in_the_record():
    talk = Talk(size=9)
    for rules, name in (
        ("tromp-taylor", "Tromp-Taylor"), ("chinese", "Chinese"), ("chinese-kgs", "Chinese"), ("japanese", "Japanese"),
        ("korean", "Japanese"), ("aga", "AGA"), ("new-zealand", "NZ"),
        ('{"ko":"SITUATIONAL","scoring":"TERRITORY","suicide":false}', "go:komi=6.5,ko=situational,scoring=territory"),
    ):  # fmt: skip
        talk.ask("komi 6.5", f"kata-set-rules {rules}")
        assert f"RU[{name}]" in talk.ask("printsgf").replace("\n", "")
    assert "HA[" not in talk.ask("printsgf")
    talk.ask("fixed_handicap 3")
    assert "HA[3]" in talk.ask("printsgf")
    talk.ask("clear_board", "gogui-setup b C3 b D4 w E5", "gogui-setup_player w")
    assert "HA[" not in talk.ask("printsgf")


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
        assert talk.error(line) == "syntax error"
    assert talk.error("time_left g 10 0") == "invalid color"


def test_a_record_that_cannot_be_loaded_changes_nothing(tmp_path):
    file = tmp_path / "bad.sgf"
    file.write_text("(;GM[1]FF[4]SZ[7]KM[0.5];B[aa];W[aa])")
    made = []

    def new_bot(where):
        made.append(where)
        return PlayerBot(make_player("playout", where))

    session = Session(variant("go:komi=7.5", 9), new_bot)
    session.gtp_game.play(1, point_named("E5", 9))
    said = []
    GtpEngine(session, said.append, said.append).answer(f"loadsgf {file}")
    assert said[0].startswith("? cannot load file")
    assert session.variant == made[-1] == variant("go:komi=7.5", 9)
    assert len(session.game.moves) == 1
