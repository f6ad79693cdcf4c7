"""Neural networks that learn a board game on a small board and play it on any board.

The names listed in `__all__` are the public interface; they are imported when first used, so that `import nobi` is
cheap. All other modules are private by convention. Four papers are cited throughout:

- S08: T. Schaul and J. Schmidhuber, "A Scalable Neural Network Architecture for Board Games", IEEE CIG 2008.
- S09: T. Schaul and J. Schmidhuber, "Scalable Neural Networks for Board Games", ICANN 2009.
- C14: C. Clark and A. Storkey, "Teaching Deep Convolutional Neural Networks to Play Go", arXiv:1412.3409, 2014.
- M15: C. J. Maddison et al., "Move Evaluation in Go Using Deep Convolutional Neural Networks", ICLR 2015.
"""

import importlib
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nobi.api import (
        bot,
        game,
        import_records,
        inspect,
        list_games,
        list_models,
        list_networks,
        list_players,
        list_studies,
        list_trainers,
        load,
        match,
        network,
        play_games,
        player,
        read_sgf,
        save,
        tournament,
        variant,
        write_sgf,
    )
    from nobi.api_training import coevolve, evolve, imitate, predict, run_study, transfer
    from nobi.board.stones import BLACK, EMPTY, PASS, WHITE
    from nobi.errors import NobiError
    from nobi.games.base import Game, Variant
    from nobi.models.model import Model
    from nobi.nn.network import Network
    from nobi.players.base import Bot, Player
    from nobi.records.dataset import Dataset
    from nobi.search.search import Search
    from nobi.search.settings import SearchSettings
    from nobi.statistics import Interval
    from nobi.workers import Executor, make_executor

__version__ = "0.2.0"

__all__ = [
    "BLACK",
    "EMPTY",
    "PASS",
    "WHITE",
    "Bot",
    "Dataset",
    "Executor",
    "Game",
    "Interval",
    "Model",
    "Network",
    "NobiError",
    "Player",
    "Search",
    "SearchSettings",
    "Variant",
    "bot",
    "coevolve",
    "evolve",
    "game",
    "imitate",
    "import_records",
    "inspect",
    "list_games",
    "list_models",
    "list_networks",
    "list_players",
    "list_studies",
    "list_trainers",
    "load",
    "make_executor",
    "match",
    "network",
    "play_games",
    "player",
    "predict",
    "read_sgf",
    "run_study",
    "save",
    "tournament",
    "transfer",
    "variant",
    "write_sgf",
]

_ELSEWHERE = {
    "BLACK": "nobi.board.stones",
    "EMPTY": "nobi.board.stones",
    "PASS": "nobi.board.stones",
    "WHITE": "nobi.board.stones",
    "Bot": "nobi.players.base",
    "Dataset": "nobi.records.dataset",
    "Executor": "nobi.workers",
    "Game": "nobi.games.base",
    "Interval": "nobi.statistics",
    "Model": "nobi.models.model",
    "Network": "nobi.nn.network",
    "NobiError": "nobi.errors",
    "Player": "nobi.players.base",
    "Search": "nobi.search.search",
    "SearchSettings": "nobi.search.settings",
    "Variant": "nobi.games.base",
    "coevolve": "nobi.api_training",
    "evolve": "nobi.api_training",
    "imitate": "nobi.api_training",
    "make_executor": "nobi.workers",
    "predict": "nobi.api_training",
    "run_study": "nobi.api_training",
    "transfer": "nobi.api_training",
}
"""The public names that are not defined in `nobi.api`."""

# PyTorch reads this variable when it is loaded, and nothing loads it before this line. By default, OpenMP's threads
# wait for each other by spinning, which on a busy machine is many times slower than a single thread.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def __getattr__(name: str) -> Any:
    if name == "pettingzoo":  # a module of its own, since it needs the extra `rl`
        return importlib.import_module("nobi.pettingzoo")
    if name not in __all__:
        raise AttributeError(f"module 'nobi' has no attribute {name!r}")
    value = getattr(importlib.import_module(_ELSEWHERE.get(name, "nobi.api")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
