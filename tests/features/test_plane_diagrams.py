"""Single planes of hand-made positions: ladders, captures, ko, latest moves, rank."""

import re

import numpy as np
import pytest

from helpers.diagrams import CAPTURES, ENDLESS_LADDER, KO, ONE_STONE_SUICIDE
from helpers.positions import play, position
from helpers.twins import as_dict
from nobi.board.ladders import allocate_ladder_workspace, captures_in_ladder, ladder_limit_hits
from nobi.board.stones import BLACK, WHITE
from nobi.board.text import COLUMNS, point_named, row_column
from nobi.encoding import position_planes
from nobi.errors import NobiError
from nobi.features import make_planes
from nobi.games.go import Go
from nobi.games.gomoku import Gomoku
from reference import planes as plain
from reference import surround

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


def with_stones(diagram, **stones):
    """A diagram with further stones: X="D4 E5"."""
    rows = [line.split() for line in diagram.strip().splitlines()]
    for mark, names in stones.items():
        for name in names.split():
            rows[len(rows) - int(name[1:])][COLUMNS.index(name[0])] = mark
    return "\n".join(" ".join(row) for row in rows)


LADDER = """
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. X O . . . . . .
. . X X . . . . .
. . . . . . . . .
"""
"""Black drives the stone at C3 to the upper right, beginning at C4."""

FROM_ATARI = with_stones(LADDER, O="A3 B2")
"""The same, but black's stone at B3 is in atari, and beside the chain."""

TWO_WAYS = """
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . X . . . . .
. . . X O . . . .
. . . . X X . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
"""
"""The stone at E5 can be driven upwards and to the right."""

TWO_CHAINS = """
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . X X . X X . .
. . X O . O X . .
. . X . . . X . .
. . . . . . . . .
. . . . . . . . .
"""
"""Black at E4 begins two ladders at once, one to either side."""

EDGE = """
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
. . . X . . .
. . X O . . .
. . . . . . .
"""

LADDERS = {
    "works": (LADDER, {"C4"}),
    "broken by a stone on its way": (with_stones(LADDER, O="G7"), set()),
    "broken by a stone beside its way": (with_stones(LADDER, O="F7"), set()),
    "a stone far from its way does not matter": (with_stones(LADDER, O="H3"), {"C4"}),
    "the attacker's own stone on the way helps": (with_stones(LADDER, O="H8", X="F7"), {"C4"}),
    "the chain captures a chaser in atari": (FROM_ATARI, set()),
    "the chaser is covered": (with_stones(FROM_ATARI, X="B4"), {"A2", "A4", "B1", "C4", "D3"}),
    "double, two ways": (TWO_WAYS, {"E6", "F5"}),
    "double, two ways, the one upwards broken": (with_stones(TWO_WAYS, O="H5"), {"F5"}),
    "double, two ways, the one to the right broken": (with_stones(TWO_WAYS, O="E8"), {"E6"}),
    "double, two ways, both broken by one stone": (with_stones(TWO_WAYS, O="G7"), set()),
    "double, two chains": (TWO_CHAINS, {"E4"}),
    "double, two chains, one broken": (with_stones(TWO_CHAINS, O="D2"), {"E4"}),
    "double, two chains, the other broken": (with_stones(TWO_CHAINS, O="F2"), {"E4"}),
    "double, two chains, both broken": (with_stones(TWO_CHAINS, O="D2 F2"), set()),
    "driven along the edge": (EDGE, {"E2"}),
}


@pytest.mark.parametrize("name", LADDERS)
def test_ladders(name):
    diagram, expected = LADDERS[name]
    game = position("go", diagram, BLACK)
    assert marked(game, "ladder") == expected
    twin = plain.planes_of("m15", plain.replay(game.size, as_dict(game), []), surround.BLACK, [], 0)
    assert int(twin["ladder"].sum()) == len(expected)


def test_a_ladder_is_marked_for_the_attacker_only():
    assert marked(position("go", LADDER, WHITE), "ladder") == set()


@pytest.mark.parametrize(("breaker", "expected"), [("", {"C4"}), ("W23", set())])
def test_a_ladder_runs_across_the_largest_board(breaker, expected):
    empty = "\n".join([" ".join("." * 25)] * 25)
    diagram = with_stones(empty, X="B3 C2 D2", O=f"C3 {breaker}")
    assert marked(position("go", diagram), "ladder") == expected


@pytest.mark.parametrize(("stones", "steps"), [("Z21", 1300), ("M1 Z21", 2800)])
def test_a_ladder_that_branches_is_read_to_its_end(stones, steps):
    """White stones on and near the edge mislead the attacker, but only at the far end of the board."""
    empty = "\n".join([" ".join("." * 25)] * 25)
    game = position("go", with_stones(empty, X="B3 C2 D2", O=f"C3 {stones}"))
    before = ladder_limit_hits()
    assert marked(game, "ladder") == {"C4"}
    assert ladder_limit_hits() == before
    workspace = allocate_ladder_workspace(25)
    move, target = (np.uint16(point_named(name, 25)) for name in ("C4", "C3"))
    assert captures_in_ladder(game.boards.stones, game.boards.chains, 0, workspace, move, target)
    assert workspace.steps[0] > steps
    twin = plain.replay(25, as_dict(game), [])
    assert plain.is_ladder(twin.board, 25, row_column(int(move), 25), surround.BLACK)


def test_an_endless_ladder_is_counted():
    before = ladder_limit_hits()
    marked(position("go:ko=simple", ENDLESS_LADDER), "ladder")
    assert ladder_limit_hits() == before + 1


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
