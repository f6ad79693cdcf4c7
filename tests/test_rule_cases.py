"""The rules of every game, case by case, on positions drawn as text: X is black, O is white."""

import random

import numpy as np
import pytest

from nobi.board.stones import BLACK, DRAW, EMPTY, PASS, RUNNING, WHITE
from nobi.board.vertices import COLUMNS, point_named, row_column, vertex_name
from nobi.errors import NobiError
from nobi.games import variant
from nobi.games.base import LOSES, UNDECIDED, WINS
from nobi.games.go import handicap_points

KO_RULES = ["simple", "positional", "situational"]
GAMES = ["atari-go", "go", "gomoku", "pente"]


def drawn(diagram):
    """The rows of a diagram without blanks, from the top."""
    return ["".join(row.split()) for row in diagram.split("\n") if row.strip()]


def side_by_side(diagrams):
    """The two diagrams of `left | right` lines."""
    pairs = [row.split("|") for row in diagrams.split("\n") if row.strip()]
    return ["\n".join(column) for column in zip(*pairs, strict=True)]


def position(word, diagram, to_move=BLACK):
    """A game of the variant `word` that starts from a diagram."""
    chosen = variant(word, len(drawn(diagram)))
    return chosen.game.from_text(diagram, to_move, chosen.settings)


def picture(game):
    """The rows of the board, to be compared with `drawn`."""
    size = game.size
    return ["".join(".XO"[game.colour(f"{x}{y}")] for x in COLUMNS[:size]) for y in range(size, 0, -1)]


def play(game, moves):
    for move in moves.split():
        game.play(move)
    return game


def prisoners(game):
    """How many black and how many white stones have been taken off the board."""
    return [int(game.boards.prisoners[0, colour]) for colour in (BLACK, WHITE)]


def captured(game):
    """How many stones black and white have captured in Atari-Go."""
    return [int(game.boards.captured[0, colour]) for colour in (BLACK, WHITE)]


def verdict(game, move):
    """What the rules say of a move before it is played."""
    return game.rules.verdict(game.boards, 0, np.uint16(point_named(move, game.size)))


def points(names, size):
    return [point_named(name, size) for name in names.split()]


def assert_forbidden(game, move):
    before = picture(game)
    assert not game.is_legal(move)
    assert point_named(move, game.size) not in game.legal_moves()
    with pytest.raises(NobiError, match=rf"{move} cannot be played: .+\.$"):
        game.play(move)
    assert picture(game) == before


# Go: captures


@pytest.mark.parametrize(
    ("move", "taken", "before_and_after"),
    [
        pytest.param(
            "C2",
            1,
            """
            . . . . . | . . . . .
            . . X . . | . . X . .
            . X O X . | . X . X .
            . . . . . | . . X . .
            . . . . . | . . . . .
            """,
            id="one stone",
        ),
        pytest.param(
            "A1",
            2,
            """
            . . . . . | . . . . .
            . . . . . | . . . . .
            X . . . . | X . . . .
            O X . . . | . X . . .
            . O X . . | X . X . .
            """,
            id="two chains, filling the own last liberty in the corner",
        ),
        pytest.param(
            "C3",
            4,
            """
            . . X . . | . . X . .
            . X O X . | . X . X .
            X O . O X | X . X . X
            . X O X . | . X . X .
            . . X . . | . . X . .
            """,
            id="four chains, filling the own last liberty",
        ),
        pytest.param(
            "A1",
            3,
            """
            . . . . . | . . . . .
            . . . . . | . . . . .
            X X . . . | X X . . .
            O O X . . | . . X . .
            . O X . . | X . X . .
            """,
            id="a chain that touches the point on two sides counts once",
        ),
        pytest.param(
            "C1",
            5,
            """
            . . . . . | . . . . .
            . . . . . | . . . . .
            . X X X . | . X X X .
            X O O O X | X . . . X
            X O . O X | X . X . X
            """,
            id="a chain that touches the point on three sides counts once",
        ),
        pytest.param(
            "D4",
            8,
            """
            . . . . . . . | . . . . . . .
            . . X X X . . | . . X X X . .
            . X O O O X . | . X . . . X .
            . X O . O X . | . X . X . X .
            . X O O O X . | . X . . . X .
            . . X X X . . | . . X X X . .
            . . . . . . . | . . . . . . .
            """,
            id="a chain that touches the point on all sides counts once",
        ),
        pytest.param(
            "A2",
            4,
            """
            . . . . . | . . . . .
            X X . . . | X X . . .
            O O X . . | . . X . .
            . O X . . | X . X . .
            O X . . . | . X . . .
            """,
            id="a chain on two sides and another on the third",
        ),
    ],
)
@pytest.mark.parametrize("ko", KO_RULES)
def test_go_captures(ko, move, taken, before_and_after):
    before, after = side_by_side(before_and_after)
    game = position(f"go:ko={ko}", before)
    game.play(move)
    assert picture(game) == drawn(after)
    assert prisoners(game) == [0, taken]


def test_go_stones_with_a_liberty_left_stay():
    game = position(
        "go",
        """
        . . . . .
        . . X . .
        . X O X .
        . . O . .
        . . . . .
        """,
    )
    play(game, "B2 A5 D2")
    assert game.colour("C3") == game.colour("C2") == WHITE
    assert prisoners(game) == [0, 0]


@pytest.mark.parametrize("ko", KO_RULES)
def test_go_snapback(ko):
    """White throws a stone in, black takes it and leaves his chain one liberty: the point just freed."""
    game = position(
        f"go:ko={ko}",
        """
        . . . . .
        . . . . .
        O O . . .
        X X O . .
        . . X X .
        """,
        WHITE,
    )
    play(game, "B1 A1")
    assert prisoners(game) == [0, 1]
    assert game.is_legal("B1"), "one stone has been taken, but by a chain: that is no ko"
    game.play("B1")
    assert picture(game) == drawn(
        """
        . . . . .
        . . . . .
        O O . . .
        . . O . .
        . O X X .
        """
    )
    assert prisoners(game) == [3, 1]


# Go: suicide

ONE_STONE_SUICIDE = """
    . O . . .
    O . . . .
    . . . . .
    . . . . .
    . . . . .
    """
FOUR_STONE_SUICIDE = """
    X X O . .
    . X O . .
    O O . . .
    . . . . .
    . . . . .
    """


CONNECTION = """
    . X O . .
    X X O . .
    O . O . .
    O O . . .
    . . . . .
    """


@pytest.mark.parametrize("ko", KO_RULES)
@pytest.mark.parametrize(
    ("before", "move"),
    [pytest.param(ONE_STONE_SUICIDE, "A5", id="one stone"), pytest.param(FOUR_STONE_SUICIDE, "A4", id="four stones")],
)
def test_go_suicide_is_forbidden_by_default(ko, before, move):
    assert_forbidden(position(f"go:ko={ko}", before), move)


@pytest.mark.parametrize("ko", KO_RULES)
def test_go_suicide_of_several_stones_where_allowed(ko):
    game = position(f"go:suicide=true,ko={ko}", FOUR_STONE_SUICIDE)
    game.play("A4")
    assert picture(game) == drawn(
        """
        . . O . .
        . . O . .
        O O . . .
        . . . . .
        . . . . .
        """
    )
    assert prisoners(game) == [4, 0]
    assert game.to_move == WHITE
    assert not game.is_over


def test_go_suicide_of_one_stone_where_allowed_is_a_pass_that_costs_a_stone():
    game = position("go:suicide=true,ko=simple", ONE_STONE_SUICIDE)
    game.play("A5")
    assert picture(game) == drawn(ONE_STONE_SUICIDE)
    assert prisoners(game) == [1, 0]
    assert game.to_move == WHITE
    play(game, "pass")
    assert not game.is_over, "a suicide is not a pass"


def test_go_suicide_of_one_stone_repeats_the_position_but_not_the_situation():
    assert_forbidden(position("go:suicide=true,ko=positional", ONE_STONE_SUICIDE), "A5")
    game = position("go:suicide=true,ko=situational", ONE_STONE_SUICIDE)
    game.play("A5")
    assert prisoners(game) == [1, 0]
    game.play("pass")  # black's turn in the start position again
    assert_forbidden(game, "A5")


