"""Scripted dialogues: the exact responses of the GTP 2 engine."""

from pathlib import Path

import numpy as np
import pytest

from helpers.conversation import Talk, talk_through
from nobi.board.stones import WHITE
from nobi.gtp.session import COMMANDS
from nobi.models.model import Model, save_model
from nobi.networks import make_network

STANDARD = [
    "protocol_version", "name", "version", "known_command", "list_commands", "quit", "boardsize",
    "rectangular_boardsize", "clear_board", "komi", "play", "genmove", "reg_genmove", "undo", "showboard",
    "fixed_handicap", "place_free_handicap", "set_free_handicap", "time_settings", "time_left", "kgs-time_settings",
    "final_score", "final_status_list", "loadsgf", "printsgf", "list_stones", "lz-analyze", "kata-analyze",
    "lz-genmove_analyze", "kata-genmove_analyze", "gogui-analyze_commands", "kata-get-rules", "kata-set-rules",
]  # fmt: skip


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
    assert listed[0] == "protocol_version"  # LizzieYzy reads the list only then
    assert len(listed) == len(set(listed))
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
        =23
        24 get_komi
        =24 0.3
        25 komi 3.75
        =25
        26 get_komi
        =26 3.75
        27 komi 1001
        =27
        28 get_komi
        =28 1001
        29 komi -12345.75
        =29
        30 get_komi
        =30 -12345.75
        """,
    )


@pytest.mark.parametrize("size", range(5, 26))
def test_every_board_size_in_one_process(size):
    talk = _one_process()
    talk.ask(f"boardsize {size}", "clear_board")
    first = talk.ask("genmove b")
    assert talk.ask("list_stones b") == first
    assert len(talk.ask("showboard").splitlines()) == 1 + 1 + size + 2
    assert talk.error(f"rectangular_boardsize {size} {size + 1}") == "unacceptable size"
    talk.ask(f"rectangular_boardsize {size} {size}")


def _one_process(found=[]):  # noqa: B006
    if not found:
        found.append(Talk())
    return found[0]


def test_unsupported_sizes():
    talk = Talk()
    for size in ("0", "4", "26", "1000", "2147483647"):
        assert talk.error(f"boardsize {size}") == "unacceptable size"
    for size in ("", "x", "-9", "9.5", "99999999999"):
        assert talk.error(f"boardsize {size}") == "syntax error"
    assert talk.error("rectangular_boardsize 9") == "syntax error"
    assert talk.error("boardsize 9 13") == "unacceptable size"  # a rectangle is never made square
    assert talk.error("rectangular_boardsize 9 13") == "unacceptable size"
    talk.ask("play b A9")  # still 9x9
    assert talk.error("play b A10") == "invalid color or coordinate"


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
        8 place_free_handicap 9
        =8 C3 G7 C7 G3 C5 G5 E3 E7 E5
        clear_board
        place_free_handicap 11
        = C3 G7 C7 G3 C5 G5 E7 E3 E5 D6 F6
        clear_board
        9 set_free_handicap A1
        =9
        clear_board
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


def test_a_colour_may_move_twice_and_undo_undoes_one_move():
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
    assert talk.error("gg-undo 9") == "cannot undo"


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
    assert talk.error("play w B1") == "illegal move"
    talk.ask("play w E5", "play b E4", "play w B1")
    assert talk.ask("list_stones b") == "E4 B2 A1"
    talk.ask("clear_board", "gogui-setup b B1 b A2", "gogui-setup_player w")
    assert talk.error("play w A1") == "illegal move"
    assert talk.error("gogui-setup b B1") == "B1 is set up twice"
    assert talk.error("gogui-setup b") == "syntax error"


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
    assert talk.error("play w E5") == "illegal move"
    assert talk.error("play b pass") == "illegal move"
    assert len(talk.ask("gogui-rules_legal_moves").split()) == 47
    assert talk.ask("gogui-rules_final_result") == "unknown"
    for black, white in (("B1", "A7"), ("C1", "B7"), ("D1", "C7")):
        talk.ask(f"play b {black}", f"play w {white}")
    assert talk.ask("genmove b") == "E1"  # wins
    assert talk.ask("gogui-rules_final_result") == "black"
    assert talk.ask("gogui-rules_legal_moves") == ""
    assert talk.error("play w E5") == "illegal move"
    assert talk.ask("genmove w") == "pass"
    talk.ask("undo")
    assert talk.ask("gogui-rules_final_result") == "unknown"
    assert talk.error("final_score") == "unknown command"
    assert Talk().error("gogui-rules_board") == "unknown command"
    assert "final_score" not in talk.ask("list_commands").split()


def test_a_network_for_one_size_refuses_others(tmp_path):
    network = make_network("mlp:hidden=2")
    weights = np.zeros(network.weight_count(5), np.float32)
    path = tmp_path / "net.safetensors"
    save_model(path, Model(network, weights, 5))
    talk = Talk("atari-go", 5, str(path))
    assert talk.error("boardsize 7") == "unacceptable size"
    talk.ask("genmove b")
    assert talk.session.game.size == 5
    assert talk.session.game.to_move == WHITE


def test_play_sequence_is_all_or_nothing():
    talk = Talk(size=5)
    talk.ask("gogui-play_sequence b A1 w A2 b B1")
    assert talk.error("gogui-play_sequence w C3 b C3") == "illegal move"
    assert talk.ask("list_stones w") == "A2"
    assert talk.session.game.to_move == WHITE


def test_a_failing_player_still_gives_an_answer(monkeypatch):
    talk = Talk(size=5)

    def fail(*_):
        raise RuntimeError("broken\n\nplayer")

    monkeypatch.setattr(talk.session.bot, "choose", fail)
    errors = []
    monkeypatch.setattr(talk.engine, "_log_error", errors.append)
    assert talk.error("genmove b") == "internal error: RuntimeError"
    assert "broken" in errors[0]
    talk.ask("play w C3")
    monkeypatch.setattr(talk.session.bot, "choose", lambda *_: talk.session.point("C3"))
    assert talk.error("genmove b") == "the player playout chose an illegal move"
    talk.ask("play b B2")


def test_every_command_is_in_the_documentation():
    page = (Path(__file__).parent.parent.parent / "docs" / "gtp.md").read_text()
    for entry in COMMANDS.values():
        row = f"| `{' '.join([entry.name, entry.arguments]).strip()}` | {entry.about}"
        assert row in page, row
