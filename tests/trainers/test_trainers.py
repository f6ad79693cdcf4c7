"""Common tests of all trainers."""

import subprocess
import sys

import numpy as np
import pytest

from nobi.errors import NobiError
from nobi.trainers import find, make_trainer, names
from nobi.trainers.base import fingerprint, replay

WEIGHTS = 12
TARGET = np.linspace(-0.8, 0.8, WEIGHTS)
WORDS = ["guess", "es", "es:parents=3,offspring=12,elitist=false", "cmaes", "cmaes:sigma=0.2,candidates=8", "nsga2"]
every_trainer = pytest.mark.parametrize("spec", WORDS)


def sphere(trainer, candidates):
    """Minus the squared distance from the target, for half of the weights each if there are two objectives."""
    distance = (candidates.astype(np.float64) - TARGET) ** 2
    if trainer.objectives_wanted:
        return -np.stack([distance[:, ::2].sum(axis=1), distance[:, 1::2].sum(axis=1)], axis=1)
    return -distance.sum(axis=1)


def train(trainer, generations):
    """All candidates and their fitness."""
    asked, told = [], []
    for _ in range(generations):
        asked.append(trainer.ask())
        told.append(sphere(trainer, asked[-1]))
        trainer.tell(told[-1])
    return asked, told


def best(trainer, candidates):
    fitness = sphere(trainer, candidates)
    return (fitness.sum(axis=1) if trainer.objectives_wanted else fitness).max()


def test_every_trainer_is_tested():
    assert names() == ["cmaes", "es", "guess", "nsga2"]
    assert {spec.partition(":")[0] for spec in WORDS} == set(names())
    for name in names():
        assert find(name).name == name


@pytest.mark.parametrize(
    ("spec", "reached"),
    # the expected fitness of a network of N(0, 1) weights is about −15.1
    [
        ("es", -0.4),
        ("es:parents=3,offspring=12,elitist=false", -0.4),
        ("cmaes", -0.001),
        ("cmaes:sigma=0.2,candidates=8", -0.001),
        ("nsga2", -0.4),
    ],
)
def test_it_improves(spec, reached):
    trainer = make_trainer(spec, WEIGHTS, seed=5)
    asked, _ = train(trainer, 150)
    assert best(trainer, asked[0]) < 5 * reached
    assert best(trainer, asked[-1]) > reached


def test_guessing_learns_nothing():
    trainer = make_trainer("guess:candidates=400", WEIGHTS, seed=5)
    asked, _ = train(trainer, 20)
    assert best(trainer, np.concatenate(asked)) > best(trainer, asked[0])
    for candidates in asked:
        assert candidates.shape == (400, WEIGHTS)
        assert abs(candidates.mean()) < 0.06
        assert abs(candidates.std() - 1) < 0.05


@every_trainer
def test_same_seed_same_bits(spec):
    asked, _ = train(make_trainer(spec, WEIGHTS, seed=7), 12)
    np.random.seed(99)  # noqa: NPY002 no trainer draws from the global stream
    again, _ = train(make_trainer(spec, WEIGHTS, seed=7), 12)
    other, _ = train(make_trainer(spec, WEIGHTS, seed=8), 12)
    for one, same, different in zip(asked, again, other, strict=True):
        assert one.dtype == np.float32
        assert one.shape == (len(asked[0]), WEIGHTS)
        assert one.tobytes() == same.tobytes()
        assert one.tobytes() != different.tobytes()
    assert not np.array_equal(asked[0][:4], asked[-1][:4])


@every_trainer
@pytest.mark.parametrize("generations", [0, 1, 2, 9])
def test_replay_gives_the_same_candidates(spec, generations):
    trainer = make_trainer(spec, WEIGHTS, seed=2**40 + 1)
    asked, told = train(trainer, generations)
    copy = make_trainer(spec, WEIGHTS, seed=2**40 + 1)
    replay(copy, told, fingerprint(asked[-1]) if asked else None)
    assert copy.generation == generations
    ahead, _ = train(trainer, 4)
    ahead_of_copy, _ = train(copy, 4)
    for one, same in zip(ahead, ahead_of_copy, strict=True):
        assert one.tobytes() == same.tobytes()
    assert trainer.champion == copy.champion


@every_trainer
def test_replay_detects_other_candidates(spec):
    asked, told = train(make_trainer(spec, WEIGHTS, seed=3), 3)
    with pytest.raises(NobiError, match="cannot be continued here"):
        replay(make_trainer(spec, WEIGHTS, seed=4), told, fingerprint(asked[-1]))