@pytest.mark.parametrize("suicide", ["true", "false"])
def test_go_a_stone_that_connects_to_a_liberty_is_no_suicide(suicide):
    game = position(f"go:suicide={suicide}", CONNECTION)
    game.play("A5")
    assert game.colour("A5") == BLACK
    assert prisoners(game) == [0, 0]


# Go: ko and superko

KO = """
    . . . . .
    . . . . .
    . . . . .
    . X O . .
    X O . O .
    """


@pytest.mark.parametrize("suicide", ["true", "false"])
@pytest.mark.parametrize("ko", KO_RULES)
def test_go_ko_is_not_taken_back_at_once(ko, suicide):
    game = position(f"go:ko={ko},suicide={suicide}", KO)
    game.play("C1")
    assert game.colour("B1") == EMPTY
    assert_forbidden(game, "B1")


@pytest.mark.parametrize("ko", KO_RULES)
@pytest.mark.parametrize(
    "between",
    [
        pytest.param("E5 A5", id="a threat and its answer"),
        pytest.param("pass A5", id="a pass and a move elsewhere"),
        pytest.param("E5 pass", id="a threat and a pass"),
    ],
)
def test_go_ko_is_taken_back_after_an_exchange(ko, between):
    game = position(f"go:ko={ko}", KO)
    play(game, "C1")
    play(game, between)
    assert game.is_legal("B1")
    game.play("B1")
    assert game.colour("C1") == EMPTY
    assert prisoners(game) == [1, 1]
    assert_forbidden(game, "C1")


def test_go_ko_threats_alternate_for_long():
    """Each retakes after every exchange elsewhere."""
    game = position("go", KO)
    for take, threat, answer in [("C1", "E5", "A5"), ("B1", "B5", "D5"), ("C1", "E4", "A4"), ("B1", "B4", "D4")]:
        game.play(take)
        assert not game.is_legal("B1" if take == "C1" else "C1")
        play(game, f"{threat} {answer}")
    assert prisoners(game) == [2, 2]


def test_go_ko_forbids_one_point_only():
    game = position("go:ko=simple", KO)
    game.play("C1")
    empty = {p for p in game.points() if game.colour(p) == EMPTY}
    assert empty - set(game.legal_moves()) == set(points("B1", 5))


SEND_TWO = """
    . . . . .
    . . . . .
    . . . . .
    X X O . .
    . O . O .
    """


@pytest.mark.parametrize(("ko", "allowed"), [("simple", True), ("positional", False), ("situational", True)])
def test_go_sending_two_returning_one(ko, allowed):
    """White sends two stones (A1), black takes them (C1), white's B1 takes one and recreates the first position.

    The first position had white to move, now black would be to move: only positional superko forbids it.
    """
    game = position(f"go:ko={ko}", SEND_TWO, WHITE)
    play(game, "A1 C1")
    assert prisoners(game) == [0, 2]
    assert game.is_legal("B1") == allowed
    if not allowed:
        assert_forbidden(game, "B1")
        return
    game.play("B1")
    assert picture(game) == drawn(SEND_TWO)
    assert prisoners(game) == [1, 2]


def test_go_sending_two_for_the_second_time():
    """After black's pass the situation is the first one: white may send two again under simple ko only."""
    for ko, allowed in [("simple", True), ("situational", False)]:
        game = position(f"go:ko={ko}", SEND_TWO, WHITE)
        play(game, "A1 C1 B1 pass")
        assert game.is_legal("A1") == allowed


TRIPLE_KO = """
    X O . O . . . . .
    . X O . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . X O . . . X O .
    X O . O . X . X O
    """


@pytest.mark.parametrize(("ko", "allowed"), [("simple", True), ("positional", False), ("situational", False)])
def test_go_triple_ko(ko, allowed):
    """Six captures lead back to the first position with the same player to move."""
    game = position(f"go:ko={ko}", TRIPLE_KO)
    play(game, "C9 G1 C1 B9 H1")
    assert prisoners(game) == [2, 3]
    if not allowed:
        assert_forbidden(game, "B1")
        return
    game.play("B1")
    assert picture(game) == drawn(TRIPLE_KO)
    assert game.to_move == BLACK
    play(game, "C9 G1 C1 B9 H1 B1")
    assert picture(game) == drawn(TRIPLE_KO)
    assert prisoners(game) == [6, 6]
    assert not game.is_over


@pytest.mark.parametrize("ko", ["positional", "situational"])
def test_go_superko_allows_the_cycle_after_a_move_elsewhere(ko):
    game = position(f"go:ko={ko}", TRIPLE_KO)
    play(game, "C9 G1 C1 B9 H1")
    assert not game.is_legal("B1")
    play(game, "E5 E6 B1")
    assert prisoners(game) == [3, 3]


@pytest.mark.parametrize(
    ("ko", "moves"), [("simple", "A1 C1 B1"), ("positional", "A1 C1 E5"), ("situational", "A1 C1 B1")]
)
def test_go_a_pass_is_never_a_forbidden_repetition(ko, moves):
    """Every pass repeats the position; under situational superko this one brings back the first situation."""
    game = play(position(f"go:ko={ko}", SEND_TWO, WHITE), moves)
    before = picture(game)
    assert game.is_legal("pass")
    assert game.legal_moves()[-1] == PASS
    game.play("pass")
    assert picture(game) == before
    assert game.to_move == WHITE


@pytest.mark.parametrize("ko", KO_RULES)
def test_go_undo_gives_ko_and_superko_back(ko):
    game = position(f"go:ko={ko}", SEND_TWO, WHITE)
    play(game, "A1 C1")
    before = game.legal_moves()
    for move in ["E5", "pass"]:
        game.play(move)
        game.undo()
        assert game.legal_moves() == before
    game = play(position(f"go:ko={ko}", KO), "C1 E5")
    game.undo()
    assert_forbidden(game, "B1")


# Go: long games


def test_go_game_in_the_hand_never_ends_by_its_length():
    """Sending two and returning one, again and again, far beyond the arena's limit of 75 moves."""
    game = position("go:ko=simple", SEND_TWO, WHITE)
    for turn in range(1, 101):
        play(game, "A1 C1 B1 pass")
        assert not game.is_over
        assert prisoners(game) == [turn, 2 * turn]
    assert len(game.moves) == 400 > 5 * game.most_moves(5, game.settings)
    assert picture(game) == drawn(SEND_TWO)
    copied = game.copy()
    game.undo()
    game.undo()
    assert len(game.moves) == 398
    assert prisoners(game) == [99, 200]
    play(game, "B1 pass pass")
    assert game.is_over
    assert not copied.is_over
    play(copied, "A1 C1 B1 pass")
    assert len(copied.moves) == 404


@pytest.mark.parametrize(("ko", "allowed"), [("simple", True), ("positional", False), ("situational", False)])
def test_go_superko_remembers_the_whole_of_a_long_game(ko, allowed):
    """The position after move 1 would come again at move 95, when the arena would long have ended the game."""
    game = variant(f"go:ko={ko}", 5).new()
    names = [f"{x}{y}" for y in range(1, 6) for x in "ABCDE"]  # A1 to E5
    play(game, " pass ".join(names[:-1]))
    game.play("E5")
    assert prisoners(game) == [24, 0]
    for name in names[-2:0:-1]:
        play(game, f"pass {name}")
    assert len(game.moves) == 94 > variant("go", 5).most_moves
    assert not game.is_over
    assert game.to_move == BLACK
    assert game.is_legal("A1") == allowed
    if allowed:
        game.play("A1")
        assert prisoners(game) == [24, 24]


# Go: the end and the score


def test_go_ends_with_two_passes_in_a_row():
    game = variant("go", 9).new()
    game.play("pass")
    assert not game.is_over
    assert game.result() == "?"
    assert verdict(game, "pass") == WINS
    game.play("pass")
    assert game.is_over
    assert game.outcome == WHITE
    assert game.result() == "W+7.5"
    assert game.legal_moves() == []
    for move in ["E5", "pass"]:
        with pytest.raises(NobiError, match="the game is over"):
            game.play(move)


