"""Scaling of evolution over workers: `python benchmarks/scale.py [--json FILE] [--workers 1 2 4 8] [--quick]`.

Measures, on one machine with the Ray that `--executor ray` starts,

* the overhead of a task, and the time per task in the process that submits the tasks;
* the bytes that a generation sends and receives;
* generations of CMA-ES on 9x9 with 2 threads and with 2 Ray workers, alternating in one run;
* generations with 1, 2, 4 … simulated workers, which sleep for the duration of the games instead of playing them;

and prints the predictions of `generation_seconds`, a model with these numbers, for up to 1,000 workers, and the cost of
some experiments. These are the figures of docs/cluster.md.
"""

import argparse
import json
import math
import pickle
import statistics
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nobi import cluster
from nobi.cluster import PART_SECONDS, RayExecutor
from nobi.evolution.fitness import LEAST_GAMES, CandidateGames, Fitness
from nobi.networks import make_network
from nobi.trainers import make_trainer
from nobi.workers import Executor, ThreadExecutor

NET, POPULATION, GAMES, SIZE = "mdlstm:hidden=3", 17, 100, 9
WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)
PRICE = 0.04
"""Assumed price of a core for an hour, in dollars."""


@dataclass(frozen=True)
class Costs:
    """Parameters of the model: a machine and a network."""

    game_seconds: float
    """Seconds per game on one worker, if a candidate plays all its games at once."""
    small_factor: float
    """Factor on the time per game if a candidate's games are divided into parts of `LEAST_GAMES`."""
    task_seconds: float
    """Seconds from the end of a task to the start of the next on the same worker."""
    serial_seconds: float
    """Seconds per task in the process that submits the tasks; serial."""
    generation_overhead: float
    """Seconds for storing and fetching the weights, and for the trainer."""


