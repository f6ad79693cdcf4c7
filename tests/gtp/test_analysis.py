"""Scripted dialogues: analysis as lines and as maps."""

import numpy as np
import pytest

from helpers.conversation import HALVES, Talk
from nobi.models.model import Model, save_model
from nobi.networks import make_network
from nobi.networks.deep import make_deep


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A swiping network that plays on any board."""
    network = make_network("mdlstm:hidden=3")
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
    priors = [int(spec[7]) for spec in words]
    assert priors == sorted(priors, reverse=True)
    assert abs(sum(priors) - 10000) < 24
    assert [int(spec[11]) for spec in words] == list(range(24))
    best = talk.ask("reg_genmove w")
    assert words[0][1] == best == words[0][13]
    first, [line] = _lines_of(talk("kata-analyze w interval 50 maxmoves 3 ownership true rootInfo true"))
    assert first == "="
    assert line.count("info move") == 3
    assert " rootInfo visits " in line
    assert "score" not in line  # this game has none
    assert "ownership" not in line
    assert 0 < float(line.split(" prior ")[1].split()[0]) < 1
    first, lines = _lines_of(talk("5 kata-genmove_analyze w 10"))
    assert first == "=5"
    assert lines[0].startswith(f"info move {best} ")
    assert lines[1:] == [f"play {best}"]
    assert talk.ask("list_stones w") == best
    assert talk.error("lz-analyze b interval") == "syntax error"
    assert talk.error("lz-analyze b interval x") == "syntax error"
    assert talk.error("lz-analyze w") == "illegal move"  # it is black's turn, and this game has no pass


def test_a_player_that_cannot_analyse_still_generates():
    talk = Talk(size=5)
    assert talk.error("lz-analyze") == "the player playout cannot analyse"
    _, [line] = _lines_of(talk("lz-genmove_analyze b"))
    assert line.startswith("play ")
    assert talk.ask("list_stones b") == line.split()[1]


def test_maps(model):
    talk = Talk("atari-go", 5, model)
    commands = [line.split("/") for line in talk.ask("gogui-analyze_commands").splitlines()]
    assert all(len(parts) == 3 and parts[0] in ("dboard", "sboard", "plist", "string") for parts in commands)
    assert sum(parts[2].startswith("nobi-hidden") for parts in commands) == 8 * 3
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
    hidden = talk.session.bot.inspect(talk.session.game).layers[0].hidden
    shown = np.array([row.split() for row in talk.ask("nobi-hidden 1 3 2").splitlines()], float)
    np.testing.assert_allclose(shown, hidden[2, 1], atol=6e-4)  # three decimals
    assert talk.error("nobi-hidden 2 1 1") == "there is 1 layer"
    assert talk.error("nobi-hidden 1 9 1") == "the layer has 8 sweeps and 3 units"
    assert talk.error("nobi-hidden 1") == "syntax error"
    plain = Talk(size=5)
    assert "has no policy" in plain.error("nobi-policy")
    assert "has no hidden units" in plain.error("nobi-hidden 1 1 1")
    plain.ask(f"gogui-setup {HALVES}")
    owned = np.array([row.split() for row in plain.ask("nobi-ownership").splitlines()], float)
    assert owned[:, 0].min() > 0.5
    assert owned[:, 4].max() < -0.5


def test_maps_of_the_network_that_guides_a_search(model):
    talk = Talk("go", 5, f"mcts:model={model},rollouts=20", bot=None)
    alone = Talk("go", 5, model)
    for one in (talk, alone):
        one.ask("play b B2")
    assert talk.ask("gogui-analyze_commands") == alone.ask("gogui-analyze_commands")
    for command in ("nobi-policy", "nobi-policy_numbers", "nobi-hidden 1 3 2"):
        assert talk.ask(command) == alone.ask(command)
    plain = Talk("go", 5, "mcts:rollouts=20", bot=None)
    assert "has no policy" in plain.error("nobi-policy")
    assert "has no hidden units" in plain.error("nobi-hidden 1 1 1")
    assert "nobi-policy" not in plain.ask("gogui-analyze_commands")


def test_maps_of_a_deep_network_that_guides_a_search(tmp_path):
    file = tmp_path / "deep.safetensors"
    save_model(file, Model.from_module(make_deep("c14-small:size=5", seed=1), 5))
    talk = Talk("go", 5, f"mcts:model={file},rollouts=20", bot=None)
    alone = Talk("go", 5, str(file), bot=None)
    for one in (talk, alone):
        one.ask("play b B2")
    assert talk.ask("nobi-policy") == alone.ask("nobi-policy")
    assert "nobi-policy" in talk.ask("gogui-analyze_commands")
    assert "has no hidden units" in talk.error("nobi-hidden 1 1 1")


def test_the_raw_output_of_a_network():
    lines = {}
    for player in ("go-small", "mcts:model=go-small,rollouts=20"):
        talk = Talk("go", 5, player, bot=None)
        talk.ask("play b B2")
        found = talk.ask("kata-raw-nn 0").splitlines()
        assert talk.ask("kata-raw-nn w 0").splitlines() == found
        lines[player] = found
        win, loss = (float(line.split()[1]) for line in found[1:3])
        assert win + loss == pytest.approx(1, abs=1e-5)
        game = talk.session.game
        expected = talk.session.bot.expected_result(game)  # White is to move
        assert win == pytest.approx(expected, abs=1e-5)
        row = found.index("policy") + 1
        policy = np.array([line.split() for line in found[row : row + 5]], float)
        assert np.isnan(policy).sum() == 1
        assert np.nansum(policy) == pytest.approx(1, abs=1e-4)
        assert found[row + 5].startswith("policyPass")
        owned = np.array([line.split() for line in found[-5:]], float)
        assert abs(owned).max() <= 1
        assert talk.error("kata-raw-nn 1") == "the only symmetry is 0"
    assert lines["go-small"][1] == lines["mcts:model=go-small,rollouts=20"][1]
    assert "has no network" in Talk("go", 5, "mcts:rollouts=20", bot=None).error("kata-raw-nn 0")


def test_a_network_without_results_uses_playouts(tmp_path):
    file = tmp_path / "deep.safetensors"
    save_model(file, Model.from_module(make_deep("nobi-net:width=16,blocks=1", seed=1), 5))
    talk = Talk("go", 5, str(file), bot=None)
    assert talk.session.bot.expected_result(talk.session.game) is None
    assert talk.ask("kata-raw-nn 0").startswith("symmetry 0\nwhiteWin ")