def test_go_a_move_between_passes_starts_the_count_anew():
    game = variant("go:komi=0", 5).new()
    play(game, "pass C3 pass")
    assert not game.is_over
    play(game, "B3 pass")
    assert not game.is_over
    play(game, "pass")
    assert game.is_over


@pytest.mark.parametrize(
    ("komi", "foreseen", "outcome", "result"),
    [("24", WINS, BLACK, "B+1"), ("25", UNDECIDED, DRAW, "Draw"), ("25.5", LOSES, WHITE, "W+0.5")],
)
def test_go_second_pass_decides(komi, foreseen, outcome, result):
    """One black stone owns all 25 points; black passes after white."""
    game = play(variant(f"go:komi={komi}", 5).new(), "C3 pass")
    assert verdict(game, "A1") == UNDECIDED
    assert verdict(game, "pass") == foreseen
    game.play("pass")
    assert game.outcome == outcome
    assert game.result() == result
    game.undo()
    assert game.outcome == RUNNING
    assert game.result() == "?"


EMPTY_BOARD = """
    . . . . .
    . . . . .
    . . . . .
    . . . . .
    . . . . .
    """
ONE_STONE = """
    . . . . .
    . . . . .
    . . X . .
    . . . . .
    . . . . .
    """
HALVES = """
    . X . O .
    . X . O .
    . X . O .
    . X . O .
    . X . O .
    """
UNEVEN = """
    . X O . .
    . X O . .
    . X O . .
    . X O . .
    . X O . .
    """
GAP = """
    . X O . .
    . X O . .
    . . O . .
    . X O . .
    . X O . .
    """
INTRUDER = """
    . X . O .
    . X . O .
    O X . O .
    . X . O .
    . X . O .
    """
SEKI = """
    X X O . X O O
    X X O O X O O
    X X O O X O O
    . X O O X O .
    X X O O X O O
    . X O O X O .
    X X O . X O O
    """


@pytest.mark.parametrize(
    ("diagram", "komi", "by_area", "by_territory"),
    [
        pytest.param(EMPTY_BOARD, "0", "Draw", "Draw", id="the empty board is nobody's"),
        pytest.param(EMPTY_BOARD, "7.5", "W+7.5", "W+7.5", id="the empty board and komi"),
        pytest.param(EMPTY_BOARD, "-3", "B+3", "B+3", id="komi below zero"),
        pytest.param(ONE_STONE, "0", "B+25", "B+24", id="one stone owns the board"),
        pytest.param(ONE_STONE, "24", "B+1", "Draw", id="one stone against a komi of its territory"),
        pytest.param(HALVES, "0", "Draw", "Draw", id="halves, nothing between counts"),
        pytest.param(HALVES, "0.5", "W+0.5", "W+0.5", id="halves and komi"),
        pytest.param(UNEVEN, "0", "W+5", "W+5", id="white has a line more"),
        pytest.param(UNEVEN, "-5", "Draw", "Draw", id="a komi that makes up for it"),
        pytest.param(UNEVEN, "-5.5", "B+0.5", "B+0.5", id="a komi that more than makes up for it"),
        pytest.param(GAP, "0", "W+11", "W+10", id="a gap in the wall makes the region nobody's"),
        pytest.param(INTRUDER, "0", "W+6", "W+5", id="a stone inside makes the region nobody's"),
        pytest.param(SEKI, "0", "W+5", "Draw", id="seki: the shared liberties are nobody's"),
    ],
)
def test_go_score(diagram, komi, by_area, by_territory):
    for scoring, expected in [("area", by_area), ("territory", by_territory)]:
        game = position(f"go:komi={komi},scoring={scoring}", diagram)
        assert game.score() == expected
        assert game.result() == "?"
        play(game, "pass pass")
        assert game.result() == expected
        assert game.outcome == {"B": BLACK, "W": WHITE, "D": DRAW}[expected[0]]


@pytest.mark.parametrize(("to_move", "lost"), [(BLACK, [8, 0]), (WHITE, [0, 13])], ids=["black", "white"])
def test_go_whoever_plays_first_in_a_seki_loses_his_stones(to_move, lost):
    game = play(position("go", SEKI, to_move), "D1 D7")
    assert prisoners(game) == lost


@pytest.mark.parametrize(
    ("diagram", "blacks", "whites"),
    [
        pytest.param(EMPTY_BOARD, "", "", id="empty board"),
        pytest.param(HALVES, "A1 A2 A3 A4 A5 B1 B2 B3 B4 B5", "D1 D2 D3 D4 D5 E1 E2 E3 E4 E5", id="halves"),
        pytest.param(
            INTRUDER, "B1 B2 B3 B4 B5", "A3 D1 D2 D3 D4 D5 E1 E2 E3 E4 E5", id="a region that touches both colours"
        ),
    ],
)
def test_go_owners(diagram, blacks, whites):
    owners = position("go", diagram).owners()
    assert len(owners) == 25
    assert {p for p, owner in owners.items() if owner == BLACK} == set(points(blacks, 5))
    assert {p for p, owner in owners.items() if owner == WHITE} == set(points(whites, 5))


INTRUDERS = """
    O X . O .
    O X . O X
    . X . O .
    O X . O .
    . X . O .
    """


@pytest.mark.parametrize(
    ("diagram", "dead", "by_area", "by_territory"),
    [
        pytest.param(INTRUDER, "", "W+6", "W+5", id="none"),
        pytest.param(INTRUDER, "A3", "Draw", "B+1", id="one"),
        pytest.param(INTRUDERS, "", "W+2", "Draw", id="none of three chains"),
        pytest.param(INTRUDERS, "A5 A2", "B+6", "B+8", id="a chain named by one of its stones"),
        pytest.param(INTRUDERS, "A5 A4 A2", "B+6", "B+8", id="a chain named by all of its stones"),
        pytest.param(INTRUDERS, "A5 A2 E4", "Draw", "B+2", id="stones of both colours"),
        pytest.param(INTRUDERS, "E4 C3", "W+8", "W+6", id="an empty point among them changes nothing"),
    ],
)
def test_go_dead_stones(diagram, dead, by_area, by_territory):
    for scoring, expected in [("area", by_area), ("territory", by_territory)]:
        game = position(f"go:komi=0,scoring={scoring}", diagram)
        assert game.score(dead=points(dead, 5)) == expected
        assert game.score(dead=iter(points(dead, 5))) == expected
        assert picture(game) == drawn(diagram)
        assert prisoners(game) == [0, 0]


@pytest.mark.parametrize(
    ("word", "diagram", "to_move", "move", "before", "after"),
    [
        pytest.param(
            "go:komi=0",
            """
            . X . O .
            . X . O .
            . X . O .
            . X . O .
            O X . O .
            """,
            BLACK,
            "A2",
            "W+6",
            "Draw",
            id="area counts no prisoners",
        ),
        pytest.param(
            "go:komi=0,scoring=territory",
            """
            . X . O .
            . X . O .
            . X . O .
            . X . O .
            O X . O .
            """,
            BLACK,
            "A2",
            "W+5",
            "Draw",
            id="territory counts a prisoner",
        ),
        pytest.param(
            "go:komi=6.5,scoring=territory",
            """
            X O . X .
            X O . X .
            . O . X .
            X O . X .
            . O . X .
            """,
            WHITE,
            "A3",
            "W+1.5",
            "W+5.5",
            id="white's prisoners count for white",
        ),
        pytest.param(
            "go:komi=0,scoring=territory,suicide=true,ko=simple",
            """
            . X . O .
            X X . O .
            . X . O .
            . X . O .
            . X . O .
            """,
            WHITE,
            "A5",
            "W+1",
            "Draw",
            id="a suicide of one stone is a prisoner",
        ),
        pytest.param(
            "go:komi=0,scoring=territory,suicide=true",
            """
            . X . O .
            . X . O .
            X X . O .
            . X . O .
            O X . O .
            """,
            WHITE,
            "A2",
            "W+3",
            "B+1",
            id="a suicide of two stones is two prisoners",
        ),
    ],
)
def test_go_prisoners_in_the_score(word, diagram, to_move, move, before, after):
    game = position(word, diagram, to_move)
    assert game.score() == before
    game.play(move)
    assert game.score() == after


