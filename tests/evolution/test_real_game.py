"""Training on a real game: CMA-ES teaches an MDLSTM of 93 weights to beat the naive player on 7x7 Atari-Go."""

import pytest

from nobi.evolution.fitness import Fitness
from nobi.networks import make_network
from nobi.trainers import make_trainer


@pytest.mark.parametrize("seed", [6, 8])
def test_cmaes_beats_naive(seed):
    """Within 40 generations the best candidate wins 95 % of its games; docs/evolution.md has ten seeds."""
    network = make_network("mdlstm:hidden=3")
    assert network.weight_count(7) == 93
    trainer = make_trainer("cmaes", 93, seed)
    fitness = Fitness("atari-go", (7,), network, ("naive",), 100, seed)
    best = -1.0
    for generation in range(40):
        scores = fitness.measure(trainer.ask(), generation)
        trainer.tell(scores)
        best = max(best, scores.max())
        if best >= 0.9:
            return
    pytest.fail(f"the best won {best} of its games")
