"""Fitness is a pure function of weights, games, seed and generation; transfer reports what the games bear out."""

import json

import numpy as np
import pytest

from helpers.commands import call
from nobi.arena.play import play_games
from nobi.errors import NobiError
from nobi.evolution.fitness import MEASURES, Fitness, games_seed
from nobi.evolution.transfer import load_models, measure_transfer, transfer
from nobi.games import variant
from nobi.models.model import Model, save_model
from nobi.networks import make_network
from nobi.players import make_player
from nobi.players.network import NetworkPlayer

NETWORK = make_network("mdrnn:hidden=2")
CANDIDATES = np.random.default_rng(0).standard_normal((5, NETWORK.weight_count(5))).astype(np.float32)


def fitness(threads=1, sizes=(5,), opponents=("naive",), games=40, seed=3):
    return Fitness("atari-go", sizes, NETWORK, opponents, games, seed, threads)


def test_fitness_is_that_of_a_match():
    """Every candidate plays the arena's games of the generation's seed."""
    where = variant("atari-go", 5)
    found = fitness().measure(CANDIDATES, generation=4)
    for weights, value in zip(CANDIDATES, found, strict=True):
        player = NetworkPlayer(where, NETWORK, weights)
        played = play_games(where, player, make_player("naive", where), 40, seed=games_seed(3, 4))
        assert value == played.points_of_a.mean()


def test_threads_and_company_change_nothing():
    alone = [fitness().measure(CANDIDATES[i : i + 1], 7)[0] for i in range(5)]
    for threads in (1, 2, 3):
        assert fitness(threads).measure(CANDIDATES, 7).tolist() == alone


def test_generations_play_different_games():
    assert games_seed(0, 1) != games_seed(0, 2) != games_seed(1, 2)
    f = fitness()
    assert f.measure(CANDIDATES, 1).tolist() != f.measure(CANDIDATES, 2).tolist()


def test_several_boards_and_opponents_count_alike():
    both = fitness(sizes=(5, 6), opponents=("naive", "random"))
    assert both.games_per_candidate == 160
    parts = [fitness(sizes=(s,), opponents=(o,)).measure(CANDIDATES, 0) for s in (5, 6) for o in ("naive", "random")]
    assert both.measure(CANDIDATES, 0) == pytest.approx(np.mean(parts, axis=0))
    objectives = both.objectives(CANDIDATES, 0, ("points",))
    assert np.array_equal(objectives, np.stack(parts, axis=1))


def test_measures():
    where = variant("atari-go", 5)
    played = fitness().play(CANDIDATES[:1], 0)[0][0]
    assert MEASURES["black"](played).size == MEASURES["white"](played).size == 20
    colours = (MEASURES["black"](played).mean() + MEASURES["white"](played).mean()) / 2
    assert colours == pytest.approx(MEASURES["points"](played).mean())
    assert np.array_equal(MEASURES["score"](played), played.score_of_a)
    assert MEASURES["length"](played).mean() == pytest.approx(-played.length.mean() / where.size**2)


def save_models(folder, count):
    paths = []
    for i in range(count):
        paths.append(folder / f"m{i}.safetensors")
        save_model(paths[-1], Model(NETWORK, CANDIDATES[i], 5, {"training": {"game": "atari-go"}}))
    return paths


def test_transfer_of_one_model_has_an_interval_over_its_games(tmp_path):
    model, weights = load_models(save_models(tmp_path, 1))
    report = measure_transfer(model.network, weights, "atari-go", (5, 7), ("naive",), 40, seed=3)
    assert [row.size for row in report.sizes] == [5, 7]
    assert report.sizes[0].fitness.value == pytest.approx(fitness().measure(CANDIDATES[:1], 0)[0])
    assert report.sizes[0].fitness.low < report.sizes[0].fitness.value < report.sizes[0].fitness.high
    assert report.pairs == []


def test_transfer_of_several_models_compares_boards(tmp_path):
    model, weights = load_models(save_models(tmp_path, 5))
    report = measure_transfer(model.network, weights, "atari-go", (5, 6, 7), ("naive",), 40, seed=3)
    assert [(pair.small, pair.large) for pair in report.pairs] == [(5, 6), (5, 7), (6, 7)]
    small, large = (np.array(report.sizes[i].per_model) for i in (0, 2))
    assert report.pairs[1].transfer == transfer(small, large)


def test_models_of_different_kinds_are_refused(tmp_path):
    paths = save_models(tmp_path, 1)
    other = make_network("mdrnn:hidden=3")
    paths.append(tmp_path / "other.safetensors")
    save_model(paths[-1], Model(other, np.zeros(other.weight_count(5), np.float32), 5))
    with pytest.raises(NobiError, match="different kinds"):
        load_models(paths)


def test_the_command(capsys, tmp_path):
    paths = [str(path) for path in save_models(tmp_path, 3)]
    arguments = ["transfer", *paths, "--sizes", "5", "6", "--games", "20", "--figure", str(tmp_path / "f.png")]
    code, out, _ = call(capsys, *arguments)
    assert code == 0
    assert "5x5 → 6x6" in out
    assert (tmp_path / "f.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "f.svg").read_text().startswith("<?xml")
    document = json.loads(call(capsys, *arguments, "--json")[1])
    assert document["models"] == 3
    assert [row["size"] for row in document["sizes"]] == [5, 6]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["none.safetensors"], "There is no model file 'none.safetensors'."),
        (["M", "--games", "3"], "--games must be an even number, half for each colour, not 3."),
        (["M", "--measure", "beauty"], "There is no measure 'beauty'"),
        (["M", "--opponents", "nobody"], "There is no player 'nobody'"),
        (["M", "--sizes", "4"], "The board size must be 5 to 25, not 4."),
    ],
)
def test_bad_input_to_the_command(capsys, tmp_path, arguments, sentence):
    [path] = save_models(tmp_path, 1)
    code, out, err = call(capsys, "transfer", *[str(path) if spec == "M" else spec for spec in arguments])
    assert (code, out) == (2, "")
    [line] = err.splitlines()
    assert sentence in line
