"""The two planes of the swiping networks: own stones, enemy stones (S08 section III)."""

from nobi.features.base import ENEMY, OWN, Code, Plane, Planes, exactly


class OwnEnemy(Planes):
    """Own stones, enemy stones."""

    name = "own-enemy"

    def define(self) -> list[Plane]:
        return [exactly("own", Code.STONE, OWN), exactly("enemy", Code.STONE, ENEMY)]
