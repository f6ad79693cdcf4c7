"""One game between two bots: from its opening to a result with a reason, decided by the rules or by a referee."""

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import NamedTuple

from nobi.board.stones import BLACK, DRAW, RUNNING, WHITE, enemy_of
from nobi.board.text import vertex_name
from nobi.clock import TimeControl
from nobi.games.base import COLOUR_NAMES, Game, Variant
from nobi.games.go import Go
from nobi.gtp.client import GtpBot
from nobi.gtp.process import EngineError
from nobi.players.base import RESIGN, Bot, Clock, clock_for
from nobi.players.scoring import final_score

LETTERS = {BLACK: "B", WHITE: "W"}


class Decision(NamedTuple):
    """The result of a game."""

    winner: int
    """BLACK, WHITE, DRAW, or RUNNING if the referee could not decide."""
    result: str
    """The result in SGF's format."""
    reason: str


def decision_of(score: str, reason: str) -> Decision:
    """Return the decision for a score such as `B+3.5`, `W+0.5`, `0` or `Draw`."""
    score = score.strip()
    match = re.fullmatch(r"([BW])\+(\d+(?:\.\d+)?)", score, re.IGNORECASE)
    if score.lower() in ("0", "draw", "jigo") or (match and float(match[2]) == 0):
        return Decision(DRAW, "Draw", reason)
    if not match:
        raise EngineError("garbage", f"answered 'final_score' with {score[:40]!r}")
    colour = match[1].upper()
    return Decision(BLACK if colour == "B" else WHITE, f"{colour}+{float(match[2]):g}", reason)


class Referee(ABC):
    """Decides games."""

    note: str = ""
    """A note for the user, to show before the first game; may be empty."""

    @abstractmethod
    def decide(self, game: Game) -> Decision:
        """Return the result of a game that is over or too long."""

    def close(self) -> None:  # noqa: B027
        """Stop the engine, if it has one."""


class RulesReferee(Referee):
    """Decides by the rules of the game; in Go, stones that playouts mostly capture are dead."""

    def decide(self, game: Game) -> Decision:
        if not isinstance(game, Go):
            return Decision(game.outcome, game.result(), "by the rules")
        return decision_of(final_score(game), "by counting")


class EngineReferee(Referee):
    """Decides games of Go by an engine's `final_score`."""

    def __init__(self, command: str, variant: Variant, seconds: float) -> None:
        self._bot = GtpBot(command, variant, seconds)
        self._bot.seed = 0
        self.note = self._bot.note

    def decide(self, game: Game) -> Decision:
        """Return the engine's result; a failure is retried once."""
        if not isinstance(game, Go):
            return RulesReferee().decide(game)
        reason = ""
        for _ in range(2):
            try:
                return decision_of(self._bot.final_score(game), "by the referee")
            except EngineError as error:
                reason = str(error)
        return Decision(RUNNING, "Void", f"the referee {reason}")

    def close(self) -> None:
        self._bot.close()


class FinishedGame(NamedTuple):
    """The end of a game."""

    decision: Decision
    forfeited: bool
    """Whether the game ended by an engine's error, an illegal move or lack of time."""
    seconds: dict[int, float]
    """[colour] the thinking time."""


def play_single(
    game: Game,
    bots: Mapping[int, Bot],
    referee: Referee,
    longest: int,
    seconds_per_move: float | None = None,
    control: TimeControl | None = None,
) -> FinishedGame:
    """Play a game to its end, or to `longest` moves.

    An engine that crashes, hangs, violates the protocol or plays an illegal move loses the game; so does a player that
    oversteps the time of `control`, the clocks of the game. `seconds_per_move` is the time limit without such clocks.
    """
    seconds = {BLACK: 0.0, WHITE: 0.0}
    if control and not game.is_over:
        for bot in bots.values():
            bot.warm_up(game)

    def lost(letter: str, reason: str, *, forfeited: bool = True) -> FinishedGame:
        """Return a loss of the player to move."""
        loser, winner = game.to_move, int(enemy_of(game.to_move))
        decision = Decision(winner, f"{LETTERS[winner]}+{letter}", f"{COLOUR_NAMES[loser]} {reason}")
        return FinishedGame(decision, forfeited, seconds)

    while not game.is_over and len(game.moves) < longest:
        colour = game.to_move
        clock = clock_for(game, control) if control else Clock(seconds_per_move)
        start = time.perf_counter()
        try:
            move = bots[colour].choose(game, clock)
        except EngineError as error:
            return lost("T" if error.kind == "time-out" else "F", str(error))
        finally:
            took = time.perf_counter() - start
            seconds[colour] += took
        if control and not control.spend(colour, took):
            return lost("T", "overstepped the time")
        if move == RESIGN:
            return lost("R", "resigned", forfeited=False)
        if not game.is_legal(move):
            return lost("F", f"chose the illegal move {vertex_name(move, game.size)}")
        game.play(move)
    decision = referee.decide(game)
    if not game.is_over:
        decision = decision._replace(reason=f"{decision.reason}, stopped after {len(game.moves)} moves")
    return FinishedGame(decision, False, seconds)
