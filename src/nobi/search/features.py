"""Features of moves of Go for priors: captures, rescues, threats and location.

Every feature is a level of one of the groups below. They are computed for all moves when a node is expanded: about 80
moves on 9x9 and 350 on 19x19.
"""

from nobi.board.chains import in_atari, is_alone, last_liberty, touching, without_liberty, would_capture
from nobi.board.ladders import captures_in_ladder, escapes_ladder
from nobi.board.stones import BORDER, EMPTY, PASS, SIDES, as_point, enemy_of
from nobi.compiling import compiled, inlined, merged
from nobi.search.state import SearchPosition, SearchWorkspace
from nobi.search.tactics import SAFE, as_count, joined_chain, liberty_class

FAR = 4
"""The maximum distance along chains; larger ones are not distinguished."""
_FARTHEST = 17
"""The maximum distance on the board; larger ones are not distinguished."""
_LINES = 7
"""The number of distinguished lines, from the edge; the last one represents all others."""

CAPTURE, EXTENSION, SELF_ATARI_OF, ATARI, LINE, NEAR_LAST, NEAR_PREVIOUS, FATE = range(8)
"""The groups of features:

CAPTURE        0 none, 1 one stone, 2 more; + 2 if own stones in atari are freed; + 4 if it captures the latest move
EXTENSION      0 none, 1 of chains that are still captured in a ladder, 2 of one stone in atari, 3 of more
SELF_ATARI_OF  0 none, 1 to 3: puts 1, 2, or 3 or more stones into atari
ATARI          0 none, 1 gives atari, 2 and one stone is caught in a ladder, 3 more stones
LINE           0 the edge to 6; + 7 if there is no stone within two steps
NEAR_LAST      dx + dy + max(dx, dy) from the latest move, at most 17; 0 after a pass
NEAR_PREVIOUS  the same for the move before the latest one
FATE           distance from the latest move where a chain counts as one point, at most FAR
"""
LEVELS = (9, 4, 4, 4, 2 * _LINES, _FARTHEST + 1, _FARTHEST + 1, FAR + 1)
"""The number of levels of each group."""
GROUPS = len(LEVELS)
OFFSETS = tuple(sum(LEVELS[:i]) for i in range(GROUPS + 1))
"""The index of the first level of each group in an array of all levels, and their total number."""


@compiled
def measure_distances(position: SearchPosition, workspace: SearchWorkspace) -> None:
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
            neighbour = stones.neighbours[point, k]
            there = stones.colour[0, neighbour]
            if there == BORDER or distance[neighbour] != FAR:
                continue
            distance[neighbour] = further
            queue[found] = neighbour
            found += 1
            if there != EMPTY:
                stone = chains.next[0, neighbour]
                while stone != neighbour:
                    distance[stone] = further
                    queue[found] = stone
                    found += 1
                    stone = chains.next[0, stone]


@inlined
def _rescued_stones(position: SearchPosition, point: int, me: int) -> int:
    """Return the number of stones of own chains in atari that a stone here joins."""
    stones, chains = position.boards.stones, position.boards.chains
    saved = 0
    for k in range(SIDES):
        neighbour = stones.neighbours[point, k]
        if stones.colour[0, neighbour] == me:
            head = chains.head[0, neighbour]
            if in_atari(chains.liberties[0, head]):
                saved += chains.stones[0, head]
    return saved


@inlined
def _freed_stones(position: SearchPosition, point: int, me: int) -> int:
    """Return the number of stones of own chains in atari that are freed by the captures of a stone here."""
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
                neighbour = stones.neighbours[stone, j]
                if stones.colour[0, neighbour] == me:
                    head = chains.head[0, neighbour]
                    if in_atari(chains.liberties[0, head]):
                        freed += chains.stones[0, head]
            stone = chains.next[0, stone]
            if stone == first:
                break
    return freed


@inlined
def _is_dead_ladder(position: SearchPosition, workspace: SearchWorkspace, point: int, me: int) -> bool:
    """Return whether extending own chains in atari at this point saves none of them from a ladder."""
    stones, chains = position.boards.stones, position.boards.chains
    for k in range(SIDES):
        neighbour = stones.neighbours[point, k]
        if (
            stones.colour[0, neighbour] == me
            and in_atari(chains.liberties[0, chains.head[0, neighbour]])
            and escapes_ladder(stones, chains, 0, workspace.ladders, point, neighbour)
        ):
            return False
    return True


