"""M15's planes (section 3, table 1) without the rank: stones, liberties, what a move would do, the latest moves."""

from nobi.features import register
from nobi.features.base import ENEMY, NEITHER, OLD, OWN, Code, Plane, Planes, counted, exactly

STONES_AND_LIBERTIES = (
    exactly("own", Code.STONE, OWN),
    exactly("enemy", Code.STONE, ENEMY),
    exactly("empty", Code.STONE, NEITHER),
    *counted("liberties", Code.LIBERTIES, 4),
)
"""What M15's sets of planes have in common."""


@register
class M15WithoutRank(Planes):
    """Stones, liberties before and after a move, legality, turns since, captures, ladder."""

    name = "m15-norank"

    def define(self) -> list[Plane]:
        """The planes in their order."""
        return [
            *STONES_AND_LIBERTIES,
            *counted("liberties after", Code.LIBERTIES_AFTER, 6),
            exactly("legal", Code.LEGAL),
            *counted("turns since", Code.TURNS, OLD),
            *counted("captures", Code.CAPTURES, 7),
            exactly("ladder", Code.LADDER),
        ]
