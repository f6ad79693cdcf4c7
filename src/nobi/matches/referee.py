"""Who decides a game of Go that two passes have ended: ourselves, or an engine."""

import re
from abc import ABC, abstractmethod
from typing import NamedTuple

from nobi.board.stones import BLACK, DRAW, RUNNING, WHITE
from nobi.errors import NobiError
from nobi.games.base import Game, Variant
from nobi.games.go import Go
from nobi.gtp.bot import GtpBot
from nobi.gtp.client import EngineError
from nobi.players.scoring import final_score


class Ruling(NamedTuple):
    """What a referee says."""

    winner: int
    """BLACK, WHITE, DRAW, or RUNNING if there is no saying."""
    result: str
    """As SGF writes it."""
    reason: str


class Referee(ABC):
    """Decides games."""

    @property
    def note(self) -> str:
        """What is to be known of it before a game, in a sentence."""
        return ""

    @abstractmethod
    def decide(self, game: Game) -> Ruling:
        """Who has won a game that is over, or too long."""

    def close(self) -> None:  # noqa: B027
        """Lets go of what it holds."""


class RulesReferee(Referee):
    """Counts by the rules of the game; in Go the stones that playouts mostly take are dead."""

    def decide(self, game: Game) -> Ruling:
        """The result by the rules, or by counting."""
        if not isinstance(game, Go):
            return Ruling(game.outcome, game.result(), "by the rules")
        return ruling_of(final_score(game), "by counting")


class EngineReferee(Referee):
    """Believes what an engine answers to `final_score`."""

    def __init__(self, command: str, variant: Variant, seconds: float) -> None:
        self._bot = GtpBot(command, variant, seconds)
        self._bot.seed = 0

    @property
    def note(self) -> str:
        """What is to be known of the engine before a game, in a sentence."""
        return self._bot.note

    def decide(self, game: Game) -> Ruling:
        """The engine's result; it is asked twice before there is no saying."""
        if not isinstance(game, Go):
            return RulesReferee().decide(game)
        fault = ""
        for _ in range(2):
            try:
                return ruling_of(self._bot.final_score(game), "by the referee")
            except (EngineError, NobiError) as failure:
                fault = str(failure).rstrip(".")
        return Ruling(RUNNING, "Void", f"the referee {fault}")

    def close(self) -> None:
        """Ends the engine."""
        self._bot.close()


def ruling_of(score: str, reason: str) -> Ruling:
    """The ruling of a score such as `B+3.5`, `W+0.5`, `0` or `Draw`."""
    score = score.strip()
    if score.lower() in ("0", "draw", "jigo"):
        return Ruling(DRAW, "Draw", reason)
    match = re.fullmatch(r"([BW])\+(\d+(?:\.\d+)?)", score, re.IGNORECASE)
    if not match:
        raise NobiError(f"gave the score {score[:40]!r}, which is none.")
    if float(match[2]) == 0:
        return Ruling(DRAW, "Draw", reason)
    colour = match[1].upper()
    return Ruling(BLACK if colour == "B" else WHITE, f"{colour}+{float(match[2]):g}", reason)
