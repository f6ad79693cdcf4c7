"""Go: ko and superko, case by case."""

import pytest

from helpers.diagrams import KO, SEND_TWO
from helpers.positions import KO_RULES, assert_forbidden, drawn, picture, play, points, position, prisoners
from nobi.board.stones import BLACK, EMPTY, PASS, WHITE
from nobi.games import variant


@pytest.mark.parametrize("suicide", ["true", "false"])
@pytest.mark.parametrize("ko", KO_RULES)
def test_go_ko_is_not_recaptured_at_once(ko, suicide):
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
def test_go_ko_is_recaptured_after_an_exchange(ko, between):
    game = position(f"go:ko={ko}", KO)
    play(game, "C1")
    play(game, between)
    assert game.is_legal("B1")
    game.play("B1")
    assert game.colour("C1") == EMPTY
    assert prisoners(game) == [1, 1]
    assert_forbidden(game, "C1")


def test_go_long_ko_fight():
    """Each player recaptures after every exchange elsewhere."""
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


@pytest.mark.parametrize(("ko", "allowed"), [("simple", True), ("positional", False), ("situational", False)])
def test_go_superko_covers_a_whole_long_game(ko, allowed):
    """The position after move 1 would recur at move 95, far beyond the arena's move limit."""
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


@pytest.mark.parametrize("ko", KO_RULES)
def test_go_undo_restores_ko_and_superko(ko):
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
