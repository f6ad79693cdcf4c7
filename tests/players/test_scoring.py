"""The count of a finished position, which is the same everywhere."""

import pytest

from helpers.conversation import Talk
from helpers.positions import SETTLED, play, position
from nobi.board.stones import BLACK, PASS, WHITE
from nobi.games import variant
from nobi.matches.single import RulesReferee
from nobi.players import make_bot
from nobi.players.passing import look_after_pass
from nobi.players.scoring import dead_stones, final_score, ownership


def test_ownership_considers_dead_stones():
    game = position("go", SETTLED)
    owned = ownership(game, 400)
    assert (owned[:, :4] > 0.9).all()
    assert (owned[:, 4:] < -0.9).all()
    game.play(PASS)
    game.play(PASS)
    assert (ownership(game, 400)[:, :4] > 0.9).all()


UNSETTLED = [
    "D4 J4 H7 B8 D8 G4 H3 H4 G3 C3 C4 D3 F4 F5 G6 E3 E4 F3 F2 E2 H2 B4 B5 B3 C6 F1 G5 G2 H1",
    "E4 E1 J2 C2 H3 C5 F7 D4 E5 D7 E8 D8 D9 C9 E9 C8 F2 E3 F3 E2 E7 D6 F1",
    "H4 F9 E3 F2 F3 C3 E2 C5 F6 E7 G6 D2 G2 G8 H7 D6 E5 D1 D4 C4 F7 F8",
]
"""Truncated games, in which playouts by different players end differently."""


@pytest.mark.parametrize("moves", UNSETTLED)
@pytest.mark.parametrize("scoring", ["area", "territory"])
def test_engines_referees_and_the_search_count_alike(moves, scoring):
    where = variant(f"go:ko=simple,scoring={scoring}", 9)
    game = play(where.new(), moves)
    bot = make_bot("mcts:rollouts=50", where)
    sign = 1 if game.to_move == BLACK else -1
    margin = sign * look_after_pass(game, bot.search).margin
    bot.close()
    score = final_score(game)
    assert margin == pytest.approx(float(score[2:]) * (1 if score[0] == "B" else -1))
    play(game, "pass pass")
    assert RulesReferee().decide(game).result == score
    for player in ("mcts:rollouts=50", "playout"):
        talk = Talk(f"go:ko=simple,scoring={scoring}", 9, player, bot=None)
        talk.ask(*[f"play {'bw'[i % 2]} {move}" for i, move in enumerate([*moves.split(), "pass", "pass"])])
        assert talk.ask("final_score") == score
        assert f"RE[{score}]" in talk.ask("printsgf")
        dead = {talk.session.point(name) for name in talk.ask("final_status_list dead").split()}
        assert dead == set(dead_stones(game))
        talk.session.bot.close()


@pytest.mark.parametrize("moves", UNSETTLED)
def test_the_count_does_not_depend_on_whose_turn_it_is(moves):
    game = play(variant("go:ko=simple", 9).new(), moves)
    score = final_score(game)
    for _ in range(2):
        game.play(PASS)
        assert final_score(game) == score
    assert game.is_over


def test_points_that_depend_on_the_first_move_are_neutral():
    """Half of the playouts begin with each player."""
    diagram = """
        X X . O O
        X X X O O
        X X O O O
        X X X O O
        X X O O O
    """
    for to_move in (BLACK, WHITE):
        assert abs(ownership(position("go", diagram, to_move))).max() < 0.1
