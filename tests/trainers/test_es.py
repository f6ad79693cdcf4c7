"""The evolution strategy, on hand-computed values."""

import numpy as np
import pytest

from nobi.trainers import make_trainer
from nobi.trainers.base import mutants, normal_population


def test_plus_keeps_the_best_of_parents_and_offspring():
    trainer = make_trainer("es:parents=2,offspring=3", 4, seed=0)
    first = trainer.ask()
    assert first.shape == (5, 4)  # offspring 0, 1, 2, then parents 3, 4
    trainer.tell([0.1, 0.9, -0.3, 0.2, 0.5])
    second = trainer.ask()
    np.testing.assert_array_equal(second[3:], first[[1, 4]])
    # the parents are evaluated again, and the new value counts: the former best, now the worst, is gone
    trainer.tell([-0.5, -0.2, -0.3, -0.9, 0.0])
    third = trainer.ask()
    np.testing.assert_array_equal(third[3:], second[[4, 1]])


def test_comma_forgets_the_parents():
    trainer = make_trainer("es:parents=2,offspring=4,elitist=false,mutation=0.001", 6, seed=0)
    first = trainer.ask()
    assert first.shape == (4, 6)
    trainer.tell([0.0, 2.0, -1.0, 1.0])
    second = trainer.ask()
    distance = np.abs(second[:, None] - first[None]).max(axis=2)  # [new, old]
    assert (distance[:, [1, 3]].min(axis=1) < 0.006).all()
    assert (second[:, None] != first[None]).all()


def test_ties_are_won_by_offspring():
    trainer = make_trainer("es:parents=2,offspring=2", 3, seed=0)
    first = trainer.ask()
    trainer.tell(np.zeros(4))
    np.testing.assert_array_equal(trainer.ask()[2:], first[:2])


def test_ten_and_ten_is_the_default():
    trainer = make_trainer("es", 140, seed=1)
    asked = trainer.ask()
    offspring, parents = asked[:10], asked[10:]
    assert parents.shape == (10, 140)
    assert abs(parents.std() - 1) < 0.05
    change = np.stack([offspring[i] - parents[np.abs(parents - offspring[i]).sum(axis=1).argmin()] for i in range(10)])
    assert change.std() == pytest.approx(0.1, rel=0.06)
    assert (change != 0).all()


def test_mutants_come_from_all_parents():
    rng = np.random.default_rng(0)
    parents = np.array([[0.0, 0.0], [100.0, 100.0], [200.0, 200.0]], np.float32)
    bred = mutants(parents, 3000, 0.5, rng)
    assert bred.dtype == np.float32
    source = np.round(bred[:, 0] / 100).astype(int)
    assert (np.bincount(source, minlength=3) > 900).all()
    change = bred - parents[source]
    assert change.mean() == pytest.approx(0, abs=0.03)
    assert change.std() == pytest.approx(0.5, rel=0.03)
    assert normal_population(3, 5, rng).shape == (3, 5)
