"""The player that searches: as a bot, and in the arena."""

import threading

import pytest

from helpers.arena import assert_same_games, match
from helpers.positions import position
from nobi.board.stones import BLACK, PASS, WHITE
from nobi.errors import NobiError
from nobi.games import variant
from nobi.players import make_bot, make_player
from nobi.players.bot import RESIGN, Clock

SETTLED = """
    . X . X O . O
    X X X X O O .
    . . O X O O O
    X X X X O . .
    . X . X O O O
    X X X X O . X
    . X . X O O .
"""
"""28 points for black, 21 for white, with dead stones at C5 and G2."""


def bot_at(game, word="mcts:rollouts=300"):
    return make_bot(word, variant(game.rules_text(), game.size))


@pytest.mark.parametrize(("komi", "to_move"), [(0.5, BLACK), (9.5, WHITE)])
def test_the_winner_passes_when_all_is_settled(komi, to_move):
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


def test_a_lead_is_not_passed_away():
    """Black wins only if his three points become two eyes."""
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


@pytest.mark.parametrize(("word", "size"), [("go", 5), ("go:scoring=territory", 5), ("atari-go", 5), ("pente", 5)])
def test_games_between_bots_end(word, size):
    where = variant(word, size)
    game = where.new()
    bots = [make_bot("mcts:rollouts=60,resign=0", where, seed) for seed in (1, 2)]
    while not game.is_over and len(game.moves) < 3 * size * size:
        move = bots[len(game.moves) % 2].choose(game, Clock())
        assert game.is_legal(move)
        game.play(move)
    assert game.is_over


@pytest.mark.parametrize("word", ["mcts:rollouts=200", "playout"])
def test_getting_ready_changes_nothing(word):
    def moves(*, ready):
        game = variant("go", 5).new()
        bot = make_bot(word, variant("go", 5), 7)
        if ready:
            bot.get_ready(game)
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
    bot, stop, told = make_bot("mcts", where), threading.Event(), []

    def report(candidates):
        told.append(candidates)
        stop.set()

    found = bot.analyse(where.new(), report, 0.05, stop)
    assert told
    best = found[0]
    assert best.visits >= found[1].visits
    assert best.variation[0] == best.move
    assert 0 <= best.winrate <= 1
    assert bot.ownership(where.new()).shape == (5, 5)
    assert all(candidate.visits for candidate in found)  # of the others nothing is known but prior knowledge
    assert len(told[0]) <= sum(candidate.visits for candidate in told[0])


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


def test_words():
    where = variant("go", 9)
    assert str(make_player("mcts:rollouts=10,threads=2", where)) == "mcts:rollouts=10,threads=2"
    for word, sentence in [
        ("mcts:rollouts=-1", "'mcts:rollouts=-1': rollouts must be 0 to 1e+09, not -1."),
        ("mcts:mode=lazy", "'mcts:mode=lazy': mode cannot be 'lazy'; choose one of asynchronous or synchronous."),
        (
            "mcts:mode=synchron",
            "'mcts:mode=synchron': mode cannot be 'synchron'; did you mean 'synchronous'? "
            "Choose one of asynchronous or synchronous.",
        ),
    ]:
        with pytest.raises(NobiError) as fault:
            make_player(word, where)
        assert str(fault.value) == sentence
