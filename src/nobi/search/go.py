"""The search's knowledge of Go: priors of moves, pattern codes kept up to date, rollouts scored by area.

Prior knowledge is equivalent experience (Gelly & Silver 2011, section 5): a capture starts as if some playouts had been
won with it, a self-atari as if some had been lost. Real playouts outweigh it in time.
"""

from typing import NamedTuple

from nobi.board.chains import in_atari, without_liberty, would_capture
from nobi.board.ladders import captures_in_ladder, escapes_ladder
from nobi.board.stones import BLACK, BORDER, EMPTY, PASS, RUNNING, SIDES, WHITE, as_point, enemy_of
from nobi.compiling import compiled, inlined
from nobi.games.go import GoBoards, is_own_eye, play
from nobi.search.patterns import PATTERN, add_to_codes, remove_from_codes
from nobi.search.playout import GameHooks, black_result
from nobi.search.rollouts import count_area, roll_out
from nobi.search.score import note_score
from nobi.search.state import SearchParams, SearchPosition, Workspace
from nobi.search.tactics import SAFE, as_count, liberty_class

FAR = 4
"""The largest distance that is distinguished."""


class Priors(NamedTuple):
    """Equivalent numbers of playouts."""

    even: float = 10.0  # every move; half of them won
    capture: float = 15.0  # captures one stone; twice as many for more
    rescue: float = 15.0  # saves a chain from atari; twice as many for more than one stone
    self_atari: float = 10.0  # lost
    dead_ladder: float = 10.0  # lost: extends a chain that is captured in a ladder nevertheless
    pattern: float = 10.0
    near: tuple[float, float, float] = (24.0, 22.0, 8.0)  # at the distance 1, 2 and 3 from the latest move
    isolated: float = 10.0  # far from all stones: won on the third line, lost on the first two
    passing: float = 10.0  # lost


PRIORS = Priors()


@compiled
def measure_distances(position: SearchPosition, workspace: Workspace) -> None:
    """Fill `workspace.distance`: distances from the latest move, up to FAR, where a chain counts as one point.

    This is the common fate graph of Graepel, Goutrié, Krüger & Herbrich (2001).
    """
    boards = position.boards
    stones, chains = boards.stones, boards.chains
    distance, queue = workspace.distance, workspace.queue
    for point in range(len(distance)):
        distance[point] = FAR
    last = stones.last[0]
    if last == PASS or stones.colour[0, last] == EMPTY:
        return
    found = done = 0
    stone = last
    while True:
        distance[stone] = 0
        queue[found] = stone
        found += 1
        stone = chains.next[0, stone]
        if stone == last:
            break
    while done < found:
        point = queue[done]
        done += 1
        further = distance[point] + 1
        if further >= FAR:
            break
        for k in range(SIDES):
            beside = stones.neighbours[point, k]
            there = stones.colour[0, beside]
            if there == BORDER or distance[beside] != FAR:
                continue
            distance[beside] = further
            queue[found] = beside
            found += 1
            if there != EMPTY:
                stone = chains.next[0, beside]
                while stone != beside:
                    distance[stone] = further
                    queue[found] = stone
                    found += 1
                    stone = chains.next[0, stone]


@inlined
def _rescued_stones(position: SearchPosition, point: int, me: int) -> int:
    """The number of stones of own chains in atari that a stone here joins."""
    stones, chains = position.boards.stones, position.boards.chains
    saved = 0
    for k in range(SIDES):
        beside = stones.neighbours[point, k]
        if stones.colour[0, beside] == me:
            head = chains.head[0, beside]
            if in_atari(chains.liberties[0, head]):
                saved += chains.stones[0, head]
    return saved


@inlined
def _freed_stones(position: SearchPosition, point: int, me: int) -> int:
    """The number of stones of own chains in atari that are freed by the captures of a stone here."""
    stones, chains = position.boards.stones, position.boards.chains
    enemy = enemy_of(me)
    freed = 0
    for k in range(SIDES):
        first = stones.neighbours[point, k]
        if stones.colour[0, first] != enemy or not in_atari(chains.liberties[0, chains.head[0, first]]):
            continue
        stone = first
        while True:
            for j in range(SIDES):
                beside = stones.neighbours[stone, j]
                if stones.colour[0, beside] == me:
                    head = chains.head[0, beside]
                    if in_atari(chains.liberties[0, head]):
                        freed += chains.stones[0, head]
            stone = chains.next[0, stone]
            if stone == first:
                break
    return freed


@inlined
def _is_dead_ladder(position: SearchPosition, workspace: Workspace, point: int, me: int) -> bool:
    """Whether extending own chains in atari at this point saves none of them from a ladder."""
    stones, chains = position.boards.stones, position.boards.chains
    for k in range(SIDES):
        beside = stones.neighbours[point, k]
        if (
            stones.colour[0, beside] == me
            and in_atari(chains.liberties[0, chains.head[0, beside]])
            and escapes_ladder(stones, chains, 0, workspace.ladders, point, beside)
        ):
            return False
    return True