def test_go_margin_is_blacks_points_less_whites_and_komi():
    game = position("go:komi=6.5,scoring=territory", INTRUDERS)
    assert game.margin() == -6.5
    assert game.margin(dead=points("A5 A2 E4", 5)) == -4.5


# Go: handicap and set-up

GTP_HANDICAP = [
    *("low.low", "high.high", "low.high", "high.low"),
    *("low.middle", "high.middle", "middle.low", "middle.high", "middle.middle"),
]
"""column.row of the nine stones in the order of the table in section 4.1.1 of the GTP 2 specification."""


def gtp_handicap(stones, size):
    """That table for any board: stones stand on the third line below 13x13, on the fourth from there on."""
    line = 3 if size < 13 else 4
    lines = {"low": line, "middle": (size + 1) // 2, "high": size + 1 - line}
    chosen = GTP_HANDICAP[:stones]
    if stones in (5, 7):
        chosen[-1] = "middle.middle"
    pairs = [name.split(".") for name in chosen]
    return [f"{COLUMNS[lines[column] - 1]}{lines[row]}" for column, row in pairs]


@pytest.mark.parametrize(
    ("size", "stones", "expected"),
    [
        (7, 2, "C3 E5"),
        (7, 4, "C3 E5 C5 E3"),
        (8, 2, "C3 F6"),
        (8, 3, "C3 F6 C6"),
        (8, 4, "C3 F6 C6 F3"),
        (9, 2, "C3 G7"),
        (9, 5, "C3 G7 C7 G3 E5"),
        (9, 9, "C3 G7 C7 G3 C5 G5 E3 E7 E5"),
        (12, 4, "C3 K10 C10 K3"),
        (13, 3, "D4 K10 D10"),
        (13, 9, "D4 K10 D10 K4 D7 K7 G4 G10 G7"),
        (19, 2, "D4 Q16"),
        (19, 3, "D4 Q16 D16"),
        (19, 4, "D4 Q16 D16 Q4"),
        (19, 5, "D4 Q16 D16 Q4 K10"),
        (19, 6, "D4 Q16 D16 Q4 D10 Q10"),
        (19, 7, "D4 Q16 D16 Q4 D10 Q10 K10"),
        (19, 8, "D4 Q16 D16 Q4 D10 Q10 K4 K16"),
        (19, 9, "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"),
        (25, 9, "D4 W22 D22 W4 D13 W13 N4 N22 N13"),
    ],
)
def test_go_handicap_points_are_those_of_gtp(size, stones, expected):
    assert gtp_handicap(stones, size) == expected.split()
    assert set(handicap_points(stones, size)) == set(points(expected, size))


@pytest.mark.parametrize("size", [7, 8, 9, 10, 11, 12, 13, 14, 19, 24, 25])
def test_go_handicap_on_every_board(size):
    most = 4 if size == 7 or size % 2 == 0 else 9
    for stones in range(2, most + 1):
        found = [vertex_name(point, size) for point in handicap_points(stones, size)]
        assert sorted(found) == sorted(gtp_handicap(stones, size))


def test_go_handicap_points_come_in_the_order_of_gtps_table():
    for stones in range(2, 10):
        assert [vertex_name(point, 19) for point in handicap_points(stones, 19)] == gtp_handicap(stones, 19)


@pytest.mark.parametrize(
    ("size", "stones", "message"),
    [
        (5, 2, "There is no fixed handicap on 5x5."),
        (6, 2, "There is no fixed handicap on 6x6."),
        (7, 5, "Handicap on 7x7 is 2 to 4 stones, not 5."),
        (8, 5, "Handicap on 8x8 is 2 to 4 stones, not 5."),
        (18, 9, "Handicap on 18x18 is 2 to 4 stones, not 9."),
        (9, 1, "Handicap on 9x9 is 2 to 9 stones, not 1."),
        (9, 0, "Handicap on 9x9 is 2 to 9 stones, not 0."),
        (19, 10, "Handicap on 19x19 is 2 to 9 stones, not 10."),
        (19, -2, "Handicap on 19x19 is 2 to 9 stones, not -2."),
    ],
)
def test_go_handicap_that_does_not_exist(size, stones, message):
    game = variant("go", size).new()
    with pytest.raises(NobiError) as fault:
        game.place_handicap(stones)
    assert str(fault.value) == message
    assert game.to_move == BLACK
    assert game.start == []


def test_go_handicap_lets_white_move_first():
    game = variant("go", 19).new()
    game.place_handicap(4)
    assert game.to_move == WHITE
    assert game.start == [(p, BLACK) for p in sorted(points("D16 Q16 D4 Q4", 19))]
    game.play("C3")
    assert game.colour("C3") == WHITE
    assert game.moves == points("C3", 19)
    game.undo()
    assert game.to_move == WHITE
    assert sum(row.count("X") for row in picture(game)) == 4
    with pytest.raises(NobiError, match="no move to take back"):
        game.undo()


def test_go_handicap_after_a_move_is_refused():
    game = play(variant("go", 9).new(), "E5")
    with pytest.raises(NobiError, match=r"Stones can be set up only before the first move\."):
        game.place_handicap(2)
    assert picture(game)[4] == "....X...."
    assert sum(row.count("X") for row in picture(game)) == 1


@pytest.mark.parametrize("word", ["atari-go", "go", "gomoku", "pente:centre=false"])
def test_set_up_stones(word):
    game = variant(word, 5).new()
    game.set_up([(point_named("A1", 5), BLACK)], BLACK)
    game.set_up([(point_named("C3", 5), BLACK), (point_named("B3", 5), WHITE)], WHITE)
    expected = drawn(
        """
        . . . . .
        . . . . .
        . O X . .
        . . . . .
        . . . . .
        """
    )
    assert picture(game) == expected
    assert game.to_move == WHITE
    assert game.start == [(point_named("B3", 5), WHITE), (point_named("C3", 5), BLACK)]
    game.play("D3")
    assert game.colour("D3") == WHITE
    assert game.to_move == BLACK
    with pytest.raises(NobiError, match=r"Stones can be set up only before the first move\."):
        game.set_up([], BLACK)
    game.undo()
    assert picture(game) == expected
    assert game.to_move == WHITE


@pytest.mark.parametrize("word", GAMES)
def test_set_up_of_two_colours_on_one_point_is_refused(word):
    game = variant(word, 5).new()
    with pytest.raises(NobiError, match=r"B3 is set up twice\."):
        game.set_up([(point_named("B3", 5), BLACK), (point_named("B3", 5), WHITE)], BLACK)


@pytest.mark.parametrize("word", ["go", "go:suicide=true", "atari-go"])
@pytest.mark.parametrize(
    ("diagram", "where"),
    [
        pytest.param(
            """
            . . . . .
            . . X . .
            . X O X .
            . . X . .
            . . . . .
            """,
            "C3",
            id="a stone",
        ),
        pytest.param(
            """
            . . . . .
            . . . . .
            X . . . .
            O X . . .
            O X . . .
            """,
            "A2",
            id="a chain",
        ),
    ],
)
def test_set_up_stones_without_liberties_are_refused(word, diagram, where):
    with pytest.raises(NobiError) as fault:
        position(word, diagram)
    assert str(fault.value) == f"The stones at {where} are set up without a liberty."


@pytest.mark.parametrize("word", ["go", "atari-go"])
def test_set_up_that_is_refused_leaves_the_game_as_it_was(word):
    game = variant(word, 5).new()
    surrounded = [(p, BLACK) for p in points("A2 B1", 5)] + [(p, WHITE) for p in points("A1", 5)]
    with pytest.raises(NobiError):
        game.set_up(surrounded, WHITE)
    assert picture(game) == drawn(EMPTY_BOARD)
    assert game.to_move == BLACK
    game.play("C3")
    game.undo()
    assert picture(game) == drawn(EMPTY_BOARD)


# Atari-Go


@pytest.mark.parametrize(
    ("word", "diagram", "move", "result"),
    [
        pytest.param(
            "atari-go",
            """
            . . . . .
            . . X . .
            . X O X .
            . . . . .
            . . . . .
            """,
            "C2",
            "B+",
            id="a capture wins",
        ),
        pytest.param("atari-go", ONE_STONE_SUICIDE, "A5", "W+", id="a suicide of one stone loses"),
        pytest.param("atari-go", FOUR_STONE_SUICIDE, "A4", "W+", id="a suicide of several stones loses"),
        pytest.param("atari-go:captures=3", ONE_STONE_SUICIDE, "A5", "W+", id="a suicide loses whatever the captures"),
        pytest.param(
            "atari-go",
            """
            . . . . .
            . . . . .
            X . . . .
            O X . . .
            . O X . .
            """,
            "A1",
            "B+",
            id="a capture that fills the own last liberty wins",
        ),
        pytest.param("atari-go", CONNECTION, "A5", "?", id="a stone that connects to a liberty is no suicide"),
        pytest.param(
            "atari-go:captures=3",
            """
            . . . . .
            . . . . .
            X . . . .
            O X . . .
            . O X . .
            """,
            "A1",
            "?",
            id="two stones are not three, and the capture is no suicide",
        ),
        pytest.param(
            "atari-go:captures=3",
            """
            . . . . .
            . . . . .
            X X . . .
            O O X . .
            . O X . .
            """,
            "A1",
            "B+",
            id="a chain of three is three",
        ),
        pytest.param(
            "atari-go:captures=4",
            """
            . . . . .
            . . . . .
            X X . . .
            O O X . .
            . O X . .
            """,
            "A1",
            "?",
            id="a chain of three that touches on two sides is not four",
        ),
        pytest.param(
            "atari-go:captures=4",
            """
            . . . . .
            . . . . .
            . X X X .
            X O O O X
            X O . O X
            """,
            "C1",
            "B+",
            id="more than needed win too",
        ),
    ],
)
def test_atari_go(word, diagram, move, result):
    game = position(word, diagram)
    assert game.is_legal(move)
    assert verdict(game, move) == {"B+": WINS, "W+": LOSES, "?": UNDECIDED}[result]
    game.play(move)
    assert game.result() == result
    assert game.is_over == (result != "?")


def test_atari_go_white_wins_by_the_same_rules():
    game = variant("atari-go", 5).new()
    play(game, "A1 A2 C3")
    assert verdict(game, "B1") == WINS
    game.play("B1")
    assert game.result() == "W+"
    assert game.colour("A1") == EMPTY
    assert game.legal_moves() == []
    with pytest.raises(NobiError, match="the game is over"):
        game.play("E5")


def test_atari_go_every_empty_point_may_be_played():
    game = position("atari-go", ONE_STONE_SUICIDE)
    assert game.legal_moves() == [p for p in game.points() if game.colour(p) == EMPTY]
    assert len(game.legal_moves()) == 23
    assert not game.is_legal("B5")


def test_atari_go_counts_stones_over_several_moves():
    game = position(
        "atari-go:captures=3",
        """
        O . X O .
        X . . X .
        . . . . .
        X . . . .
        O O X . .
        """,
    )
    play(game, "B5 C3 B2")
    assert game.result() == "B+"
    assert captured(game) == [3, 0]
    game.undo()
    game.undo()
    game.undo()
    play(game, "B2 C3")
    assert captured(game) == [2, 0]
    assert verdict(game, "E5") == WINS
    assert verdict(game, "E3") == UNDECIDED
    game.play("E5")
    assert game.result() == "B+"


def test_atari_go_has_no_ko():
    game = position("atari-go:captures=3", KO)
    play(game, "C1 B1 C1")
    assert captured(game) == [2, 1]
    assert not game.is_over
    game.play("B1")
    assert not game.is_over
    assert verdict(game, "C1") == WINS
    game.play("C1")
    assert game.result() == "B+"


@pytest.mark.parametrize("word", ["atari-go", "gomoku", "pente"])
def test_games_without_a_pass(word):
    game = variant(word, 5).new()
    assert not game.is_legal("pass")
    assert PASS not in game.legal_moves()
    with pytest.raises(NobiError, match=rf"pass cannot be played: {word} has no pass\."):
        game.play("pass")


def test_atari_go_longest_game_fills_the_board():
    """Both build one chain; the only point left belongs to whoever plays it first."""
    blacks = [f"{x}{y}" for x in "AB" for y in range(1, 6)] + ["C1", "C2"]
    whites = [f"{x}{y}" for x in "ED" for y in range(1, 6)] + ["C5", "C4"]
    game = variant("atari-go", 5).new()
    for black, white in zip(blacks, whites, strict=True):
        play(game, f"{black} {white}")
        assert not game.is_over
    assert game.legal_moves() == points("C3", 5)
    game.play("C3")
    assert game.result() == "B+"
    assert len(game.moves) == 25 == variant("atari-go", 5).most_moves
    assert sum(row.count("O") for row in picture(game)) == 0


@pytest.mark.parametrize("captures", [1, 2, 3, 10, 100])
def test_atari_go_length_is_bounded(captures):
    """A point is played again only after a capture, of which there are fewer than `captures` stones each."""
    chosen = variant(f"atari-go:captures={captures}", 5)
    assert chosen.most_moves == 25 + 2 * (captures - 1)
    chance = random.Random(captures)
    longest = 0
    for _ in range(40):
        game = chosen.new()
        while not game.is_over:
            safe = [m for m in game.legal_moves() if verdict(game, vertex_name(m, 5)) == UNDECIDED]
            game.play(chance.choice(safe or game.legal_moves()))
        assert sum(captured(game)) <= 2 * (captures - 1) + 24
        longest = max(longest, len(game.moves))
    assert longest <= chosen.most_moves
    assert (longest > 25) == (captures > 1)


# Gomoku and Pente: rows

DIRECTIONS = {"east": (1, 0), "north": (0, 1), "north-east": (1, 1), "south-east": (1, -1)}


def step(name, right, up, times=1):
    """The name of the point so many steps away."""
    return f"{COLUMNS[COLUMNS.index(name[0]) + right * times]}{int(name[1:]) + up * times}"


def rows_position(word, size, black, white=(), to_move=BLACK):
    game = variant(word, size).new()
    stones = [(point_named(name, size), BLACK) for name in black]
    game.set_up(stones + [(point_named(name, size), WHITE) for name in white], to_move)
    return game


@pytest.mark.parametrize("word", ["gomoku", "pente:centre=false"])
@pytest.mark.parametrize("colour", [BLACK, WHITE], ids=["black", "white"])
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("length", [4, 5, 6, 7, 9])
def test_five_or_more_in_a_row_win(word, colour, direction, length):
    """In each direction, whichever stone comes last; four are not enough, six and more are."""
    right, up = DIRECTIONS[direction]
    start = "A9" if up < 0 else "A1"
    row = [step(start, right, up, i) for i in range(length)]
    for last in row:
        others = [name for name in row if name != last]
        black, white = (others, ()) if colour == BLACK else ((), others)
        game = rows_position(word, 9, black, white, to_move=colour)
        assert verdict(game, last) == (UNDECIDED if length == 4 else WINS)
        game.play(last)
        assert game.result() == ("?" if length == 4 else "B+" if colour == BLACK else "W+")


@pytest.mark.parametrize("word", ["gomoku", "pente:centre=false"])
def test_a_row_is_interrupted_by_a_gap_or_an_enemy(word):
    for white in ["", "E5"]:
        game = rows_position(word, 9, ["B5", "C5", "D5", "F5"], white.split())
        assert verdict(game, "G5") == UNDECIDED
        game.play("G5")
        assert game.result() == "?"


@pytest.mark.parametrize(
    "diagram",
    [
        pytest.param(
            """
            . . . . . .
            . . . X X X
            . X . . . .
            . . . . . .
            . . . . . .
            . . . . . .
            """,
            id="row end to the start of the row below",
        ),
        pytest.param(
            """
            . . . . . .
            . . . X X X
            . . . . . .
            . X . . . .
            . . . . . .
            . . . . . .
            """,
            id="row end to the start of the row after next",
        ),
        pytest.param(
            """
            . . . . . .
            . . . . . .
            . X . X X X
            . . . . . .
            . . . . . .
            . . . . . .
            """,
            id="row end to its own start",
        ),
        pytest.param(
            """
            . . . X . .
            . . . . X .
            . . . . . X
            . . . . . .
            . X . . . .
            . . . . . .
            """,
            id="diagonal beyond the right edge",
        ),
    ],
)
@pytest.mark.parametrize("word", ["gomoku", "pente:centre=false"])
def test_rows_do_not_wrap_around(word, diagram):
    game = position(word, diagram)
    for last in [f"A{y}" for y in range(1, 7)]:
        assert verdict(game, last) == UNDECIDED
        game.play(last)
        assert not game.is_over
        game.undo()


@pytest.mark.parametrize("word", ["gomoku", "pente:centre=false"])
@pytest.mark.parametrize("size", [5, 6, 9])
def test_five_stones_win_only_on_a_true_line(word, size):
    """Every five points that are a line when the board is taken for a tape (several widths) or for a torus."""
    board = [(x, y) for y in range(size) for x in range(size)]
    true, rows = set(), set()
    for x, y in board:
        for right, up in DIRECTIONS.values():
            line = [(x + right * i, y + up * i) for i in range(5)]
            if set(line) <= set(board):
                true.add(frozenset(line))
            rows.add(frozenset(((a % size), (b % size)) for a, b in line))
    for width in (size - 1, size, size + 1):
        for start in range(size * size):
            for pace in (1, width - 1, width, width + 1):
                tape = [start + pace * i for i in range(5)]
                rows.add(frozenset(board[i] for i in tape if i < size * size))
    rows = sorted(sorted(row) for row in rows | true if len(row) == 5)
    assert len(true) == 2 * size * (size - 4) + 2 * (size - 4) ** 2
    assert len(rows) > 2 * len(true)
    for row in rows:
        *others, last = [f"{COLUMNS[x]}{y + 1}" for x, y in row]
        game = rows_position(word, size, others)
        game.play(last)
        assert game.result() == ("B+" if frozenset(row) in true else "?"), row


FULL_WITHOUT_FIVE = """
    X X O O X
    O O X X O
    X X O O X
    O O X X O
    X X O O X
    """
FULL_WITH_FIVE = """
    X X X X X
    O X O X O
    X O X O X
    O X O X O
    O O X O O
    """


def moves_to(diagram, last):
    """Moves in turn, row by row from below, that lead to a diagram; `last` is the last one."""
    stones = {"X": [], "O": []}
    for y, row in enumerate(reversed(drawn(diagram)), 1):
        for x, mark in zip(COLUMNS, row, strict=False):
            stones[mark].append(f"{x}{y}")
    stones["X"].remove(last)
    stones["X"].append(last)
    assert [len(stones["X"]), len(stones["O"])] == [13, 12]
    return [stones["XO"[i % 2]][i // 2] for i in range(25)]


@pytest.mark.parametrize(
    ("diagram", "outcome"),
    [pytest.param(FULL_WITHOUT_FIVE, DRAW, id="draw"), pytest.param(FULL_WITH_FIVE, BLACK, id="five at the last move")],
)
def test_gomoku_full_board(diagram, outcome):
    *moves, last = moves_to(diagram, "A5")
    game = variant("gomoku", 5).new()
    for move in moves:
        game.play(move)
        assert game.outcome == RUNNING
    game.play(last)
    assert picture(game) == drawn(diagram)
    assert game.outcome == outcome
    assert game.result() == {DRAW: "Draw", BLACK: "B+"}[outcome]
    assert game.legal_moves() == []
    assert len(game.moves) == variant("gomoku", 5).most_moves


@pytest.mark.parametrize("word", ["gomoku", "pente"])
def test_rows_occupied_points_are_not_played(word):
    game = play(variant(word, 9).new(), "A1")
    assert_forbidden(game, "A1")
    with pytest.raises(NobiError, match="A1 cannot be played: it is taken"):
        game.play("A1")


# Pente: pairs

EIGHT = {
    "east": (1, 0),
    "north-east": (1, 1),
    "north": (0, 1),
    "north-west": (-1, 1),
    "west": (-1, 0),
    "south-west": (-1, -1),
    "south": (0, -1),
    "south-east": (1, -1),
}


@pytest.mark.parametrize("colour", [BLACK, WHITE], ids=["black", "white"])
@pytest.mark.parametrize("direction", EIGHT)
@pytest.mark.parametrize("flanked", [1, 2, 3])
def test_pente_exactly_two_stones_are_captured(colour, direction, flanked):
    right, up = EIGHT[direction]
    enemies = [step("F6", right, up, i) for i in range(1, flanked + 1)]
    friend = [step("F6", right, up, flanked + 1)]
    black, white = (friend, enemies) if colour == BLACK else (enemies, friend)
    game = rows_position("pente:centre=false", 11, black, white, to_move=colour)
    game.play("F6")
    assert game.pairs == {BLACK: 0, WHITE: 0} | {colour: int(flanked == 2)}
    left = EMPTY if flanked == 2 else BLACK + WHITE - colour
    assert [game.colour(name) for name in enemies] == [left] * flanked
    assert game.colour(friend[0]) == colour
    assert game.colour("F6") == colour
    assert not game.is_over


@pytest.mark.parametrize("direction", EIGHT)
def test_pente_a_pair_needs_a_stone_behind_it(direction):
    """Neither an empty point, nor an enemy, nor the edge behind two stones makes a capture."""
    right, up = EIGHT[direction]
    game = rows_position("pente:centre=false", 7, [], [step("D4", right, up, i) for i in (1, 2)])
    game.play("D4")
    assert game.pairs == {BLACK: 0, WHITE: 0}
    start = step("D4", right, up, 1)
    game = rows_position("pente:centre=false", 7, [], [step(start, right, up, i) for i in (1, 2)])
    game.play(start)
    assert game.pairs == {BLACK: 0, WHITE: 0}
    assert sum(row.count("O") for row in picture(game)) == 2


def test_pente_pairs_do_not_wrap_around_the_edge():
    game = position(
        "pente:centre=false",
        """
        . . . . .
        . . . O O
        X . . . .
        . X . . .
        . . . . .
        """,
    )
    for move in ["C4", "C5", "C3"]:
        game.play(move)
        assert game.pairs == {BLACK: 0, WHITE: 0}
        game.undo()


def test_pente_several_pairs_at_once():
    game = position(
        "pente:centre=false",
        """
        X . . X . . X
        . O . O . O .
        . . O O O . .
        . . . . . . .
        . . O O O . .
        . O . O . O .
        O . . . . . O
        """,
    )
    game.play("D4")
    assert picture(game) == drawn(
        """
        X . . X . . X
        . . . . . . .
        . . . . . . .
        . . . X . . .
        . . O O O . .
        . O . O . O .
        O . . . . . O
        """
    )
    assert game.pairs == {BLACK: 3, WHITE: 0}
    assert not game.is_over


def test_pente_moving_in_between_is_safe():
    game = position(
        "pente:centre=false",
        """
        . . . . .
        . . . . .
        O X . O .
        . . . . .
        . . . . .
        """,
    )
    game.play("C3")
    assert picture(game)[2] == "OXXO."
    play(game, "E1")
    assert picture(game)[2] == "OXXO."
    assert game.pairs == {BLACK: 0, WHITE: 0}


def test_pente_freed_points_are_played_again():
    game = position(
        "pente:centre=false",
        """
        . . . . .
        . . . . .
        . O O X .
        . . . . .
        . . . . .
        """,
    )
    game.play("A3")
    assert picture(game)[2] == "X..X."
    for name in ["B3", "C3"]:
        assert game.is_legal(name)
        assert point_named(name, 5) in game.legal_moves()
    play(game, "B3 A1 C3")
    assert picture(game)[2] == "XOOX."
    assert game.pairs == {BLACK: 1, WHITE: 0}


def test_pente_fifth_pair_wins():
    """Black takes four pairs with E6; white's pair is not added to them; A1 takes the fifth."""
    game = position(
        "pente:centre=false",
        """
        . . . . X . . . .
        . . . . O . . . .
        . . . . O . . . .
        . X O O . O O X .
        . . . . O . . . .
        . . . . O . . . .
        . . . . X . . . .
        . . . . . . . . .
        . O O X . O X X .
        """,
    )
    assert verdict(game, "E6") == UNDECIDED
    play(game, "E6 J1")
    assert game.pairs == {BLACK: 4, WHITE: 1}
    assert not game.is_over
    assert verdict(game, "A9") == UNDECIDED
    assert verdict(game, "A1") == WINS
    game.play("A1")
    assert game.pairs == {BLACK: 5, WHITE: 1}
    assert game.result() == "B+"
    assert game.legal_moves() == []


def test_pente_eight_pairs_in_one_move_win():
    ring = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]
    black = [step("D4", x, y, 3) for x, y in ring]
    white = [step("D4", x, y, i) for x, y in ring for i in (1, 2)]
    game = rows_position("pente:centre=false", 7, black, white)
    assert verdict(game, "D4") == WINS
    game.play("D4")
    assert game.result() == "B+"
    assert game.pairs == {BLACK: 8, WHITE: 0}
    assert sum(row.count("O") for row in picture(game)) == 0


def test_pente_five_in_a_row_is_looked_for_before_a_capture():
    game = position(
        "pente:centre=false",
        """
        . . . . X . .
        . . . . O . .
        . . . . O . .
        X X X X . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        """,
    )
    assert verdict(game, "E4") == WINS
    game.play("E4")
    assert game.result() == "B+"
    assert game.pairs == {BLACK: 0, WHITE: 0}
    assert game.colour("E5") == game.colour("E6") == WHITE


def test_pente_a_capture_breaks_a_row():
    """White's four loses two stones; its fifth point wins no more."""
    game = position(
        "pente:centre=false",
        """
        . . . . . . .
        . X . . . . .
        . O . . . . .
        . O O O O . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        """,
    )
    assert verdict(game, "B3") == UNDECIDED
    game.play("B3")
    assert game.pairs == {BLACK: 1, WHITE: 0}
    game.play("F4")
    assert not game.is_over
    play(game, "A1")
    assert verdict(game, "B4") == WINS


@pytest.mark.parametrize(("size", "centre"), [(5, "C3"), (6, "D3"), (9, "E5"), (19, "K10"), (25, "N13")])
def test_pente_centre_stone(size, centre):
    game = variant("pente", size).new()
    assert game.to_move == BLACK
    assert [p for p in game.points() if game.colour(p) != EMPTY] == points(centre, size)
    assert game.colour(centre) == WHITE
    assert game.start == [(point_named(centre, size), WHITE)]
    assert_forbidden(game, centre)
    bare = variant("pente:centre=false", size).new()
    assert bare.to_move == BLACK
    assert len(bare.legal_moves()) == size * size
    assert bare.start == []


def test_pente_centre_stone_can_be_captured_and_comes_back_with_undo():
    game = play(variant("pente", 9).new(), "D5 F5")
    game.play("G5")
    assert game.pairs == {BLACK: 1, WHITE: 0}
    assert game.colour("E5") == game.colour("F5") == EMPTY
    game.undo()
    assert game.colour("E5") == game.colour("F5") == WHITE
    assert game.pairs == {BLACK: 0, WHITE: 0}


@pytest.mark.parametrize("word", ["pente", "pente:centre=false"])
def test_pente_set_up_is_the_whole_start_position(word):
    """A diagram says what is at the centre, whatever the setting."""
    for diagram in [EMPTY_BOARD, ONE_STONE, HALVES]:
        assert picture(position(word, diagram)) == drawn(diagram)


@pytest.mark.parametrize(
    ("word", "moves", "pairs"),
    [
        pytest.param(
            "pente:centre=false",
            "E1 E4 C5 A5 B1 C3 C2 B2 D1 A2 E5 E2 B4 D4 E3 B5 A3 C1 D5 A4 C4 A1 D3 B3 D2",
            [0, 0],
            id="without captures",
        ),
        pytest.param(
            "pente",
            "D3 A2 B5 E4 B1 A1 C2 B3 E1 B4 B2 D1 E5 B3 D5 C4 A4 C5 E3 D2 D4 A3 A5 B4 E2 C2 B2 C2 C1 B3 B4 D2",
            [3, 1],
            id="with four captures",
        ),
    ],
)
def test_pente_full_board_is_a_draw(word, moves, pairs):
    *before, last = moves.split()
    game = variant(word, 5).new()
    for move in before:
        game.play(move)
        assert game.outcome == RUNNING
    game.play(last)
    assert game.outcome == DRAW
    assert game.result() == "Draw"
    assert "." not in "".join(picture(game))
    assert game.pairs == {BLACK: pairs[0], WHITE: pairs[1]}
    assert game.legal_moves() == []


def test_pente_full_board_that_captures_goes_on():
    """The move that fills the last point takes a pair, and so frees two points."""
    diagram = """
        . O O X O
        O X O X O
        X O X O X
        O X O X X
        O O X O O
        """
    game = position("pente:centre=false", diagram)
    game.play("A5")
    assert game.pairs == {BLACK: 1, WHITE: 0}
    assert game.outcome == RUNNING
    assert game.legal_moves() == points("B5 C5", 5)


# Diagrams


@pytest.mark.parametrize("size", [5, 9, 19, 25])
@pytest.mark.parametrize("word", [*GAMES, "pente:centre=false", "go:suicide=true,komi=0"])
def test_diagram_round_trip(word, size):
    """A drawn game read back has the same stones; only the mark of the latest move is gone."""
    chosen = variant(word, size)
    chance = random.Random(size)
    game = chosen.new()
    for turn in range(size * size // 2):
        following = game.copy()
        following.play(chance.choice([move for move in game.legal_moves() if move != PASS]))
        if following.is_over:
            break
        game = following
        if turn % (size // 2):
            continue
        again = chosen.game.from_text(str(game), game.to_move, game.settings)
        assert picture(again) == picture(game)
        assert again.to_move == game.to_move
        assert str(again) == str(game).replace("(", " ").replace(")", " ").replace(" \n", "\n").rstrip()
    assert len(game.moves) > 5


def test_diagram_round_trip_of_pente_after_the_centre_stone_is_captured():
    game = play(variant("pente", 9).new(), "D5 F5 G5")
    again = type(game).from_text(str(game), game.to_move, game.settings)
    assert picture(again) == picture(game)


def test_diagram_shows_star_points_and_the_latest_move():
    game = play(variant("go", 9).new(), "C4 J9")
    assert str(game).split("\n") == [
        "   A B C D E F G H J",
        " 9 . . . . . . . .(O)",
        " 8 . . . . . . . . .",
        " 7 . . + . . . + . .",
        " 6 . . . . . . . . .",
        " 5 . . . . + . . . .",
        " 4 . . X . . . . . .",
        " 3 . . + . . . + . .",
        " 2 . . . . . . . . .",
        " 1 . . . . . . . . .",
    ]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("X....\n.....\n..O..\n.....\n....X", id="bare"),
        pytest.param("x , , + .\n. . . . .\n. . o . .\n\n. . . . .\n. . . . #\n\n", id="other marks and blank lines"),
        pytest.param("|X....|\n|.....|\n|..O..|\n|.....|\n|....X|", id="bars"),
        pytest.param(
            "  A B C D E\n5 X . . . . 5\n4 . . . . . 4\n3 . .(O). . 3\n2 . . . . . 2\n1 . . . . X 1\n  A B C D E",
            id="coordinates on all sides and a marked move",
        ),
        pytest.param("● . . . .\n.....\n. . ○ . .\n.....\n. . . . ●", id="round stones"),
    ],
)
def test_diagram_in_other_hands(text):
    for word in ["go", "atari-go", "gomoku"]:
        game = variant(word, 5).game.from_text(text)
        assert picture(game) == ["X....", ".....", "..O..", ".....", "....X"]
        assert game.to_move == BLACK


@pytest.mark.parametrize("word", GAMES)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "The board size must be 5 to 25, not 0.", id="empty"),
        pytest.param("....\n" * 4, "The board size must be 5 to 25, not 4.", id="too small"),
        pytest.param(("." * 26 + "\n") * 26, "The board size must be 5 to 25, not 26.", id="too large"),
        pytest.param(
            ".....\n....\n.....\n.....\n.....",
            "Row 4 of the diagram is '....', not 5 of the marks . + X O.",
            id="short row",
        ),
        pytest.param(
            ".....\n.....\n.....\n.....\n......",
            "Row 1 of the diagram is '......', not 5 of the marks . + X O.",
            id="long row",
        ),
        pytest.param(
            ".....\n.....\n..Q..\n.....\n.....",
            "Row 3 of the diagram is '..Q..', not 5 of the marks . + X O.",
            id="unknown mark",
        ),
        pytest.param(
            "......\n" * 5,
            "Row 5 of the diagram is '......', not 5 of the marks . + X O.",
            id="not a square",
        ),
    ],
)
def test_bad_diagrams(word, text, message):
    with pytest.raises(NobiError) as fault:
        variant(word).game.from_text(text)
    assert str(fault.value) == message


