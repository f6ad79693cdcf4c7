"""The scaling model of benchmarks/scale.py."""

import importlib.util
from pathlib import Path

import pytest

FILE = Path(__file__).parent.parent.parent / "benchmarks" / "scale.py"


@pytest.fixture(scope="module")
def scale():
    spec = importlib.util.spec_from_file_location("scale", FILE)
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["scale"] = module  # dataclasses look up their module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["scale"]


def test_without_overhead_the_work_is_divided(scale):
    free = scale.Costs(0.001, 1.0, 0.0, 0.0, 0.0)
    assert scale.generation_seconds(1, 17, 100, free) == pytest.approx(1.7)
    assert scale.generation_seconds(17, 17, 100, free) == pytest.approx(0.1)
    assert scale.efficiency(17, 17, 100, free) == pytest.approx(1.0)
    # 9 of 17 candidates are the share of the first of two workers
    assert scale.generation_seconds(2, 17, 100, free) == pytest.approx(0.9)
    # six parts of a candidate's games at most: 102 workers have work, more have none
    assert scale.generation_seconds(102, 17, 100, free) == scale.generation_seconds(1000, 17, 100, free)


def test_limits_of_the_model(scale):
    costs = scale.Costs(0.0002, 1.3, 0.003, 0.0001, 0.02)
    seconds = [scale.generation_seconds(workers, 1000, 1000, costs) for workers in scale.WORKERS]
    assert seconds == sorted(seconds, reverse=True)
    assert all(0 < scale.efficiency(workers, 1000, 1000, costs) <= 1 for workers in scale.WORKERS)
    # a small generation is limited by the overhead, however many workers there are
    assert scale.generation_seconds(1000, 17, 100, costs) > costs.generation_overhead
    assert scale.efficiency(1000, 17, 100, costs) < 0.05
    # the submitting process is the limit: 200 s of games and 1 s per part give about 14 parts of 14 s
    slow = scale.Costs(0.0002, 1.0, 0.0, 1.0, 0.0)
    assert 14 <= scale.generation_seconds(1000, 1000, 1000, slow) <= 15
    measured = scale.Costs(0.000176, 2.6, 0.0023, 0.0014, 0.0)
    for population, games in ((17, 100), (200, 100), (1000, 1000), (1000, 10000)):
        seconds = [scale.generation_seconds(workers, population, games, measured) for workers in scale.WORKERS]
        assert seconds == sorted(seconds, reverse=True)


def test_the_report_shows_all_workers_and_experiments(scale):
    found = {
        "game_seconds": {"7": 0.0001, "9": 0.0002, "19": 0.002},
        "game_seconds_in_parts": {"16": 0.0003, "32": 0.00025, "64": 0.0002},
        "generation": {"local": 0.2, "ray": 0.22},
        "task_seconds": 0.002,
        "serial_seconds": 0.001,
    }
    text = scale.report(found)
    assert "| 1,000 |" in text
    assert all(name in text for name in scale.EXPERIMENTS)
