"""Further inputs of swiping networks: planes, supported games, and their effect."""

import numpy as np
import pytest

from nobi.board.stones import EMPTY, cell_tables
from nobi.board.text import row_column
from nobi.errors import NobiError
from nobi.games import variant
from nobi.networks import make_network
from nobi.nn.inputs import input_planes, input_writer
from nobi.players.inspection import colours_of, inspect_network
from nobi.players.network import NetworkPlayer

ALL = "liberties+atari+last"


def random_game(game, size, moves, seed):
    rng = np.random.default_rng(seed)
    while True:
        found = variant(game, size).new()
        while len(found.moves) < moves and not found.is_over:
            found.play(int(rng.choice(found.legal_moves())))
        if not found.is_over:
            return found


def planes_of(game, features):
    size = game.size
    x = np.full((size * size, len(input_planes(features)), 1), 7, np.float32)
    input_writer(features)(game.boards, np.zeros(1, np.int64), x, *cell_tables(size))
    return x[:, :, 0].T.reshape(-1, size, size)


def liberties_of(colours, row, column):
    """The empty neighbours of a stone's chain, by flood fill."""
    size, chain, found, left = len(colours), set(), set(), [(row, column)]
    while left:
        at = left.pop()
        if at in chain:
            continue
        chain.add(at)
        for beside in ((at[0] + 1, at[1]), (at[0] - 1, at[1]), (at[0], at[1] + 1), (at[0], at[1] - 1)):
            if not (0 <= beside[0] < size and 0 <= beside[1] < size):
                continue
            if colours[beside] == EMPTY:
                found.add(beside)
            elif colours[beside] == colours[row, column]:
                left.append(beside)
    return len(found)


@pytest.mark.parametrize("moves", [0, 1, 9, 14])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_planes_of_a_position(moves, seed):
    game = random_game("atari-go", 6, moves, seed)
    colours = colours_of(game)
    own, enemy, own_liberties, enemy_liberties, own_atari, enemy_atari, last = planes_of(game, ALL)
    liberties = np.zeros((6, 6))
    for row, column in zip(*np.nonzero(colours), strict=True):
        liberties[row, column] = liberties_of(colours, row, column)
    np.testing.assert_array_equal(own, colours == game.to_move)
    np.testing.assert_array_equal(enemy, (colours != EMPTY) & (colours != game.to_move))
    np.testing.assert_array_equal(own_liberties, own * np.minimum(liberties, 4) / 4)
    np.testing.assert_array_equal(enemy_liberties, enemy * np.minimum(liberties, 4) / 4)
    np.testing.assert_array_equal(own_atari, own * (liberties == 1))
    np.testing.assert_array_equal(enemy_atari, enemy * (liberties == 1))
    expected = np.zeros((6, 6))
    if game.moves:
        expected[row_column(game.moves[-1], 6)] = 1
    np.testing.assert_array_equal(last, expected)


def test_the_weights_do_not_depend_on_the_board():
    network = make_network(f"mdlstm:hidden=3,inputs={ALL}")
    assert network.weight_count(5) == network.weight_count(25) == 15 * (7 + 3) + 15 + 3
    assert make_network("mdlstm:hidden=3,inputs=last+atari").weight_count(7) == 15 * (5 + 3) + 15 + 3
    assert str(make_network("mdlstm:inputs=last")) == "mdlstm:inputs=last"


def test_a_network_plays_by_its_inputs():
    """Only the weight from the latest move to the cell input has an effect, and the best move depends on it."""
    network = make_network("mdrnn:hidden=1,inputs=last")
    weights = np.array([0, 0, 1, 0.5, 0, -1], np.float32)  # own, enemy, last, recurrent, border, output
    game = random_game("gomoku", 5, 6, 3)
    found = inspect_network(game, network, weights)
    blind = inspect_network(game, network, np.array([0, 0, 0, 0.5, 0, -1], np.float32))
    assert np.ptp(blind.output) == 0
    assert np.unravel_index(found.output.argmin(), (5, 5)) == row_column(game.moves[-1], 5)
    player, moves = NetworkPlayer(variant("gomoku", 5), network, weights), np.zeros(1, np.uint16)
    player.choose(game.boards, np.zeros(1, np.int64), np.ones(1, np.uint64), moves)
    assert int(moves[0]) in found.best


def test_bad_inputs_get_a_sentence():
    with pytest.raises(NobiError, match=r"libertis.*liberties"):
        make_network("mdlstm:inputs=libertis")
    network = make_network("mdlstm:inputs=liberties")
    with pytest.raises(NobiError, match="liberties in gomoku"):
        NetworkPlayer(variant("gomoku", 7), network, np.zeros(network.weight_count(7), np.float32))
    with pytest.raises(NobiError, match="further inputs"):
        network.evaluate(np.zeros(network.weight_count(5), np.float32), np.zeros((1, 5, 5)), np.zeros((1, 5, 5)))
