"""The results of many games: who had which colour, and what the outcomes are worth to A."""

import pytest

from helpers.arena import results
from nobi.board.stones import BLACK, DRAW, WHITE
from nobi.games import variant


def test_colours_alternate_and_points_are_those_of_a():
    played = results(variant("atari-go", 5), [BLACK, BLACK, DRAW], [3, 25, 14], first=3)
    assert played.colour_of_a.tolist() == [WHITE, BLACK, WHITE]
    assert played.points_of_a.tolist() == [-1, 1, 0]
    # S08: won 1 − 0.2 (M − 3)/(25 − 3), lost the negative
    assert played.score_of_a == pytest.approx([-1, 0.8, 0])
    with pytest.raises(ValueError, match="not kept"):
        played.replay(0)


def test_score_counts_length_only_where_the_paper_does():
    for spec, length, score in [("gomoku", 9, 1.0), ("gomoku", 81, 0.8), ("pente", 45, 0.9), ("go", 200, 1.0)]:
        assert results(variant(spec, 9), [BLACK], [length]).score_of_a == pytest.approx([score])
