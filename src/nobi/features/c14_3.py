"""C14's three planes (section 2.1): own stones, enemy stones, the point that simple ko forbids; and the edge."""

from nobi.features import register
from nobi.features.base import EDGE, ENEMY, OWN, Code, EdgeSettings, Plane, Planes, exactly


@register
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
