"""`nobi play` without a browser."""

import builtins
import socket
import sys

import pytest

from helpers.commands import call
from helpers.engines import fake
from nobi import games
from nobi.cli.terminal import board_text


def answers(monkeypatch, *lines):
    """Enter these lines, then end the input."""
    left = list(lines)

    def answer(_=""):
        if not left:
            raise EOFError
        return left.pop(0)

    monkeypatch.setattr(builtins, "input", answer)


def test_a_game_in_the_terminal(capsys, monkeypatch, tmp_path):
    path = tmp_path / "game.sgf"
    answers(monkeypatch, "help", "C3", "undo", "undo", "Z9", "C3", "C3", "hint", "resign", f"save {path}", "B2", "quit")
    code, out, err = call(capsys, "play", "--terminal", "--size", "5", "--opponent", "random")
    assert (code, err) == (0, "")
    for words in ("undo, hint, resign", "no move to take back", "not a point", "is taken", "would play",
                  "White wins: Black resigned.", "Saved as", "The game is over.", "A B C D E"):  # fmt: skip
        assert words in out
    assert b"RE[W+R]" in path.read_bytes()


def test_columns_are_aligned_with_their_letters():
    variant = games.variant("go", 13)
    for name in ("A1", "N13", "G7"):
        game = variant.new()
        game.play(name)
        lines = board_text(game).plain.split("\n")
        row, stone = next((line, line.index("●")) for line in lines if "●" in line)
        assert lines[0][stone] == lines[-1][stone] == name[0], row


def test_a_resignation_is_undone_alone(capsys, monkeypatch):
    answers(monkeypatch, "C3", "resign", "undo", "undo", "undo", "quit")
    code, out, _ = call(capsys, "play", "--terminal", "--size", "5", "--opponent", "random")
    assert code == 0
    boards = out.split("    A B C D E")[1::2]
    assert [board.count("●") for board in boards] == [0, 1, 1, 1, 0]  # the last undo changes nothing


def test_a_game_is_saved_when_the_engine_stops(capsys, monkeypatch, tmp_path):
    path = tmp_path / "game.sgf"
    answers(monkeypatch, "C3", f"save {path}", "undo", "quit")
    opponent = f"gtp:{fake('crash', 1)}"
    code, out, _ = call(capsys, "play", "--terminal", "--game", "go", "--size", "5", "--opponent", opponent)
    assert code == 0
    assert "The engine" in out
    assert "no result" in out
    assert b"RE[Void]" in path.read_bytes()
    assert b";B[cc]" in path.read_bytes()


def test_the_opponent_begins_in_the_terminal(capsys, monkeypatch):
    answers(monkeypatch, "quit")
    code, out, _ = call(capsys, "play", "--terminal", "--game", "go", "--size", "5", "--opponent", "naive", "--white")
    assert code == 0
    assert "Black: " in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--terminal", "--opponent", "nobody"], "There is no player 'nobody'"),
        (["--json"], "remove --json"),
        (["--port", "0"], "--port must be 1 to 65535"),
        (["--engines", "no-such-engine --gtp"], "no program 'no-such-engine'"),
        (["--runs", __file__], "--runs must be a folder"),
        (["--host", "192.0.2.1"], "lets everyone on the network play"),
        (["--host", "192.0.2.1", "--token", "a b"], "letters and digits"),
        (["--no-browser", "none.safetensors", "--port", "18471"], "There is no model file"),
    ],
)
def test_bad_input_is_one_sentence(capsys, arguments, sentence):
    code, out, err = call(capsys, "play", *arguments)
    assert (code, out) == (2, "")
    assert sentence in err
    assert len(err.splitlines()) == 1


def test_ctrl_c_stops_the_page_without_a_complaint(capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("nobi.web.server.serve", interrupted)
    assert call(capsys, "play", "--no-browser") == (0, "", "")


def test_a_port_in_use(capsys):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        code, _, err = call(capsys, "play", "--no-browser", "--port", str(port))
    assert code == 2
    assert err == f"nobi: Port {port} is in use; try 'nobi play --port {port + 1}'.\n"


def test_without_nicegui_the_message_says_how_to_install_it(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "nicegui", None)
    code, _, err = call(capsys, "play", "--no-browser", "--port", "18472")
    assert code == 2
    assert err == "nobi: The page needs NiceGUI; install it with pip install 'nobi[web]'.\n"