# Names of points


def test_vertices_of_the_largest_board():
    game = variant("go", 25).new()
    names = [f"{x}{y}" for y in range(25, 0, -1) for x in "ABCDEFGHJKLMNOPQRSTUVWXYZ"]
    assert [vertex_name(p, 25) for p in game.points()] == names
    assert [point_named(name, 25) for name in names] == game.points()
    assert len(set(game.points())) == 625


@pytest.mark.parametrize(
    ("name", "size", "row", "column"),
    [
        ("A1", 9, 8, 0),
        ("J9", 9, 0, 8),
        ("a9", 9, 0, 0),
        (" h1 ", 9, 8, 7),
        ("J1", 9, 8, 8),
        ("T19", 19, 0, 18),
        ("Z25", 25, 0, 24),
        ("Z1", 25, 24, 24),
        ("A25", 25, 0, 0),
    ],
)
def test_vertex(name, size, row, column):
    assert row_column(point_named(name, size), size) == (row, column)
    assert vertex_name(point_named(name, size), size) == name.strip().upper()


@pytest.mark.parametrize("name", ["pass", "PASS", " Pass "])
def test_vertex_of_a_pass(name):
    assert point_named(name, 9) == PASS
    assert vertex_name(PASS, 9) == "pass"


@pytest.mark.parametrize(
    "name",
    ["I5", "i9", "K1", "A10", "A0", "A00", "A01", "Z25", "A26", "A", "5", "", " ", "5A", "AA1", "A-1", "A1.5", "A 1",
     "A1A1", "A100", "passe", "Ä1", "@1", "[1", "resign"],
)  # fmt: skip
def test_bad_vertices(name):
    message = f"{name!r} is not a point of a 9x9 board (A1 to J9, no column I)."
    with pytest.raises(NobiError) as fault:
        point_named(name, 9)
    assert str(fault.value) == message
    game = variant("go", 9).new()
    for use in (game.play, game.is_legal, game.colour):
        with pytest.raises(NobiError) as fault:
            use(name)
        assert str(fault.value) == message


