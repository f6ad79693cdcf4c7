"""Go, with the common variants of the rules.

* suicide: forbidden or allowed (also of several stones);
* ko: `simple` (no immediate recapture of one stone by one stone), `positional` superko (no move may recreate an earlier
  position) or `situational` superko (none may recreate one with the same player to move); a pass is always legal;
* scoring: by `area` (Tromp-Taylor, Chinese) or by `territory` (Japanese); all stones on the board count as alive except
  those passed to `Go.score` as dead;
* two passes in a row end the game.

Superko compares 64-bit hashes of positions: the probability that two different positions of a game have the same hash
is below 10⁻¹³.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, Self, cast

import numpy as np
from numpy.typing import NDArray

from nobi.board.area import Areas, allocate_areas, area_margin, find_owners, territory_margin
from nobi.board.chains import (
    Chains,
    allocate_chains,
    capture_around,
    clear_chains,
    has_liberty_after,
    is_captured_by,
    is_enclosed,
    is_not_suicide,
    place,
    remove_chain,
    require_liberties,
    would_capture,
)
from nobi.board.stones import (
    BLACK,
    BORDER,
    DRAW,
    EMPTY,
    PASS,
    SIDES,
    WHITE,
    Stones,
    allocate_stones,
    clear_stones,
    end_turn,
    enemy_of,
)
from nobi.board.text import point_at, star_lines
from nobi.compiling import compiled, inlined
from nobi.errors import NobiError
from nobi.games.base import LOSES, UNDECIDED, WINS, Game, Rules
from nobi.memory import zeros

SIMPLE, POSITIONAL, SITUATIONAL = 0, 1, 2
_KO_RULES = {"simple": SIMPLE, "positional": POSITIONAL, "situational": SITUATIONAL}


@dataclass(frozen=True)
class GoSettings:
    """The settings of Go."""

    komi: float = 7.5
    """White's compensation for moving second."""
    ko: Literal["simple", "positional", "situational"] = "positional"
    """Which repetitions are forbidden."""
    suicide: bool = False
    """Whether suicide is legal."""
    scoring: Literal["area", "territory"] = "area"
    """Count stones and surrounded points, or surrounded points and prisoners."""

    def __post_init__(self) -> None:
        if not math.isfinite(self.komi):
            raise ValueError(f"komi must be a finite number, not {self.komi}")


class GoBoards(NamedTuple):
    """The state of Go: stones and chains, and what ko, superko and scoring need."""

    stones: Stones
    chains: Chains
    areas: Areas
    ko_rule: int
    suicide: bool
    by_area: bool
    komi: float
    ko: NDArray[np.uint16]  # [g] the point that simple ko forbids, or PASS
    passes: NDArray[np.int64]  # [g] passes in a row
    prisoners: NDArray[np.int64]  # [g, colour of the captured stones]
    history: NDArray[np.uint64]  # [g, ply] signatures of all positions so far; a game that fills it is over


@inlined
def signature(boards: GoBoards, position: np.uint64, to_move: int) -> np.uint64:
    """Return the hash that superko compares: of the position and, under situational superko, the player to move."""
    if boards.ko_rule == SITUATIONAL and to_move == WHITE:
        return position ^ boards.stones.keys[EMPTY, PASS]
    return position


@inlined
def note_position(boards: GoBoards, g: int) -> None:
    """Append the current position to the history."""
    stones = boards.stones
    boards.history[g, stones.ply[g]] = signature(boards, stones.hash[g], stones.to_move[g])


@inlined
def clear(boards: GoBoards, g: int) -> None:
    """Clear the board; Black is to move."""
    clear_stones(boards.stones, g)
    clear_chains(boards.chains, g)
    boards.ko[g] = PASS
    boards.passes[g] = 0
    boards.prisoners[g, BLACK] = 0
    boards.prisoners[g, WHITE] = 0
    note_position(boards, g)


@inlined
def setup(boards: GoBoards, g: int, point: int, colour: int) -> None:
    """Place a stone before the game."""
    place(boards.stones, boards.chains, g, point, colour)
    note_position(boards, g)


@inlined
def legal(boards: GoBoards, g: int, move: int) -> bool:
    """Return whether the move is a pass, or an empty point that is neither ko, suicide nor a forbidden repetition."""
    if move == PASS:
        return True
    stones, chains = boards.stones, boards.chains
    if stones.colour[g, move] != EMPTY or move == boards.ko[g]:
        return False
    me = stones.to_move[g]
    if not boards.suicide and not is_not_suicide(stones, chains, g, move, me):
        return False
    return boards.ko_rule == SIMPLE or not _repeats(boards, g, move)