@inlined
def _threatened_stones(
    position: SearchPosition, workspace: SearchWorkspace, point: int, me: int, ladders: bool
) -> tuple[int, int]:
    """Return (stones of enemy chains that a stone here puts into atari, those of them that are caught in a ladder)."""
    stones, chains = position.boards.stones, position.boards.chains
    threatened = caught = as_count(0)
    seen0 = seen1 = seen2 = as_point(PASS)
    for k in range(SIDES):
        neighbour = stones.neighbours[point, k]
        if stones.colour[0, neighbour] != enemy_of(me):
            continue
        head = chains.head[0, neighbour]
        if head == seen0 or head == seen1 or head == seen2:
            continue
        seen2 = seen1
        seen1 = seen0
        seen0 = head
        rest = without_liberty(stones, chains, 0, head, point)
        if rest != 0 and in_atari(rest):
            threatened += chains.stones[0, head]
            if ladders and captures_in_ladder(stones, chains, 0, workspace.ladders, point, neighbour):
                caught += chains.stones[0, head]
    return threatened, caught


@inlined
def _line(workspace: SearchWorkspace, point: int, size: int) -> int:
    """Return the line of a point, 0 at the edge."""
    row = as_count(workspace.row[point]) - 1
    column = as_count(workspace.column[point]) - 1
    return min(min(row, size - 1 - row), min(column, size - 1 - column))


@inlined
def _is_isolated(position: SearchPosition, workspace: SearchWorkspace, point: int, size: int) -> bool:
    """Return whether there is no stone within two steps in rows and columns."""
    row = as_count(workspace.row[point])
    column = as_count(workspace.column[point])
    for y in range(max(1, row - 2), min(size, row + 2) + 1):
        for x in range(max(1, column - 2), min(size, column + 2) + 1):
            if position.boards.stones.colour[0, y * (size + 1) + x] != EMPTY:
                return False
    return True


@inlined
def _distance(workspace: SearchWorkspace, point: int, other: int) -> int:
    """Return dx + dy + max(dx, dy) between two points, at most `_FARTHEST`; 0 if `other` is PASS."""
    if other == PASS:
        return as_count(0)
    down = abs(as_count(workspace.row[point]) - as_count(workspace.row[other]))
    right = abs(as_count(workspace.column[point]) - as_count(workspace.column[other]))
    return min(down + right + max(down, right), _FARTHEST)


@inlined
def _captured_level(position: SearchPosition, point: int, me: int) -> int:
    """Return the level of CAPTURE."""
    stones, chains = position.boards.stones, position.boards.chains
    captured = would_capture(stones, chains, 0, point, me)
    if captured == 0:
        return as_count(0)
    level = as_count(1) + (captured > 1) + 2 * (_freed_stones(position, point, me) > 0)
    last = stones.last[0]
    if last != PASS and stones.colour[0, last] == enemy_of(me):
        head = chains.head[0, last]
        if in_atari(chains.liberties[0, head]) and last_liberty(chains.liberties[0, head]) == point:
            level += 4
    return level


@merged
def measure_features(position: SearchPosition, workspace: SearchWorkspace, move: int, ladders: bool) -> None:
    """Write the levels of a legal move to `workspace.levels`; `measure_distances` must be called before.

    With `ladders`, ladders are read for chains with one or two liberties next to the move.
    """
    stones, chains = position.boards.stones, position.boards.chains
    me = stones.to_move[0]
    levels = workspace.levels
    safety = liberty_class(stones, chains, move, me)
    captured = _captured_level(position, move, me)
    levels[CAPTURE] = captured
    levels[EXTENSION] = 0
    levels[SELF_ATARI_OF] = 0
    levels[ATARI] = 0
    if safety != SAFE:
        levels[SELF_ATARI_OF] = min(joined_chain(stones, chains, move, me)[1], 3)
    else:
        saved = _rescued_stones(position, move, me) if captured == 0 else 0
        if saved > 0:
            is_dead = ladders and _is_dead_ladder(position, workspace, move, me)
            levels[EXTENSION] = 1 if is_dead else 2 + (saved > 1)
        if touching(chains, 0, move, enemy_of(me)) > 0:
            threatened, caught = _threatened_stones(position, workspace, move, me, ladders)
            levels[ATARI] = (threatened > 0) + (caught > 0) + (caught > 1)
    line = min(_line(workspace, move, stones.size), _LINES - 1)
    isolated = is_alone(chains, 0, move) and _is_isolated(position, workspace, move, stones.size)
    levels[LINE] = line + _LINES * isolated
    levels[NEAR_LAST] = _distance(workspace, move, stones.last[0])
    levels[NEAR_PREVIOUS] = _distance(workspace, move, position.previous[0])
    levels[FATE] = workspace.distance[move]
