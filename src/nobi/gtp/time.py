"""Time settings of GTP, and how many seconds a move may take under them.

Main time is followed by nothing (absolute), by periods in each of which some stones are to be played (canadian), or by
periods of which one is lost whenever a move takes longer than it (byoyomi, as KGS sends it).
"""

from dataclasses import dataclass
from typing import Literal

from nobi.board.stones import BLACK, WHITE
from nobi.gtp.protocol import GtpError

System = Literal["none", "absolute", "canadian", "byoyomi"]

LAG = 0.2
"""Seconds that each move is to be earlier than its limit, or a tenth of the limit if that is less."""
FEWEST_MOVES = 8
"""At the end of a game it is still taken to go on for so many moves of each player."""


@dataclass
class Left:
    """What a player has left."""

    seconds: float
    """Of the main time or of the present period."""
    count: int
    """0 in main time; else the stones to be played in this period (canadian) or the periods left (byoyomi)."""


class TimeControl:
    """The clocks of both players."""

    def __init__(self) -> None:
        self.set("none")

    def set(self, system: System, main: float = 0.0, period: float = 0.0, count: int = 0) -> None:
        """Both clocks as at the start of a game."""
        if min(main, period, count) < 0:
            raise GtpError("syntax error")
        if system in ("canadian", "byoyomi") and period == 0:
            system = "absolute"
        elif system in ("canadian", "byoyomi") and count == 0:
            system = "none"
        self.system: System = system
        self._main, self._period, self._count = main, period, count
        self.restart()

    def restart(self) -> None:
        """A new game with the same settings."""
        in_main = self._main > 0 or self.system == "absolute"
        self.left = {
            colour: Left(self._main, 0) if in_main else Left(self._period, self._count) for colour in (BLACK, WHITE)
        }

    def note(self, colour: int, seconds: float, count: int) -> None:
        """What the controller says a player has left."""
        self.left[colour] = Left(max(0.0, seconds), count)

    def spend(self, colour: int, seconds: float) -> None:
        """A move took so long."""
        if self.system == "none":
            return
        left = self.left[colour]
        left.seconds -= seconds
        if left.count == 0:
            if left.seconds >= 0 or self.system == "absolute":
                left.seconds = max(0.0, left.seconds)
                return
            over = -left.seconds
            left.seconds, left.count = self._period - over, self._count
        if self.system == "canadian":
            left.count -= 1
            if left.count <= 0:
                left.seconds, left.count = self._period, self._count
            left.seconds = max(0.0, left.seconds)
        else:
            while left.seconds < 0 and left.count > 1:
                left.seconds += self._period
                left.count -= 1
            left.seconds = self._period

    def seconds(self, colour: int, points: int, stones: int) -> float | None:
        """How long the next move may take; None for no limit. `points` and `stones` are those of the board."""
        if self.system == "none":
            return None
        left = self.left[colour]
        if left.count > 0:
            return _early(left.seconds / left.count if self.system == "canadian" else left.seconds)
        # the game is taken to end with three quarters of the board filled, every other stone one's own
        moves = max(FEWEST_MOVES, (0.75 * points - stones) / 2)
        share = left.seconds / moves
        if self.system == "absolute":
            return _early(share)
        overtime = self._period / self._count if self.system == "canadian" else self._period
        return _early(max(share, min(left.seconds, overtime)))


def _early(limit: float) -> float:
    return max(0.01, limit - min(LAG, limit / 10))
