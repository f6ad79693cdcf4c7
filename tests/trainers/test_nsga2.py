"""NSGA-II with several objectives."""

import numpy as np
import pytest

from helpers.closeness import assert_close
from nobi.trainers import make_trainer
from nobi.trainers.nsga2 import cross, crowding_distance, dominance, fronts, mutate, select


def opposed(candidates):
    """Two conflicting objectives: near +1 and near −1."""
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
    # on the best front √a + √b = 2 for the distances a and b; the first candidates have about 2.8
    np.testing.assert_allclose(np.sqrt(-values).sum(axis=1), 2, atol=0.3)


def test_candidates_are_measured_again():
    trainer = make_trainer("nsga2:population=4", 3, seed=2)
    first = trainer.ask()
    trainer.tell(np.array([[9.0, 9.0]] + [[0.0, 0.0]] * 7))
    second = trainer.ask()
    fitness = np.zeros((8, 2))
    fitness[(second == first[0]).all(axis=1)] = -5.0
    assert (fitness < 0).any()
    trainer.tell(fitness)
    assert not (trainer.ask()[4:] == first[0]).all(axis=1).any()


def test_ties_do_not_stop_learning(capfd):
    trainer = make_trainer("nsga2:population=4,bound=0.5", 1, seed=2)
    for _ in range(200):
        trainer.tell(np.zeros((len(trainer.ask()), 3)))
    assert np.isfinite(trainer.ask()).all()
    assert capfd.readouterr().out == ""


def test_too_few_offspring_are_filled_up():
    """With narrow bounds all weights soon have one of two values, and no new candidates can be produced."""
    trainer = make_trainer("nsga2:population=4,bound=5e-324", 1, seed=2)
    for _ in range(5):
        assert trainer.ask().shape == (8, 1)
        trainer.tell(np.zeros((8, 2)))


def test_the_number_of_objectives_stays():
    trainer = make_trainer("nsga2:population=4", 3, seed=2)
    trainer.ask()
    trainer.tell(np.zeros((8, 3)))
    asked = trainer.ask()
    with pytest.raises(ValueError, match="3 objectives before, not 2"):
        trainer.tell(np.zeros((8, 2)))
    assert trainer.ask().tobytes() == asked.tobytes()
    trainer.tell(np.zeros((8, 3)))


def random_objectives(seed, count=30, kinds=3):
    """Whole numbers, so that many are equal."""
    return np.random.default_rng(seed).integers(0, 6, (count, kinds)).astype(float)


@pytest.mark.parametrize("seed", range(5))
def test_fronts_are_those_of_the_definition(seed):
    values = random_objectives(seed)
    better = [
        [
            all(a >= b for a, b in zip(x, y, strict=True)) and any(a > b for a, b in zip(x, y, strict=True))
            for y in values
        ]
        for x in values
    ]
    assert dominance(values).tolist() == better
    left, expected = set(range(len(values))), []
    while left:
        expected.append({j for j in left if not any(better[i][j] for i in left)})
        left -= expected[-1]
    assert [set(front.tolist()) for front in fronts(values)] == expected


def test_crowding_by_hand():
    """Deb et al. 2002, section III-B: the gap between both neighbours in each objective, in units of its range."""
    values = -np.array([[1.0, 5.0], [2.0, 3.0], [4.0, 2.0], [5.0, 1.0], [2.0, 3.0]])
    first, second = [np.inf, 0.25, 0.75, np.inf, 0.5], [np.inf, 0.25, 0.5, np.inf, 0.5]
    np.testing.assert_array_equal(crowding_distance(values), (np.array(first) + second) / 2)
    assert (crowding_distance(values[:2]) == np.inf).all()
    alike = np.column_stack([values[:, 0], np.zeros(5)])
    np.testing.assert_array_equal(crowding_distance(alike), [np.inf, 0.125, 0.375, np.inf, 0.25])


@pytest.mark.parametrize("count", [1, 7, 20, 30])
def test_whole_fronts_survive_and_the_least_crowded_members_of_the_last(count):
    values = random_objectives(1)
    chosen, crowding = select(values, count, np.random.default_rng(0))
    assert len(set(chosen.tolist())) == len(crowding) == count
    left = count
    for front in fronts(values):
        kept = [i for i in front if i in chosen]
        distance = dict(zip(front.tolist(), crowding_distance(values[front]), strict=True))
        assert len(kept) == min(left, len(front))
        assert all(crowding[chosen.tolist().index(i)] == distance[i] for i in kept)
        if len(kept) < len(front):
            assert min((distance[i] for i in kept), default=np.inf) >= max(distance[i] for i in front if i not in kept)
        left -= len(kept)


PARENTS = np.array([[[0.5, -1.0, 2.0], [0.25, 4.5, -4.75]], [[-0.5, 1.5, 2.0], [3.0, -0.125, 4.0]]])


def test_crossover_and_mutation_are_those_of_pymoo():
    """Recorded from pymoo 0.6.2: SBX(eta=15, prob=0.9) and PM(eta=20) with the same random numbers."""
    children = [
        [-0.49239231137333656, -1.0026632757823926, 2.0],
        [2.987223781666647, 4.5, -4.730906553841265],
        [0.49239231137333656, 1.5026632757647138, 2.0],
        [0.2627761938115529, -0.125, 4.045256024428897],
    ]
    assert_close(cross(PARENTS, 5.0, np.random.default_rng(3)), np.array(children))
    before = [[0.5, -1, 2], [0.2540134115531507, 4.5, -4.75], [-0.5, 1.5, 2], [2.9959865637673078, -0.125, 4]]
    after = [
        [0.5, -1.0, 2.0],
        [0.18786051529416548, 4.956798760934154, -4.75],
        [-0.5, 2.227433099151801, 2.5396548079353525],
        [2.9959865637673078, -0.125, 3.885275315056191],
    ]
    assert_close(mutate(np.array(before), 5.0, np.random.default_rng(5)), np.array(after))


def test_children_stay_within_the_bounds_and_between_their_parents_on_average():
    rng = np.random.default_rng(0)
    parents = rng.uniform(-1, 1, (2, 2000, 6))
    children = cross(parents, 1.0, rng).reshape(2, 2000, 6)
    assert np.abs(children).max() <= 1
    assert_close(children.mean(), parents.mean(), 0.01)
    assert (children != parents).mean() == pytest.approx(0.9 * 0.5, abs=0.02)  # pairs crossed, and their weights
    mutated = mutate(children[0], 1.0, rng)
    assert np.abs(mutated).max() <= 1
    assert (mutated != children[0]).mean() == pytest.approx(0.9 / 6, abs=0.01)
