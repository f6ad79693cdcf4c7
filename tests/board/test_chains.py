"""Chains in random games: heads, stones and liberties, compared with a flood fill."""

import random

import pytest

from helpers.twins import as_dict
from nobi.board.chains import in_atari, last_liberty
from nobi.board.stones import PASS
from nobi.board.text import point_at
from nobi.games.go import Go
from reference.surround import chain_and_liberties


@pytest.mark.parametrize("size", [5, 9])
def test_chains_of_random_games(size):
    rng = random.Random(size)
    game = Go(size)
    for _ in range(4 * size * size):
        moves = [move for move in game.legal_moves() if move != PASS]
        if not moves:
            break
        game.play(rng.choice(moves))
        chains, board = game.boards.chains, as_dict(game)
        for cell in board:
            point = point_at(*cell, size)
            chain, liberties = chain_and_liberties(board, cell, size)
            head = chains.head[0, point]
            assert {chains.head[0, point_at(*other, size)] for other in chain} == {head}
            assert chains.stones[0, head] == len(chain)
            assert in_atari(chains.liberties[0, head]) == (len(liberties) == 1)
            if len(liberties) == 1:
                assert last_liberty(chains.liberties[0, head]) == point_at(*liberties.pop(), size)
