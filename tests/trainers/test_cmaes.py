"""CMA-ES: S09's numbers, ties, threads."""

import os
import subprocess
import sys

import numpy as np
import pytest

from nobi.trainers import make_trainer


@pytest.mark.parametrize(("weights", "candidates"), [(1, 4), (21, 13), (93, 17), (140, 18)])
def test_the_usual_number_of_candidates(weights, candidates):
    assert make_trainer("cmaes", weights, 0).ask().shape == (candidates, weights)


def test_the_first_generation_is_around_zero():
    asked = make_trainer("cmaes:sigma=0.5,candidates=2000", 10, 0).ask()
    np.testing.assert_allclose(asked.mean(axis=0), 0, atol=0.05)
    np.testing.assert_allclose(asked.std(axis=0), 0.5, rtol=0.06)


@pytest.mark.parametrize("weights", [1, 2, 21])
@pytest.mark.parametrize("value", [-1.0, 0.0, 1.0])
def test_generations_that_tie_neither_stop_nor_spoil_it(weights, value):
    trainer = make_trainer("cmaes", weights, seed=4)
    seen = set()
    for _ in range(200):
        asked = trainer.ask()
        seen.add(asked.tobytes())
        trainer.tell(np.full(len(asked), value))
    assert trainer.generation == 200
    assert len(seen) == 200  # new weights every time
    asked = np.concatenate([np.frombuffer(one, np.float32) for one in seen])
    assert np.isfinite(asked).all()
    assert asked.std() == pytest.approx(0.5, rel=0.1)
    # and it still learns
    for _ in range(150):
        trainer.tell(-((trainer.ask().astype(np.float64) - 1) ** 2).sum(axis=1))
    assert np.abs(trainer.ask() - 1).max() < 0.3


def test_one_winner_among_losers_draws_the_distribution_near():
    trainer = make_trainer("cmaes", 20, seed=4)
    asked = trainer.ask()
    fitness = np.full(len(asked), -1.0)
    fitness[5] = 0.0
    trainer.tell(fitness)
    centre = np.mean([trainer.ask().mean(axis=0)], axis=0)
    assert centre @ asked[5] > 0.3 * asked[5] @ asked[5]


def test_converged_it_stays_finite():
    trainer = make_trainer("cmaes", 3, seed=4)
    for _ in range(1500):
        trainer.tell(-((trainer.ask().astype(np.float64) - 1) ** 2).sum(axis=1))
    np.testing.assert_allclose(trainer.ask(), 1, atol=1e-4)


def test_the_number_of_library_threads_changes_no_bit():
    """With 140 weights the products are large enough to be shared among threads."""
    program = (
        "import numpy as np; from nobi.trainers import make_trainer; from nobi.trainers.base import fingerprint\n"
        "trainer = make_trainer('cmaes', 140, 1)\n"
        "for _ in range(30): trainer.tell(-(trainer.ask().astype(float) ** 2).sum(axis=1))\n"
        "import sys; sys.stdout.write(fingerprint(trainer.ask()))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads},
            capture_output=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(seen) == 1
