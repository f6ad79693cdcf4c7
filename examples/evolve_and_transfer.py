"""Evolve a network on a small board and let it play on larger ones, in twenty lines."""

import numpy as np

from nobi.evolution.fitness import Fitness
from nobi.evolution.transfer import measure_transfer
from nobi.networks import make_network
from nobi.trainers import make_trainer

network = make_network("mdrnn:hidden=3")  # 21 weights, good for every board
trainer = make_trainer("cmaes", network.weight_count(5), seed=1)
fitness = Fitness("atari-go", sizes=(5,), network=network, opponents=("naive",), games=50, seed=1)

best = np.zeros(network.weight_count(5), np.float32)
for generation in range(30):
    candidates = trainer.ask()
    scores = fitness.measure(candidates, generation)
    trainer.tell(scores)
    best = candidates[trainer.champion]
    print(f"generation {generation:2d}  mean {scores.mean():+.2f}  best {scores.max():+.2f}")

report = measure_transfer(network, best[None], "atari-go", (5, 7, 9), ("naive",), games=200, seed=2)
for row in report.sizes:
    interval = row.fitness
    print(f"{row.size}x{row.size}: {interval.value:+.2f}, 95 % interval {interval.low:+.2f} to {interval.high:+.2f}")
