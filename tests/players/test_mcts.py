"""The search player: as a bot, and in the arena."""

import threading

import pytest

from helpers.arena import assert_same_games, match
from helpers.positions import SETTLED, play, position
from nobi.board.stones import BLACK, PASS, WHITE
from nobi.errors import NobiError
from nobi.games import variant
from nobi.players import make_bot, make_player
from nobi.players.base import RESIGN, Clock
from nobi.players.scoring import dead_stones


def bot_at(game, spec="mcts:rollouts=300"):
    return make_bot(spec, variant(game.rules_text(), game.size))


@pytest.mark.parametrize(("komi", "to_move"), [(0.5, BLACK), (9.5, WHITE)])
def test_the_winner_passes_if_the_board_is_settled(komi, to_move):
    game = position(f"go:komi={komi}", SETTLED, to_move)
    assert bot_at(game).choose(game, Clock()) == PASS
    game.play(PASS)
    game.play(PASS)
    assert game.is_over


def test_the_loser_resigns_or_passes_after_a_pass():
    game = position("go:komi=9.5", SETTLED, BLACK)
    assert bot_at(game).choose(game, Clock()) == RESIGN
    game = position("go:komi=0.5", SETTLED, BLACK)
    game.play(PASS)
    assert bot_at(game, "mcts:rollouts=300,resign=0").choose(game, Clock()) == PASS


def test_a_lead_is_not_lost_by_a_pass():
    """Black wins only if the three points become two eyes."""
    game = position(
        "go:komi=-39.5",
        """
        . O . O . O .
        O O O O O O O
        O O O O O O O
        O O O O O O O
        O O O O O O O
        X X X X X O O
        . . . X X O .
        """,
    )
    assert bot_at(game).choose(game, Clock()) == game._as_point("B1")


SHARED_LIBERTY = """
    X X . O O
    X X X O O
    X X O O O
    X X X O O
    X X O O O
"""
"""The player who plays at C5 captures all stones of the opponent."""


OPENING = "D3 F3 F4 B8 G3 C6 C4 E6 G6 F7 G7 B5 B4 pass"
HALF_PLAYED = "D4 J4 H7 B8 D8 G4 H3 H4 G3 C3 C4 D3 F4 F5 G6 E3 E4 F3 F2 E2 H2 B4 B5 B3 C6 F1 G5 G2 H1 pass"
OPEN_BORDERS = "H4 F9 E3 F2 F3 C3 E2 C5 F6 E7 G6 D2 G2 G8 H7 D6 E5 D1 D4 C4 F7 F8"
BROKEN_GROUP = "E4 E1 J2 C2 H3 C5 F7 D4 E5 D7 E8 D8 D9 C9 E9 C8 F2 E3 F3 E2 E7 D6 F1 pass"


@pytest.mark.parametrize(
    ("rules", "moves", "seed"),
    [
        pytest.param("komi=34.5", OPENING, 2, id="behind in the opening, and the pass is hardly explored"),
        pytest.param("komi=7.5", HALF_PLAYED, 7, id="what the player owns if he moves first"),
        pytest.param("komi=-17.5", OPEN_BORDERS, 0, id="before the opponent has passed, the borders open"),
        pytest.param("komi=5.5,scoring=territory", BROKEN_GROUP, 321, id="the search likes the pass best"),
    ],
)
def test_no_pass_that_loses_by_the_count(rules, moves, seed):
    """Truncated games of GNU Go against itself."""
    where = variant(f"go:ko=simple,{rules}", 9)
    game = play(where.new(), moves)
    move = make_bot("mcts:rollouts=400,resign=0", where, seed).choose(game, Clock())
    sign = 1 if game.to_move == BLACK else -1
    assert sign * game.margin(dead_stones(game)) < 0
    assert move != PASS


@pytest.mark.parametrize("seed", range(5))
def test_a_pass_is_evaluated_with_the_opponent_to_move(seed):
    game = position("go:komi=0.5", SHARED_LIBERTY)
    game.play(PASS)
    bot = make_bot("mcts:rollouts=300", variant(game.rules_text(), 5), seed)
    assert bot.choose(game, Clock()) == game._as_point("C5")


def test_no_pass_on_an_open_board():
    """A pass would win, but the opponent's pass may be a handicap."""
    game = variant("go:komi=-20.5", 9).new()
    game.play("E5")
    game.play(PASS)
    moves = {
        make_bot("mcts:rollouts=100", variant(game.rules_text(), 9), seed).choose(game, Clock()) for seed in range(3)
    }
    assert PASS not in moves


SEKI = """
    . X X O O O .
    X X X O O O O
    . X X O O O .
    X X X O O O O
    X X X O O O O
    O O O X X X O
    . O . X . X O
"""
"""The player who plays at C1 loses the stones in the two lower rows. Black has 21 points, white 27."""


@pytest.mark.parametrize("passed", [False, True])
def test_no_move_is_played_in_a_seki(passed):
    game = position("go:komi=-7.5", SEKI, WHITE if passed else BLACK)
    if passed:
        game.play(PASS)
    assert bot_at(game).choose(game, Clock()) == PASS


def test_territory_is_not_filled_without_gain():
    """White wins by half a point by passing; the territory on the right is large, and random intruders die there."""
    moves = "J8 D6 F1 H5 C4 E4 E2 D3 B6 C3 B3 D2 D4 E3 C7 D7 G8 E8 B2 C8 B8 D5 C9 D8 C5 G3 C6 D9 B9 C2 B1 C1 pass"
    where = variant("go:komi=-32.5,ko=simple,scoring=territory", 9)
    game = play(where.new(), moves)
    assert game.margin(dead_stones(game)) == -0.5
    assert make_bot("mcts:rollouts=400", where, 210).choose(game, Clock()) == PASS


