"""C14's three and seven planes (section 2.1): own and enemy stones, also by liberties, and the ko point."""

from abc import abstractmethod
from dataclasses import dataclass

from nobi.features.base import EDGE, ENEMY, OWN, Code, Plane, Planes, counted, exactly

LATEST = exactly("latest move", Code.TURNS)
"""The previous move, which C14 deliberately omits (section 1)."""


@dataclass(frozen=True)
class C14PlanesSettings:
    """The settings of C14's planes."""

    edge: bool = False
    """Whether to add the plane that marks the edge of the board."""
    latest: bool = False
    """Whether to add the plane of the previous move, before that of ko."""


class C14Planes(Planes):
    """Planes of stones, then ko."""

    settings_type = C14PlanesSettings

    @abstractmethod
    def stones(self) -> list[Plane]:
        """Return the planes of stones."""

    def define(self) -> list[Plane]:
        latest = [LATEST] if self.settings.latest else []
        edge = [EDGE] if self.settings.edge else []
        return [*self.stones(), *latest, exactly("ko", Code.KO), *edge]


class C14Three(C14Planes):
    """Own stones, enemy stones, ko; with `latest=true` the previous move, with `edge=true` the edge of the board."""

    name = "c14-3"

    def stones(self) -> list[Plane]:
        return [exactly("own", Code.STONE, OWN), exactly("enemy", Code.STONE, ENEMY)]


class C14Seven(C14Planes):
    """Own and enemy stones with 1, 2, and 3 or more liberties, ko; with `latest` and `edge` as in `c14-3`."""

    name = "c14-7"

    def stones(self) -> list[Plane]:
        own, enemy = Code.OWN_LIBERTIES, Code.ENEMY_LIBERTIES
        return [*counted("own, liberties", own, 3), *counted("enemy, liberties", enemy, 3)]
