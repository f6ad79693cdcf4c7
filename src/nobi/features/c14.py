"""C14's three and seven planes (section 2.1): own and enemy stones, also by liberties, and the ko point."""

from nobi.features.base import EDGE, ENEMY, OWN, Code, EdgeSettings, Plane, Planes, counted, exactly


class C14Three(Planes):
    """Own stones, enemy stones, ko; with `edge=true` also the edge of the board."""

    name = "c14-3"
    settings_type = EdgeSettings

    def define(self) -> list[Plane]:
        planes = [
            exactly("own", Code.STONE, OWN),
            exactly("enemy", Code.STONE, ENEMY),
            exactly("ko", Code.KO),
        ]
        return [*planes, EDGE] if self.settings.edge else planes


class C14Seven(Planes):
    """Own and enemy stones with 1, 2, and 3 or more liberties, ko; with `edge=true` also the edge of the board."""

    name = "c14-7"
    settings_type = EdgeSettings

    def define(self) -> list[Plane]:
        planes = [
            *counted("own, liberties", Code.OWN_LIBERTIES, 3),
            *counted("enemy, liberties", Code.ENEMY_LIBERTIES, 3),
            exactly("ko", Code.KO),
        ]
        return [*planes, EDGE] if self.settings.edge else planes
