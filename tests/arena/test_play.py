"""The arena: the same games for any number of threads and any batch, and results that agree with the moves."""

import signal
import threading

import pytest
from numpy.testing import assert_array_equal

from helpers.arena import assert_same_games, match, match_in_lockstep
from nobi.arena import play as arena
from nobi.arena.play import fused_loop, play_games
from nobi.arena.results import summarise
from nobi.board.stones import BLACK, DRAW, WHITE
from nobi.games import variant
from nobi.players import make_player
from nobi.players.base import Player

PAIRS = [
    ("atari-go", 7, "random", "naive"),
    ("atari-go:captures=4", 5, "naive", "naive"),
    ("atari-go", 7, "heuristic:e=0.2", "naive"),
    ("gomoku", 7, "random", "naive"),
    ("pente", 7, "naive", "random"),
    ("go", 5, "playout", "naive"),
    ("go:ko=situational,suicide=true", 5, "random", "playout"),
]


@pytest.mark.parametrize(("game", "size", "a", "b"), PAIRS)
def test_results_do_not_depend_on_threads(game, size, a, b):
    assert_same_games(match(game, size, a, b, threads=1), match(game, size, a, b, threads=2))


@pytest.mark.parametrize(("game", "size", "a", "b"), PAIRS)
@pytest.mark.parametrize("batch", [1, 3, 64, 1000])
def test_fused_and_lockstep_loops_play_the_same_games(game, size, a, b, batch):
    """The fused loop of two compiled players and lockstep batches of any width play the same games."""
    where = variant(game, size)
    lockstep = match_in_lockstep(where, make_player(a, where), make_player(b, where), 60, batch)
    assert_same_games(match(game, size, a, b, games=60), lockstep)


@pytest.mark.parametrize(("game", "size", "a", "b"), PAIRS)
def test_a_match_can_be_continued(game, size, a, b):
    whole = match(game, size, a, b, games=300)
    rest = match(game, size, a, b, games=200, first=100)
    assert_array_equal(whole.outcome[100:], rest.outcome)
    assert_array_equal(whole.moves[100:], rest.moves)
    assert_array_equal(whole.colour_of_a[100:], rest.colour_of_a)


def test_games_depend_on_the_seed():
    one, other = match(*PAIRS[0], seed=1), match(*PAIRS[0], seed=2)
    assert (one.moves != other.moves).any(axis=1).mean() > 0.99


@pytest.mark.parametrize(("game", "size", "a", "b"), PAIRS)
def test_the_moves_lead_to_the_outcome(game, size, a, b):
    played = match(game, size, a, b, games=30)
    for i in range(len(played)):
        replayed = played.replay(i)
        assert len(replayed.moves) == played.length[i]
        if replayed.is_over:
            assert replayed.outcome == played.outcome[i]
            assert replayed.standing() == replayed.result()
        else:  # the arena ends a very long game of Go and counts the board as it stands
            assert game.startswith("go")
            assert len(replayed.moves) == 3 * size**2
            winner = {BLACK: "B", WHITE: "W", DRAW: "D"}[played.outcome[i]]
            assert replayed.standing()[0] == winner


class FirstEmptyPoint(Player):
    """A plain Python player that chooses for a whole batch, by the interface that networks use."""

    name = "first-empty-point"
    widths: list[int] = []  # noqa: RUF012

    def choose(self, boards, indices, streams, moves):
        self.widths.append(len(indices))
        empty = boards.stones.colour[indices] == 0
        moves[:] = empty.argmax(axis=1)
        assert len(streams) >= len(indices)


@pytest.mark.parametrize("batch", [1, 7, 50])
def test_a_player_may_choose_for_a_batch(batch):
    where = variant("gomoku", 5)
    player = FirstEmptyPoint(where)
    player.widths.clear()
    played = play_games(where, player, make_player("random", where), 40, batch=batch, keep_moves=True, threads=1)
    assert max(player.widths) == min(batch, 40)
    for i in range(len(played)):
        game = where.new()
        for ply, move in enumerate(played.moves[i, : played.length[i]]):
            if (ply + i) % 2 == 0:
                assert move == game.legal_moves()[0]
            game.play(int(move))
        assert game.outcome == played.outcome[i]


def test_an_interrupt_is_raised_with_the_games_played():
    def interrupt(done):
        if done:
            raise KeyboardInterrupt

    pair = ("atari-go", 9, "heuristic:e=0.2", "naive")
    with pytest.raises(KeyboardInterrupt) as raised:
        match(*pair, games=200_000, threads=2, progress=interrupt)
    part = raised.value.played
    assert 0 < len(part) < 200_000
    whole = match(*pair, games=len(part))
    assert_same_games(part, whole)
    assert summarise(part) == summarise(whole)


def test_ctrl_c_is_not_suppressed():
    """As in an interactive session: the signal arrives while the main thread waits for the others."""
    main = threading.main_thread().ident
    timer = threading.Timer(0.5, lambda: signal.pthread_kill(main, signal.SIGINT))

    def start_timer(done):
        if done and not timer.ident:
            timer.start()

    with pytest.raises(KeyboardInterrupt) as raised:
        match("atari-go", 9, "heuristic", "naive", games=200_000, threads=2, progress=start_timer)
    assert 0 < len(raised.value.played) < 200_000


def test_an_exception_in_a_player_ends_the_match():
    class Faulty(FirstEmptyPoint):
        def choose(self, boards, indices, streams, moves):  # noqa: ARG002
            raise RuntimeError("out of order")

    where = variant("gomoku", 5)
    with pytest.raises(RuntimeError, match="out of order"):
        play_games(where, Faulty(where), make_player("random", where), 10_000)


def test_one_compiled_loop_serves_both_orders():
    where = variant("atari-go", 7)
    players = make_player("naive", where), make_player("random", where)
    fused_loop.cache_clear()
    arena._compiled_loop.cache_clear()
    for a, b in (players, players[::-1]):
        play_games(where, a, b, 2)
        match_in_lockstep(where, a, b, 2, 2)
    assert fused_loop.cache_info().currsize == arena._compiled_loop.cache_info().currsize == 1
