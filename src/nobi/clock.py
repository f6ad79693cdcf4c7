"""Clocks: time settings, remaining time, the time to use for a move, and losses on time.

Systems: `absolute` (main time only); `canadian` (after the main time, periods in each of which a number of stones has
to be played); `byoyomi`, as KGS sends it (after the main time, a number of periods; a move that takes longer than a
period uses it up); `fischer` (every move adds time).
"""

from dataclasses import dataclass
from typing import Literal

from nobi.board.stones import BLACK, WHITE

System = Literal["none", "absolute", "canadian", "byoyomi", "fischer"]

LAG = 0.2
"""Safety margin of each move in seconds; at most a tenth of the move's limit."""
RESERVE = 1.0
"""Seconds of absolute time kept as a reserve for long games; at most a tenth of the main time."""
FEWEST_MOVES = 8
"""Minimum number of own moves that are expected in the rest of a game."""


@dataclass(frozen=True)
class TimeSettings:
    """The time of each player for a game."""

    system: System = "none"
    main: float = 0.0
    """Seconds of the main time."""
    period: float = 0.0
    """Seconds of each period after the main time, or those that every move adds (fischer)."""
    count: int = 0
    """Stones to be played in each period (canadian), or the number of periods (byoyomi)."""
    cap: float = 0.0
    """Maximum seconds on a clock (fischer); 0: no limit."""
    per_move: float = 0.0
    """Maximum seconds of one move (fischer); 0: no limit."""

    def __post_init__(self) -> None:
        if min(self.main, self.period, self.count, self.cap, self.per_move) < 0:
            raise ValueError("time cannot be negative")
        overtime = self.system in ("canadian", "byoyomi")
        if self.system == "fischer" and self.period == self.cap == self.per_move == 0:
            object.__setattr__(self, "system", "absolute")
        # as in GTP's time_settings: a period of 0 means absolute time, a count of 0 no limit
        if overtime and self.period == 0:
            object.__setattr__(self, "system", "absolute")
        elif overtime and self.count == 0:
            object.__setattr__(self, "system", "none")

    @property
    def overtime(self) -> str:
        """The overtime as written in game records (OT of SGF), e.g. `5x30 byo-yomi`."""
        if self.system == "canadian":
            return f"{self.count}/{self.period:g} Canadian"
        if self.system == "fischer":
            return f"{self.period:g} fischer"
        return f"{self.count}x{self.period:g} byo-yomi" if self.system == "byoyomi" else ""


@dataclass
class TimeLeft:
    """The remaining time of a player."""

    seconds: float
    """Seconds left of the main time or of the current period."""
    count: int
    """0 in the main time; then the stones to be played in this period (canadian) or the remaining periods (byoyomi)."""


class TimeControl:
    """The clocks of both players."""

    def __init__(self, settings: TimeSettings | None = None) -> None:
        self.set(settings or TimeSettings())

    def set(self, settings: TimeSettings) -> None:
        """Set both clocks to the start of a game with these settings."""
        self.settings = settings
        self.restart()

    def restart(self) -> None:
        """Set both clocks to the start of a game."""
        s = self.settings
        in_main = s.main > 0 or s.system in ("absolute", "fischer")
        self.left = {
            colour: TimeLeft(s.main, 0) if in_main else TimeLeft(s.period, s.count) for colour in (BLACK, WHITE)
        }

    def note(self, colour: int, seconds: float, count: int) -> None:
        """Set the remaining time of a player, as reported by the controller."""
        self.left[colour] = TimeLeft(max(0.0, seconds), count)

    def spend(self, colour: int, seconds: float) -> bool:
        """Deduct the time of a move; return whether the player was within the limit."""
        s = self.settings
        if s.system == "none":
            return True
        left = self.left[colour]
        left.seconds -= seconds
        if s.system == "fischer":
            in_time = left.seconds >= 0 and (not s.per_move or seconds <= s.per_move)
            left.seconds = min(max(0.0, left.seconds) + s.period, s.cap or float("inf"))
            return in_time
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
        """Return the seconds until the player loses on time; None without a limit."""
        s = self.settings
        if s.system == "none":
            return None
        left = self.left[colour]
        if s.system == "fischer":
            return min(left.seconds, s.per_move or left.seconds)
        if left.count > 0:
            return left.seconds + ((left.count - 1) * s.period if s.system == "byoyomi" else 0.0)
        overtime = {"absolute": 0.0, "canadian": s.period, "byoyomi": s.count * s.period}[s.system]
        return left.seconds + overtime

    def seconds(self, colour: int, points: int, stones: int) -> float | None:
        """Return the seconds to use for the next move; None without a limit. `points` and `stones` are of the board."""
        s = self.settings
        if s.system == "none":
            return None
        left = self.left[colour]
        if left.count > 0 and s.system != "fischer":
            return _early(left.seconds / left.count if s.system == "canadian" else left.seconds)
        # assumption: the game ends with three quarters of the board filled, half of them by this player
        moves = max(FEWEST_MOVES, (0.75 * points - stones) / 2)
        reserve = min(RESERVE, s.main / 10) if s.system == "absolute" else 0.0
        share = max(0.0, left.seconds - reserve) / moves
        if s.system == "absolute":
            return _early(share)
        if s.system == "fischer":
            return _early(min(left.seconds, share + s.period, s.per_move or left.seconds))
        overtime = s.period / s.count if s.system == "canadian" else s.period
        return _early(max(share, min(left.seconds, overtime)))


def _early(limit: float) -> float:
    return max(0.01, limit - min(LAG, limit / 10))
