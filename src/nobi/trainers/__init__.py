"""The trainers: one class and one registry line each. Read `base` first, then `es`."""

from typing import TYPE_CHECKING

from nobi.spec import Registry

if TYPE_CHECKING:
    from nobi.trainers.base import Trainer


_trainers: "Registry[Trainer]" = Registry(
    "trainer",
    "nobi.trainers",
    {
        "cmaes": "nobi.trainers.cmaes:Cmaes",
        "es": "nobi.trainers.es:EvolutionStrategy",
        "guess": "nobi.trainers.guess:Guess",
        "nsga2": "nobi.trainers.nsga2:Nsga2",
    },
)
register, names, find = _trainers.register, _trainers.names, _trainers.find


def make_trainer(spec: str, weights: int, seed: int) -> "Trainer":
    """Make a trainer from a spec such as `es:parents=5,offspring=20`.

    Args:
        spec: the name and settings of the trainer.
        weights: number of weights of a network.
        seed: seed of all random numbers, 0 or more.
    """
    return _trainers.make(spec, weights, seed)
