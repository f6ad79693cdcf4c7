"""What studies that play matches share: opponents, conditions, percentages, remarks."""

from collections.abc import Mapping

from nobi.arena.summary import Interval
from nobi.studies.engines import GNUGO, Engine, Strength
from nobi.studies.matches import Contestant, Standing

GO_CHINESE = "go:komi=7.5"
GO_JAPANESE = "go:komi=6.5,scoring=territory,ko=simple"


def stand_in() -> Contestant:
    """Who plays for every engine at the scale `tiny`, which needs none."""
    return Contestant("playout", title="playout, instead of an engine")


def gnugo(engines: Mapping[str, Engine], level: int, rules: str = "chinese") -> Contestant:
    """GNU Go."""
    return Contestant(engine=engines[GNUGO], strength=Strength(level=level, rules=rules))


def in_percent(share: Interval) -> Interval:
    """A share as a percentage."""
    return Interval(100 * share.value, 100 * share.low, 100 * share.high)


def contest_conditions(opponent: Contestant, size: int, games: int) -> dict[str, str]:
    """How the games are played."""
    counts = opponent.engine.title if opponent.engine else "nobi, dead stones by playouts,"
    return {
        "opponent": str(opponent),
        "games": f"{games} on {size}x{size}, colours by turns; those that repeat an earlier one are left out",
        "rules": f"Chinese, komi 7.5; {counts} counts",
        "chance": repeatable(opponent),
    }


def repeatable(opponent: Contestant) -> str:
    """Whether the same command plays the same games again."""
    if opponent.engine is None:
        return "every game depends on the seed and its number alone"
    if opponent.engine.name == GNUGO:
        return "GNU Go gets a seed for every game (set_random_seed): the same games come out again, for any threads"
    return f"{opponent.engine.title} draws its own random numbers: other games each time"


def remarks(matches: Mapping[str, Standing]) -> list[str]:
    """What is to be said of games that do not count, or count by default."""
    found = []
    for label, standing in matches.items():
        parts = []
        if standing.repeated:
            parts.append(f"{standing.repeated} repeat an earlier game and are left out")
        if standing.void:
            parts.append(f"{standing.void} have no result, since the referee failed")
        if standing.forfeited:
            parts.append(f"{standing.forfeited} were forfeited and count")
        if parts:
            found.append(f"{label}: of the games {', '.join(parts)}.")
    return found
