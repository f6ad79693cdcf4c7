"""The reduced planes of M15's investigation of weight symmetries (section 5.1).

"A reduced feature set, excluding rank, liberties after move, capture size, ladder move, and only including a history of
one move": nine planes.
"""

from nobi.features import register
from nobi.features.base import Code, Plane, Planes, exactly
from nobi.features.m15_norank import STONES_AND_LIBERTIES


@register
class M15Reduced(Planes):
    """Stones, liberties, legality, the latest move."""

    name = "m15-reduced"

    def define(self) -> list[Plane]:
        """The planes in their order."""
        return [
            *STONES_AND_LIBERTIES,
            exactly("legal", Code.LEGAL),
            exactly("turns since 1", Code.TURNS),
        ]
