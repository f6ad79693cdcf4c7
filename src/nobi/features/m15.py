"""M15's 36 planes (section 3, table 1): those without the rank, and nine for the rank of the player to move."""

from nobi.features import register
from nobi.features.base import Code, Plane, exactly
from nobi.features.m15_norank import M15WithoutRank


@register
class M15(M15WithoutRank):
    """Stones, liberties before and after a move, legality, turns since, captures, ladder, rank."""

    name = "m15"

    def define(self) -> list[Plane]:
        """The planes in their order."""
        return [*super().define(), *(exactly(f"rank {dan}d", Code.RANK, dan) for dan in range(1, 10))]
