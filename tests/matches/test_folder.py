"""The folder of a match, continued by the command line, by Python, and by later versions."""

import json

import pytest

import nobi
from helpers.commands import call

GO = nobi.variant("go:komi=0.5", 5)
COMMAND = ["match", "playout", "naive", "--game", "go:komi=0.50", "--size", "5", "--seed", "3", "--random-moves", "2"]


def moves_in(folder):
    lines = (folder / "games.jsonl").read_text().splitlines()
    return {game["game"]: game["moves"] for game in map(json.loads, lines)}


def command_line(capsys, folder, games, *flags):
    code, _, err = call(capsys, *COMMAND, "--folder", str(folder), "--games", str(games), "--resume", *flags)
    assert code == 0, err


def python(_, folder, games):
    nobi.match("playout", "naive", GO, games, folder=folder, seed=3, random_moves=2, progress=False)


@pytest.mark.parametrize(("first", "second"), [(command_line, python), (python, command_line)])
def test_the_command_line_and_python_continue_the_matches_of_each_other(tmp_path, capsys, first, second):
    first(capsys, tmp_path / "both", 4)
    before = moves_in(tmp_path / "both")
    second(capsys, tmp_path / "both", 8)
    after = moves_in(tmp_path / "both")
    assert sorted(after) == list(range(8))
    assert before.items() <= after.items()
    second(capsys, tmp_path / "one", 8)
    assert moves_in(tmp_path / "one") == after


def test_a_tournament_of_python_is_continued(tmp_path, capsys):
    players = ["playout", "naive", "random"]
    nobi.tournament(players, GO, 1, folder=tmp_path, seed=3, progress=False)
    command = ["tournament", *players, "--game", "go:komi=0.5", "--size", "5", "--folder", str(tmp_path), "--resume"]
    code, out, err = call(capsys, *command, "--seed", "3", "--games", "2", "--json")
    assert code == 0, err
    assert len(json.loads(out)["games"]) == 6
    code, _, err = call(capsys, *command, "--seed", "4", "--games", "2")
    assert code == 2
    assert "has another --seed (3, not 4)" in err


EARLIER = {
    "command line": {
        "nobi": "0.2.0", "seed": 3, "referee": "", "handicap": 0, "openings": None, "random_moves": 2, "seconds": None,
        "main_time": None, "byo_yomi": None, "periods": None, "stones": None, "timeout": 60.0, "a": "playout",
        "b": "naive", "game": "go:komi=0.50", "size": 5, "games": 2, "sgf": None, "show": False,
    },
    "Python": {
        "a": "playout", "b": "naive", "game": "go:komi=0.5", "size": 5, "referee": "", "seconds": None, "seed": 3,
    },
}  # fmt: skip


@pytest.mark.parametrize("writer", EARLIER)
def test_folders_of_earlier_versions_are_continued(tmp_path, capsys, writer):
    config = EARLIER[writer]
    (tmp_path / "config.json").write_text(json.dumps(config))
    flags = ["--random-moves", str(config.get("random_moves", 0))]
    command_line(capsys, tmp_path, 2, *flags)
    assert len(moves_in(tmp_path)) == 2
    again = [*COMMAND, "--folder", str(tmp_path), "--resume", *flags]
    assert "has another --timeout (60.0, not 61.0)" in call(capsys, *again, "--timeout", "61")[2]
    assert "contains more games than the 1" in call(capsys, *again, "--games", "1")[2]


def test_settings_of_a_match_in_python_are_checked():
    with pytest.raises(nobi.NobiError, match="`timeout` must be above 0, not 0"):
        nobi.match("naive", "random", GO, timeout=0)
    with pytest.raises(nobi.NobiError, match="no setting 'handicaps'; did you mean 'handicap'"):
        nobi.match("naive", "random", GO, handicaps=2)