# Words


@pytest.mark.parametrize(
    ("word", "size", "message"),
    [
        ("go:ko=banana", 9, "'go:ko=banana': ko cannot be 'banana'; choose one of simple, positional or situational."),
        ("go:scoring=", 9, "'go:scoring=': scoring cannot be ''; choose one of area or territory."),
        ("go:komi=7.3", 9, "'go:komi=7.3': komi must be a multiple of 0.5 between -1000 and 1000, not 7.3."),
        ("go:komi=1000.5", 9, "'go:komi=1000.5': komi must be a multiple of 0.5 between -1000 and 1000, not 1000.5."),
        ("go:komi=nan", 9, "'go:komi=nan': komi must be a multiple of 0.5 between -1000 and 1000, not nan."),
        ("go:komi=inf", 9, "'go:komi=inf': komi must be a multiple of 0.5 between -1000 and 1000, not inf."),
        ("go:komi=much", 9, "'go:komi=much': komi is a number, not 'much'."),
        ("go:komi", 9, "'go:komi': 'komi' is not of the form key=value."),
        ("go:suicide=maybe", 9, "'go:suicide=maybe': suicide is true or false, not 'maybe'."),
        ("go:size=9", 9, "'go:size=9': there is no setting 'size'; choose one of komi, ko, suicide or scoring."),
        ("atari-go:captures=0", 9, "'atari-go:captures=0': captures must be 1 to 100, not 0."),
        ("atari-go:captures=101", 9, "'atari-go:captures=101': captures must be 1 to 100, not 101."),
        ("atari-go:captures=1.5", 9, "'atari-go:captures=1.5': captures is a whole number, not '1.5'."),
        ("atari-go:komi=1", 9, "'atari-go:komi=1': there is no setting 'komi'; the only choice is captures."),
        ("pente:centre=yes", 9, "'pente:centre=yes': centre is true or false, not 'yes'."),
        ("gomoku:five=6", 9, "'gomoku:five=6': there is no setting 'five'; it takes none."),
        ("chess", 9, "There is no game 'chess'; choose one of atari-go, go, gomoku or pente."),
        ("", 9, "There is no game ''; choose one of atari-go, go, gomoku or pente."),
        ("base", 9, "There is no game 'base'; choose one of atari-go, go, gomoku or pente."),
        ("Go", 9, "There is no game 'Go'; choose one of atari-go, go, gomoku or pente."),
        ("go", 4, "The board size must be 5 to 25, not 4."),
        ("pente", 26, "The board size must be 5 to 25, not 26."),
        ("gomoku", 0, "The board size must be 5 to 25, not 0."),
        ("atari-go", -9, "The board size must be 5 to 25, not -9."),
    ],
)
def test_bad_words(word, size, message):
    with pytest.raises(NobiError) as fault:
        variant(word, size)
    assert str(fault.value) == message