@compiled
def _repeats(boards: GoBoards, g: int, point: int) -> bool:
    """Return whether superko forbids the position after a stone at this point."""
    stones, chains = boards.stones, boards.chains
    me = stones.to_move[g]
    taken = enemy_of(me)
    captures = would_capture(stones, chains, g, point, me) > 0
    suicide = not captures and not has_liberty_after(stones, chains, g, point, me)
    if not captures and not suicide and boards.prisoners[g, BLACK] + boards.prisoners[g, WHITE] == 0:
        return False  # no stone has been removed yet, so no position can repeat
    after = stones.hash[g]
    if suicide:
        taken = me
    else:
        after ^= stones.keys[me, point]
    if captures or suicide:
        for k in range(SIDES):
            if is_captured_by(stones, chains, g, point, k, taken):
                first = stones.neighbours[point, k]
                stone = first
                while True:
                    after ^= stones.keys[taken, stone]
                    stone = chains.next[g, stone]
                    if stone == first:
                        break
    after = signature(boards, after, enemy_of(me))
    found = False
    for i in range(stones.ply[g] + 1):
        found |= boards.history[g, i] == after
    return found


@inlined
def play(boards: GoBoards, g: int, move: int) -> None:
    """Place the stone and capture, or pass; the second pass in a row ends the game."""
    stones, chains = boards.stones, boards.chains
    me = stones.to_move[g]
    enemy = enemy_of(me)
    end_turn(stones, g, move)
    boards.ko[g] = PASS
    if move == PASS:
        boards.passes[g] += 1
    else:
        boards.passes[g] = 0
        lone = is_enclosed(chains, g, move, enemy)
        if place(stones, chains, g, move, me):
            captured = capture_around(stones, chains, g, move, enemy)
            boards.prisoners[g, enemy] += captured
            if lone and captured == 1:
                boards.ko[g] = stones.empty[g, stones.empties[g] - 1]  # the point just freed
        elif boards.suicide and chains.liberties[g, chains.head[g, move]] == 0:
            boards.prisoners[g, me] += remove_chain(stones, chains, g, move)
    note_position(boards, g)
    if boards.passes[g] == 2 or stones.ply[g] == boards.history.shape[1] - 1:
        stones.outcome[g] = winner(boards, g)


@compiled
def margin(boards: GoBoards, g: int) -> float:
    """Return Black's points minus White's, komi included, with all stones alive."""
    if boards.by_area:
        return area_margin(boards.stones, g, boards.areas) - boards.komi
    prisoners = boards.prisoners[g, WHITE] - boards.prisoners[g, BLACK]
    return territory_margin(boards.stones, g, boards.areas) + prisoners - boards.komi


@compiled
def winner(boards: GoBoards, g: int) -> int:
    """Return the outcome if the game ends in this position."""
    points = margin(boards, g)
    if points == 0:
        return DRAW
    return BLACK if points > 0 else WHITE


@inlined
def immediate_outcome(boards: GoBoards, g: int, move: int) -> int:
    """Return the outcome for the player to move of a pass that follows a pass; else UNDECIDED."""
    if move != PASS or boards.passes[g] == 0:
        return UNDECIDED
    end = winner(boards, g)
    if end == DRAW:
        return UNDECIDED
    return WINS if end == boards.stones.to_move[g] else LOSES


@inlined
def is_own_eye(boards: GoBoards, g: int, point: int) -> bool:
    """Return whether an empty point is an eye of the player to move that a random player should not fill.

    All four sides are own stones, and the enemy has at most one of the diagonal points, or none at the edge.
    """
    stones = boards.stones
    me = stones.to_move[g]
    if not is_enclosed(boards.chains, g, point, me):
        return False
    enemies = edge = 0
    for k in range(SIDES, 2 * SIDES):
        there = stones.colour[g, stones.neighbours[point, k]]
        enemies += there == enemy_of(me)
        edge |= there == BORDER
    return enemies + edge < 2


def handicap_points(stones: int, size: int) -> list[int]:
    """Return the points of GTP's fixed handicap."""
    lines = star_lines(size)
    low, high, middle = lines[0], lines[-1], size // 2
    most = 0 if size < 7 else 4 if size % 2 == 0 or size == 7 else 9
    if not 2 <= stones <= most:
        raise NobiError(
            f"Handicap on {size}x{size} is 2 to {most} stones, not {stones}."
            if most
            else f"There is no fixed handicap on {size}x{size}."
        )
    # (row, column) in the order of GTP's table, row 0 at the top; the centre is the last stone of 5, 7 and 9
    positions = [(high, low), (low, high), (low, low), (high, high)][:stones]
    if stones >= 6:
        positions += [(middle, low), (middle, high)]
    if stones >= 8:
        positions += [(high, middle), (low, middle)]
    if stones in (5, 7, 9):
        positions.append((middle, middle))
    return [point_at(row, column, size) for row, column in positions]


