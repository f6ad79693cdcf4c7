"""The game of a visitor, without a browser."""

import pytest

from nobi.board.stones import BLACK, DRAW, PASS, WHITE
from nobi.errors import NobiError
from nobi.games.go import Go
from nobi.web.session import MOST_BYTES, GameSession, count_board
from nobi.web.setup import Setup, handicaps, setup_from_query


def session_of(game, size, moves="", **more):
    session = GameSession(Setup(game=game, size=size, **more))
    for name in moves.split():
        session.play(session.game._as_point(name))
    return session


def test_a_capture_ends_atari_go_with_its_reason():
    session = session_of("atari-go", 5, "C3 C4 A1 B3 A2 D3 A3 C2")
    assert session.is_over
    assert session.result.sentence == "White wins: first capture, at C2."
    assert session.result.sgf == "W+"


def test_a_suicide_in_atari_go_is_reported():
    session = session_of("atari-go", 5, "B1 E5 A2 E4 D5 A1")
    assert session.result.winner == BLACK
    assert "White took its own last liberty at A1" in session.result.sentence


def test_five_in_a_row_end_gomoku_and_pente():
    for game in ("gomoku", "pente"):
        session = session_of(game, 9, "A1 A9 B1 B9 C1 D9 D1 E9 E1")
        assert session.result.sentence == "Black wins: five in a row."


def test_five_pairs_end_pente():
    session = session_of("pente", 9)
    game = session.game
    game.boards.pairs[0, BLACK] = 4
    for name in ["A1", "B1", "J9", "C1", "D1"]:
        session.play(game._as_point(name))
    assert session.result.sentence == "Black wins: five captured pairs."
    assert session.captured() == (10, 0)


def test_a_finished_game_of_go_is_counted_with_its_dead_stones():
    game = Go.from_text("""
        . . X . O
        . . X O .
        . . X O O
        . O X O .
        . . X O .""")
    for _ in range(2):
        game.play(PASS)
    result = count_board(game)
    assert result.winner == WHITE
    assert result.sentence == "White wins by 1.5 points. The count is on the board."
    assert result.sgf == game.score([game._as_point("B2")])
    assert result.dead == (16,)
    assert result.owners[0] == BLACK
    assert result.owners[24] == WHITE


def test_a_drawn_count():
    game = Go(5, Setup(game="go", size=5, komi=0).variant().settings)
    game.play(PASS)
    game.play(PASS)
    assert count_board(game).winner == DRAW


def test_reasons_for_illegal_moves():
    session = session_of("go", 5, "C4 D4 B3 E3 C2 D2 D3 C3")
    assert session.captured() == (0, 1)
    with pytest.raises(NobiError, match="D3 cannot be played: it recaptures a ko at once"):
        session.play(session.game._as_point("D3"))
    assert session.forbidden() == {str(2 * 5 + 3): "it recaptures a ko at once"}
    with pytest.raises(NobiError, match="C3 cannot be played: it is taken"):
        session.play(session.game._as_point("C3"))
    eye = session_of("go", 5, "B1 E5 A2 E4 B2")
    assert eye.forbidden() == {str(4 * 5): "it is suicide"}
    with pytest.raises(NobiError, match="atari-go has no pass"):
        session_of("atari-go", 5).play(PASS)


@pytest.mark.parametrize("cell", [-1, 25, 10**9, "x", None, 1.5, True, [3]])
def test_forged_points_are_refused(cell):
    with pytest.raises(NobiError, match="not a point of this board"):
        session_of("atari-go", 5).cell_to_move(cell)


def test_undo_returns_to_the_visitors_turn():
    session = session_of("go", 9, "C3 G7")
    session.undo()
    assert session.game.moves == []
    session = session_of("go", 9, "C3")
    session.undo()
    assert session.game.moves == []
    with pytest.raises(NobiError, match="no move to take back"):
        session.undo()
    white = session_of("go", 9, "C3", colour="white")
    with pytest.raises(NobiError, match="no move to take back"):
        white.undo()


def test_a_resigned_game_continues_after_undo():
    session = session_of("go", 9, "C3 G7")
    session.resign(BLACK)
    assert session.result.sentence == "White wins: Black resigned."
    assert session.is_over
    session.undo()
    assert not session.is_over
    assert len(session.game.moves) == 2


def test_an_earlier_position_is_shown():
    session = session_of("go", 9, "C3 G7 C7 G3")
    session.show(2)
    assert session.stones().count("b") == 1
    assert session.last_cell() == 2 * 9 + 6
    session.show(99)
    assert session.at_end
    session.show(2)
    session.play_from_here()
    assert session.move_names() == ["C3", "G7"]


@pytest.mark.parametrize(("game", "handicap"), [("atari-go", 0), ("gomoku", 0), ("pente", 0), ("go", 0), ("go", 3)])
def test_a_game_is_the_same_after_sgf_and_plain_data(game, handicap):
    session = session_of(game, 9, "D5 F6 B2 D6 E3", handicap=handicap)
    again = GameSession.from_sgf(session.sgf("You", "Naive"), Setup())
    assert again.setup.game == game
    assert again.stones() == session.stones()
    assert again.move_names() == session.move_names()
    kept = GameSession.from_plain(session.plain())
    assert kept.stones() == session.stones()
    assert kept.setup == session.setup
    assert GameSession.from_plain(again.plain()).stones() == session.stones()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "not an SGF game"),
        (b"hello", "not an SGF game"),
        (b"(;SZ[99])", "cannot be opened|not an SGF game"),
        (b"(;SZ[9];B[zz])", "not an SGF game"),
        (b"(;SZ[9];B[ee];B[ef])", "out of turn"),
        (b"(;SZ[9];B[ee];W[ee])", "Move 2 of this file, E5, cannot be played: it is taken"),
        (b"(" * 100_000, "not an SGF game"),
        (b"(;SZ[9]" + b"(;B[ee]" * 20_000 + b")" * 20_001, "not an SGF game|up to 1,000 moves|out of turn"),
        (b" " * (MOST_BYTES + 1), "up to 1 MB"),
        (b"(;SZ[19]" + b";B[];W[]" * 600 + b")", "up to 1,000 moves"),
    ],
)
def test_malicious_records_get_one_sentence(content, sentence):
    with pytest.raises(NobiError, match=sentence) as error:
        GameSession.from_sgf(content, Setup())
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "data",
    [None, 3, {}, {"setup": 1}, {"setup": Setup().plain(), "moves": "ab"}, {"setup": Setup().plain() | {"size": 99}}],
)
def test_damaged_plain_data_are_refused(data):
    with pytest.raises(NobiError):
        GameSession.from_plain(data)


def test_the_settings_are_consistent():
    assert handicaps(5) == []
    assert handicaps(9)[-1] == 9
    assert Setup(game="go", size=19, handicap=9).with_size(8).handicap == 4
    for wrong in ({"game": "chess"}, {"size": 4}, {"komi": 0.3}, {"colour": "red"}, {"handicap": 1}, {"strength": -1}):
        with pytest.raises(NobiError):
            Setup(**wrong)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, None),
        ({"token": "x"}, None),
        ({"game": "go", "size": "13"}, Setup(game="go", size=13, opponent="")),
        ({"size": "99"}, None),
        ({"size": "x", "colour": "white"}, Setup(colour="white", opponent="")),
        ({"game": "chess", "opponent": "../x"}, Setup(opponent="../x")),
    ],
)
def test_the_settings_in_an_address(query, expected):
    assert setup_from_query(query) == expected
