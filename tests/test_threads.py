"""Threads: those of OpenMP sleep while they wait, and those that were started end."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from nobi.evolution.fitness import Fitness
from nobi.networks import make_network


@pytest.mark.parametrize(("given", "expected"), [({}, "PASSIVE"), ({"OMP_WAIT_POLICY": "active"}, "ACTIVE")])
def test_openmp_waits_without_spinning_unless_the_user_wants_it(given, expected):
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
        Fitness("atari-go", [5], network, ["random"], 4, seed, threads=2).measure(candidates, 0)
    assert set(threading.enumerate()) == before
