"""What studies that play matches share: opponents, matches with a referee, conditions, percentages, remarks."""

from collections.abc import Mapping
from dataclasses import dataclass

from nobi.arena.summary import Interval
from nobi.studies.engines import GNUGO, Engine, Strength
from nobi.studies.matches import MODEL, Contestant, EngineMatch, Standing, Trained

RULES = {"chinese": "go:komi=7.5", "japanese": "go:komi=6.5,scoring=territory,ko=simple"}
"""The games of Go that engines play by these rules."""

PAPERS_LEVEL = 10
"""GNU Go's strongest, in both papers. On 19x19 it takes about five times as long as level 1."""


@dataclass(frozen=True)
class Playing:
    """How much is played."""

    games: int
    """Of each match."""
    level: int = PAPERS_LEVEL
    """GNU Go's."""
    longest: int = 0
    """Moves after which a game is stopped and counted; 0 for no such limit."""


def stand_in(name: str = "playout") -> Contestant:
    """Who plays for every engine at the scale `tiny`, which needs none."""
    return Contestant(name, title=f"{name}, instead of an engine")


def gnugo(engines: Mapping[str, Engine], level: int, rules: str = "chinese") -> Contestant:
    """GNU Go."""
    return Contestant(engine=engines[GNUGO], strength=Strength(level=level, rules=rules))


def network_of(run: Trained, title: str, settings: str = "") -> Contestant:
    """A trained network that plays by its policy alone; `settings` are those of the player."""
    return Contestant(f"{MODEL}:{settings}" if settings else MODEL, run, title=title)


def match_with(
    a: Contestant, b: Contestant, playing: Playing, seed: int, size: int = 19, rules: str = "chinese"
) -> EngineMatch:
    """A match in which B counts if it is an engine, as in C14, else nobi."""
    referee = b if b.engine else None
    return EngineMatch(a, b, RULES[rules], size, playing.games, seed, referee, longest=playing.longest)


def in_percent(share: Interval) -> Interval:
    """A share as a percentage."""
    return Interval(100 * share.value, 100 * share.low, 100 * share.high)


def contest_conditions(
    playing: Playing,
    size: int = 19,
    rules: str = "Chinese rules, komi 7.5",
    referee: str = "nobi",
    exceptions: str = "",
) -> dict[str, str]:
    """How the games are played, and by whom they are counted; `exceptions` are matches of more or fewer games."""
    stopped = f"; stopped after {playing.longest} moves" if playing.longest else ""
    return {
        "games": f"{playing.games} of each match{exceptions} on {size}x{size}, colours by turns{stopped}; "
        "those that repeat an earlier one are left out",
        "rules": f"{rules}; counted by {referee}",
        "intervals": "Wilson's, draws counting half",
    }


PASSES = (
    "the likeliest legal move, but none that fills an own eye; it passes when the opponent has passed, as in C14, and "
    "never resigns"
)
"""How a network plays by its policy."""


def repeatable(opponent: Contestant) -> str:
    """Whether the same command plays the same games again."""
    if opponent.engine is None:
        return "every game depends on the seed and its number alone"
    if opponent.engine.name == GNUGO:
        return "GNU Go gets a seed for every game (set_random_seed): the same command plays the same games again"
    return f"{opponent.engine.title} draws its own random numbers: other games each time"


def remarks(matches: Mapping[str, Standing], level: int = PAPERS_LEVEL) -> list[str]:
    """What is to be said of a weaker opponent, and of games that do not count, or count by default."""
    found = []
    if level != PAPERS_LEVEL:
        found.append(f"GNU Go played at level {level} here, and at level {PAPERS_LEVEL} in the paper.")
    for label, standing in matches.items():
        reasons = {
            "left out, since earlier ones were the same": standing.repeated,
            "without a result, since the referee failed": standing.void,
            "forfeited, and counted as lost": standing.forfeited,
            "left out, since the opponent's program failed": standing.given_away,
        }
        parts = [f"{count} {'was' if count == 1 else 'were'} {words}" for words, count in reasons.items() if count]
        if parts:
            found.append(f"{label}: of the games {', '.join(parts)}.")
    return found