def generation_seconds(workers: int, population: int, games: int, costs: Costs) -> float:
    """Expected time of a generation except the first, if every candidate plays `games` games on one board."""
    work = population * games * costs.game_seconds
    useful = min(workers, max(1, round(math.sqrt(work / costs.serial_seconds)))) if costs.serial_seconds else workers
    pieces = max(1, min(-(-useful // population), games // LEAST_GAMES))
    units = population * pieces  # the smallest parts of the work
    unit_games = games / pieces
    # between all games at once and the smallest parts, the time of a game changes with the logarithm of their number
    share = math.log(games / unit_games) / math.log(max(games / LEAST_GAMES, 1.0001)) if pieces > 1 else 0.0
    unit = unit_games * costs.game_seconds * (1 + (costs.small_factor - 1) * min(share, 1.0))
    least = max(1, round(math.sqrt(units * costs.serial_seconds / unit)))
    in_part = max(least, min(int(PART_SECONDS / unit), -(-units // workers)))
    parts = -(-units // in_part)
    rounds = -(-parts // workers)
    # the last parts are smaller where a worker computes several
    busiest = (in_part if rounds == 1 else -(-units // workers)) * unit + rounds * costs.task_seconds
    return costs.generation_overhead + max(busiest, parts * costs.serial_seconds)


def efficiency(workers: int, population: int, games: int, costs: Costs) -> float:
    """The speed-up over one thread without any overhead, divided by the number of workers."""
    return population * games * costs.game_seconds / (workers * generation_seconds(workers, population, games, costs))


class Sleeping:
    """Sleeps for the duration of a candidate's games."""

    def __init__(self, seconds: float, weights: Any) -> None:
        self._seconds, self._weights = seconds, weights

    def __call__(self, _: int) -> np.ndarray[Any, Any]:
        time.sleep(self._seconds)
        return np.zeros(GAMES, np.int32)


def nothing(_: int) -> int:
    """An empty task."""
    return 0


def task_overhead(executor: Executor, tasks: int) -> tuple[float, float]:
    """Seconds per empty task of one worker, and CPU seconds per task in this process."""
    executor.map(nothing, range(4))  # the worker starts
    usual, cluster.PART_SECONDS = cluster.PART_SECONDS, 0.0  # parts are not merged
    try:
        start, cpu = time.perf_counter(), time.process_time()
        executor.map(nothing, range(tasks))
        return (time.perf_counter() - start) / tasks, (time.process_time() - cpu) / tasks
    finally:
        cluster.PART_SECONDS = usual


def candidates(size: int) -> Any:
    """The first generation of CMA-ES."""
    return make_trainer("cmaes", make_network(NET).weight_count(size), 0).ask()


def one_generation(executor: Executor, weights: Any, generation: int, size: int = SIZE) -> float:
    """Seconds of a generation's games."""
    fitness = Fitness("atari-go", [size], make_network(NET), ["naive"], GAMES, 0, executor=executor)
    fitness._compiled = True
    start = time.perf_counter()
    fitness.measure(weights, generation)
    return time.perf_counter() - start


def game_seconds(size: int, games: int, repeats: int) -> float:
    """Seconds per game on one thread, all games of a candidate at once."""
    weights = candidates(size)[:4]
    fitness = Fitness("atari-go", [size], make_network(NET), ["naive"], games, 0, executor=ThreadExecutor(1))
    fitness.play(weights, 0)
    times = []
    for generation in range(repeats):
        start = time.perf_counter()
        fitness.play(weights, generation)
        times.append((time.perf_counter() - start) / (len(weights) * games))
    return statistics.median(times)


def bytes_per_generation(weights: Any) -> dict[str, int]:
    """Bytes that a generation sends to each node, and receives."""
    import ray.cloudpickle

    from nobi.games import variant

    games = CandidateGames([(variant("atari-go", SIZE), "naive")], make_network(NET), weights, 0)
    sent = len(ray.cloudpickle.dumps(games))
    received = len(weights) * len(pickle.dumps(games((0, 0, 0, GAMES))))
    return {"sent_to_each_node": sent, "weights": weights.nbytes, "received": received}


def measure(workers: list[int], repeats: int, tasks: int) -> dict[str, Any]:
    """Run all measurements."""
    found: dict[str, Any] = {}
    weights = candidates(SIZE)
    found["game_seconds"] = {size: game_seconds(size, GAMES, repeats) for size in (7, 9, 19)}
    found["game_seconds_in_parts"] = {n: game_seconds(SIZE, n, repeats) for n in (LEAST_GAMES, 32, 64)}
    found["bytes"] = bytes_per_generation(weights)
    threads = ThreadExecutor(2)
    with RayExecutor("ray", 2) as ray:
        for executor in (threads, ray, ray):
            one_generation(executor, weights, 0)
        times: dict[str, list[float]] = {"local": [], "ray": []}
        for generation in range(repeats):
            times["local"].append(one_generation(threads, weights, generation))
            times["ray"].append(one_generation(ray, weights, generation))
        found["generation"] = {name: statistics.median(values) for name, values in times.items()}
        found["ray_over_local"] = sum(times["local"]) / sum(times["ray"])
    unit = GAMES * found["game_seconds"][SIZE]
    found["simulated"] = {}
    for count in workers:
        with RayExecutor("ray", count) as ray:
            if count == workers[0]:
                found["task_seconds"], found["serial_seconds"] = task_overhead(ray, tasks)
            sleeping = Sleeping(unit, weights)
            ray.map(sleeping, range(4 * count))  # workers start
            population = range(max(POPULATION, 8 * count))
            seconds = []
            for _ in range(max(1, repeats // 2)):
                start = time.perf_counter()
                ray.map(sleeping, population)
                seconds.append(time.perf_counter() - start)
            ideal = len(population) * unit / count
            found["simulated"][count] = {
                "candidates": len(population),
                "seconds": statistics.median(seconds),
                "efficiency": ideal / statistics.median(seconds),
            }
    return found


def costs_of(found: dict[str, Any], size: int = SIZE) -> Costs:
    """The parameters of the model from the measurements."""
    seconds = {int(key): value for key, value in found["game_seconds"].items()}
    parts = {int(key): value for key, value in found["game_seconds_in_parts"].items()}
    generation = found["generation"]
    return Costs(
        game_seconds=seconds[size],
        small_factor=max(1.0, parts[LEAST_GAMES] / seconds[SIZE]),
        task_seconds=found["task_seconds"],
        serial_seconds=found["serial_seconds"],
        generation_overhead=max(0.0, generation["ray"] - generation["local"]),
    )


EXPERIMENTS = {
    "CMA-ES on 9x9: 17 candidates × 100 games × 200 generations": (9, 17, 100, 200),
    "population 170 × 100 games on 9x9 × 200 generations": (9, 170, 100, 200),
    "population 1,000 × 1,000 games on 9x9 × 500 generations": (9, 1000, 1000, 500),
    "population 1,000 × 200 games on 19x19 × 500 generations": (19, 1000, 200, 500),
}
"""Board size, candidates, games of each, generations."""


def report(found: dict[str, Any]) -> str:
    """The tables of docs/cluster.md."""
    costs = costs_of(found)
    lines = [f"{name}: {value:.6g}" for name, value in asdict(costs).items()]
    lines += ["", "| workers | 17 × 100 games | 200 × 100 | 1,000 × 1,000 | 1,000 × 10,000 |", "|--:|--:|--:|--:|--:|"]
    for workers in WORKERS:
        cells = []
        for population, games in ((17, 100), (200, 100), (1000, 1000), (1000, 10000)):
            seconds = generation_seconds(workers, population, games, costs)
            cells.append(f"{seconds:.3g} s, {100 * efficiency(workers, population, games, costs):.0f} %")
        lines.append(f"| {workers:,} | " + " | ".join(cells) + " |")
    lines += ["", "| experiment | core hours | 2 workers | 32 | 1,000 | price |", "|---|--:|--:|--:|--:|--:|"]
    for name, (size, population, games, generations) in EXPERIMENTS.items():
        own = costs_of(found, size)
        hours = [generations * generation_seconds(w, population, games, own) / 3600 for w in (2, 32, 1000)]
        core_hours = generations * population * games * own.game_seconds / 3600
        times = " | ".join(f"{h:.2g} h" if h >= 0.1 else f"{60 * h:.2g} min" for h in hours)
        lines.append(f"| {name} | {core_hours:.3g} | {times} | ${PRICE * 32 * hours[1]:.2g} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="also write the measurements to this file")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4, 8], help="simulated workers")
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    flags = parser.parse_args()
    found = measure(flags.workers, 5 if flags.quick else 20, 100 if flags.quick else 500)
    found = json.loads(json.dumps(found))  # keys as in the file
    if flags.json:
        flags.json.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))
    print(f"\nRay with 2 workers reaches {100 * found['ray_over_local']:.0f} % of the speed of 2 threads.\n")
    print(report(found))


if __name__ == "__main__":
    main()
