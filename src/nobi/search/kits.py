"""What the search knows of each game: five compiled functions, bound into its loop.

Go has tactics, patterns and an eye for eyes; every other game is known by its rules alone.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from nobi.board.stones import BLACK, EMPTY, PASS, RUNNING, WHITE, as_point, swap_empties
from nobi.compiling import UNBOUND, inlined, specialise
from nobi.games.base import LOSES, Game
from nobi.search.room import Knobs, Room, Scene
from nobi.streams import below

play: Any = UNBOUND  # these are bound by `kit_of`
verdict: Any = UNBOUND


class Kit(NamedTuple):
    """The functions for one game."""

    advance: Callable[..., None]
    """(scene, move): plays a move of the tree."""
    prepare: Callable[..., None]
    """(scene, room): called before a node's moves are looked at."""
    worthwhile: Callable[..., bool]
    """(scene, move) → whether a legal move is looked at."""
    assume: Callable[..., None]
    """(scene, room, move, at, weight): prior knowledge of a move."""
    finish: Callable[..., float]
    """(scene, room, knobs) → what black gets, 0 to 1, after playing to the end."""


def _advance(scene: Scene, move: int) -> None:
    scene.previous[0] = scene.boards.stones.last[0]
    play(scene.boards, 0, move)


@inlined
def _prepare_nothing(scene: Scene, room: Room) -> None:
    pass


@inlined
def _every_move(scene: Scene, move: int) -> bool:  # noqa: ARG001
    return True


@inlined
def _assume_even(scene: Scene, room: Room, move: int, at: int, weight: float) -> None:  # noqa: ARG001
    """One playout, half won."""
    room.visits[at] = 1.0
    room.wins[at] = 0.5


@inlined
def value_of(outcome: int) -> float:
    """What black gets."""
    return 1.0 if outcome == BLACK else 0.0 if outcome == WHITE else 0.5


def _finish_plainly(scene: Scene, room: Room, knobs: Knobs) -> float:  # noqa: ARG001
    """Plays random moves, but none that loses at once if there is another."""
    boards = scene.boards
    stones = boards.stones
    while stones.outcome[0] == RUNNING:
        left = stones.empties[0]
        move = as_point(PASS)
        while left > 0:
            i = below(room.streams, 0, left)
            move = stones.empty[0, i]
            if verdict(boards, 0, move) != LOSES:
                break
            left -= 1
            swap_empties(stones, 0, i, left)
        if room.played[move] == EMPTY:
            room.played[move] = stones.to_move[0]
        play(boards, 0, move)
    return value_of(stones.outcome[0])


@cache
def kit_of(game: type[Game]) -> Kit:
    """The kit of a game."""
    if game.name == "go":
        from nobi.search.go_kit import GO_KIT

        return GO_KIT
    rules = game.rules
    return Kit(
        specialise(_advance, game.name, play=rules.play),
        _prepare_nothing,
        _every_move,
        _assume_even,
        specialise(_finish_plainly, game.name, play=rules.play, verdict=rules.verdict),
    )
