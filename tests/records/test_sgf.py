"""Saved games, as other programs read them."""

import subprocess
import sys

import pytest
from sgfmill import sgf

from helpers.commands import call
from helpers.engines import gnugo
from helpers.positions import GAMES
from nobi.games import variant
from nobi.records.sgf_writer import sgf_of


def read(file):
    return sgf.Sgf_game.from_bytes(file.read_bytes())


def replayed(record, spec):
    """The game of a record, replayed from an empty board."""
    game = variant(spec, record.get_size()).new()
    for node in record.get_main_sequence()[1:]:
        _, move = node.get_move()
        game.play("pass" if move is None else "ABCDEFGHJ"[move[1]] + str(move[0] + 1))
    return game


@pytest.mark.parametrize("game", GAMES)
def test_saved_games_are_read_by_other_programs(capsys, tmp_path, game):
    folder = tmp_path / "games"
    code, _, _ = call(
        capsys, "match", "random", "naive", "--game", game, "--size", "7", "--games", "10", "--folder", str(folder)
    )
    assert code == 0
    files = sorted(folder.glob("*.sgf"))
    assert [file.name for file in files] == [f"game-{i:04d}.sgf" for i in range(1, 11)]
    for i, file in enumerate(files):
        record = read(file)
        assert record.get_size() == 7
        assert record.get_root().get("PB") == ("random" if i % 2 == 0 else "naive")
        if not game.startswith("go"):  # in Go, stones that cannot live are taken off before counting
            assert replayed(record, game).standing() == record.get_root().get("RE")
    code, _, err = call(capsys, "match", "random", "naive", "--game", game, "--size", "7", "--sgf", str(folder))
    assert code == 2
    assert "already contains a match" in err


def test_sgf_of_set_up_stones_and_handicap():
    go = variant("go:komi=0.5", 9).new()
    go.place_handicap(2)
    go.play("E5")
    go.play("pass")
    text = sgf_of(go, "one", "two").decode().replace("\n", "")
    for part in ("AB[cg][gc]", "HA[2]", "PL[W]", "KM[0.5]", "RU[Chinese]", "PB[one]", "PW[two]", ";W[ee];B["):
        assert part in text
    pente = variant("pente", 9).new()
    pente.play("A1")
    assert "AW[ee]" in sgf_of(pente).decode()
    assert "GM[4]" in sgf_of(pente).decode()
    assert "RU[pente]" in sgf_of(pente).decode()
    assert "RE" not in sgf_of(pente).decode()


def test_gnugo_reads_a_saved_game(tmp_path):
    """GNU Go loads the record and has the same stones on the board."""
    program = gnugo()
    subprocess.run(
        [sys.executable, "-m", "nobi", "match", "playout", "playout", "--game", "go",
         "--games", "2", "--folder", tmp_path],
        check=True, capture_output=True,
    )  # fmt: skip
    game = replayed(read(tmp_path / "game-0001.sgf"), "go")
    assert game.size == 9
    commands = f"loadsgf {tmp_path / 'game-0001.sgf'}\nlist_stones black\nlist_stones white\nquit\n"
    out = subprocess.run([program, "--mode", "gtp"], input=commands, capture_output=True, text=True, check=True).stdout
    answers = [answer.lstrip("= ").split() for answer in out.split("\n\n")]
    for colour, names in ((1, answers[1]), (2, answers[2])):
        assert {game._as_point(name) for name in names} == {p for p in game.points() if game.colour(p) == colour}