@pytest.mark.parametrize(
    ("word", "shortest", "settings"),
    [
        ("go", "go", {"komi": 7.5, "ko": "positional", "suicide": False, "scoring": "area"}),
        ("go:", "go", {"komi": 7.5}),
        ("go:komi=7.5", "go", {"komi": 7.5}),
        ("go:komi=-2", "go:komi=-2.0", {"komi": -2.0}),
        (" go : suicide = TRUE , ko = simple ", "go:ko=simple,suicide=true", {"ko": "simple", "suicide": True}),
        ("go:scoring=territory,", "go:scoring=territory", {"scoring": "territory"}),
        ("atari-go:captures=100", "atari-go:captures=100", {"captures": 100}),
        ("pente:centre=false", "pente:centre=false", {"centre": False}),
        ("gomoku", "gomoku", {}),
    ],
)
@pytest.mark.parametrize("size", [5, 25])
def test_good_words(word, shortest, settings, size):
    chosen = variant(word, size)
    assert str(chosen) == shortest
    assert variant(shortest, size) == chosen
    assert {key: getattr(chosen.settings, key) for key in settings} == settings
    game = chosen.new()
    assert (game.name, game.size, game.settings) == (chosen.game.name, size, chosen.settings)
    assert len(game.points()) == size * size


@pytest.mark.parametrize("move", [-1, 1, 6, 12, 43, 500, 70_000])
def test_a_number_that_is_no_point_is_refused(move):
    game = variant("gomoku", 5).new()
    for use in (game.is_legal, game.play, game.colour):
        with pytest.raises(NobiError, match=f"^{move} is not a point of a 5x5 board.$"):
            use(move)
