"""The decision of a search of Go to pass.

Two passes end the game, which is then scored by `nobi.players.scoring`. A pass is therefore judged by this score of the
current position, and by a search of the position after the pass, with the opponent to move. The player must win by the
score, also if every chain and point that is not clearly its own in that search counts for the opponent; and the
opponent must not be able to capture anything at once. In doubt the player continues.

Under area scoring, continuing costs nothing. Under territory scoring a stone in the own territory costs a point:
therefore less certainty is required, and points that remain own territory without a stone are not filled.
"""

import time
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from nobi.board.chains import in_atari, without_liberty
from nobi.board.ladders import LadderWorkspace, allocate_ladder_workspace, captures_in_ladder
from nobi.board.stones import BLACK, EMPTY, PASS, SIDES, WHITE, enemy_of, points_of
from nobi.compiling import compiled
from nobi.games.go import Go, GoBoards, legal
from nobi.players.base import RESIGN
from nobi.players.scoring import chains_of, dead_stones
from nobi.search.report import Child
from nobi.search.search import Search

ENOUGH = 50
"""Minimum number of playouts for resigning, or for a pass because every other move seems worse."""

_CLEAR_CHAIN = 0.8
"""Minimum absolute mean ownership (−1 to 1) of the points of a chain that clearly belongs to one player."""
_CLEAR_POINT = 0.6
"""Minimum absolute ownership of an empty point that clearly belongs to one player."""
_CLEAR_VALUE = {"area": 0.75, "territory": 0.5}
"""The share of playouts that must win after a pass, with the opponent to move."""
_FEWEST, _MOST = 1000, 2000
"""Playouts of the search after the pass."""
_TOO_FEW = 200
"""If the time allows only this number of playouts, the position does not count as settled."""
_FILLED = 0.25
"""Minimum share of stones on a settled board: early passes of the opponent may be handicap."""


@dataclass(frozen=True)
class AfterPass:
    """The position after a pass, from the perspective of the player who passes."""

    margin: float
    """The margin if the opponent also passes: the score that decides the game."""
    worst: float
    """The margin if everything that is not clearly the player's counts for the opponent."""
    owned: dict[int, float]
    """[point] ownership in playouts with the opponent to move, from −1, the opponent's, to 1, the player's."""
    value: float
    """The share of these playouts that the player wins."""
    settled: bool
    """Whether enough of the board is filled, the opponent can capture no living chain, and there was enough time."""

    def wins(self, scoring: str) -> bool:
        """Return whether the pass clearly wins if the opponent also passes."""
        return self.settled and self.value >= _CLEAR_VALUE[scoring] and min(self.margin, self.worst) > 0


def choose_move(
    game: Go, search: Search, children: list[Child], *, lost: bool, resigns: bool, seconds: float = 0.0
) -> int:
    """Return the move of the player to move, after a search of the position: a point, PASS or RESIGN.

    Args:
        game: the position that was searched.
        search: the search.
        children: the moves found by the search, best first.
        lost: whether the position is lost according to the search.
        resigns: whether the player then resigns.
        seconds: the limit of a second search; 0 for none.
    """
    scoring = game.settings.scoring
    moves = [child for child in children if child.move != PASS]
    prefers_pass = children[0].move == PASS and children[0].visits >= ENOUGH
    after: AfterPass | None = None
    if game.next_pass_ends:
        after = look_after_pass(game, search, seconds)
        # every other move is harmful, as in seki; or it seems to lose, unlike a pass, and costs the last point of the
        # lead
        has_no_move = prefers_pass or (
            scoring == "territory" and after.margin <= 1 and search.value < min(0.5, after.value)
        )
        if after.wins(scoring) or (after.margin > 0 and (lost or (has_no_move and after.settled))):
            return PASS
        if after.margin == 0 and after.worst >= 0 and after.settled:
            return PASS
        if lost:
            return RESIGN if resigns else PASS
    else:
        if lost and resigns:
            return RESIGN
        if moves and (prefers_pass or _may_be_settled(game, search)):
            after = look_after_pass(game, search, seconds)
            if prefers_pass and after.margin > 0 and after.settled and search.value >= 0.5:
                return PASS
            gains_nothing = abs(after.owned[moves[0].move]) >= _CLEAR_POINT
            if gains_nothing and after.wins(scoring):
                return PASS
    if scoring == "territory" and moves:
        if after is None and _owned_by(game.to_move, game, search)[moves[0].move] >= _CLEAR_CHAIN:
            after = look_after_pass(game, search, seconds)
        if after is not None and _fills_territory(game, moves[0].move, after):
            loses_by_pass = game.next_pass_ends and after.margin <= 0
            others = moves if loses_by_pass else children
            moves = [child for child in others if not _fills_territory(game, child.move, after)] or others
    return moves[0].move if moves else PASS


