"""One game between two bots, from its opening to a result that has a reason."""

import time
from collections.abc import Mapping
from typing import NamedTuple

from nobi.board.stones import BLACK, WHITE, enemy_of
from nobi.board.vertices import vertex_name
from nobi.games.base import COLOUR_NAMES, Game
from nobi.gtp.client import EngineError
from nobi.matches.referee import Referee, Ruling
from nobi.players.bot import RESIGN, Bot, Clock, clock_for
from nobi.players.time import TimeControl

_LETTERS = {BLACK: "B", WHITE: "W"}


class Finished(NamedTuple):
    """A game that was played."""

    ruling: Ruling
    forfeited: bool
    """Whether an engine's fault, or a flag that fell, ended it."""
    seconds: dict[int, float]
    """[colour] how long each has thought."""


def play_single(
    game: Game,
    bots: Mapping[int, Bot],
    referee: Referee,
    longest: int,
    seconds_a_move: float | None = None,
    control: TimeControl | None = None,
) -> Finished:
    """Plays a game on to its end, or to `longest` moves.

    An engine that crashes, hangs, talks nonsense or plays an illegal move loses the game; so does whoever oversteps the
    time of `control`, the clocks of the game. `seconds_a_move` is what players are told without such clocks.
    """
    seconds = {BLACK: 0.0, WHITE: 0.0}
    if control and not game.is_over:
        for bot in bots.values():
            bot.get_ready(game)
    while not game.is_over and len(game.moves) < longest:
        colour = game.to_move
        other = int(enemy_of(colour))
        clock = clock_for(game, control) if control else Clock(seconds_a_move)
        start = time.perf_counter()
        try:
            move = bots[colour].choose(game, clock)
        except EngineError as fault:
            sign = "T" if fault.kind == "time-out" else "F"
            ruling = Ruling(other, f"{_LETTERS[other]}+{sign}", f"{COLOUR_NAMES[colour]} {fault}")
            return Finished(ruling, True, seconds)
        finally:
            took = time.perf_counter() - start
            seconds[colour] += took
        if control and not control.spend(colour, took):
            words = f"{COLOUR_NAMES[colour]} overstepped the time"
            return Finished(Ruling(other, f"{_LETTERS[other]}+T", words), True, seconds)
        if move == RESIGN:
            ruling = Ruling(other, f"{_LETTERS[other]}+R", f"{COLOUR_NAMES[colour]} resigned")
            return Finished(ruling, False, seconds)
        if not game.is_legal(move):
            words = f"{COLOUR_NAMES[colour]} chose the illegal move {vertex_name(move, game.size)}"
            return Finished(Ruling(other, f"{_LETTERS[other]}+F", words), True, seconds)
        game.play(move)
    ruling = referee.decide(game)
    if not game.is_over:
        ruling = ruling._replace(reason=f"{ruling.reason}, stopped after {len(game.moves)} moves")
    return Finished(ruling, False, seconds)
