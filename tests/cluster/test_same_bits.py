"""What is played on Ray has the same bits as what is played in threads."""

import socket
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from helpers.disturbing import LOOPBACK
from nobi.arena.play import play_games
from nobi.evolution.coevolution import CoevolutionRun
from nobi.evolution.fitness import Fitness
from nobi.evolution.run import EvolutionRun
from nobi.evolution.settings import CoevolutionSettings, EvolutionSettings
from nobi.games import variant
from nobi.matches.openings import Opening
from nobi.matches.series import Entrant, Series, SeriesSettings, pairings
from nobi.players import make_player
from nobi.workers import ThreadExecutor, make_executor

SETTINGS = EvolutionSettings(sizes=(5,), net="mdrnn:hidden=1", method="es", generations=3, games=20)
FLAGS = ["--sizes", "5", "--net", "mdrnn:hidden=1", "--method", "es", "--generations", "3", "--games", "20"]
FILES = ("checkpoint.safetensors", "champion.safetensors", "metrics.jsonl", "config.json")


def series_on(executor):
    rules = variant("atari-go", 5)
    entrants = [Entrant(spec, rules, seed, 60.0) for seed, spec in enumerate(("naive", "random"))]
    found = {}
    with Series(SeriesSettings(rules), entrants, executor) as series:
        series.play(pairings(2, 6), lambda _: Opening(), lambda result, sgf: found.update({result.game: (result, sgf)}))
    return {game: (replace(result, seconds=[]), sgf) for game, (result, sgf) in found.items()}


@pytest.mark.usefixtures("cluster")
def test_every_kind_of_game_has_the_same_bits(tmp_path):
    coevolution = CoevolutionSettings(
        generations=3, population=4, selected=2, parasites=2, hall=2, net="mdrnn:hidden=1"
    )
    runs = {}
    games = {}
    series = {}
    rules = variant("atari-go", 5)
    with make_executor("ray") as ray, ThreadExecutor(2) as threads:
        assert ray.describe() == "1 node, 1 worker"
        for name, executor in (("ray", ray), ("local", threads)):
            one = EvolutionRun(tmp_path / f"evolve-{name}", SETTINGS, resume=False, executor=executor)
            two = CoevolutionRun(tmp_path / f"coevolve-{name}", coevolution, resume=False, executor=executor)
            for run in (one, two):
                run.train()
            runs[name] = [
                (tmp_path / f"{kind}-{name}" / file).read_bytes() for kind in ("evolve", "coevolve") for file in FILES
            ]
            pair = make_player("naive", rules), make_player("random", rules)
            games[name] = play_games(rules, *pair, 500, keep_moves=True, executor=executor)
            series[name] = series_on(executor)
            # an opponent in a file, which is copied to the nodes
            champion = str(tmp_path / "evolve-ray" / "champion.safetensors")
            fitness = Fitness("atari-go", [5], one.network, [champion, "naive"], 8, 1, executor=executor)
            runs[name].append(fitness.measure(np.stack([run.done[0].champion for run in (one, one)]), 0).tobytes())
        assert ray.cpu_seconds > 0
    assert runs["ray"] == runs["local"]
    for part in ("outcome", "length", "moves"):
        np.testing.assert_array_equal(getattr(games["ray"], part), getattr(games["local"], part))
    assert series["ray"] == series["local"]
    assert len(series["ray"]) == 6


def test_a_command_outside_the_cluster(ray_folder, nothing_left, tmp_path):  # noqa: ARG001
    """By the Ray Client server of the head."""
    from ray.cluster_utils import Cluster

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    cluster = Cluster(True, head_node_args={"num_cpus": 1, "ray_client_server_port": port, **LOOPBACK})
    try:
        command = [sys.executable, "-m", "nobi", "evolve", str(tmp_path / "ray"), *FLAGS]
        client = ["--executor", f"ray://127.0.0.1:{port}"]
        done = subprocess.run([*command, *client], capture_output=True, text=True, check=False, timeout=200)
        assert done.returncode == 0, done.stderr
    finally:
        cluster.shutdown()
    EvolutionRun(tmp_path / "local", SETTINGS, resume=False, executor=ThreadExecutor(1)).train()
    for file in FILES:
        assert (tmp_path / "ray" / file).read_bytes() == (tmp_path / "local" / file).read_bytes()