def test_territory_is_filled_if_that_gains_points():
    """White's own point J7 gives atari to three black stones at the edge. With a pass white loses by half a point."""
    moves = (
        "E8 J2 H3 H4 F4 G3 G4 G2 H5 J4 E4 G5 G6 H6 F5 E2 D2 D3 D4 C4 C3 E3 B4 C5 B3 B5 B7 C7 C8 A4 C2 A2 A3 D5 D7 C6 "
        "B8 A5 D1 B1 B2 A1 F3 F2 H2 H1 C1 A1 E6 J3 B6 C9 D6 B1 A6 B9 E5 C4 A2 C5 E1 A4 A5 A8 A7 A9 D9 C9 B9 A8 A9 C6 "
        "F1 A1 B1 B5 C7 F6 D5 F7 F8 E9 F9 G7 G5 C4 C5 J5 J7 H7 J8 H8 H9 G9 G8 J6 E7 J9 J8 H2 J9 G1 pass"
    )
    where = variant("go:komi=33.5,ko=simple,scoring=territory", 9)
    game = play(where.new(), moves)
    assert game.margin(dead_stones(game)) == 0.5
    assert make_bot("mcts:rollouts=400", where, 1).choose(game, Clock()) == game._as_point("J7")


@pytest.mark.parametrize("scoring", ["area", "territory"])
@pytest.mark.parametrize(("komi", "to_move"), [(0.5, BLACK), (9.5, WHITE)])
def test_a_settled_win_is_kept_if_the_opponent_passes(scoring, komi, to_move):
    game = position(f"go:komi={komi},scoring={scoring}", SETTLED, WHITE if to_move == BLACK else BLACK)
    won = game.margin(dead_stones(game)) > 0
    game.play(PASS)
    assert bot_at(game).choose(game, Clock()) == (PASS if won == (to_move == BLACK) else RESIGN)


@pytest.mark.parametrize(("spec", "size"), [("go", 5), ("go:scoring=territory", 5), ("atari-go", 5), ("pente", 5)])
def test_games_between_bots_end(spec, size):
    where = variant(spec, size)
    game = where.new()
    bots = [make_bot("mcts:rollouts=60,resign=0", where, seed) for seed in (1, 2)]
    while not game.is_over and len(game.moves) < 3 * size * size:
        move = bots[len(game.moves) % 2].choose(game, Clock())
        assert game.is_legal(move)
        game.play(move)
    assert game.is_over


@pytest.mark.parametrize("spec", ["mcts:rollouts=200", "playout"])
def test_warm_up_does_not_change_the_moves(spec):
    def moves(*, ready):
        game = variant("go", 5).new()
        bot = make_bot(spec, variant("go", 5), 7)
        if ready:
            bot.warm_up(game)
        for _ in range(6):
            game.play(bot.choose(game, Clock()))
        return game.moves

    assert moves(ready=True) == moves(ready=False)


def test_the_clock_is_kept():
    where = variant("go", 9)
    bot = make_bot("mcts:rollouts=0", where)
    game = where.new()
    assert game.is_legal(bot.choose(game, Clock(0.1)))


def test_analysis():
    where = variant("go", 5)
    bot, stop, reports = make_bot("mcts", where), threading.Event(), []

    def report(root):
        reports.append(root)
        stop.set()

    moves = bot.analyse(where.new(), report, 0.05, stop).moves
    assert reports
    best = moves[0]
    assert best.visits >= moves[1].visits
    assert best.variation[0] == best.move
    assert 0 <= best.winrate <= 1
    assert bot.ownership(where.new()).shape == (5, 5)
    assert all(one.visits for one in moves)  # the others have only prior knowledge
    assert len(reports[0].moves) <= sum(one.visits for one in reports[0].moves)


def test_pondering_grows_the_tree_that_is_used():
    where = variant("go", 5)
    bot, game, stop = make_bot("mcts:rollouts=50", where), where.new(), threading.Event()
    timer = threading.Timer(0.3, stop.set)
    timer.start()
    bot.ponder(game, stop)
    pondered = float(bot.search.tree.visits[0])
    assert pondered > 50
    bot.choose(game, Clock())
    assert bot.search.tree.visits[0] == pondered + 50


def test_in_the_arena():
    one = match("atari-go", 5, "mcts:rollouts=100", "naive", games=20)
    again = match("atari-go", 5, "mcts:rollouts=100", "naive", games=20, threads=2, batch=3)
    assert_same_games(one, again)
    wins = sum(int(outcome == (BLACK if i % 2 == 0 else WHITE)) for i, outcome in enumerate(one.outcome))
    assert wins >= 18


def test_go_in_the_arena():
    played = match("go", 5, "mcts:rollouts=50", "playout", games=10)
    wins = sum(int(outcome == (BLACK if i % 2 == 0 else WHITE)) for i, outcome in enumerate(played.outcome))
    assert wins >= 8


def test_specs():
    where = variant("go", 9)
    assert str(make_player("mcts:rollouts=10,threads=2", where)) == "mcts:rollouts=10,threads=2"
    for spec, sentence in [
        ("mcts:rollouts=-1", "'mcts:rollouts=-1': rollouts must be 0 to 1e+09, not -1."),
        ("mcts:mode=lazy", "'mcts:mode=lazy': mode cannot be 'lazy'; choose one of asynchronous or synchronous."),
        (
            "mcts:mode=synchron",
            "'mcts:mode=synchron': mode cannot be 'synchron'; did you mean 'synchronous'? "
            "Choose one of asynchronous or synchronous.",
        ),
    ]:
        with pytest.raises(NobiError) as error:
            make_player(spec, where)
        assert str(error.value) == sentence
