"""M15's 36 planes (section 3, table 1), the same without the rank or without ladders, and a reduced set of nine.

The reduced set is that of the paper's investigation of weight symmetries (section 5.1): "a reduced feature set,
excluding rank, liberties after move, capture size, ladder move, and only including a history of one move".
"""

from nobi.features.base import ENEMY, NEITHER, OLD, OWN, Code, Plane, Planes, counted, exactly

STONES_AND_LIBERTIES = (
    exactly("own", Code.STONE, OWN),
    exactly("enemy", Code.STONE, ENEMY),
    exactly("empty", Code.STONE, NEITHER),
    *counted("liberties", Code.LIBERTIES, 4),
)
"""The planes common to all sets."""


class M15WithoutRank(Planes):
    """Stones, liberties before and after a move, legality, turns since, captures, ladder."""

    name = "m15-norank"

    def define(self) -> list[Plane]:
        return [
            *STONES_AND_LIBERTIES,
            *counted("liberties after", Code.LIBERTIES_AFTER, 6),
            exactly("legal", Code.LEGAL),
            *counted("turns since", Code.TURNS, OLD),
            *counted("captures", Code.CAPTURES, 7),
            exactly("ladder", Code.LADDER),
        ]


class M15(M15WithoutRank):
    """Stones, liberties before and after a move, legality, turns since, captures, ladder, rank."""

    name = "m15"

    def define(self) -> list[Plane]:
        return [*super().define(), *(exactly(f"rank {dan}d", Code.RANK, dan) for dan in range(1, 10))]


class M15WithoutLadder(M15):
    """All planes except that of ladders."""

    name = "m15-noladder"

    def define(self) -> list[Plane]:
        return [plane for plane in super().define() if plane.code != Code.LADDER]


class M15Reduced(Planes):
    """Stones, liberties, legality, the latest move."""

    name = "m15-reduced"

    def define(self) -> list[Plane]:
        return [
            *STONES_AND_LIBERTIES,
            exactly("legal", Code.LEGAL),
            exactly("turns since 1", Code.TURNS),
        ]
