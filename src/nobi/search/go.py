"""Knowledge of Go for the search: priors of moves, updates of pattern codes, rollouts scored by area.

Prior knowledge is given as equivalent experience (Gelly & Silver 2011, section 5): a capture starts with some won
playouts, a self-atari with some lost ones, which are eventually outweighed by real playouts.
"""

from typing import NamedTuple

from nobi.board.stones import BLACK, EMPTY, PASS, RUNNING, WHITE, enemy_of
from nobi.compiling import compiled, inlined, merged
from nobi.games.go import GoBoards, is_own_eye, play
from nobi.search.features import (
    ATARI,
    CAPTURE,
    EXTENSION,
    FAR,
    FATE,
    LINE,
    SELF_ATARI_OF,
    measure_distances,
    measure_features,
)
from nobi.search.gammas import set_learnt_priors, strength
from nobi.search.patterns import PATTERN, add_to_codes, remove_from_codes
from nobi.search.playout import GameHooks, black_result
from nobi.search.rollouts import count_area, roll_out
from nobi.search.state import SearchParams, SearchPosition, SearchWorkspace, note_score


class Priors(NamedTuple):
    """Equivalent numbers of playouts."""

    even: float = 10.0  # every move; half of them won
    capture: float = 15.0  # captures one stone; twice as many for more
    rescue: float = 15.0  # saves a chain from atari; twice as many for more than one stone
    self_atari: float = 10.0  # lost
    dead_ladder: float = 10.0  # lost: extends a chain that is still captured in a ladder
    pattern: float = 10.0
    near: tuple[float, float, float] = (24.0, 22.0, 8.0)  # at the distance 1, 2 and 3 from the latest move
    isolated: float = 10.0  # far from all stones: won on the third line, lost on the first two
    passing: float = 10.0  # lost


PRIORS = Priors()


@inlined
def _hand_made_prior(
    position: SearchPosition, workspace: SearchWorkspace, move: int, atari: float
) -> tuple[float, float]:
    """Return (won playouts, lost playouts) for the features of a move."""
    levels = workspace.levels
    good = 0.0
    bad = 0.0
    captured = levels[CAPTURE]
    if captured > 0:
        good += PRIORS.capture if captured % 2 == 1 else 2.0 * PRIORS.capture
        if (captured - 1) & 2:
            good += PRIORS.rescue
    elif levels[SELF_ATARI_OF] > 0:
        bad += PRIORS.self_atari
    elif levels[EXTENSION] == 1:
        bad += PRIORS.dead_ladder
    elif levels[EXTENSION] > 1:
        good += PRIORS.rescue if levels[EXTENSION] == 2 else 2.0 * PRIORS.rescue
    if levels[ATARI] > 1:
        good += PRIORS.capture if levels[ATARI] == 2 else 2.0 * PRIORS.capture
    elif levels[ATARI] == 1:
        good += atari
    if PATTERN[position.codes[0, move]] != 0 and levels[SELF_ATARI_OF] == 0:
        good += PRIORS.pattern
    distance = levels[FATE]
    if 1 <= distance < FAR:
        good += PRIORS.near[0] if distance == 1 else PRIORS.near[1] if distance == 2 else PRIORS.near[2]
    if levels[LINE] == _ISOLATED + 2:
        good += PRIORS.isolated
    elif _ISOLATED <= levels[LINE] < _ISOLATED + 2:
        bad += PRIORS.isolated
    return good, bad


_ISOLATED = 7
"""The level of LINE of a point at the edge far from all stones."""


@merged
def set_prior(position: SearchPosition, workspace: SearchWorkspace, move: int, i: int, params: SearchParams) -> None:
    """Write the prior of a legal move to `workspace.visits[i]` and `.wins[i]`, and its strength to `.values[i]`."""
    visits = PRIORS.even
    wins = 0.5 * PRIORS.even
    workspace.values[i] = 0.0
    if move == PASS:
        visits += PRIORS.passing
    else:
        measure_features(position, workspace, move, params.ladders)
        good, bad = _hand_made_prior(position, workspace, move, params.atari)
        visits += (good + bad) * params.tactics
        wins += good * params.tactics
        if params.learnt > 0.0:
            workspace.values[i] = strength(position, workspace, params.gammas, move)
    workspace.visits[i] = visits
    workspace.wins[i] = wins


@compiled
def complete_priors(workspace: SearchWorkspace, count: int, params: SearchParams) -> None:
    """Add the learnt priors to the first `count` moves of a node."""
    if params.learnt > 0.0 and count > 1:
        set_learnt_priors(workspace, count, params.learnt)


@compiled
def advance(position: SearchPosition, move: int) -> None:
    """Play a move and update the pattern codes."""
    boards = position.boards
    stones = boards.stones
    me = stones.to_move[0]
    before = stones.empties[0]
    position.previous[0] = stones.last[0]
    play(boards, 0, move)
    if move != PASS:
        add_to_codes(stones, position.codes, move, me)
        taken = me if stones.colour[0, move] == EMPTY else enemy_of(me)  # a suicide removes own stones
        for i in range(before - 1, stones.empties[0]):
            remove_from_codes(stones, position.codes, stones.empty[0, i], taken)


@inlined
def is_candidate(position: SearchPosition, move: int) -> bool:
    """Return whether the move fills no own eye."""
    return not is_own_eye(position.boards, 0, move)


@compiled
def _stones_placed(boards: GoBoards) -> int:
    """Return the number of stones that Black has placed so far minus those of White."""
    placed = boards.prisoners[0, BLACK] - boards.prisoners[0, WHITE]
    for point in range(boards.stones.colour.shape[1]):
        placed += boards.stones.colour[0, point] == BLACK
        placed -= boards.stones.colour[0, point] == WHITE
    return placed


@merged
def finish(position: SearchPosition, workspace: SearchWorkspace, params: SearchParams) -> float:
    """Play a rollout and score it by area.

    For territory scoring, territory plus prisoners equals area minus the stones placed by each player. The stones of
    the rollout are not included, since both players place about the same number.
    """
    boards = position.boards
    if boards.stones.outcome[0] != RUNNING and not params.agreed:
        return black_result(boards.stones.outcome[0])
    needed = boards.komi
    if not boards.by_area:
        needed += _stones_placed(boards)
    roll_out(position, workspace, params)
    margin = count_area(boards, workspace) - needed
    note_score(workspace, margin)
    result = 1.0 if margin > 0 else 0.0 if margin < 0 else 0.5
    if params.score > 0.0:
        points = boards.stones.size * boards.stones.size
        share = min(max(0.5 + 0.5 * margin / points, 0.0), 1.0)
        result += params.score * (share - result)
    return result


GO_HOOKS = GameHooks(advance, measure_distances, is_candidate, set_prior, complete_priors, finish)
