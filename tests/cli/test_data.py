"""`nobi data import` and `nobi data info`."""

import json

import numpy as np
import pytest

from helpers.commands import call
from nobi.board.text import row_column
from nobi.games.go import Go


def record(seed, size=9, **properties):
    """A game of ten random moves."""
    game = Go(size)
    rng = np.random.default_rng(seed)
    for _ in range(10):
        game.play(int(rng.choice(game.legal_moves()[:-1])))
    points = [row_column(move, size) for move in game.moves]
    moves = "".join(f";{'BW'[i % 2]}[{chr(97 + c)}{chr(97 + r)}]" for i, (r, c) in enumerate(points))
    return f"(;SZ[{size}]" + "".join(f"{name}[{value}]" for name, value in properties.items()) + moves + ")"


@pytest.fixture
def games(tmp_path):
    texts = [record(i, 9 if i % 3 else 13, BR="3d", WR="2k", DT=str(1990 + i), RE="B+R") for i in range(30)]
    texts += [texts[0], "(;GM[4];B[aa])", "(;SZ[9];B[aa];W[aa])"]
    (tmp_path / "games.sgfl").write_text("\n".join(texts))
    return tmp_path / "games.sgfl"


def test_import_and_info(capsys, games, tmp_path):
    out = tmp_path / "data"
    code, text, err = call(capsys, "data", "import", str(games), "--out", str(out))
    assert (code, err) == (0, "")
    assert "30 of 33 games accepted" in text
    assert "duplicate 1, illegal-move 1, wrong-game 1" in text
    code, text, err = call(capsys, "data", "info", str(out), "--verify")
    assert (code, err) == (0, "")
    for spec in ("train", "validation", "test", "size 9", "rank 3d", "1990s", "handicap 0", "median", "illegal-move"):
        assert spec in text


def test_json(capsys, games, tmp_path):
    out = tmp_path / "data"
    code, text, _ = call(capsys, "data", "import", str(games), "--out", str(out), "--json", "--max-rank", "5d")
    report = json.loads(text)
    assert (code, report["games"], report["records"], report["moves"]) == (0, 30, 33, 300)
    assert report["rejected"] == {"duplicate": 1, "filtered-rank": 1, "wrong-game": 1}
    code, text, _ = call(capsys, "data", "info", str(out), "--json")
    info = json.loads(text)
    assert code == 0
    total = info["total"]
    assert (total["games"], total["moves"], total["positions"]) == (30, 300, 300)
    assert total["sizes"] == {"9": 20, "13": 10}
    assert total["ranks"] == {"3d": 30, "2k": 30}
    assert total["years"]["1990"] == 1
    assert total["results"] == {"black": 30}
    assert total["lengths"]["median"] == 10
    assert sum(part["games"] for part in info["splits"].values()) == 30
    assert info["settings"]["max_rank"] == "5d"


def test_filters(capsys, games, tmp_path):
    flags = ["--sizes", "13", "--since", "2000", "--until", "2010", "--max-handicap", "0", "--max-moves", "10"]
    _, text, _ = call(capsys, "data", "import", str(games), "--out", str(tmp_path / "data"), "--json", *flags)
    assert json.loads(text)["games"] == 3  # 2002, 2005, 2008


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["import", "{games}", "{out}/nowhere", "--out", "{out}/data"], "There is no file or folder"),
        (["import", "{games}", "--out", "{out}/data", "--min-rank", "king"], "5k, 3d or pro"),
        (["import", "{games}", "--out", "{out}/data", "--sizes", "19"], "33 records were rejected"),
        (["import", "{games}", "--out", "{games}"], "is not a dataset"),
        (["import", "{games}", "--out", "{out}/data", "--threads", "-1"], "--threads"),
        (["import", "--out", "{out}/data"], "at least one file or folder"),
        (["info", "{out}/nowhere"], "There is no dataset"),
        (["info", "{out}"], "is not a dataset"),
    ],
)
def test_bad_input_is_one_sentence(capsys, games, tmp_path, arguments, words):
    filled = [spec.format(games=games, out=tmp_path) for spec in arguments]
    code, out, err = call(capsys, "data", *filled)
    assert (code, out) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["games.sgfl"]


@pytest.mark.parametrize("command", ["import", "info"])
def test_help(capsys, command):
    code, out, _ = call(capsys, "data", command, "--help")
    assert code == 0
    assert f"usage: nobi data {command}" in out
    for flag in ("--seed", "--threads", "--json", "DATASET"):
        assert flag in out
    code, out, _ = call(capsys, "data", "--help")
    assert code == 0
    assert command in out


def test_a_missing_subcommand(capsys):
    code, out, err = call(capsys, "data")
    assert (code, out) == (2, "")
    assert err == "nobi: 'nobi data' needs a command; choose one of import or info.\n"
