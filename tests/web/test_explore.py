"""The Explore view: results of studies, and two experiments."""

import json
import threading
import time

import numpy as np
import pytest

from nobi.errors import NobiError
from nobi.web.champion import watch_game, win_rates
from nobi.web.experiments import Experiments, TransferChoice, coevolve, measure_scatter, replay_between
from nobi.web.inside import InsideState
from nobi.web.results import missing_studies, results_folder, study_results


@pytest.fixture(scope="module")
def ciao():
    return coevolve(3, threading.Event(), generations=6)


def settle(experiments):
    end = time.monotonic() + 240
    while any(task.busy for task in (experiments.scatter_task, experiments.ciao_task, experiments._replay_task)):
        experiments.poll()
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_results_of_the_studies_are_listed():
    found = study_results()
    assert "s08-table1" in found
    table = found["s08-table1"].tables[0]
    assert {"paper", "ours [95 %]"} <= set(table.heads)
    assert len(table.rows) == len(table.agrees)
    assert found["s08-fig8"].figures[0].url == "/figures/s08-fig8.svg"
    assert any(figure.is_game for figure in found["s08-fig9"].figures)
    addresses = [figure.url for one in found.values() for figure in one.figures if not figure.is_game]
    assert len(set(addresses)) == len(addresses)
    assert set(missing_studies(found)).isdisjoint(found)


def test_damaged_results_are_omitted(tmp_path):
    good = json.loads((results_folder() / "s08-fig8.json").read_text())
    good["pictures"] = [{"file": "../../secret.svg", "caption": ""}, {"file": "none.png", "caption": ""}]
    (tmp_path / "s08-fig8.json").write_text(json.dumps(good))
    (tmp_path / "s08-fig7.json").write_text("{}")
    (tmp_path / "s08-fig6.json").write_text("nonsense")
    found = study_results(tmp_path)
    assert list(found) == ["s08-fig8"]
    assert found["s08-fig8"].figures == ()


def test_random_networks_on_two_boards(catalogue, jobs):
    shares = []
    scatter = measure_scatter(TransferChoice(small=5, large=6), threading.Event(), shares.append, networks=4)
    assert shares == [0.25, 0.5, 0.75, 1.0]
    assert len(scatter.points) == 4
    assert all(-1 <= value <= 1 for point in scatter.points for value in point)
    again = measure_scatter(TransferChoice(small=5, large=6), threading.Event(), networks=4)
    assert again.points == scatter.points
    network = scatter.network(2)
    assert network.weight_count == 93
    inside_state = InsideState("visitor", catalogue, jobs)
    inside_state.take(network)
    assert inside_state.choices()[network.id] == "Random network 3"
    stopped = threading.Event()
    stopped.set()
    assert measure_scatter(TransferChoice(), stopped).points == []
    for bad in ({"small": 9, "large": 9}, {"game": "go"}, {"net": "mlp"}, {"large": 99}):
        with pytest.raises(NobiError):
            TransferChoice(**bad)


def test_champions_against_champions(ciao):
    assert ciao.scores.shape == (3, 3)
    assert np.abs(ciao.scores).max() <= 1
    for i in range(3):
        for j in range(3):
            game = replay_between(ciao, i, j)
            assert len(game.positions) == len(game.cells) + 1
            if ciao.scores[i, j] > 0.5:  # both games of the pair were won, including the one with Black
                assert game.sentence == f"Champion of generation {2 * i + 1} wins as Black."
    assert replay_between(ciao, 0, 0, 9).size == 9


def test_a_click_shows_the_games(jobs, ciao):
    experiments = Experiments("visitor", "tab", jobs)
    experiments.pick_network(0)
    experiments.pick_pair(0)
    assert (experiments.picked_network, experiments.picked_pair) == (-1, -1)
    experiments.scatter = measure_scatter(TransferChoice(small=5, large=7), threading.Event(), networks=3)
    for number in (-1, 3, 10**9):
        experiments.pick_network(number)
        assert experiments.network() is None
    experiments.pick_network(1)
    settle(experiments)
    assert [game.size for game in experiments.networks_games] == [5, 7]
    experiments.ciao = ciao
    experiments.pick_pair(ciao.scores.size)
    assert experiments.picked_pair == -1
    experiments.pick_pair(5)
    settle(experiments)
    assert [game.size for game in experiments.pair_games] == [5, 9]


def test_a_champion_plays_on_several_boards(catalogue):
    file = catalogue["file-1"].network_file
    game = watch_game(file, "atari-go", 5, 1)
    assert game.sentence.endswith((" wins as Black.", " wins as White."))
    assert set(game.positions[0]) == {"."}
    assert sum(stone != "." for stone in game.positions[1]) == 1
    rates = win_rates(file, "atari-go", (5, 7), 10, threading.Event())
    assert [(one.size, one.games) for one in rates] == [(5, 10), (7, 10)]
    assert all(0 <= one.share <= 1 for one in rates)
