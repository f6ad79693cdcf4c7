"""The studies: reproductions of tables and figures of the papers, and questions beyond them.

Read `study` first, then `s08.random`. Framework: `jobs`, `training_jobs` and `match_jobs` are the computations of
studies, `cache` stores their results, `resources` handles the user's datasets and engines, `runner` runs studies,
`pages` writes the documentation of their results. Experiments: a folder for each paper, and `beyond`.

A new study is a class and one line below. Packages add studies by the entry-point group `nobi.studies`, files loaded
with `--load` by `register`.
"""

from typing import TYPE_CHECKING

from nobi.errors import NobiError
from nobi.spec import Registry, closest

if TYPE_CHECKING:
    from nobi.studies.study import Study

_BUILTIN = {
    "s08-fig2": "nobi.studies.s08.random:Figure2",
    "s08-fig3": "nobi.studies.s08.random:Figure3",
    "s08-fig4": "nobi.studies.s08.random:Figure4",
    "s08-fig5": "nobi.studies.s08.random:Figure5",
    "s08-table1": "nobi.studies.s08.random:Table1",
    "s08-fig6": "nobi.studies.s08.training:Figure6",
    "s08-claims": "nobi.studies.s08.claims:Claims",
    "s08-settings": "nobi.studies.s08.claims:CoevolutionChoices",
    "s08-table2": "nobi.studies.s08.training:Table2",
    "s08-fig7": "nobi.studies.s08.training:Figure7",
    "s08-fig8": "nobi.studies.s08.training:Figure8",
    "s08-fig9": "nobi.studies.s08.training:Figure9",
    "s08-rules": "nobi.studies.s08.training:Rules",
    "s08-table3": "nobi.studies.s08.transfer:Table3",
    "s08-fig10": "nobi.studies.s08.transfer:Figure10",
    "s09-fig2": "nobi.studies.s09.random:Figure2",
    "s09-table1": "nobi.studies.s09.random:Table1",
    "s09-fig4a": "nobi.studies.s09.random:Figure4a",
    "s09-fig3a": "nobi.studies.s09.training:Figure3a",
    "s09-start": "nobi.studies.s09.training:Start",
    "s09-games": "nobi.studies.s09.training:Games",
    "s09-claims": "nobi.studies.s09.claims:Claims",
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
    "c14-claims": "nobi.studies.c14.claims:Claims",
    "c14-previous-move": "nobi.studies.c14.previous_move:PreviousMove",
    "m15-symmetry": "nobi.studies.m15.prediction:Symmetry",
    "m15-depth": "nobi.studies.m15.prediction:Depth",
    "m15-fig1": "nobi.studies.m15.prediction:Figure1",
    "m15-rank": "nobi.studies.m15.prediction:Rank",
    "m15-depth-wins": "nobi.studies.m15.games:DepthWins",
    "m15-rank-wins": "nobi.studies.m15.games:RankWins",
    "m15-opponents": "nobi.studies.m15.games:Opponents",
    "m15-fig2": "nobi.studies.m15.games:Figure2",
    "m15-claims": "nobi.studies.m15.claims:Claims",
    "m15-search": "nobi.studies.m15.search:SearchStudy",
    "size-transfer": "nobi.studies.beyond.size_transfer:SizeTransfer",
    "beyond-bootstrap": "nobi.studies.beyond.bootstrap:Bootstrap",
    "beyond-go": "nobi.studies.beyond.go:Go",
    "beyond-priors": "nobi.studies.beyond.priors:Priors",
    "beyond-gradient": "nobi.studies.beyond.gradient:Gradient",
    "beyond-multiverse": "nobi.studies.beyond.multiverse:Multiverse",
    "beyond-features": "nobi.studies.beyond.features:Features",
    "beyond-border": "nobi.studies.beyond.evolution:Border",
    "beyond-heuristic": "nobi.studies.beyond.evolution:Heuristic",
    "beyond-stacked": "nobi.studies.beyond.evolution:Stacked",
    "beyond-curriculum": "nobi.studies.beyond.evolution:Curriculum",
    "beyond-sizes": "nobi.studies.beyond.evolution:Sizes",
    "beyond-symmetry": "nobi.studies.beyond.evolution:Symmetry",
}
"""name → class, in the order of the papers."""

PAGES = {
    "s08-random": "Random networks (Schaul & Schmidhuber 2008)",
    "s08-evolution": "Evolution against the naive player (Schaul & Schmidhuber 2008)",
    "s08-coevolution": "Coevolution (Schaul & Schmidhuber 2008)",
    "s08-trained": "Trained networks on larger boards (Schaul & Schmidhuber 2008)",
    "s09-random": "Random networks (Schaul & Schmidhuber 2009)",
    "s09-training": "Training against naive and heuristic players (Schaul & Schmidhuber 2009)",
    "s09-transfer": "Trained networks on larger boards (Schaul & Schmidhuber 2009)",
    "c14-ablation": "Ablation of the techniques (Clark & Storkey 2014)",
    "c14-prediction": "Predicting experts' moves (Clark & Storkey 2014)",
    "c14-games": "Networks that play against engines (Clark & Storkey 2014)",
    "c14-claims": "Claims of the text (Clark & Storkey 2014)",
    "m15-prediction": "Predicting experts' moves (Maddison et al. 2015)",
    "m15-games": "Networks that play against engines (Maddison et al. 2015)",
    "m15-claims": "Claims of the text (Maddison et al. 2015)",
    "m15-search": "Tree search, without and with a network (Maddison et al. 2015)",
    "size-transfer": "Networks trained by gradient descent, on boards of other sizes",
    "beyond": "Beyond the papers",
}
"""page → title; a page of a third-party study has its name as title."""

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
"""Names for several studies: all whose names start with one of these prefixes."""

ROLES = {
    "pro": "games of professionals on 19x19",
    "kgs": "games of amateurs with their ranks on 19x19, as from the KGS server",
    "small": "games on 9x9 and 13x13",
}
"""The roles of datasets, `nobi study NAME --data ROLE=DATASET`: role → contents."""

ENGINES = {"gnugo": "GNU Go", "pachi": "Pachi", "fuego": "Fuego", "mogo": "MoGo"}
"""The engines that studies play against, `nobi study NAME --engine ENGINE=COMMAND`: name → title."""

_studies: "Registry[Study]" = Registry("study", "nobi.studies", _BUILTIN)
register, find = _studies.register, _studies.find


def names() -> list[str]:
    """Return the names of all studies, without importing any: those of the papers in order, then others."""
    return [*_BUILTIN, *(name for name in _studies.names() if name not in _BUILTIN)]


def select(name: str) -> list[str]:
    """Return the studies of a collection, or the study of this name."""
    if name in COLLECTIONS:
        return [study for study in names() if study.startswith(COLLECTIONS[name])]
    if name not in names():
        similar = closest(name, [*names(), *COLLECTIONS])
        hint = f"did you mean {similar!r}? " if similar else ""
        raise NobiError(f"There is no study {name!r}; {hint}'nobi study list' shows them all.")
    return [name]
