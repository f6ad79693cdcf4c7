"""The planes that deep networks take, by name; `nobi.features` computes them."""

from nobi.errors import NobiError

STONES = "own-enemy"
"""The two planes of the compiled networks: own stones, enemy stones."""


def check_planes(name: str) -> str:
    """Returns the name if there are such planes; a ValueError, as settings raise it, if not."""
    try:
        plane_count(name)
    except NobiError as fault:
        raise ValueError(str(fault).rstrip(".")) from None
    return name


def plane_count(name: str) -> int:
    """The number of planes of this name."""
    from nobi.features import planes_named

    return int(planes_named(name).count)
