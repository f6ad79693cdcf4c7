"""The arena: the same games for any number of threads and any batch, and results that the moves bear out."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import stats

from nobi.arena.games import PlayedGames
from nobi.arena.lockstep import play_in_lockstep
from nobi.arena.play import play_games
from nobi.arena.summary import mean_interval, share_interval, summarise
from nobi.board.stones import BLACK, DRAW, WHITE
from nobi.games import variant
from nobi.players import make_player
from nobi.players.base import Player
from nobi.streams import stream_of

PAIRS = [
    ("atari-go", 7, "random", "naive"),
    ("atari-go:captures=4", 5, "naive", "naive"),
    ("atari-go", 7, "heuristic:e=0.2", "naive"),
    ("gomoku", 7, "random", "naive"),
    ("pente", 7, "naive", "random"),
    ("go", 5, "playout", "naive"),
    ("go:ko=situational,suicide=true", 5, "random", "playout"),
]


def play(game, size, a, b, games=600, **options):
    where = variant(game, size)
    return play_games(where, make_player(a, where), make_player(b, where), games, keep_moves=True, **options)


def assert_same_games(one, other):
    assert_array_equal(one.outcome, other.outcome)
    assert_array_equal(one.length, other.length)
    assert_array_equal(one.moves, other.moves)


@pytest.mark.parametrize(("game", "size", "a", "b"), PAIRS)
def test_threads_change_nothing(game, size, a, b):
    assert_same_games(play(game, size, a, b, threads=1), play(game, size, a, b, threads=2))


@pytest.mark.parametrize(("game", "size", "a", "b"), PAIRS)
@pytest.mark.parametrize("batch", [1, 3, 64, 1000])
def test_games_side_by_side_are_the_games_one_by_one(game, size, a, b, batch):
    """The fused loop of two compiled players and lockstep batches of any width play the same games."""
    where = variant(game, size)
    fused = play(game, size, a, b, games=60)
    lockstep = PlayedGames(
        where, 0, np.zeros(60, np.int8), np.zeros(60, np.int32), np.zeros((60, where.most_moves), np.uint16)
    )
    players = make_player(a, where), make_player(b, where)
    play_in_lockstep(where, *players, 0, 0, batch, lockstep.outcome, lockstep.length, lockstep.moves)
    assert_same_games(fused, lockstep)


@pytest.mark.parametrize(("game", "size", "a", "b"), PAIRS)
def test_a_match_can_be_continued(game, size, a, b):
    whole = play(game, size, a, b, games=300)
    rest = play(game, size, a, b, games=200, first=100)
    assert_array_equal(whole.outcome[100:], rest.outcome)
    assert_array_equal(whole.moves[100:], rest.moves)
    assert_array_equal(whole.colour_of_a[100:], rest.colour_of_a)


def test_the_seed_chooses_the_games():
    one, other = play(*PAIRS[0], seed=1), play(*PAIRS[0], seed=2)
    assert (one.moves != other.moves).any(axis=1).mean() > 0.99


@pytest.mark.parametrize(("game", "size", "a", "b"), PAIRS)
def test_the_moves_lead_to_the_outcome(game, size, a, b):
    played = play(game, size, a, b, games=30)
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
    """A player in plain Python that chooses for a whole batch: the seam that networks use."""

    name = "first-empty-point"
    widths: list[int] = []  # noqa: RUF012

    def choose(self, boards, lanes, streams, moves):
        self.widths.append(len(lanes))
        empty = boards.stones.colour[lanes] == 0
        moves[:] = empty.argmax(axis=1)
        assert len(streams) >= len(lanes)


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


def test_colours_alternate_and_points_are_those_of_a():
    where = variant("atari-go", 5)
    played = PlayedGames(
        where, 3, np.array([BLACK, BLACK, DRAW], np.int8), np.array([3, 25, 14], np.int32), np.zeros((3, 0), np.uint16)
    )
    assert played.colour_of_a.tolist() == [WHITE, BLACK, WHITE]
    assert played.points_of_a.tolist() == [-1, 1, 0]
    # S08: won 1 − 0.2 (M − 3)/(25 − 3), lost the negative
    assert played.score_of_a == pytest.approx([-1, 0.8, 0])
    with pytest.raises(ValueError, match="not kept"):
        played.replay(0)


def test_score_counts_length_only_where_the_paper_does():
    for word, length, score in [("gomoku", 9, 1.0), ("gomoku", 81, 0.8), ("pente", 45, 0.9), ("go", 200, 1.0)]:
        played = PlayedGames(
            variant(word, 9), 0, np.array([BLACK], np.int8), np.array([length], np.int32), np.zeros((1, 0), np.uint16)
        )
        assert played.score_of_a == pytest.approx([score])


def test_an_interrupted_match_keeps_the_games_played():
    def interrupt(done):
        if done:
            raise KeyboardInterrupt

    pair = ("atari-go", 9, "heuristic:e=0.2", "heuristic:e=0.2")
    part = play(*pair, games=50_000, threads=2, progress=interrupt).finished()
    assert 0 < len(part) < 50_000
    assert_same_games(part, play(*pair, games=len(part)))


def test_a_fault_of_a_player_ends_the_match():
    class Faulty(FirstEmptyPoint):
        def choose(self, boards, lanes, streams, moves):
            raise RuntimeError("out of order")

    where = variant("gomoku", 5)
    with pytest.raises(RuntimeError, match="out of order"):
        play_games(where, Faulty(where), make_player("random", where), 10_000)


def test_intervals_are_those_of_scipy():
    for successes, trials in [(0, 10), (3, 10), (10, 10), (517, 1000)]:
        ours = share_interval(successes, trials)
        theirs = stats.binomtest(successes, trials).proportion_ci(method="wilson")
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))
    values = np.random.default_rng(0).normal(size=12)
    ours = mean_interval(values)
    theirs = stats.t.interval(0.95, 11, loc=values.mean(), scale=stats.sem(values))
    assert (ours.low, ours.high) == pytest.approx(theirs)
    assert ours.value == pytest.approx(values.mean())
    assert np.isnan(mean_interval(np.array([])).value)
    assert np.isnan(share_interval(0, 0).value)


def test_summary_counts_by_colour():
    where = variant("gomoku", 5)
    outcome = np.array([BLACK, BLACK, DRAW, WHITE, WHITE, WHITE, DRAW], np.int8)
    played = PlayedGames(where, 0, outcome, np.full(7, 25, np.int32), np.zeros((7, 0), np.uint16))
    found = {key: (s.games, s.wins, s.draws, s.losses) for key, s in summarise(played).items()}
    assert found == {"black": (4, 1, 2, 1), "white": (3, 2, 0, 1), "all": (7, 3, 2, 2)}
    assert summarise(played)["all"].win_rate.value == pytest.approx(4 / 7)


def test_streams_belong_to_games_not_to_lanes():
    assert stream_of(0, 1) != stream_of(1, 0)


@pytest.mark.parametrize("size", [7, 9])
def test_the_order_of_the_built_in_players(size):
    """random < naive < heuristic(0.2) < heuristic(0.05) < heuristic(0), each beating the one before by far."""
    words = ["random", "naive", "heuristic:e=0.2", "heuristic:e=0.05", "heuristic"]
    for weaker, stronger in pairwise(words):
        assert summarise(play("atari-go", size, stronger, weaker, games=2000))["all"].win_rate.low > 0.55
