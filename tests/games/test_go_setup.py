"""Go: handicap, set-up and the length of a game, case by case. Set-up is the same for all games and tested for all."""

import pytest

from helpers.diagrams import EMPTY_BOARD, SEND_TWO
from helpers.positions import GAMES, drawn, picture, play, points, position, prisoners, side_by_side
from nobi.board.stones import BLACK, WHITE
from nobi.board.text import COLUMNS, point_named, vertex_name
from nobi.errors import NobiError
from nobi.games import variant
from nobi.games.go import handicap_points

# Handicap

GTP_HANDICAP = [
    *("low.low", "high.high", "low.high", "high.low"),
    *("low.middle", "high.middle", "middle.low", "middle.high", "middle.middle"),
]
"""column.row of the nine stones in the order of the table in section 4.1.1 of the GTP 2 specification."""


def gtp_handicap(stones, size):
    """The table for any board: stones are on the third line below 13x13, else on the fourth."""
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
def test_go_unavailable_handicap(size, stones, message):
    game = variant("go", size).new()
    with pytest.raises(NobiError) as error:
        game.place_handicap(stones)
    assert str(error.value) == message
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


# Set-up


@pytest.mark.parametrize("spec", ["atari-go", "go", "gomoku", "pente:centre=false"])
def test_set_up_stones(spec):
    game = variant(spec, 5).new()
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


@pytest.mark.parametrize("spec", GAMES)
def test_set_up_of_two_colours_on_one_point_is_refused(spec):
    game = variant(spec, 5).new()
    with pytest.raises(NobiError, match=r"B3 is set up twice\."):
        game.set_up([(point_named("B3", 5), BLACK), (point_named("B3", 5), WHITE)], BLACK)


SURROUNDED_STONE, SURROUNDED_CHAIN = side_by_side(
    """
    . . . . . | . . . . .
    . . X . . | . . . . .
    . X O X . | X . . . .
    . . X . . | O X . . .
    . . . . . | O X . . .
    """
)


@pytest.mark.parametrize("spec", ["go", "go:suicide=true", "atari-go"])
@pytest.mark.parametrize(
    ("diagram", "where"),
    [pytest.param(SURROUNDED_STONE, "C3", id="a stone"), pytest.param(SURROUNDED_CHAIN, "A2", id="a chain")],
)
def test_set_up_stones_without_liberties_are_refused(spec, diagram, where):
    with pytest.raises(NobiError) as error:
        position(spec, diagram)
    assert str(error.value) == f"The stones at {where} are set up without a liberty."


@pytest.mark.parametrize("spec", ["go", "atari-go"])
def test_refused_set_up_does_not_change_the_game(spec):
    game = variant(spec, 5).new()
    surrounded = [(p, BLACK) for p in points("A2 B1", 5)] + [(p, WHITE) for p in points("A1", 5)]
    with pytest.raises(NobiError):
        game.set_up(surrounded, WHITE)
    assert picture(game) == drawn(EMPTY_BOARD)
    assert game.to_move == BLACK
    game.play("C3")
    game.undo()
    assert picture(game) == drawn(EMPTY_BOARD)


# Length


def test_go_single_game_has_no_length_limit():
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
