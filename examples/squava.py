"""A complete new game in one file: Squava.

Four in a row wins, but three in a row without a fourth loses. Invented for 5x5; here for every board size.
`nobi match naive random --game squava --size 5 --load examples/squava.py` plays it.
"""

from typing import Any, ClassVar, NamedTuple

from nobi.plugins import (
    DRAW,
    EMPTY,
    LOSES,
    PASS,
    UNDECIDED,
    WINS,
    Game,
    Rules,
    Stones,
    allocate_stones,
    clear_stones,
    end_turn,
    enemy_of,
    inlined,
    put,
    register_game,
)


class SquavaBoards(NamedTuple):
    """The state of many boards: every game has `stones`; some add further arrays."""

    stones: Stones


@inlined
def longest_row(stones: Stones, g: int, point: int, colour: int) -> int:
    """The longest row that contains, or would contain, a stone of this colour at the point."""
    longest = 1
    for k in range(0, 8, 2):  # the columns k and k + 1 of `neighbours` point in opposite directions
        run = 1
        for way in range(k, k + 2):
            beside = stones.neighbours[point, way]
            while stones.colour[g, beside] == colour:
                run += 1
                beside = stones.neighbours[beside, way]
        longest = max(longest, run)
    return longest


@inlined
def clear(boards: SquavaBoards, g: int) -> None:
    """The empty board, black to move."""
    clear_stones(boards.stones, g)


@inlined
def setup(boards: SquavaBoards, g: int, point: int, colour: int) -> None:
    """Put a stone on the board before the game."""
    put(boards.stones, g, point, colour)


@inlined
def legal(boards: SquavaBoards, g: int, move: int) -> bool:
    """Every empty point."""
    return move != PASS and boards.stones.colour[g, move] == EMPTY


@inlined
def immediate_outcome(boards: SquavaBoards, g: int, move: int) -> int:
    """The outcome of a move that ends the game: four wins, three loses."""
    row = longest_row(boards.stones, g, move, boards.stones.to_move[g])
    return WINS if row >= 4 else LOSES if row == 3 else UNDECIDED


@inlined
def play(boards: SquavaBoards, g: int, move: int) -> None:
    """Place the stone and end the game if that decides it."""
    stones = boards.stones
    me = stones.to_move[g]
    decision = immediate_outcome(boards, g, move)
    put(stones, g, move, me)
    end_turn(stones, g, move)
    if decision == WINS:
        stones.outcome[g] = me
    elif decision == LOSES:
        stones.outcome[g] = enemy_of(me)
    elif stones.empties[g] == 0:
        stones.outcome[g] = DRAW


@register_game
class Squava(Game):
    """Squava: four in a row wins, three loses."""

    name = "squava"
    rules: ClassVar[Rules] = Rules(clear, setup, legal, play, immediate_outcome)

    @classmethod
    def allocate(cls, boards: int, size: int, settings: Any) -> SquavaBoards:  # noqa: ARG003
        """Allocate the state of this number of boards."""
        return SquavaBoards(allocate_stones(boards, size))

    @classmethod
    def most_moves(cls, size: int, settings: Any) -> int:  # noqa: ARG003
        """The number of points: the board is full."""
        return size * size


if __name__ == "__main__":
    import nobi

    played = nobi.play_games(nobi.variant("squava", 5), "naive", "random", keep_moves=True, progress=False)
    print(played.replay(0))
    print("naive against random:", played.win_rate())
