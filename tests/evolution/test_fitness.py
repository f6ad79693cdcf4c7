"""Fitness is a pure function of weights, games, seed and generation; games between networks, computed by hand."""

import numpy as np
import pytest

from nobi.arena.play import play_games
from nobi.board.stones import BLACK, DRAW, WHITE
from nobi.evolution import fitness as fitness_module
from nobi.evolution.fitness import MEASURES, Fitness, games_seed, play_each_other
from nobi.games import variant
from nobi.networks import make_network
from nobi.players import make_player
from nobi.players.network import NetworkPlayer
from nobi.workers import ThreadExecutor

NETWORK = make_network("mdrnn:hidden=2")
CANDIDATES = np.random.default_rng(0).standard_normal((5, NETWORK.weight_count(5))).astype(np.float32)


def fitness(threads=1, sizes=(5,), opponents=("naive",), games=40, seed=3):
    return Fitness("atari-go", sizes, NETWORK, opponents, games, seed, ThreadExecutor(threads))


def test_fitness_is_that_of_a_match():
    """Every candidate plays the arena's games of the generation's seed."""
    where = variant("atari-go", 5)
    found = fitness().measure(CANDIDATES, generation=4)
    for weights, value in zip(CANDIDATES, found, strict=True):
        player = NetworkPlayer(where, NETWORK, weights)
        played = play_games(where, player, make_player("naive", where), 40, seed=games_seed(3, 4))
        assert value == played.points_of_a.mean()


def test_fitness_does_not_depend_on_threads_or_other_candidates():
    alone = [fitness().measure(CANDIDATES[i : i + 1], 7)[0] for i in range(5)]
    for threads in (1, 2, 3):
        assert fitness(threads).measure(CANDIDATES, 7).tolist() == alone


def test_generations_play_different_games():
    assert games_seed(0, 1) != games_seed(0, 2) != games_seed(1, 2)
    f = fitness()
    assert f.measure(CANDIDATES, 1).tolist() != f.measure(CANDIDATES, 2).tolist()


def test_several_boards_and_opponents_have_equal_weight():
    both = fitness(sizes=(5, 6), opponents=("naive", "random"))
    assert both.games_per_candidate == 160
    parts = [fitness(sizes=(s,), opponents=(o,)).measure(CANDIDATES, 0) for s in (5, 6) for o in ("naive", "random")]
    assert both.measure(CANDIDATES, 0) == pytest.approx(np.mean(parts, axis=0))
    objectives = both.objectives(CANDIDATES, 0, ("points",))
    assert np.array_equal(objectives, np.stack(parts, axis=1))


def test_measures():
    where = variant("atari-go", 5)
    played = fitness().play(CANDIDATES[:1], 0)[0][0]
    assert MEASURES["black"](played).size == MEASURES["white"](played).size == 20
    colours = (MEASURES["black"](played).mean() + MEASURES["white"](played).mean()) / 2
    assert colours == pytest.approx(MEASURES["points"](played).mean())
    assert np.array_equal(MEASURES["score"](played), played.score_of_a)
    assert MEASURES["length"](played).mean() == pytest.approx(-played.length.mean() / where.size**2)


# --- games between networks ----------------------------------------------------------------------------------------


def networks(spec, size, *counts, seed=0):
    """A network, and weights[i, weight] for each of the counts."""
    network = make_network(spec)
    rng = np.random.default_rng(seed)
    return network, *(np.stack([network.random_weights(size, rng) for _ in range(count)]) for count in counts)


def play_by_hand(where, network, black, white):
    """(winner's colour or DRAW, number of moves) of a game of greedy networks; the first of equal moves is played."""
    game, moves = where.new(), 0
    points = game.points()
    while not game.is_over:
        me = game.to_move
        colours = np.array([game.colour(point) for point in points]).reshape(1, where.size, where.size)
        values = network.evaluate(black if me == BLACK else white, colours == me, colours == BLACK + WHITE - me).ravel()
        game.play(max((point for point in points if game.is_legal(point)), key=lambda p: values[points.index(p)]))
        moves += 1
    return game.outcome, moves


def score_by_hand(where, network, first, second):
    """S08 IV-B: ±(1 − 0.2·(M − M_min)/(M_max − M_min)), the mean of two games."""
    shortest, longest = where.score_lengths
    scores = []
    for colour, (black, white) in ((BLACK, (first, second)), (WHITE, (second, first))):
        outcome, moves = play_by_hand(where, network, black, white)
        sign = 0 if outcome == DRAW else 1 if outcome == colour else -1
        scores.append(sign * (1 - 0.2 * (moves - shortest) / (longest - shortest)))
    return sum(scores) / 2


@pytest.mark.parametrize(
    ("game", "spec"), [("atari-go", "mlp"), ("gomoku", "mlp"), ("atari-go", "mdrnn:hidden=2"), ("pente", "mlp")]
)
def test_scores_by_hand(game, spec):
    """An mlp has no ties; an mdrnn has ties only between mirrored moves, which lead to mirrored games."""
    where = variant(game, 5)
    network, firsts, seconds = networks(spec, 5, 4, 3)
    scores = play_each_other(where, network, firsts, seconds, 2, seed=1)
    expected = [[score_by_hand(where, network, first, second) for second in seconds] for first in firsts]
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-12)
    assert len(np.unique(scores)) > 3


@pytest.mark.parametrize("temperature", [0.0, 0.5])
def test_scores_do_not_depend_on_threads_or_parts(monkeypatch, temperature):
    where = variant("atari-go", 5)
    network, firsts, seconds = networks("mdrnn:hidden=2", 5, 7, 5)
    scores = play_each_other(where, network, firsts, seconds, 4, 3, temperature, ThreadExecutor(1))
    monkeypatch.setattr(fitness_module, "LEAST_BOARDS", 1)
    for threads in (2, 3, 7, 16):
        assert (
            play_each_other(where, network, firsts, seconds, 4, 3, temperature, ThreadExecutor(threads)).tobytes()
            == scores.tobytes()
        )
    for boards in (1, 7, 30):
        monkeypatch.setattr(fitness_module, "MOST_BOARDS", boards)
        for threads in (1, 2):
            again = play_each_other(where, network, firsts, seconds, 4, 3, temperature, ThreadExecutor(threads))
            assert again.tobytes() == scores.tobytes()


def test_seeds_affect_random_games():
    where = variant("atari-go", 5)
    network, firsts, seconds = networks("mlp", 5, 4, 4)
    greedy, drawn = (
        [play_each_other(where, network, firsts, seconds, 2, seed, heat) for seed in (1, 2)] for heat in (0.0, 1.0)
    )
    assert np.array_equal(*greedy)
    assert not np.array_equal(*drawn)
    assert not np.array_equal(greedy[0], drawn[0])


def test_no_network_beats_itself():
    network, players = networks("mlp", 5, 6)
    scores = play_each_other(variant("atari-go", 5), network, players, players)
    np.testing.assert_array_equal(np.diag(scores), 0)
    np.testing.assert_allclose(scores, -scores.T, atol=1e-12)  # the same two games, seen from the other side


def test_an_empty_set_of_opponents():
    network, players = networks("mlp", 5, 3)
    assert play_each_other(variant("atari-go", 5), network, players, players[:0]).shape == (3, 0)
    assert play_each_other(variant("atari-go", 5), network, players[:0], players).shape == (0, 3)


@pytest.mark.parametrize("games", [0, 1, 3])
def test_games_come_in_pairs(games):
    network, players = networks("mlp", 5, 2)
    with pytest.raises(ValueError, match="games must be an even number"):
        play_each_other(variant("atari-go", 5), network, players, players, games)
