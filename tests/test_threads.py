"""Threads: OpenMP threads sleep while they wait, and started threads end."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from nobi.arena import play as arena
from nobi.evolution import fitness
from nobi.evolution.fitness import Fitness
from nobi.games import variant
from nobi.networks import make_network
from nobi.players import make_player
from nobi.players.base import Player
from nobi.workers import ThreadExecutor


@pytest.mark.parametrize(("given", "expected"), [({}, "PASSIVE"), ({"OMP_WAIT_POLICY": "active"}, "ACTIVE")])
def test_openmp_waits_without_spinning_by_default(given, expected):
    environment = {name: text for name, text in os.environ.items() if name != "OMP_WAIT_POLICY"} | given
    done = subprocess.run(
        [sys.executable, "-c", "import nobi.nn.torch_layers"],
        env=environment | {"OMP_DISPLAY_ENV": "true"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"OMP_WAIT_POLICY = '{expected}'" in done.stderr


def test_a_fitness_leaves_no_threads_behind():
    network = make_network("mdrnn:hidden=2")
    candidates = np.zeros((4, network.weight_count(5)), np.float32)
    before = set(threading.enumerate())
    for seed in range(3):
        Fitness("atari-go", [5], network, ["random"], 4, seed, ThreadExecutor(2)).measure(candidates, 0)
    assert set(threading.enumerate()) == before


def measure_fitness():
    network = make_network("mdrnn:hidden=2")
    candidates = np.zeros((300, network.weight_count(5)), np.float32)
    Fitness("atari-go", [5], network, ["random"], 2, 0, ThreadExecutor(2)).measure(candidates, 0)


def play_pairs():
    network = make_network("mdrnn:hidden=2")
    candidates = np.zeros((300, network.weight_count(5)), np.float32)
    fitness.play_each_other(variant("atari-go", 5), network, candidates, candidates[:1], executor=ThreadExecutor(2))


def play_arena():
    where = variant("atari-go", 5)
    arena.play_games(where, make_player("random", where), Uncompiled(where), 300, threads=2, batch=1)


class Uncompiled(Player):
    name = "uncompiled"

    def choose(self, *_):
        """Never called."""


@pytest.mark.parametrize("moment", [1, 2, 3, 20])
@pytest.mark.parametrize(("module", "work"), [(fitness, measure_fitness), (fitness, play_pairs), (arena, play_arena)])
def test_ctrl_c_ends_threads_before_the_end_of_the_work(monkeypatch, module, work, moment):
    """Ctrl-C while the threads are being started, and later."""
    main, played = threading.main_thread(), []

    class SlowGames:
        def __init__(self, *_):
            pass

        def play(self, first, outcome, *_):
            del first
            if threading.current_thread() is main:
                return
            played.append(True)
            if len(played) == moment:
                signal.pthread_kill(main.ident, signal.SIGINT)
            time.sleep(0.01 * len(outcome))

    monkeypatch.setattr(module, "Lockstep", SlowGames)
    monkeypatch.setattr(fitness, "LEAST_BOARDS", 1)
    monkeypatch.setattr(fitness, "MOST_BOARDS", 2)
    before = set(threading.enumerate())
    with pytest.raises(KeyboardInterrupt):
        work()
    assert set(threading.enumerate()) == before
    assert len(played) < 50  # of at least 60 parts
