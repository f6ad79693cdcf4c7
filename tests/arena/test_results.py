"""The results of many games: colours, scores of A, and the summary."""

import pytest

from helpers.arena import results
from nobi.arena.results import summarise
from nobi.board.stones import BLACK, DRAW, RUNNING, WHITE
from nobi.errors import NobiError
from nobi.games import variant


def test_summary_counts_by_colour():
    played = results(variant("gomoku", 5), [BLACK, BLACK, DRAW, WHITE, WHITE, WHITE, DRAW], [25] * 7)
    found = {key: (s.games, s.wins, s.draws, s.losses) for key, s in summarise(played).items()}
    assert found == {"black": (4, 1, 2, 1), "white": (3, 2, 0, 1), "all": (7, 3, 2, 2)}
    assert summarise(played)["all"].win_rate.value == pytest.approx(4 / 7)


def test_unfinished_games_do_not_count():
    played = results(variant("gomoku", 5), [BLACK, DRAW, BLACK, RUNNING, WHITE], [25, 25, 25, 0, 25])
    found = {key: (s.games, s.wins, s.draws, s.losses) for key, s in summarise(played).items()}
    assert found == {"black": (2, 2, 0, 0), "white": (1, 0, 1, 0), "all": (3, 2, 1, 0)}


def test_colours_alternate_and_points_are_those_of_a():
    played = results(variant("atari-go", 5), [BLACK, BLACK, DRAW], [3, 25, 14], first=3)
    assert played.colour_of_a.tolist() == [WHITE, BLACK, WHITE]
    assert played.points_of_a.tolist() == [-1, 1, 0]
    # S08: won 1 − 0.2 (M − 3)/(25 − 3), lost the negative
    assert played.score_of_a == pytest.approx([-1, 0.8, 0])
    with pytest.raises(NobiError, match="not kept"):
        played.replay(0)


def test_score_counts_length_only_where_the_paper_does():
    for spec, length, score in [("gomoku", 9, 1.0), ("gomoku", 81, 0.8), ("pente", 45, 0.9), ("go", 200, 1.0)]:
        assert results(variant(spec, 9), [BLACK], [length]).score_of_a == pytest.approx([score])
