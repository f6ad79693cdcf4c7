"""Players that draw uniformly among acceptable moves.

`random` plays any legal move, including a pass if the game has one. `playout` (Go) does not fill own eyes and passes
only when no other move is left: its games end with every chain alive or captured, as Monte-Carlo search requires.
`naive`, the player of both papers (S08 section IV-B, S09 section 3), looks one ply ahead: it plays a move that wins at
once, else one that does not lose at once, else any legal move. It neither blocks nor saves its own stones.
"""

from functools import cache
from typing import Any

from nobi.board.stones import PASS, as_point, swap_empties
from nobi.compiling import UNBOUND, inlined, specialise
from nobi.games.base import LOSES, WINS, Game
from nobi.games.go import is_own_eye
from nobi.games.go import legal as legal_in_go
from nobi.players.base import Chooser, CompiledPlayer
from nobi.streams import Streams, below

acceptable: Any = UNBOUND  # this and the next five are bound by `specialise`
may_pass: Any = UNBOUND
legal: Any = UNBOUND
immediate_outcome: Any = UNBOUND
draw_safe: Any = UNBOUND
draw_any: Any = UNBOUND


def _choose_uniformly(boards: Any, g: int, streams: Streams, workspace: Any) -> int:  # noqa: ARG001
    """Draw moves without replacement until one is acceptable; pass when none is.

    Rejected moves are swapped to the end of the list of empty points, out of the range of the next draw: every
    acceptable move is equally likely, and the mean cost is one draw and one test if most moves are acceptable.
    """
    stones = boards.stones
    left = stones.empties[g]
    passes = 1 if may_pass else 0
    while left + passes > 0:
        i = below(streams, g, left + passes)
        if i == left:
            if acceptable(boards, g, as_point(PASS)):
                return as_point(PASS)
            passes = 0
            continue
        point = stones.empty[g, i]
        if acceptable(boards, g, point):
            return point
        left -= 1
        swap_empties(stones, g, i, left)
    return as_point(PASS)


def uniform_chooser(name: str, game: type[Game], acceptable: Any, *, may_pass: bool) -> Chooser:
    """Return the compiled choice among the moves for which the compiled `acceptable(boards, g, move)` holds."""
    return specialise(
        _choose_uniformly,
        f"{game.name}_{name}",
        inline=True,
        acceptable=acceptable,
        may_pass=may_pass,
    )


class RandomPlayer(CompiledPlayer):
    """Any legal move, uniformly."""

    name = "random"

    @classmethod
    @cache
    def chooser(cls, game: type[Game]) -> Chooser:
        return uniform_chooser("random", game, game.rules.legal, may_pass=game.has_pass)


@inlined
def _fills_no_eye(boards: Any, g: int, move: int) -> bool:
    return not is_own_eye(boards, g, move) and legal_in_go(boards, g, move)


class PlayoutPlayer(CompiledPlayer):
    """Any legal move that fills no own eye, uniformly; Go only."""

    name = "playout"
    games = ("go",)

    @classmethod
    @cache
    def chooser(cls, game: type[Game]) -> Chooser:
        return uniform_chooser("playout", game, _fills_no_eye, may_pass=False)


def _is_safe(boards: Any, g: int, move: int) -> bool:
    return legal(boards, g, move) and immediate_outcome(boards, g, move) != LOSES


def _choose_naively(boards: Any, g: int, streams: Streams, workspace: Any) -> int:
    stones = boards.stones
    chosen = as_point(PASS)
    wins = 0
    for i in range(stones.empties[g]):
        point = stones.empty[g, i]
        if immediate_outcome(boards, g, point) == WINS and legal(boards, g, point):
            wins += 1
            if below(streams, g, wins) == 0:  # the i-th win replaces the choice with probability 1/i
                chosen = point
    if may_pass and immediate_outcome(boards, g, as_point(PASS)) == WINS:
        wins += 1
        if below(streams, g, wins) == 0:
            chosen = as_point(PASS)
    if wins > 0:
        return chosen
    chosen = draw_safe(boards, g, streams, workspace)
    if chosen == PASS and not (may_pass and immediate_outcome(boards, g, chosen) != LOSES):
        chosen = draw_any(boards, g, streams, workspace)  # all moves lose
    return chosen


class NaivePlayer(CompiledPlayer):
    """A move that wins at once, else one that does not lose at once, else any legal move."""

    name = "naive"

    @classmethod
    @cache
    def chooser(cls, game: type[Game]) -> Chooser:
        rules = game.rules
        is_safe = specialise(
            _is_safe, f"{game.name}_naive", inline=True, legal=rules.legal, immediate_outcome=rules.immediate_outcome
        )
        draw_safe = uniform_chooser("naive", game, is_safe, may_pass=game.has_pass)
        draw_any = uniform_chooser("naive", game, rules.legal, may_pass=game.has_pass)
        return specialise(
            _choose_naively,
            f"{game.name}_naive",
            inline=True,
            legal=rules.legal,
            immediate_outcome=rules.immediate_outcome,
            may_pass=game.has_pass,
            draw_safe=draw_safe,
            draw_any=draw_any,
        )
