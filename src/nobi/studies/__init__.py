"""The studies: tables and figures of the papers, measured again, and questions beyond them.

Read `base` first, then `s08_random`. A study is a class in the file of its group. `pieces` is the work that studies are
made of, `workshop` makes and keeps it, `runner` runs whole studies, `pages` writes what they came to. Studies of deep
networks learn from datasets that the user names (`records`); `learning` has their pieces of work, `deep` what they
share.
"""

import importlib
from typing import TYPE_CHECKING

from nobi.errors import NobiError
from nobi.words import choices

if TYPE_CHECKING:
    from nobi.studies.base import Study

GROUPS = {
    "s08_random": ("s08-fig2", "s08-fig3", "s08-fig4", "s08-fig5", "s08-table1"),
    "s08_evolution": ("s08-fig6",),
    "s08_coevolution": ("s08-table2", "s08-fig7", "s08-fig8", "s08-fig9"),
    "s08_trained": ("s08-table3", "s08-fig10"),
    "s09_random": ("s09-fig2", "s09-table1", "s09-fig4a"),
    "s09_training": ("s09-fig3a", "s09-fig3b", "s09-fig3c"),
    "s09_transfer": ("s09-table2", "s09-fig4b", "s09-fig4c"),
    "c14_ablation": ("c14-table1", "c14-fig3"),
    "c14_prediction": ("c14-table2", "c14-table3", "c14-fig6", "c14-fig7", "c14-fig8"),
    "c14_games": ("c14-table4", "c14-table5"),
    "m15_prediction": ("m15-symmetry", "m15-depth", "m15-fig1", "m15-rank"),
    "m15_games": ("m15-depth-wins", "m15-rank-wins", "m15-opponents"),
    "m15_search": ("m15-search",),
    "size_transfer": ("size-transfer",),
    "beyond_border": ("beyond-border",),
    "beyond_heuristic": ("beyond-heuristic",),
    "beyond_stacked": ("beyond-stacked",),
    "beyond_curriculum": ("beyond-curriculum",),
    "beyond_sizes": ("beyond-sizes",),
    "beyond_symmetry": ("beyond-symmetry",),
}
"""file → the studies in it, in the order of the papers."""

COLLECTIONS = {
    "s08": ("s08-",),
    "s09": ("s09-",),
    "s09-fig3": ("s09-fig3",),
    "s09-fig4": ("s09-fig4",),
    "schaul": ("s08-", "s09-"),
    "c14": ("c14-",),
    "m15": ("m15-",),
    "imitation": ("c14-", "m15-", "size-"),
    "beyond": ("beyond-",),
}
"""Names for several studies: all whose names begin so."""

ROLES = {
    "pro": "games of professionals on 19x19",
    "kgs": "games of amateurs with their ranks on 19x19, as from the KGS server",
    "small": "games on 9x9 and 13x13",
}
"""What studies want datasets for, `nobi study NAME --data ROLE=DATASET`: role → what it should hold."""

ENGINES = {
    "gnugo": "GNU Go",
    "pachi": "Pachi",
    "fuego": "Fuego",
    "mogo": "MoGo",
}
"""Other programs that studies play against, `nobi study NAME --engine ENGINE=COMMAND`: name → what people call it."""


def names() -> list[str]:
    """All studies, without loading any."""
    return [name for group in GROUPS.values() for name in group]


def names_of(word: str) -> list[str]:
    """The studies that a name, or the name of a collection, stands for."""
    if word in COLLECTIONS:
        return [name for name in names() if name.startswith(COLLECTIONS[word])]
    if word not in names():
        raise NobiError(f"There is no study {word!r}; {choices([*names(), *COLLECTIONS], word)}.")
    return [word]


def find(name: str) -> "type[Study]":
    """The study of this name."""
    (file,) = (file for file, group in GROUPS.items() if name in group)
    module = importlib.import_module(f"{__name__}.{file}")
    study: type[Study] = module.STUDIES[name]
    return study


def titles() -> dict[str, str]:
    """Study → title."""
    return {name: find(name).title for name in names()}
