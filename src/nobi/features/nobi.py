"""The planes of nobi-net: M15's without the rank, moves that escape a ladder, and who gets how much komi."""

from nobi.features.base import MOST, NO_KOMI, Code, Plane, exactly
from nobi.features.m15 import M15WithoutRank


class NobiPlanes(M15WithoutRank):
    """Those of m15-norank, ladder escapes, and the komi of the player to move in three steps.

    M15's ladder plane marks moves that capture. Without its counterpart networks run out of ladders that work. The
    steps of komi tell black and white with full komi, and both with half a point, apart.
    """

    name = "nobi"

    def define(self) -> list[Plane]:
        """The planes in their order."""
        steps = (("more than -4", NO_KOMI - 7), ("more than 0", NO_KOMI + 1), ("4 or more", NO_KOMI + 8))
        return [
            *super().define(),
            exactly("escape", Code.ESCAPE),
            *(Plane(f"komi {name}", Code.KOMI, low, MOST) for name, low in steps),
        ]
