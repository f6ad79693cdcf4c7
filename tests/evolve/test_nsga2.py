"""NSGA-II with several objectives."""

import numpy as np
import pytest

from nobi.evolve import make_trainer


def opposed(candidates):
    """Two objectives that cannot both be had: near +1 and near −1."""
    x = candidates.astype(np.float64)
    return -np.stack([((x - 1) ** 2).mean(axis=1), ((x + 1) ** 2).mean(axis=1)], axis=1)


def test_sets():
    trainer = make_trainer("nsga2:population=6,bound=0.7", 9, seed=2)
    first = trainer.ask()
    assert first.shape == (12, 9)
    fitness = np.repeat(np.arange(12.0)[:, None], 2, axis=1)
    trainer.tell(fitness)
    second = trainer.ask()
    assert second.shape == (12, 9)  # offspring, then the population: the better half
    assert {row.tobytes() for row in second[6:]} == {row.tobytes() for row in first[6:]}
    for _ in range(20):
        trainer.tell(opposed(trainer.ask()))
        assert np.abs(trainer.ask()).max() <= 0.7


def test_the_front_spreads():
    trainer = make_trainer("nsga2:population=20", 4, seed=2)
    for _ in range(120):
        trainer.tell(opposed(trainer.ask()))
    values = opposed(trainer.ask()[20:])
    assert values[:, 0].max() > -0.1
    assert values[:, 1].max() > -0.1
    # on the best front √a + √b = 2 for the distances a and b
    np.testing.assert_allclose(np.sqrt(-values).sum(axis=1), 2, atol=0.15)


def test_a_lucky_measurement_does_not_survive():
    trainer = make_trainer("nsga2:population=4", 3, seed=2)
    first = trainer.ask()
    trainer.tell(np.array([[9.0, 9.0]] + [[0.0, 0.0]] * 7))
    second = trainer.ask()
    fitness = np.zeros((8, 2))
    fitness[(second == first[0]).all(axis=1)] = -5.0
    assert (fitness < 0).any()
    trainer.tell(fitness)
    assert not (trainer.ask()[4:] == first[0]).all(axis=1).any()


def test_ties_neither_stop_nor_spoil_it(capfd):
    trainer = make_trainer("nsga2:population=4,bound=0.5", 1, seed=2)
    for _ in range(200):
        trainer.tell(np.zeros((len(trainer.ask()), 3)))
    assert np.isfinite(trainer.ask()).all()
    assert capfd.readouterr().out == ""


def test_too_few_offspring_are_filled_up():
    """With so narrow bounds all weights soon are one of two numbers, and nothing new can be bred."""
    trainer = make_trainer("nsga2:population=4,bound=5e-324", 1, seed=2)
    for _ in range(5):
        assert trainer.ask().shape == (8, 1)
        trainer.tell(np.zeros((8, 2)))


def test_the_number_of_objectives_stays():
    trainer = make_trainer("nsga2:population=4", 3, seed=2)
    trainer.ask()
    trainer.tell(np.zeros((8, 3)))
    asked = trainer.ask()
    with pytest.raises(ValueError, match="the objectives were 3 so far, not 2"):
        trainer.tell(np.zeros((8, 2)))
    assert trainer.ask().tobytes() == asked.tobytes()
    trainer.tell(np.zeros((8, 3)))
