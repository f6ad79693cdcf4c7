"""Planes for the tests of deep networks: those of `nobi.features`, or a stand-in where that is not there."""

import importlib.util
import sys
import types
from typing import NamedTuple

import numpy as np

from nobi.board.vertices import row_column
from nobi.errors import NobiError

COUNTS = {"own-enemy": 2, "c14-3": 3, "c14-7": 7, "m15-reduced": 9, "m15-norank": 27, "m15": 36}


class StandIn(NamedTuple):
    name: str
    count: int


def planes_named(name):
    if name not in COUNTS:
        raise NobiError(f"There is no set of planes {name!r}.")
    return StandIn(name, COUNTS[name])


def position_planes(game, planes, rank=0):
    """Own, enemy, then planes that tell of the moves so far and the rank."""
    n = game.size
    found = np.zeros((planes.count, n, n), np.float32)
    for point in game.points():
        colour = game.colour(point)
        if colour:
            found[(0 if colour == game.to_move else 1, *row_column(point, n))] = 1
    for i, move in enumerate(reversed(game.moves), 2):
        if i < planes.count and move:
            found[(i, *row_column(move, n))] = 1
    if planes.count > 30:
        found[-1] = rank / 9
    return found


if importlib.util.find_spec("nobi.features") is None:
    features, position = types.ModuleType("nobi.features"), types.ModuleType("nobi.features.position")
    features.planes_named, position.position_planes = planes_named, position_planes
    sys.modules["nobi.features"], sys.modules["nobi.features.position"] = features, position
