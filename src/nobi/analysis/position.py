"""Positions of queries: set-up stones, and moves that are played with few restrictions.

As in KataGo, only moves on occupied points and the suicide of a single stone are illegal: ko, superko, larger suicides,
any order of colours and moves after two passes are accepted.
"""

from collections.abc import Iterable, Sequence
from typing import cast

import numpy as np

from nobi.board.chains import is_not_suicide
from nobi.board.stones import EMPTY, PASS, RUNNING, SIDES, board_points, enemy_of
from nobi.games.base import Variant
from nobi.games.go import Go, GoBoards

Stone = tuple[int, int]
"""A point or PASS, and a colour."""


def stones_after(stones: Iterable[Stone], variant: Variant) -> list[Stone]:
    """Return the stones left on the board after placing them in order: later ones replace earlier ones, and capture."""
    neighbours = variant.allocate(1).stones.neighbours
    points = set(map(int, board_points(variant.size)))
    board: dict[int, int] = {}

    def adjacent_points(point: int) -> list[int]:
        return [other for other in map(int, neighbours[point, :SIDES]) if other in points]

    def remove_captured(point: int) -> None:
        chain, colour = [point], board[point]
        for stone in chain:
            for other in adjacent_points(stone):
                if other not in board:
                    return
                if board[other] == colour and other not in chain:
                    chain.append(other)
        for stone in chain:
            del board[stone]

    for point, colour in stones:
        board[point] = colour
        for other in adjacent_points(point):
            if board.get(other) == enemy_of(colour):
                remove_captured(other)
        remove_captured(point)
    return sorted(board.items())


def new_position(variant: Variant, stones: Sequence[Stone], to_move: int) -> Go:
    """Return the position before the first move."""
    game = cast(Go, variant.new())
    game.set_up(list(stones), to_move)
    return game


def play_tolerantly(game: Go, colour: int, move: int) -> bool:
    """Play a move of a colour; return whether it is legal."""
    boards = cast(GoBoards, game.boards)
    stone = cast(int, np.uint16(move))  # the type of points in compiled code
    suicide = False
    if move != PASS:
        if game.colour(move) != EMPTY:
            return False
        suicide = not is_not_suicide(boards.stones, boards.chains, 0, stone, colour)
        if suicide and not any(game.colour(p) == colour for p in _adjacent_points(game, move)):
            return False
    if colour != game.to_move:  # the history of positions no longer matters
        boards.stones.to_move[0] = colour
        boards.ko[0] = PASS
        boards.history[0, : boards.stones.ply[0]] = boards.stones.hash[0]
    game._extend_history(int(boards.stones.ply[0]) + 2)
    boards = cast(GoBoards, game.boards)
    game.rules.play(boards._replace(suicide=True) if suicide else boards, 0, stone)
    game.moves.append(move)
    if boards.stones.outcome[0] != RUNNING:  # two passes
        boards.stones.outcome[0] = RUNNING
        boards.passes[0] = 0
    return True


def _adjacent_points(game: Go, point: int) -> list[int]:
    on_board = set(game.points())
    return [p for p in map(int, game.boards.stones.neighbours[point, :SIDES]) if p in on_board]
