"""Replay: illegal moves are found, with their number and the reason."""

import numpy as np
import pytest

from helpers.making import random_sgf
from nobi.board.stones import BLACK, PASS, WHITE
from nobi.board.text import point_at
from nobi.games.go import Go, GoSettings
from nobi.records.collection import PASS_CODE, WHITE_BIT, collection_of
from nobi.records.replay import check
from nobi.records.sgf_reader import parse_sgf


def errors(*texts):
    records = [record for text in texts for record in parse_sgf(text if isinstance(text, bytes) else text.encode())]
    return [error and (error.kind, error.reason) for error in check(collection_of(records))]


KO = "(;SZ[9]AB[db][cc][dd]AW[eb][fc][ed][dc];B[ec]"
"""
    D E          black has just taken the white stone at D7 from E7
8 . X O .
7 X . X O
6 . X O .
"""
TWO_KOS = "(;SZ[9]AB[db][cc][dd][df][cg][dh][eg]AW[eb][fc][ed][dc][ef][fg][eh];B[ec];W[dg];B[];W[dc];B[eg])"
"""Black and white alternately take two kos, so that the fifth move recreates the start."""


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("(;SZ[9];B[aa];W[aa])", "illegal-move", "Move 2, white at A9, is illegal: the point is taken."),
        ("(;SZ[9]AB[cc];W[aa];B[cc])", "illegal-move", "Move 2, black at C7, is illegal: the point is taken."),
        ("(;SZ[9]AB[ab][ba];W[aa])", "illegal-move", "Move 1, white at A9, is illegal: it is suicide."),
        (KO + ";W[dc])", "illegal-move", "Move 2, white at D7, is illegal: it recaptures a ko at once."),
        (KO + ";W[aa];B[bb];W[dc])", None, None),
        (KO + ";W[];B[];W[dc])", None, None),
        ("(;SZ[9]AB[aa]AW[ab][ba];B[ee])", "set-up", "The stones at A9 are set up without a liberty."),
        (
            "(;SZ[9];B[aa];W[];B[];W[];B[];W[aa])",
            "illegal-move",
            "Move 6, white at A9, is illegal: the point is taken.",
        ),
        ("(;SZ[9];B[aa];W[];B[];W[bb])", None, None),  # two passes do not end the replay
        ("(;SZ[9];B[aa];B[bb];B[cc];W[dd])", None, None),
    ],
)
def test_first_illegal_move(text, kind, reason):
    [found] = errors(text)
    if kind is None:
        assert found is None
    else:
        assert found == (kind, reason)


def test_long_cycles_are_legal():
    """Records contain moves that superko would forbid."""
    assert errors(TWO_KOS) == [None]
    [record] = parse_sgf(TWO_KOS.encode())
    game = Go(9, GoSettings(ko="positional"))
    codes = [*record.setup.tolist(), *record.moves.tolist()]
    points = [PASS if c & PASS_CODE == PASS_CODE else point_at(*divmod(c & PASS_CODE, 9), 9) for c in codes]
    game.set_up([(points[i], WHITE if c & WHITE_BIT else BLACK) for i, c in enumerate(record.setup)], BLACK)
    for move in points[len(record.setup) : -1]:
        game.play(move)
    assert not game.is_legal(points[-1])


def test_many_games_of_many_sizes_at_once():
    rng = np.random.default_rng(3)
    good = [random_sgf(rng, size, 60) for size in (5, 9, 13, 9, 19, 25, 5, 18)]
    bad = b"(;SZ[13];B[aa];W[bb];B[bb])"
    found = errors(*good[:3], bad, *good[3:])
    assert found.pop(3) == ("illegal-move", "Move 3, black at B12, is illegal: the point is taken.")
    assert found == [None] * 8


def test_games_longer_than_any_board():
    moves = "".join(";B[]" if i % 2 else ";W[]" for i in range(5000))
    assert errors(f"(;SZ[5];B[aa]{moves};W[bb])", f"(;SZ[5];B[aa]{moves};W[aa])") == [
        None,
        ("illegal-move", "Move 5002, white at A5, is illegal: the point is taken."),
    ]