@inlined
def _threatened_stones(
    position: SearchPosition, workspace: Workspace, point: int, me: int, ladders: bool
) -> tuple[int, int]:
    """(stones of enemy chains that a stone here puts into atari, the part of them that is caught in a ladder)."""
    stones, chains = position.boards.stones, position.boards.chains
    threatened = caught = as_count(0)
    seen0 = seen1 = seen2 = as_point(PASS)
    for k in range(SIDES):
        beside = stones.neighbours[point, k]
        if stones.colour[0, beside] != enemy_of(me):
            continue
        head = chains.head[0, beside]
        if head == seen0 or head == seen1 or head == seen2:
            continue
        seen2 = seen1
        seen1 = seen0
        seen0 = head
        rest = without_liberty(stones, chains, 0, head, point)
        if rest != 0 and in_atari(rest):
            threatened += chains.stones[0, head]
            if ladders and captures_in_ladder(stones, chains, 0, workspace.ladders, point, beside):
                caught += chains.stones[0, head]
    return threatened, caught


@inlined
def _line(point: int, size: int) -> int:
    """The line of a point, 0 at the edge."""
    row = as_count(point) // (size + 1) - 1
    column = as_count(point) % (size + 1) - 1
    return min(min(row, size - 1 - row), min(column, size - 1 - column))


@inlined
def _is_isolated(position: SearchPosition, point: int, size: int) -> bool:
    """Whether there is no stone within two steps in rows and columns."""
    row = as_count(point) // (size + 1)
    column = as_count(point) % (size + 1)
    for y in range(max(1, row - 2), min(size, row + 2) + 1):
        for x in range(max(1, column - 2), min(size, column + 2) + 1):
            if position.boards.stones.colour[0, y * (size + 1) + x] != EMPTY:
                return False
    return True


@compiled
def set_prior(position: SearchPosition, workspace: Workspace, move: int, i: int, params: SearchParams) -> None:
    """Write the prior of a legal move into `workspace.visits[i]` and `workspace.wins[i]`."""
    weight = params.tactics
    stones, chains = position.boards.stones, position.boards.chains
    me = stones.to_move[0]
    visits = PRIORS.even
    wins = 0.5 * PRIORS.even
    if move == PASS:
        visits += PRIORS.passing
    else:
        captured = would_capture(stones, chains, 0, move, me)
        liberties = liberty_class(stones, chains, move, me)
        good = 0.0
        bad = 0.0
        if captured > 0:
            good += PRIORS.capture if captured == 1 else 2.0 * PRIORS.capture
            if _freed_stones(position, move, me) > 0:
                good += PRIORS.rescue
        elif liberties == SAFE:
            saved = _rescued_stones(position, move, me)
            if saved > 0:
                if params.ladders and _is_dead_ladder(position, workspace, move, me):
                    bad += PRIORS.dead_ladder
                else:
                    good += PRIORS.rescue if saved == 1 else 2.0 * PRIORS.rescue
        else:
            bad += PRIORS.self_atari
        if liberties == SAFE and (params.ladders or params.atari > 0.0):
            threatened, caught = _threatened_stones(position, workspace, move, me, params.ladders)
            if caught > 0:
                good += PRIORS.capture if caught == 1 else 2.0 * PRIORS.capture
            elif threatened > 0:
                good += params.atari
        if PATTERN[position.codes[0, move]] != 0 and liberties == SAFE:
            good += PRIORS.pattern
        distance = workspace.distance[move]
        if 1 <= distance < FAR:
            good += PRIORS.near[0] if distance == 1 else PRIORS.near[1] if distance == 2 else PRIORS.near[2]
        line = _line(move, stones.size)
        if line <= 2 and _is_isolated(position, move, stones.size):
            if line == 2:
                good += PRIORS.isolated
            else:
                bad += PRIORS.isolated
        visits += (good + bad) * weight
        wins += good * weight
    workspace.visits[i] = visits
    workspace.wins[i] = wins


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
        taken = me if stones.colour[0, move] == EMPTY else enemy_of(me)  # a suicide takes its own stones
        for i in range(before - 1, stones.empties[0]):
            remove_from_codes(stones, position.codes, stones.empty[0, i], taken)


@inlined
def is_candidate(position: SearchPosition, move: int) -> bool:
    """Whether the move fills no own eye."""
    return not is_own_eye(position.boards, 0, move)


@compiled
def _stones_placed(boards: GoBoards) -> int:
    """The number of stones that Black has placed so far minus those of White."""
    placed = boards.prisoners[0, BLACK] - boards.prisoners[0, WHITE]
    for point in range(boards.stones.colour.shape[1]):
        placed += boards.stones.colour[0, point] == BLACK
        placed -= boards.stones.colour[0, point] == WHITE
    return placed


@compiled
def finish(position: SearchPosition, workspace: Workspace, params: SearchParams) -> float:
    """Play a rollout and count the area.

    For territory scoring: territory plus prisoners is area minus the stones that each player has placed. Stones of the
    rollout itself are left out, since both players place about as many.
    """
    boards = position.boards
    if boards.stones.outcome[0] != RUNNING and not params.agreed:
        return black_result(boards.stones.outcome[0])
    needed = boards.komi
    if not boards.by_area:
        needed += _stones_placed(boards)
    roll_out(position, workspace, params.rollouts)
    margin = count_area(boards, workspace) - needed
    note_score(workspace, margin)
    return 1.0 if margin > 0 else 0.0 if margin < 0 else 0.5


GO_HOOKS = GameHooks(advance, measure_distances, is_candidate, set_prior, finish)
