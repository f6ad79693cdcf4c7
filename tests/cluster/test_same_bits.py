"""Games on Ray are bit-identical to games in threads."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import nobi
from helpers.commands import call
from nobi.arena.play import play_games
from nobi.evolution.coevolution import CoevolutionRun
from nobi.evolution.fitness import Fitness
from nobi.evolution.run import EvolutionRun
from nobi.evolution.settings import CoevolutionSettings, EvolutionSettings
from nobi.games import variant
from nobi.matches.folder import MatchFolder
from nobi.matches.series import Entrant, Series, pairings
from nobi.matches.settings import SeriesSettings
from nobi.players import make_player
from nobi.workers import ThreadExecutor, make_executor

SETTINGS = EvolutionSettings(sizes=(5,), net="mdrnn:hidden=1", method="es", generations=3, games=20)
FLAGS = ["--sizes", "5", "--net", "mdrnn:hidden=1", "--method", "es", "--generations", "3", "--games", "20"]
FILES = ("checkpoint.safetensors", "champion.safetensors", "metrics.jsonl", "config.json")


def series_on(executor):
    rules = variant("atari-go", 5)
    entrants = [Entrant(spec, rules, seed, 60.0) for seed, spec in enumerate(("naive", "random"))]
    with TemporaryDirectory() as folder, Series(SeriesSettings(), entrants, executor) as series:
        series.use_folder(MatchFolder(Path(folder), {}, resume=False))
        series.play(pairings(2, 6))
        return {
            result.game: (replace(result, seconds=[]), (Path(folder) / f"game-{result.game + 1:04d}.sgf").read_bytes())
            for result in series.results
        }


@pytest.mark.usefixtures("shared_cluster")
def test_every_kind_of_game_has_the_same_bits(tmp_path):
    coevolution = CoevolutionSettings(
        generations=3, population=4, selected=2, parasites=2, hall=2, net="mdrnn:hidden=1"
    )
    runs = {}
    games = {}
    series = {}
    rules = variant("atari-go", 5)
    with make_executor("ray") as ray, ThreadExecutor(2) as threads:
        assert ray.describe() == "1 node, 2 workers"
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


def on_both(capsys, *command):
    """The JSON documents of a command with threads and with Ray; `{executor}` in an argument is replaced."""
    found = []
    for executor in ("local", "ray"):
        arguments = [argument.format(executor=executor) for argument in command]
        code, out, err = call(capsys, *arguments, "--json", "--executor", executor)
        assert code == 0, err
        found.append(json.loads(out))
    return found


def games_in(folder):
    """All games of a match folder by number, without their times, and the SGF files."""
    lines = [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]
    games = {line["game"]: line | {"seconds": None} for line in lines}
    return games, {file.name: file.read_bytes() for file in folder.glob("*.sgf")}


@pytest.mark.usefixtures("shared_cluster")
def test_a_study(capsys, tmp_path):
    local, ray = on_both(capsys, "study", "s08-fig5", "--scale", "tiny", "--out", str(tmp_path / "{executor}"))
    [one], [other] = local["studies"], ray["studies"]
    for part in ("settings", "tables", "claims", "conditions"):
        assert one[part] == other[part], part
    assert one["tables"]
    files = {file.name: file.read_bytes() for file in (tmp_path / "local" / "results").glob("*.png")}
    assert files
    assert files == {file.name: file.read_bytes() for file in (tmp_path / "ray" / "results").glob("*.png")}


@pytest.mark.usefixtures("shared_cluster")
def test_matches(capsys, tmp_path):
    many = ["match", "naive", "heuristic:e=0.5", "--size", "5", "--games", "300", "--seed", "3"]
    local, ray = on_both(capsys, *many)
    assert local["results"] == ray["results"]
    one_by_one = ["match", "naive", "random", "--size", "5", "--games", "6", "--folder", str(tmp_path / "{executor}")]
    local, ray = on_both(capsys, *one_by_one)
    assert local["results"] == ray["results"]
    assert games_in(tmp_path / "local") == games_in(tmp_path / "ray")
    assert len(games_in(tmp_path / "ray")[1]) == 6


@pytest.mark.usefixtures("shared_cluster")
def test_a_tournament(capsys, tmp_path):
    players = ["naive", "random", "heuristic:e=0.5"]
    flags = ["--game", "atari-go", "--size", "5", "--games", "2", "--folder", str(tmp_path / "{executor}")]
    local, ray = on_both(capsys, "tournament", *players, *flags)
    assert (local["points"], local["elo"]) == (ray["points"], ray["elo"])
    assert games_in(tmp_path / "local") == games_in(tmp_path / "ray")
    python = nobi.tournament(players, nobi.variant("atari-go", 5), games=2, executor="ray", progress=False)
    assert python.points.tolist() == local["points"]


def test_a_command_outside_the_cluster(shared_cluster, monkeypatch, tmp_path):
    """With the Ray Client server of the head."""
    monkeypatch.delenv("RAY_ADDRESS")
    command = [sys.executable, "-m", "nobi", "evolve", str(tmp_path / "ray"), *FLAGS]
    client = ["--executor", f"ray://127.0.0.1:{shared_cluster}"]
    done = subprocess.run([*command, *client], capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stderr
    EvolutionRun(tmp_path / "local", SETTINGS, resume=False, executor=ThreadExecutor(1)).train()
    for file in FILES:
        assert (tmp_path / "ray" / file).read_bytes() == (tmp_path / "local" / file).read_bytes()
