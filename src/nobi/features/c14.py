"""C14's three planes (section 2.1): own stones, enemy stones, the point that simple ko forbids; and the edge.

MERGED features/c14_7.py: C14's seven planes (section 2.1): own and enemy stones by their liberties, the point that simple ko forbids.
"""

from nobi.features.base import EDGE, ENEMY, OWN, Code, EdgeSettings, Plane, Planes, counted, exactly


class C14Three(Planes):
    """Own stones, enemy stones, ko; with `edge=true` the edge of the board."""

    name = "c14-3"
    settings_type = EdgeSettings

    def define(self) -> list[Plane]:
        """The planes in their order."""
        planes = [
            exactly("own", Code.STONE, OWN),
            exactly("enemy", Code.STONE, ENEMY),
            exactly("ko", Code.KO),
        ]
        return [*planes, EDGE] if self.settings.edge else planes


class C14Seven(Planes):
    """Own stones with 1, 2, 3 or more liberties, enemy stones likewise, ko; with `edge=true` the edge of the board."""

    name = "c14-7"
    settings_type = EdgeSettings

    def define(self) -> list[Plane]:
        """The planes in their order."""
        planes = [
            *counted("own, liberties", Code.OWN_LIBERTIES, 3),
            *counted("enemy, liberties", Code.ENEMY_LIBERTIES, 3),
            exactly("ko", Code.KO),
        ]
        return [*planes, EDGE] if self.settings.edge else planes