def test_fingerprints():
    a = np.array([[1.0, 2.0]], np.float32)
    assert fingerprint(a) == fingerprint(a.copy())
    assert len({fingerprint(x) for x in (a, -a, a.T, a.astype(np.float64), (a, a))}) == 5


@every_trainer
def test_fitness_of_a_wrong_shape_is_refused(spec):
    trainer = make_trainer(spec, WEIGHTS, seed=1)
    with pytest.raises(RuntimeError, match="ask before tell"):
        trainer.tell(np.zeros(3))
    with pytest.raises(RuntimeError, match="no generation is done"):
        _ = trainer.champion
    asked = trainer.ask()
    good = sphere(trainer, asked)
    hole = good.copy()
    hole[1] = np.nan
    wrong = [good[:-1], np.concatenate([good, good]), good[..., None], good.ravel()[0], hole]
    wrong += [good[:, 0]] if trainer.objectives_wanted else [np.stack([good, good], axis=1)]
    for fitness in wrong:
        with pytest.raises(ValueError, match="the fitness must"):
            trainer.tell(fitness)
    assert trainer.generation == 0
    assert trainer.ask().tobytes() == asked.tobytes()
    trainer.tell(good)
    assert trainer.generation == 1


@every_trainer
def test_asking_twice_changes_nothing(spec):
    trainer, twin = make_trainer(spec, WEIGHTS, seed=1), make_trainer(spec, WEIGHTS, seed=1)
    for _ in range(3):
        first = trainer.ask()
        untouched = first.copy()
        first[:] = 0  # changes of the caller's copy have no effect
        assert trainer.ask().tobytes() == untouched.tobytes() == twin.ask().tobytes()
        for one in (trainer, twin):
            one.tell(sphere(one, untouched))


@every_trainer
def test_champion_is_the_best_of_the_last_set(spec):
    trainer = make_trainer(spec, WEIGHTS, seed=1)
    for place in (4, 0, 7):
        fitness = np.full(len(trainer.ask()), -1.0)
        fitness[place] = 0.5
        fitness[place + 1 :] = np.minimum(fitness[place + 1 :], 0.5)
        fitness[-1] = 0.5  # the first of equals
        trainer.tell(np.stack([fitness, fitness / 2], axis=1) if trainer.objectives_wanted else fitness)
        assert trainer.champion == place


@every_trainer
def test_a_network_of_one_weight(spec):
    trainer = make_trainer(spec, 1, seed=1)
    for _ in range(30):
        values = -np.abs(trainer.ask().astype(np.float64) - 0.25)
        trainer.tell(np.repeat(values, 2, axis=1) if trainer.objectives_wanted else values[:, 0])
    assert np.isfinite(trainer.ask()).all()


def test_trainer_specs():
    assert str(make_trainer("es:parents=3,offspring=12,elitist=false", 5, 0)) == (
        "es:parents=3,offspring=12,elitist=false"
    )
    assert str(make_trainer("cmaes:sigma=0.5", 5, 0)) == "cmaes"
    for spec, sentence in [
        ("adam", "There is no trainer 'adam'; choose one of cmaes, es, guess or nsga2."),
        ("base", "There is no trainer 'base'; choose one of cmaes, es, guess or nsga2."),
        ("es:lambda=3", "there is no setting 'lambda'; choose one of parents, offspring, elitist or mutation."),
        ("es:parents=0", "parents and offspring must be 1 or more, not 0 and 10."),
        ("es:offspring=5,elitist=false", "the 10 parents come from the offspring, and 5 are too few."),
        ("es:mutation=0", "mutation must be above 0, not 0.0."),
        ("es:mutation=nan", "mutation must be above 0, not nan."),
        ("cmaes:sigma=-1", "sigma must be above 0, not -1.0."),
        ("cmaes:candidates=3", "candidates must be 4 or more, or 0 for the usual number, not 3."),
        ("guess:candidates=0", "candidates must be 1 or more, not 0."),
        ("nsga2:population=1", "population must be 2 or more, not 1."),
        ("nsga2:bound=inf", "bound must be above 0, not inf."),
    ]:
        with pytest.raises(NobiError) as error:
            make_trainer(spec, 5, 0)
        assert str(error.value).endswith(sentence)
    with pytest.raises(ValueError, match="1 weight or more"):
        make_trainer("es", 0, 0)


def test_libraries_are_loaded_only_when_used():
    check = (
        "import sys, nobi.trainers, nobi.trainers.cmaes, nobi.trainers.nsga2, nobi.trainers.es;"
        "sys.exit(any(name in sys.modules for name in ('scipy', 'numba')))"
    )
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
