"""The command `nobi show`."""

import json
import re

import numpy as np
import pytest
import torch

from helpers.commands import call
from nobi.games import variant
from nobi.games.go import Go
from nobi.games.gomoku import Gomoku
from nobi.models.model import Model, load_model, save_model
from nobi.networks import make_network
from nobi.networks.deep import make_deep
from nobi.players.inspection import inspect_network
from nobi.players.network import PolicyPlayer


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for name, spec in (("swiping", "mdlstm:hidden=3"), ("mlp", "mlp:hidden=5")):
        network = make_network(spec)
        weights = network.random_weights(7, np.random.default_rng(1))
        save_model(folder / f"{name}.safetensors", Model(network, weights, 7, {"training": {"game": "gomoku"}}))
    return folder


def shown(capsys, path, *arguments):
    code, out, err = call(capsys, "show", str(path), *arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_json_contains_the_output_of_the_network(capsys, models):
    path = models / "swiping.safetensors"
    document = shown(capsys, path, "--moves", "D4", "c3", "D5")
    game = Gomoku(7)
    for move in ("D4", "C3", "D5"):
        game.play(move)
    model = load_model(path)
    found = inspect_network(game, model.network, model.weights)
    assert document["board"] == str(game).splitlines()
    assert (document["game"], document["size"], document["to_move"]) == ("gomoku", 7, "white")
    assert document["moves"] == ["D4", "C3", "D5"]
    np.testing.assert_array_equal(np.float32(document["map"]), found.output)
    assert len(document["legal"]) == 46
    assert not {"D4", "C3", "D5"} & set(document["legal"])
    values = dict(zip((f"{c}{r}" for r in range(7, 0, -1) for c in "ABCDEFG"), np.ravel(document["map"]), strict=True))
    assert document["best"] == [max(document["legal"], key=values.get)]
    [layer] = document["layers"]
    np.testing.assert_array_equal([s["hidden"] for s in layer["sweeps"]], found.layers[0].hidden)
    assert [s["arrow"] for s in layer["sweeps"]] == list("↘↘↙↙↗↗↖↖")


def test_board_values_and_best_move_are_printed(capsys, models):
    path = models / "swiping.safetensors"
    code, out, _ = call(capsys, "show", str(path), "--moves", "D4", "C3")
    assert code == 0
    document = shown(capsys, path, "--moves", "D4", "C3")
    assert "\n".join(document["board"]) in out
    rows = [re.split(r"\s+", line.strip()) for line in out.split("\n\n")[2].splitlines()]
    assert rows[0] == list("ABCDEFG")
    assert [row[0] for row in rows[1:]] == list("7654321")
    assert (rows[4][4], rows[5][3]) == ("X", "O")
    assert float(rows[1][1]) == pytest.approx(document["map"][0][0], abs=0.01)
    assert f"The best move: {document['best'][0]}, with the value " in out


def test_the_start_of_a_symmetric_game_has_several_best_moves(capsys, models):
    path = models / "swiping.safetensors"
    document = shown(capsys, path)
    assert document["moves"] == []
    assert len(document["best"]) == 4
    assert f"The best moves: {', '.join(document['best'])}, with" in call(capsys, "show", str(path))[1]
    np.testing.assert_array_equal(document["map"], np.rot90(document["map"]))


def test_random_moves_follow_the_seed(capsys, models):
    path = models / "swiping.safetensors"
    one, same, other, fewer = (
        shown(capsys, path, "--random", count, "--seed", seed)["moves"]
        for count, seed in (("9", "1"), ("9", "1"), ("9", "2"), ("4", "1"))
    )
    assert len(one) == 9
    assert one == same != other
    assert fewer == one[:4]


def test_a_finished_game_has_no_best_move(capsys, models):
    path = models / "swiping.safetensors"
    arguments = ["--game", "atari-go", "--moves", "A1", "A2", "D4", "B1"]
    document = shown(capsys, path, *arguments)
    assert (document["result"], document["legal"], document["best"]) == ("W+", [], [])
    assert "The game is over: W+." in call(capsys, "show", str(path), *arguments)[1]


def test_another_game_and_size(capsys, models, tmp_path):
    path = models / "swiping.safetensors"
    figure = str(tmp_path / "new" / "nine.png")
    document = shown(capsys, path, "--game", "go:komi=5.5", "--size", "9", "--figure", figure)
    assert (document["game"], np.shape(document["map"])) == ("go:komi=5.5", (9, 9))
    assert document["legal"][-1] == "pass"
    assert sorted(file.name for file in (tmp_path / "new").iterdir()) == ["nine.png", "nine.svg"]


def test_an_mlp_has_a_map_and_no_sweeps(capsys, models):
    document = shown(capsys, models / "mlp.safetensors")
    assert np.shape(document["map"]) == (7, 7)
    assert document["layers"] == []


@pytest.fixture(scope="module")
def deep(tmp_path_factory):
    path = tmp_path_factory.mktemp("deep") / "deep.safetensors"
    network = make_deep("nobi-net:width=16,blocks=1")
    rng = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weights in network.parameters():  # an untrained network gives nearly equal values
            weights.normal_(0, 0.4, generator=rng)
    save_model(path, Model.from_module(network, 9, {}))
    return path


def test_probabilities_of_a_deep_network(capsys, deep, tmp_path):
    document = shown(capsys, deep, "--size", "5", "--moves", "C3", "B2", "--out", str(tmp_path / "deep.png"))
    assert (document["game"], document["measure"], document["layers"]) == ("go", "chance in %", [])
    names = [f"{c}{r}" for r in range(5, 0, -1) for c in "ABCDE"]
    chances = dict(zip(names, np.ravel(document["map"]), strict=True))
    assert (chances["C3"], chances["B2"]) == (0, 0)
    assert sum(chances.values()) == pytest.approx(100, rel=1e-5)
    assert document["best"] == [name for name in names if chances[name] == max(chances.values())]
    game = Go(5)
    game.play("C3")
    game.play("B2")
    logits = PolicyPlayer(variant("go", 5), load_model(deep).module()).values(game).ravel()
    taken = [names.index("C3"), names.index("B2")]
    weights = np.delete(np.exp(logits.astype(np.float64)), taken)
    np.testing.assert_allclose(np.delete(np.ravel(document["map"]), taken), 100 * weights / weights.sum(), rtol=1e-4)
    assert (tmp_path / "deep.png").exists()


def test_probabilities_are_printed(capsys, deep):
    _, out, _ = call(capsys, "show", str(deep), "--size", "5", "--moves", "C3")
    best = shown(capsys, deep, "--size", "5", "--moves", "C3")["best"]
    assert re.search(rf"The best moves?: {', '.join(best)}, with probability [0-9.]+ %( each)?\.", out)
    _, out, _ = call(capsys, "show", str(deep), "--size", "5", "--moves", "pass", "pass")
    assert "The game is over: W+7.5." in out


def test_a_deep_network_plays_go_only(capsys, deep):
    code, _, err = call(capsys, "show", str(deep), "--game", "gomoku")
    assert code == 2
    assert "plays go, not gomoku." in err


@pytest.mark.parametrize(
    ("model", "arguments", "sentence"),
    [
        ("swiping", ["--moves", "D4", "D4"], "D4 cannot be played: it is taken."),
        ("swiping", ["--moves", "H1"], "'H1' is not a point of a 7x7 board"),
        ("swiping", ["--moves", "pass"], "gomoku has no pass."),
        ("swiping", ["--moves", "D4", "--random", "3"], "Give either --moves or --random, not both."),
        ("swiping", ["--random", "-1"], "--random must be 0 or more, not -1."),
        ("swiping", ["--game", "chess"], "There is no game 'chess'"),
        ("swiping", ["--size", "4"], "The board size must be 5 to 25, not 4."),
        ("swiping", ["--seed", "-1"], "--seed must be 0 or more, not -1."),
        ("swiping", ["--out", __file__ + "/below/figure.png"], "cannot be written to"),
        ("mlp", ["--size", "9"], "plays on 7x7 only, not on 9x9."),
        ("none", [], "There is no model file"),
    ],
)
def test_bad_input_to_show(capsys, models, model, arguments, sentence):
    code, out, err = call(capsys, "show", str(models / f"{model}.safetensors"), *arguments)
    assert (code, out) == (2, "")
    [line] = err.splitlines()
    assert line.startswith("nobi: ")
    assert sentence in line


@pytest.mark.parametrize("command", [["show"], ["match", "random"], ["gtp"], ["export", "--onnx", "x"]])
def test_for_a_folder_its_models_are_listed(capsys, models, command):
    (models / "checkpoint.safetensors").touch()
    code, out, err = call(capsys, *command, str(models))
    assert (code, out) == (2, "")
    inside = f"choose one of {models / 'mlp.safetensors'} or {models / 'swiping.safetensors'}"
    assert err == f"nobi: {str(models)!r} is a folder and not a model file; {inside}.\n"


@pytest.mark.parametrize("name", ["", "a" * 300, "tests", "heuristc"])
def test_an_argument_that_is_neither_player_nor_model(capsys, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "heuristc").mkdir()
    (tmp_path / "other.safetensors").touch()
    code, _, err = call(capsys, "match", name, "random")
    assert code == 2
    hint = "did you mean 'heuristic'? Choose" if name == "heuristc" else "choose"
    assert err.startswith(f"nobi: There is no player {name!r}; {hint} one of ")
    code, _, err = call(capsys, "show", name or "none")
    assert (code, err) == (2, f"nobi: There is no model file {name or 'none'!r}.\n")


def test_values_that_are_not_finite(capsys, tmp_path):
    network = make_deep("nobi-net:width=16,blocks=1")
    with torch.no_grad():
        for weights in network.parameters():
            weights.fill_(1e30)
    save_model(tmp_path / "wild.safetensors", Model.from_module(network, 9, {"training": None}))
    code, _, err = call(capsys, "show", str(tmp_path / "wild.safetensors"))
    assert code == 2
    assert "NaN or infinite: its training has diverged." in err


def test_help_of_show(capsys):
    code, out, _ = call(capsys, "show", "--help")
    assert code == 0
    for flag in (
        "MODEL",
        "--game",
        "--size",
        "--moves",
        "--random",
        "--figure",
        "--seed",
        "--threads",
        "--json",
    ):
        assert flag in out
