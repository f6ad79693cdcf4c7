"""Settings of a series of games and of a sequential test: flags of commands and keys of config.json."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nobi.clock import TimeSettings


@dataclass(frozen=True)
class SeriesSettings:
    """How games are played one by one: everything that they depend on besides the players, the game and the board."""

    seed: int = 0
    """Seed of all random numbers."""
    referee: str = ""
    """An engine that scores games of Go, as in 'gnugo --mode gtp --chinese-rules'; by default nobi does."""
    handicap: int = 0
    """Handicap stones of Black, in Go."""
    openings: Path | None = None
    """A file with the moves of one opening per line, an SGF file or a folder of SGF files; each opening is used for two
    games, with colours exchanged."""
    random_moves: int = 0
    """Begin with this many random moves, the same in two games, with colours exchanged."""
    seconds: float | None = None
    """Time per move, for players that use time; a small excess does not lose."""
    main_time: float | None = None
    """Seconds of main time for each player and game. A player that exceeds the time loses."""
    byo_yomi: float | None = None
    """Seconds of a byo-yomi period, after the main time."""
    periods: int | None = None
    """Number of byo-yomi periods; 1 by default. A move that takes longer than a period uses it up."""
    stones: int | None = None
    """Stones to be played in each period instead (Canadian byo-yomi)."""
    timeout: float = 60.0
    """Seconds that an engine may take for an answer before it loses the game."""

    def __post_init__(self) -> None:
        if sum(map(bool, (self.handicap, self.openings, self.random_moves))) > 1:
            raise ValueError("only one of `handicap`, `openings` and `random_moves` can be given")
        if self.seconds is not None and (self.main_time is not None or self.byo_yomi is not None):
            raise ValueError("`seconds` and a clock, by `main_time` and `byo_yomi`, exclude each other")
        if self.periods is not None and self.stones is not None:
            raise ValueError("only one of `periods` and `stones` can be given")
        if self.byo_yomi is None and (self.periods is not None or self.stones is not None):
            raise ValueError("`periods` and `stones` need `byo_yomi`, the seconds of a period")
        for name, least in (("random_moves", 0), ("handicap", 0), ("periods", 1), ("stones", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"`{name}` must be {least} or more, not {value}")
        for name in ("seconds", "main_time", "byo_yomi", "timeout"):
            value = getattr(self, name)
            if value is not None and not 0 < value < 1e6:
                raise ValueError(f"`{name}` must be above 0, not {value}")

    @property
    def time(self) -> "TimeSettings":
        """The clocks of every game."""
        from nobi.clock import TimeSettings  # slow to import, too slow for a help text

        main, period = self.main_time or 0.0, self.byo_yomi or 0.0
        if not main and not period:
            return TimeSettings()
        if self.stones:
            return TimeSettings("canadian", main, period, self.stones)
        return TimeSettings("byoyomi", main, period, self.periods or 1)


@dataclass(frozen=True)
class SprtSettings:
    """The hypotheses of a sequential test and its error rates."""

    elo0: float = 0.0
    """The Elo difference of the null hypothesis."""
    elo1: float = 30.0
    """The Elo difference of the alternative."""
    alpha: float = 0.05
    """Probability of accepting elo1 where elo0 is true."""
    beta: float = 0.05
    """Probability of accepting elo0 where elo1 is true."""

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"`elo1` must be above `elo0`, {self.elo0:g}, not {self.elo1:g}")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ValueError(f"`{name}` must be above 0 and below 0.5, not {getattr(self, name):g}")
