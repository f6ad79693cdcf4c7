"""Single planes of hand-made positions: ladders, captures, ko, latest moves, rank."""

import re

import numpy as np
import pytest

from helpers.diagrams import CAPTURES, KO, LADDER, ONE_STONE_SUICIDE
from helpers.positions import play, position
from nobi.board.text import COLUMNS
from nobi.encoding import position_planes
from nobi.errors import NobiError
from nobi.features import make_planes
from nobi.games.go import Go
from nobi.games.gomoku import Gomoku

M15 = make_planes("m15")


def marked(game, plane, planes=M15, rank=0):
    """The names of the points where a plane is 1."""
    values = position_planes(game, planes, rank)[planes.channels.index(plane)]
    return {f"{COLUMNS[c]}{game.size - r}" for r, c in zip(*np.nonzero(values), strict=True)}


def counted(game, plane):
    """By point: the number, as text, encoded by the planes of this name."""
    found = {}
    for name in M15.channels:
        start, _, number = name.rpartition(" ")
        if start == plane:
            for point in marked(game, name):
                assert point not in found, f"{point} is on two planes"
                found[point] = number
    return found


def test_liberties():
    game = position("go", LADDER)
    assert counted(game, "liberties") == {"B3": "3", "C3": "2", "C2": "4+", "D2": "4+"}
    seven = make_planes("c14-7")
    assert marked(game, "own, liberties 3+", seven) == {"B3", "C2", "D2"}
    assert marked(game, "enemy, liberties 2", seven) == {"C3"}


SNAPBACK = """
. . . . .
. . . . .
X X X X .
O O O X .
. . O X .
"""


def test_liberties_after_a_move_in_a_snapback():
    """Black throws in at B1; white captures it and has one liberty left, and black captures five stones."""
    game = position("go", SNAPBACK)
    assert counted(game, "liberties after")["B1"] == "1"
    assert counted(game, "captures") == {}
    play(game, "B1")
    assert counted(game, "captures") == {"A1": "1"}
    assert counted(game, "liberties after")["A1"] == "1"
    play(game, "A1")
    assert counted(game, "captures") == {"B1": "5"}
    assert counted(game, "liberties after")["B1"] == "3"  # A1, B2 and C1, just freed


def test_several_chains_are_captured_at_once():
    game = position("go", CAPTURES["four chains, filling the own last liberty"].before)
    assert counted(game, "captures")["C3"] == "4"
    assert counted(game, "liberties after")["C3"] == "4"


@pytest.mark.parametrize("name", CAPTURES)
def test_captures(name):
    case = CAPTURES[name]
    game = position("go", case.before)
    taken = str(case.taken) if case.taken < 7 else "7+"
    assert counted(game, "captures")[case.move] == taken
    after = counted(game, "liberties after")[case.move]
    game.play(case.move)
    seen = counted(game, "liberties")[case.move]
    assert after == seen or (seen == "4+" and after in {"4", "5", "6+"})


def test_ko_is_forbidden_and_marked():
    game = play(position("go:ko=simple", KO), "C1")
    assert marked(game, "ko", make_planes("c14-3")) == {"B1"}
    assert "B1" not in marked(game, "legal")
    assert "B1" not in counted(game, "captures").keys() | counted(game, "liberties after").keys()
    play(game, "E5 E4")
    assert marked(game, "ko", make_planes("c14-7")) == set()
    assert counted(game, "captures") == {"B1": "1"}


def test_suicide_is_not_legal():
    game = position("go", ONE_STONE_SUICIDE)
    assert "A5" not in marked(game, "legal")
    assert "A5" not in counted(game, "liberties after")


def test_turns_since_count_passes_and_exclude_captured_stones():
    game = play(position("go:ko=simple", KO), "C1")
    assert counted(game, "turns since")["C1"] == "1"
    assert "B1" not in counted(game, "turns since")
    assert {point for point, turns in counted(game, "turns since").items() if turns == "5+"} == {"A1", "B2", "C2", "D1"}
    play(game, "E5 pass")
    assert counted(game, "turns since") == {"C1": "3", "E5": "2"} | dict.fromkeys(["A1", "B2", "C2", "D1"], "5+")
    play(game, "B1")  # takes C1 back
    assert counted(game, "turns since") == {"B1": "1", "E5": "3"} | dict.fromkeys(["A1", "B2", "C2", "D1"], "5+")
    play(game, "E4 D5 C1")
    assert counted(game, "turns since")["C1"] == "1"
    assert "B1" not in counted(game, "turns since")


@pytest.mark.parametrize(("rank", "plane"), [(1, 1), (9, 9), (10, 9), (0, None), (-3, None)])
def test_rank(rank, plane):
    planes = position_planes(Go(5), M15, rank)
    constant = {dan: planes[M15.channels.index(f"rank {dan}d")] for dan in range(1, 10)}
    assert all((values == (dan == plane)).all() for dan, values in constant.items())


def test_the_edge_plane_is_empty_on_the_board():
    planes = make_planes("c14-7:edge=true")
    assert planes.edge == 7
    assert planes.channels[7] == "edge"
    assert not position_planes(play(Go(5), "C3"), planes)[7].any()
    assert make_planes("c14-7").edge is None


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (
            "m16",
            "There is no set of planes 'm16'; choose one of c14-3, c14-7, m15, m15-noladder, m15-norank, m15-reduced",
        ),
        ("c14-3:edge=2", "'c14-3:edge=2': edge is true or false, not '2'"),
        ("m15:rank=no", "'m15:rank=no': there is no setting 'rank'; it takes none"),
    ],
)
def test_bad_specs(spec, sentence):
    with pytest.raises(NobiError, match=re.escape(sentence)):
        make_planes(spec)


def test_other_games_have_no_planes():
    with pytest.raises(NobiError, match="positions of Go only, not of gomoku"):
        position_planes(Gomoku(9), M15)