class Go(Game):
    """The player with more area or territory wins."""

    name = "go"
    rules: ClassVar[Rules] = Rules(clear, setup, legal, play, immediate_outcome)
    settings_type = GoSettings
    has_pass = True

    @classmethod
    def allocate(cls, boards: int, size: int, settings: GoSettings) -> GoBoards:
        return GoBoards(
            allocate_stones(boards, size),
            allocate_chains(boards, size),
            allocate_areas(size),
            _KO_RULES[settings.ko],
            settings.suicide,
            settings.scoring == "area",
            float(settings.komi),
            zeros(boards, np.uint16),
            zeros(boards, np.int64),
            zeros((boards, 3), np.int64),
            zeros((boards, cls.most_moves(size, settings) + 1), np.uint64),
        )

    @property
    def next_pass_ends(self) -> bool:
        """Whether the previous move was a pass; passes after which the game was continued do not count."""
        return int(cast(GoBoards, self.boards).passes[0]) == 1

    @classmethod
    def most_moves(cls, size: int, settings: GoSettings) -> int:  # noqa: ARG003
        """Return the length at which the arena ends and scores a game; a single `Go` game has no maximum length."""
        return 3 * size * size

    def place_handicap(self, stones: int) -> None:
        """Set up GTP's fixed handicap; White moves first."""
        self.set_up([(point, BLACK) for point in handicap_points(stones, self.size)], WHITE)

    def play(self, move: int | str) -> None:
        self._extend_history(len(self.moves) + 2)
        super().play(move)

    def why_illegal(self, move: int | str) -> str:
        boards, point = cast(GoBoards, self.boards), self._as_point(move)
        if self.is_over or point == PASS or self.colour(point) != EMPTY:
            return super().why_illegal(move)
        if point == boards.ko[0]:
            return "it recaptures a ko at once"
        stone = cast(int, np.uint16(point))  # the type of points in compiled code
        if not boards.suicide and not is_not_suicide(boards.stones, boards.chains, 0, stone, boards.stones.to_move[0]):
            return "it is suicide"
        again = "" if boards.ko_rule == POSITIONAL else " with the same player to move"
        return f"it repeats an earlier position{again}, which {self.settings.ko} superko forbids"

    def margin(self, dead: Iterable[int] = ()) -> float:
        """Return Black's points minus White's, komi included; the chains of the points `dead` count as captured."""
        boards = cast(GoBoards, self.without(dead).boards)
        return float(margin(boards, 0))

    def score(self, dead: Iterable[int] = ()) -> str:
        """Return the result of counting the current board, as in SGF: `B+3.5`, `W+0.5` or `Draw`."""
        points = self.margin(dead)
        return "Draw" if points == 0 else f"{'B' if points > 0 else 'W'}+{abs(points):.12g}"

    def owners(self, dead: Iterable[int] = ()) -> dict[int, int]:
        """Return the owner of every point: BLACK, WHITE or EMPTY."""
        boards = cast(GoBoards, self.without(dead).boards)
        find_owners(boards.stones, 0, boards.areas)
        return {point: int(boards.areas.owner[point]) for point in self.points()}

    def result(self) -> str:
        return self.score() if self.is_over else "?"

    def standing(self) -> str:
        return self.score()

    def _restart(self) -> None:
        super()._restart()
        boards = cast(GoBoards, self.boards)
        require_liberties(boards.stones, boards.chains)
        note_position(boards, 0)

    def without(self, dead: Iterable[int]) -> Self:
        """Return a copy of the game with these dead stones captured."""
        game = self.copy()
        boards = cast(GoBoards, game.boards)
        for point in dead:
            colour = game.colour(point)
            if colour != EMPTY:  # it may have been removed with its chain
                stone = cast(int, np.uint16(point))  # the type of points in compiled code
                boards.prisoners[0, colour] += remove_chain(boards.stones, boards.chains, 0, stone)
        return game

    def _extend_history(self, positions: int) -> None:
        """Extend the history beyond this number of positions, so that a full history never ends this game."""
        boards = cast(GoBoards, self.boards)
        present = boards.history
        if positions >= present.shape[1]:
            larger = np.zeros((1, 2 * positions), np.uint64)
            larger[:, : present.shape[1]] = present
            self.boards = boards._replace(history=larger)
