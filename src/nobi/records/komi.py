"""Komi as records write it."""

_MOST_KOMI = 200
"""More than this is not meant in points."""


def komi_of(text: str) -> float | None:
    """The komi in points, or None if the text names none that a game can be played with.

    Chinese records may count in stones, each of which is worth two points, and servers in hundredths: 375 is 3¾ stones.
    """
    try:
        komi = float(text.replace(",", "."))
    except ValueError:
        return None
    if abs(komi) > _MOST_KOMI:
        komi /= 100
    if not abs(komi) <= _MOST_KOMI:
        return None
    if komi * 4 % 2 == 1:  # quarters are of stones
        komi *= 2
    return komi if (komi * 2).is_integer() else None
