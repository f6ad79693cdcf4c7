"""What the search knows of Go."""

from nobi.board.stones import BLACK, EMPTY, PASS, RUNNING, WHITE, enemy_of
from nobi.compiling import compiled, inlined
from nobi.games.go import GoBoards, is_own_eye, play
from nobi.search.go_priors import assume, measure_distances
from nobi.search.go_rollouts import count_owners, roll_out
from nobi.search.kits import Kit, value_of
from nobi.search.patterns import note_lifted, note_stone
from nobi.search.room import Knobs, Room, Scene


@compiled
def advance(scene: Scene, move: int) -> None:
    """Plays a move and keeps the pattern codes up to date."""
    boards = scene.boards
    stones = boards.stones
    me = stones.to_move[0]
    before = stones.empties[0]
    scene.previous[0] = stones.last[0]
    play(boards, 0, move)
    if move != PASS:
        note_stone(stones, scene.codes, move, me)
        taken = me if stones.colour[0, move] == EMPTY else enemy_of(me)  # a suicide takes its own stones
        for i in range(before - 1, stones.empties[0]):
            note_lifted(stones, scene.codes, stones.empty[0, i], taken)


@inlined
def worthwhile(scene: Scene, move: int) -> bool:
    """Whether the move fills no eye of its own player."""
    return not is_own_eye(scene.boards, 0, move)


@compiled
def _stones_placed(boards: GoBoards) -> int:
    """How many stones black has placed so far less how many white has."""
    placed = boards.prisoners[0, BLACK] - boards.prisoners[0, WHITE]
    for point in range(boards.stones.colour.shape[1]):
        placed += boards.stones.colour[0, point] == BLACK
        placed -= boards.stones.colour[0, point] == WHITE
    return placed


@compiled
def finish(scene: Scene, room: Room, knobs: Knobs) -> float:
    """Plays to the end and counts the area.

    For territory scoring: territory and prisoners are the area less the stones that each player has placed (and
    not captured); those placed in the rollout itself are left out, since both players place about as many.
    """
    boards = scene.boards
    if boards.stones.outcome[0] != RUNNING and not knobs.agreed:
        return value_of(boards.stones.outcome[0])
    allowance = boards.komi
    if not boards.by_area:
        allowance += _stones_placed(boards)
    roll_out(scene, room)
    margin = count_owners(boards, room) - allowance
    return 1.0 if margin > 0 else 0.0 if margin < 0 else 0.5


GO_KIT = Kit(advance, measure_distances, worthwhile, assume, finish)
