"""The naive player of both papers, one ply deep.

A uniformly chosen move that wins at once; else never one that loses at once; else any legal move. It neither blocks nor
saves its own stones (S08 section IV-B, S09 section 3).
"""

from functools import cache
from typing import Any

from nobi.board.stones import PASS, as_point
from nobi.compiling import UNBOUND, specialise
from nobi.games.base import LOSES, WINS, Game
from nobi.players import register
from nobi.players.base import Chooser, CompiledPlayer
from nobi.players.uniform import uniform_chooser
from nobi.streams import Streams, below

legal: Any = UNBOUND  # these are bound by `NaivePlayer.chooser`
verdict: Any = UNBOUND
may_pass: Any = UNBOUND
draw_safe: Any = UNBOUND
draw_any: Any = UNBOUND


def _is_safe(boards: Any, g: int, move: int) -> bool:
    return legal(boards, g, move) and verdict(boards, g, move) != LOSES


def _choose_naively(boards: Any, g: int, streams: Streams, room: Any) -> int:
    stones = boards.stones
    chosen = as_point(PASS)
    wins = 0
    for i in range(stones.empties[g]):
        point = stones.empty[g, i]
        if verdict(boards, g, point) == WINS and legal(boards, g, point):
            wins += 1
            if below(streams, g, wins) == 0:  # the i-th win replaces the choice with probability 1/i
                chosen = point
    if may_pass and verdict(boards, g, as_point(PASS)) == WINS:
        wins += 1
        if below(streams, g, wins) == 0:
            chosen = as_point(PASS)
    if wins > 0:
        return chosen
    chosen = draw_safe(boards, g, streams, room)
    if chosen == PASS and not (may_pass and verdict(boards, g, chosen) != LOSES):
        chosen = draw_any(boards, g, streams, room)  # every move loses
    return chosen


@register
class NaivePlayer(CompiledPlayer):
    """Wins at once if it can, never loses at once if it need not, else any legal move."""

    name = "naive"

    @classmethod
    @cache
    def chooser(cls, game: type[Game]) -> Chooser:
        """Looks at every empty point, then draws."""
        rules = game.rules
        is_safe = specialise(_is_safe, game.name, inline=True, legal=rules.legal, verdict=rules.verdict)
        draw_safe = uniform_chooser("safe", game, is_safe, may_pass=game.has_pass)
        draw_any = uniform_chooser("any", game, rules.legal, may_pass=game.has_pass)
        return specialise(
            _choose_naively,
            game.name,
            inline=True,
            legal=rules.legal,
            verdict=rules.verdict,
            may_pass=game.has_pass,
            draw_safe=draw_safe,
            draw_any=draw_any,
        )
