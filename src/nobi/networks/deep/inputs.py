"""The planes that deep networks take, by name; `nobi.features` computes them."""

from dataclasses import dataclass

from nobi.errors import NobiError

STONES = "own-enemy"
"""The two planes of the compiled networks: own stones, enemy stones."""


def check_planes(name: str) -> str:
    """Returns the name if there are such planes; a ValueError, as settings raise it, if not."""
    from nobi.features import planes_named

    try:
        planes = planes_named(name)
    except NobiError as fault:
        raise ValueError(str(fault).rstrip(".")) from None
    if planes.edge is not None:
        raise ValueError(f"{name!r} has the plane edge, which this network does not pad with ones")
    return name


def plane_count(name: str) -> int:
    """The number of planes of this name."""
    from nobi.features import planes_named

    return int(planes_named(name).count)


@dataclass(frozen=True)
class TwinChoices:
    """What a torch twin has to choose besides the settings of its compiled network; stands before them as a base."""

    mask: bool = True
    """Masked training, as in C14."""
    planes: str = STONES
    """The planes it takes; only with `own-enemy` is there a compiled network like it."""

    def __post_init__(self) -> None:
        super().__post_init__()  # type: ignore[misc]  # that of the compiled network's settings
        check_planes(self.planes)
