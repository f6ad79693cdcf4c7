"""The interface for new games, networks, planes, players, trainers and studies, in files or packages outside of nobi.

`examples/` has a complete class of each kind. A class becomes known by `register_game` and its siblings as a decorator,
or by an entry point of the package that contains it (docs/architecture.md).
"""

from nobi.board.stones import (
    BLACK,
    DRAW,
    EMPTY,
    PASS,
    RUNNING,
    WHITE,
    Stones,
    allocate_stones,
    clear_stones,
    end_turn,
    enemy_of,
    put,
)
from nobi.compiling import compiled, inlined
from nobi.features import register as register_planes
from nobi.features.base import Code, Planes, counted, exactly
from nobi.games import register as register_game
from nobi.games.base import LOSES, UNDECIDED, WINS, Game, Rules
from nobi.networks import register as register_network
from nobi.networks.deep import register as register_deep_network
from nobi.nn.lanes import LANES, F, tanh
from nobi.nn.network import Forward, Network, Weights
from nobi.players import register as register_player
from nobi.players.base import Bot, Player
from nobi.statistics import Interval, share_interval
from nobi.streams import below
from nobi.studies import register as register_study
from nobi.studies.jobs import Job
from nobi.studies.study import Claim, Findings, Row, Study, Table
from nobi.trainers import register as register_trainer
from nobi.trainers.base import Trainer, mutants, normal_population

__all__ = [
    "BLACK",
    "DRAW",
    "EMPTY",
    "LANES",
    "LOSES",
    "PASS",
    "RUNNING",
    "UNDECIDED",
    "WHITE",
    "WINS",
    "Bot",
    "Claim",
    "Code",
    "F",
    "Findings",
    "Forward",
    "Game",
    "Interval",
    "Job",
    "Network",
    "Planes",
    "Player",
    "Row",
    "Rules",
    "Stones",
    "Study",
    "Table",
    "Trainer",
    "Weights",
    "allocate_stones",
    "below",
    "clear_stones",
    "compiled",
    "counted",
    "end_turn",
    "enemy_of",
    "exactly",
    "inlined",
    "mutants",
    "normal_population",
    "put",
    "register_deep_network",
    "register_game",
    "register_network",
    "register_planes",
    "register_player",
    "register_study",
    "register_trainer",
    "share_interval",
    "tanh",
]
