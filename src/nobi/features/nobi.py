"""The planes of nobi-net: M15's without the rank, moves that escape a ladder, and komi."""

from nobi.features.base import MOST, NO_KOMI, Code, Plane, exactly
from nobi.features.m15 import M15WithoutRank


class NobiPlanes(M15WithoutRank):
    """The planes of m15-norank, ladder escapes, and the komi of the player to move in three steps.

    M15's ladder plane marks captures. Without the plane of escapes, networks try to escape from working ladders. The
    steps of komi distinguish black and white, with full komi and with half a point.
    """

    name = "nobi"

    def define(self) -> list[Plane]:
        steps = (("more than -4", NO_KOMI - 7), ("more than 0", NO_KOMI + 1), ("4 or more", NO_KOMI + 8))
        return [
            *super().define(),
            exactly("escape", Code.ESCAPE),
            *(Plane(f"komi {name}", Code.KOMI, low, MOST) for name, low in steps),
        ]
