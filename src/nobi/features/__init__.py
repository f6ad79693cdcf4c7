"""Input planes of Go positions for deep networks: one class and one registry line per set of planes."""

from typing import TYPE_CHECKING

from nobi.errors import NobiError
from nobi.spec import Registry

if TYPE_CHECKING:
    from nobi.features.base import Planes

ONLY_STONES = "own-enemy"
"""The set of planes that exists in every game, and the inputs of the compiled networks: own stones, enemy stones."""

_planes: "Registry[Planes]" = Registry(
    "set of planes",
    "nobi.planes",
    {
        "c14-3": "nobi.features.c14:C14Three",
        "c14-7": "nobi.features.c14:C14Seven",
        "m15": "nobi.features.m15:M15",
        "m15-noladder": "nobi.features.m15:M15WithoutLadder",
        "m15-norank": "nobi.features.m15:M15WithoutRank",
        "m15-reduced": "nobi.features.m15:M15Reduced",
        "nobi": "nobi.features.nobi:NobiPlanes",
        "own-enemy": "nobi.features.own_enemy:OwnEnemy",
    },
)
register, names, find = _planes.register, _planes.names, _planes.find


def make_planes(spec: str) -> "Planes":
    """Return the set of planes of a spec such as `m15` or `c14-7:edge=true`."""
    return _planes.make(spec)


def plane_count(spec: str) -> int:
    """Return the number of planes of a set."""
    return make_planes(spec).count


def check_planes(spec: str) -> None:
    """Raise a NobiError unless these are planes for a network without edge encoding."""
    if make_planes(spec).edge is not None:
        raise NobiError(f"{spec!r} has the plane edge, which this network does not pad with ones.")