def look_after_pass(game: Go, search: Search, seconds: float = 0.0) -> AfterPass:
    """Score the position after a pass of the player to move, and search it with the opponent to move.

    Args:
        game: a position that is not over.
        search: the search that may pass; the second search has its settings.
        seconds: the time limit of both; 0: no limit.
    """
    start = time.perf_counter()
    me = game.to_move
    sign = 1 if me == BLACK else -1
    after = game.copy()
    cast(GoBoards, after.boards).passes[0] = 0  # otherwise the opponent's pass would end the game
    after.play(PASS)
    dead = set(dead_stones(after))
    filled = sum(after.colour(point) != EMPTY for point in after.points()) / after.size**2
    second = Search(search.variant, replace(search.settings, reuse=False, model="", memory=16, threads=1))
    second.set_game(after)
    left = max(0.01, seconds - (time.perf_counter() - start)) if seconds else 0.0
    made = second.run(min(_MOST, max(_FEWEST, search.settings.rollouts)), left)
    owned = _owned_by(me, after, second)
    value = 1 - second.value
    second.close()
    return AfterPass(
        margin=sign * after.margin(dead),
        worst=_worst_margin(after, dead, owned, me),
        owned=owned,
        value=value,
        settled=filled >= _FILLED and made > _TOO_FEW and not _can_capture(after, dead),
    )


def _worst_margin(game: Go, dead: set[int], owned: dict[int, float], me: int) -> float:
    """Return a player's margin if everything that is not clearly the player's counts for the opponent.

    Own chains that are not clearly alive are dead, the opponent's that are not clearly dead are alive, and empty points
    that are not clearly the player's belong to the opponent. So do points without an owner by the score; under
    territory scoring dame, between stones of both players, are worth nothing.
    """
    worst: set[int] = set()
    for chain in chains_of(game):
        is_mine = (game.colour(chain[0]) == me) != (chain[0] in dead)
        is_clear = float(np.mean([owned[point] for point in chain])) >= _CLEAR_CHAIN
        if (game.colour(chain[0]) != me) == (is_mine and is_clear):
            worst.update(chain)
    margin = (1 if me == BLACK else -1) * game.margin(worst)
    for point, owner in game.owners(worst).items():
        if owner == me and game.colour(point) == EMPTY and owned[point] < _CLEAR_POINT:
            margin -= 2
        if owner == EMPTY and not (game.settings.scoring == "territory" and _is_dame(game, point)):
            margin -= 1
    return margin


def _is_dame(game: Go, point: int) -> bool:
    """Return whether the point is empty and next to stones of both players."""
    stones = game.boards.stones
    adjacent = {int(stones.colour[0, other]) for other in stones.neighbours[point, :SIDES]}
    return game.colour(point) == EMPTY and {BLACK, WHITE} <= adjacent


def _may_be_settled(game: Go, search: Search) -> bool:
    """Return whether the position seems won and settled in its own search, so that a search after a pass is useful."""
    if search.value < _CLEAR_VALUE[game.settings.scoring]:
        return False
    owned = _owned_by(game.to_move, game, search)
    return all(abs(float(np.mean([owned[point] for point in chain]))) >= _CLEAR_POINT for chain in chains_of(game))


def _fills_territory(game: Go, move: int, after: AfterPass) -> bool:
    """Return whether a move fills own territory without an effect.

    The point remains the player's after a pass, and all adjacent points clearly belong to one player.
    """
    if move == PASS:
        return False
    adjacent = [int(point) for point in game.boards.stones.neighbours[move, :SIDES]]
    clear = all(abs(after.owned[point]) >= _CLEAR_CHAIN for point in adjacent if point in after.owned)  # not the border
    return clear and after.owned[move] >= _CLEAR_CHAIN


def _owned_by(player: int, game: Go, search: Search) -> dict[int, float]:
    """Return the ownership by point in the playouts of a search, 1 for the player and −1 for the opponent."""
    sign = 1 if player == BLACK else -1
    return dict(zip(game.points(), map(float, sign * search.ownership().ravel()), strict=True))


def _can_capture(game: Go, dead: set[int]) -> bool:
    """Return whether the player to move can capture a chain that is not dead, at once or in a ladder."""
    boards = cast(GoBoards, game.copy().boards)
    given_up = np.zeros(points_of(game.size), np.bool_)
    given_up[list(dead)] = True
    return bool(_finds_capture(boards, 0, allocate_ladder_workspace(game.size), given_up))


@compiled
def _finds_capture(boards: GoBoards, g: int, workspace: LadderWorkspace, dead: NDArray[np.bool_]) -> bool:
    """Return whether the player to move captures an enemy chain, none of the dead ones, at once or in a ladder."""
    stones, chains = boards.stones, boards.chains
    enemy = enemy_of(stones.to_move[g])
    for i in range(stones.empties[g]):
        move = stones.empty[g, i]
        if not legal(boards, g, move):
            continue
        for k in range(SIDES):
            neighbour = stones.neighbours[move, k]
            if stones.colour[g, neighbour] != enemy or dead[neighbour]:
                continue
            head = chains.head[g, neighbour]
            if in_atari(chains.liberties[g, head]):
                return True
            if in_atari(without_liberty(stones, chains, g, head, move)) and captures_in_ladder(
                stones, chains, g, workspace, move, neighbour
            ):
                return True
    return False
