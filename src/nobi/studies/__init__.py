"""The studies: tables and figures of the papers, measured again, and questions beyond them.

Read `base` first, then `s08_random`. A study is a class in the file of its group. `jobs` is the work that studies are
made of, `cache` makes and keeps it, `runner` runs whole studies, `pages` writes what they came to. Studies of deep
networks learn from datasets that the user names (`records`); `learning` has their pieces of work, `deep` what they
share.
"""

import importlib
from typing import TYPE_CHECKING

from nobi.errors import NobiError
from nobi.spec import choices

if TYPE_CHECKING:
    from nobi.studies.study import Study

_STUDIES = {
    "s08-fig2": "nobi.studies.s08.random:Figure2",
    "s08-fig3": "nobi.studies.s08.random:Figure3",
    "s08-fig4": "nobi.studies.s08.random:Figure4",
    "s08-fig5": "nobi.studies.s08.random:Figure5",
    "s08-table1": "nobi.studies.s08.random:Table1",
    "s08-fig6": "nobi.studies.s08.evolution:Figure6",
    "s08-table2": "nobi.studies.s08.coevolution:Table2",
    "s08-fig7": "nobi.studies.s08.coevolution:Figure7",
    "s08-fig8": "nobi.studies.s08.coevolution:Figure8",
    "s08-fig9": "nobi.studies.s08.coevolution:Figure9",
    "s08-table3": "nobi.studies.s08.transfer:Table3",
    "s08-fig10": "nobi.studies.s08.transfer:Figure10",
    "s09-fig2": "nobi.studies.s09.random:Figure2",
    "s09-table1": "nobi.studies.s09.random:Table1",
    "s09-fig4a": "nobi.studies.s09.random:Figure4a",
    "s09-fig3a": "nobi.studies.s09.training:Figure3a",
    "s09-fig3b": "nobi.studies.s09.training:Figure3b",
    "s09-fig3c": "nobi.studies.s09.training:Figure3c",
    "s09-table2": "nobi.studies.s09.transfer:Table2",
    "s09-fig4b": "nobi.studies.s09.transfer:Figure4b",
    "s09-fig4c": "nobi.studies.s09.transfer:Figure4c",
    "c14-table1": "nobi.studies.c14.ablation:Table1",
    "c14-fig3": "nobi.studies.c14.ablation:Figure3",
    "c14-table2": "nobi.studies.c14.prediction:Table2",
    "c14-table3": "nobi.studies.c14.prediction:Table3",
    "c14-fig6": "nobi.studies.c14.prediction:Figure6",
    "c14-fig7": "nobi.studies.c14.prediction:Figure7",
    "c14-fig8": "nobi.studies.c14.prediction:Figure8",
    "c14-table4": "nobi.studies.c14.games:Table4",
    "c14-table5": "nobi.studies.c14.games:Table5",
    "m15-symmetry": "nobi.studies.m15.prediction:Symmetry",
    "m15-depth": "nobi.studies.m15.prediction:Depth",
    "m15-fig1": "nobi.studies.m15.prediction:Figure1",
    "m15-rank": "nobi.studies.m15.prediction:Rank",
    "m15-depth-wins": "nobi.studies.m15.games:DepthWins",
    "m15-rank-wins": "nobi.studies.m15.games:RankWins",
    "m15-opponents": "nobi.studies.m15.games:Opponents",
    "m15-search": "nobi.studies.m15.search:SearchStudy",
    "size-transfer": "nobi.studies.beyond.size_transfer:SizeTransfer",
    "beyond-border": "nobi.studies.beyond.players:BorderStudy",
    "beyond-heuristic": "nobi.studies.beyond.players:Heuristic",
    "beyond-stacked": "nobi.studies.beyond.networks:StackedStudy",
    "beyond-curriculum": "nobi.studies.beyond.players:CurriculumStudy",
    "beyond-sizes": "nobi.studies.beyond.networks:SizesStudy",
    "beyond-symmetry": "nobi.studies.beyond.networks:SymmetryStudy",
}
"""name → class, in the order of the papers."""

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
    return list(_STUDIES)


def names_of(spec: str) -> list[str]:
    """The studies that a name, or the name of a collection, stands for."""
    if spec in COLLECTIONS:
        return [name for name in names() if name.startswith(COLLECTIONS[spec])]
    if spec not in names():
        raise NobiError(f"There is no study {spec!r}; {choices([*names(), *COLLECTIONS], spec)}.")
    return [spec]


def find(name: str) -> "type[Study]":
    """The study of this name."""
    module, _, cls = _STUDIES[name].partition(":")
    study: type[Study] = getattr(importlib.import_module(module), cls)
    return study


def titles() -> dict[str, str]:
    """Study → title."""
    return {name: find(name).title for name in names()}
