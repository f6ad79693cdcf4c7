"""Clocks: time settings, what is left, how many seconds a move may take, and when the flag falls.

Main time is followed by nothing (absolute), by periods in each of which some stones are to be played (canadian), or by
periods of which one is lost whenever a move takes longer than it (byoyomi, as KGS sends it).
"""

from dataclasses import dataclass
from typing import Literal

from nobi.board.stones import BLACK, WHITE

System = Literal["none", "absolute", "canadian", "byoyomi"]

LAG = 0.2
"""Seconds that each move is to be earlier than its limit, or a tenth of the limit if that is less."""
RESERVE = 1.0
"""Seconds of absolute time that are kept back, or a tenth of it if that is less: games may be long."""
FEWEST_MOVES = 8
"""At the end of a game it is still taken to go on for so many moves of each player."""


@dataclass(frozen=True)
class TimeSettings:
    """How much time each player has for a game."""

    system: System = "none"
    main: float = 0.0
    """Seconds of the main time."""
    period: float = 0.0
    """Seconds of a period after it."""
    count: int = 0
    """The stones to be played in each period (canadian), or how many periods there are (byoyomi)."""

    def __post_init__(self) -> None:
        if min(self.main, self.period, self.count) < 0:
            raise ValueError("time cannot be negative")
        overtime = self.system in ("canadian", "byoyomi")
        # as GTP reads time_settings: no period is absolute time, no stones are no limit
        if overtime and self.period == 0:
            object.__setattr__(self, "system", "absolute")
        elif overtime and self.count == 0:
            object.__setattr__(self, "system", "none")

    @property
    def overtime(self) -> str:
        """What follows the main time, as records of games write it (OT of SGF), e.g. `5x30 byo-yomi`."""
        if self.system == "canadian":
            return f"{self.count}/{self.period:g} Canadian"
        return f"{self.count}x{self.period:g} byo-yomi" if self.system == "byoyomi" else ""


@dataclass
class Left:
    """What a player has left."""

    seconds: float
    """Of the main time or of the present period."""
    count: int
    """0 in main time; else the stones to be played in this period (canadian) or the periods left (byoyomi)."""


class TimeControl:
    """The clocks of both players."""

    def __init__(self, settings: TimeSettings | None = None) -> None:
        self.set(settings or TimeSettings())

    def set(self, settings: TimeSettings) -> None:
        """Both clocks as at the start of a game."""
        self.settings = settings
        self.restart()

    def restart(self) -> None:
        """A new game with the same settings."""
        s = self.settings
        in_main = s.main > 0 or s.system == "absolute"
        self.left = {colour: Left(s.main, 0) if in_main else Left(s.period, s.count) for colour in (BLACK, WHITE)}

    def note(self, colour: int, seconds: float, count: int) -> None:
        """What the controller says a player has left."""
        self.left[colour] = Left(max(0.0, seconds), count)

    def spend(self, colour: int, seconds: float) -> bool:
        """A move took so long; returns whether the player is still in time."""
        s = self.settings
        if s.system == "none":
            return True
        left = self.left[colour]
        left.seconds -= seconds
        if left.count == 0:
            if left.seconds >= 0:
                return True
            if s.system == "absolute":
                left.seconds = 0.0
                return False
            over = -left.seconds
            left.seconds, left.count = s.period - over, s.count
        if s.system == "canadian":
            in_time = left.seconds >= 0
            left.count -= 1
            if left.count <= 0:
                left.seconds, left.count = s.period, s.count
            left.seconds = max(0.0, left.seconds)
            return in_time
        while left.seconds < 0 and left.count > 1:
            left.seconds += s.period
            left.count -= 1
        in_time = left.seconds >= 0
        left.seconds = s.period
        return in_time

    def most(self, colour: int) -> float | None:
        """How many seconds the next move may take before the flag falls; None for no limit."""
        s = self.settings
        if s.system == "none":
            return None
        left = self.left[colour]
        if left.count > 0:
            return left.seconds + ((left.count - 1) * s.period if s.system == "byoyomi" else 0.0)
        overtime = {"absolute": 0.0, "canadian": s.period, "byoyomi": s.count * s.period}[s.system]
        return left.seconds + overtime

    def seconds(self, colour: int, points: int, stones: int) -> float | None:
        """How long the next move should take; None for no limit. `points` and `stones` are those of the board."""
        s = self.settings
        if s.system == "none":
            return None
        left = self.left[colour]
        if left.count > 0:
            return _early(left.seconds / left.count if s.system == "canadian" else left.seconds)
        # the game is taken to end with three quarters of the board filled, every other stone one's own
        moves = max(FEWEST_MOVES, (0.75 * points - stones) / 2)
        reserve = min(RESERVE, s.main / 10) if s.system == "absolute" else 0.0
        share = max(0.0, left.seconds - reserve) / moves
        if s.system == "absolute":
            return _early(share)
        overtime = s.period / s.count if s.system == "canadian" else s.period
        return _early(max(share, min(left.seconds, overtime)))


def _early(limit: float) -> float:
    return max(0.01, limit - min(LAG, limit / 10))
