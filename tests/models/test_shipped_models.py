"""Every shipped model: loading, provenance, identity with the measured file, and play."""

import hashlib
import json
import runpy
from pathlib import Path

import pytest

from helpers.commands import call
from nobi.arena.play import play_games
from nobi.arena.results import summarise
from nobi.errors import NobiError
from nobi.games import variant
from nobi.models import MeasuredElo, is_model, measured_elo, model_path, results, shipped
from nobi.models.model import load_model
from nobi.players import make_player

NAMES = sorted(shipped())
LARGEST = 8_000_000


def test_there_is_a_network_for_go():
    assert "go-main" in NAMES
    assert sum(path.stat().st_size for path in shipped().values()) <= 25_000_000


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_the_one_that_was_measured(name):
    content = shipped()[name].read_bytes()
    assert len(content) <= LARGEST
    assert hashlib.sha256(content).hexdigest() == results()[name]["sha256"]
    assert results()[name]["summary"]


@pytest.mark.parametrize("name", NAMES)
def test_the_header_has_the_training_settings(name):
    provenance = load_model(shipped()[name]).provenance
    assert provenance["nobi"]
    assert provenance["training"]["game"] in ("go", "atari-go", "gomoku", "pente")


def win_rate(name, opponent, size, games):
    board = variant(load_model(shipped()[name]).game, size)
    played = play_games(board, make_player(name, board), make_player(opponent, board), games, threads=1)
    return summarise(played)["all"].win_rate.value


@pytest.mark.parametrize("size", [7, 15])
@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("go-")])
def test_it_beats_a_beginner_on_a_small_and_a_large_board(name, size):
    assert win_rate(name, "playout", size, 12) >= 0.9


@pytest.mark.parametrize("size", [7, 15])
@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("go-")])
def test_it_plays_as_recorded_on_a_small_and_a_large_board(name, size):
    recorded = (1 + results()[name]["fitness"][f"{size}x{size}"]["value"]) / 2
    assert win_rate(name, "naive", size, 200) == pytest.approx(recorded, abs=0.12)
    if name.endswith(("mdlstm", "stacked")):
        assert recorded > 0.95


def test_the_curriculum_beats_its_last_opponent():
    assert win_rate("atari-go-mdlstm-heuristic", "heuristic", 7, 100) >= 0.95


def test_names_and_paths():
    assert is_model("go-main")
    assert is_model("elsewhere/net.safetensors")
    assert not is_model("mcts")
    assert model_path("go-main") == shipped()["go-main"]
    assert str(model_path("elsewhere/net.safetensors")) == "elsewhere/net.safetensors"
    with pytest.raises(NobiError, match=r"There is no model file 'go-mian'; did you mean 'go-main'\?$"):
        load_model("go-mian")


@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_copy_is_refused_with_one_sentence(name, tmp_path):
    damaged = tmp_path / "damaged.safetensors"
    damaged.write_bytes(shipped()[name].read_bytes()[:-4])
    with pytest.raises(NobiError, match=r"is not a complete \.safetensors file"):
        load_model(damaged)


def test_the_list(capsys):
    code, out, _ = call(capsys, "models", "--json")
    assert code == 0
    assert sorted(entry["name"] for entry in json.loads(out)) == NAMES
    code, out, _ = call(capsys, "models")
    assert code == 0
    for name in NAMES:
        assert name in out


def test_measured_strength():
    for name, found in results().items():
        for match in found.get("matches", []):
            assert match["games"] >= match["wins"] + match["draws"]
            measured = measured_elo(name, match["board"], match.get("playouts"))
            assert (measured.opponent, measured.board) == (match["opponent"], match["board"])
        for rating in found.get("ratings", []):
            assert rating["games"] > 0
            assert measured_elo(name, rating["board"], rating["playouts"], rating["game"]).value is not None
    assert measured_elo("nothing", 9) is None


def test_strength_on_the_board_nearest_in_size(monkeypatch):
    def entry(board, elo, **further):
        interval = {"value": elo, "low": elo - 1, "high": elo + 1}
        return {"board": board, "playouts": 100, "opponent": "naive", "elo": interval} | further

    found = {"net": {"matches": [entry(7, 10.0), entry(19, 20.0)]}}
    found["mcts"] = {"matches": [entry(9, 30.0)], "ratings": [entry(9, 40.0, game="pente")]}
    monkeypatch.setattr("nobi.models.results", lambda: found)
    assert [measured_elo("net", size, 100).board for size in (5, 7, 13, 14, 25)] == [7, 7, 7, 19, 19]
    assert measured_elo("net", 7, 300) is None
    assert [measured_elo("mcts", 9, 100, game).value for game in ("go", "pente")] == [30.0, 40.0]
    assert measured_elo("mcts", 9, 100, "gomoku") is None


def test_texts_of_strength():
    assert str(MeasuredElo(12.4, -30, 55, "GNU Go", 9)) == "Elo +12 (−30 to +55)"
    assert str(MeasuredElo(None, 611.2, None, "naive", 9)) == "Elo above +611"
    assert str(MeasuredElo(None, None, -300, "naive", 9)) == "Elo below −300"


def test_the_page_of_the_models_is_up_to_date():
    docs = Path(__file__).parents[2] / "docs"
    assert runpy.run_path(str(docs / "make_models.py"))["render"]() == (docs / "models.md").read_text()
