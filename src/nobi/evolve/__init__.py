"""The trainers, one file each: fitness → weights to try next. A file `my_trainer.py` here is the trainer `my-trainer`.

Read `base` first, then `es`, which is the plainest. `coevolve` trains two populations against each other, `curriculum`
makes an opponent harder, `fitness` and `relative` play the games, `run` and `corun` train in a `folder` by
`settings`, `measures` says what came of it; these are no trainers.
"""

from typing import TYPE_CHECKING

from nobi.registry import Registry
from nobi.words import settings_from, split_word

if TYPE_CHECKING:
    from nobi.evolve.base import Trainer

_others = {
    *("base", "coevolve", "corun", "curriculum", "fitness", "folder", "measures", "mutation"),
    *("relative", "run", "settings", "transfer"),
}
_trainers: "Registry[Trainer]" = Registry("trainer", __name__, __path__, _others)
register, names, find = _trainers.register, _trainers.names, _trainers.find


def make_trainer(word: str, weights: int, seed: int) -> "Trainer":
    """The trainer that a word such as `es:parents=5,offspring=20` stands for, at its start.

    Args:
        word: its name and settings.
        weights: how many weights a network has.
        seed: 0 or more; decides all that is random.
    """
    name, given = split_word(word)
    trainer = find(name)
    return trainer(settings_from(trainer.settings_type, given, word), weights, seed)
