"""The numbers of `nobi predict` compared with plain computations."""

import math

import numpy as np
import pytest
import torch

from helpers.runs import error_of
from nobi.encoding import position_planes
from nobi.errors import NobiError
from nobi.features import make_planes
from nobi.games.go import Go, GoSettings
from nobi.imitation.metrics import MOVES_A_GROUP, MoveRankings, metrics_of, prediction_of, within
from nobi.imitation.prediction import first_filters, open_evaluation, rank_targets
from nobi.models.model import Model, save_model
from nobi.networks.deep import make_deep
from nobi.records.collection import PASS_CODE, WHITE_BIT

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    network = make_deep("m15:layers=2,filters=4,position=false", 3)
    rng = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weights in network.parameters():  # those of an untrained network give moves nearly the same value
            weights.normal_(0, 0.4, generator=rng)
    path = tmp_path_factory.mktemp("models") / "m15.safetensors"
    save_model(path, Model.from_module(network, 5))
    return path


def plain_verdicts(model, data, *, legal):
    """Every position of the test split, played by hand: (game, ply, size, rank, probabilities by cell, target)."""
    from nobi.board.stones import board_points
    from nobi.models.model import load_model
    from nobi.records.dataset import Dataset

    games = Dataset.open(data).collection("test")
    network = load_model(model).module()
    found = []
    for g in range(len(games.size)):
        size = int(games.size[g])
        board = Go(size, GoSettings(ko="simple"))
        points = board_points(size)
        for ply, code in enumerate(games.moves[games.start[g] : games.start[g + 1]].tolist()):
            white, cell = bool(code & WHITE_BIT), code & PASS_CODE
            rank = int((games.white_rank if white else games.black_rank)[g])
            if cell != PASS_CODE:
                planes = position_planes(board, make_planes(network.planes), rank=rank)
                values = network.evaluate(planes[None], np.array([white]))[0].astype(np.float64)
                if legal:
                    values[[not board.is_legal(int(p)) for p in points]] = -np.inf
                odds = np.exp(values - values.max())
                found.append((g, ply, size, rank, odds / odds.sum(), cell))
            board.play(0 if cell == PASS_CODE else int(points[cell]))
    return found


@pytest.mark.parametrize("legal", [False, True])
def test_the_numbers_are_those_of_a_plain_computation(model, games57, legal):
    prediction = open_evaluation(model, [games57], "test").measure(CPU, legal=legal)
    plain = plain_verdicts(model, games57, legal=legal)
    places = np.array([1 + (odds > odds[target]).sum() for *_, odds, target in plain])
    probability = np.array([odds[target] for *_, odds, target in plain])
    # moves with nearly the value of the played move, which rounding may rank before or after it
    near = np.array([(np.abs(odds - odds[target]) < 1e-5 * odds[target]).sum() - 1 for *_, odds, target in plain])
    assert near.mean() < 0.01
    unclear = (near > 0).mean() + 1e-9
    assert prediction.all.positions == len(plain)
    assert prediction.all.games == len({g for g, *_ in plain})
    assert prediction.all.accuracy.value == pytest.approx((places == 1).mean(), abs=unclear)
    assert prediction.all.rank.value == pytest.approx(places.mean(), abs=near.mean() + 1e-6)
    assert prediction.all.probability.value == pytest.approx(probability.mean(), rel=1e-4)
    assert prediction.all.loss.value == pytest.approx(-np.log(probability).mean(), rel=1e-4)
    for n in (1, 3, 10, 49):
        assert prediction.top[n - 1].value == pytest.approx((places <= n).mean(), abs=unclear)
    for groups, keys in (
        (prediction.by_size, [size for _, _, size, *_ in plain]),
        (prediction.by_rank, [rank for _, _, _, rank, *_ in plain]),
        (prediction.by_move, [ply // MOVES_A_GROUP * MOVES_A_GROUP for _, ply, *_ in plain]),
    ):
        assert set(groups) == set(keys)
        for key, quality in groups.items():
            chosen = np.array(keys) == key
            assert quality.positions == chosen.sum()
            assert quality.rank.value == pytest.approx(places[chosen].mean(), abs=near[chosen].mean() + 1e-6)


def made_up(game, better, equal=1, log_probability=-1.0):
    count = len(game)
    zeros = np.zeros(count, np.int64)
    return MoveRankings(
        np.array(game),
        zeros,
        zeros + 9,
        zeros,
        np.broadcast_to(better, count).astype(np.int64),
        np.broadcast_to(equal, count).astype(np.int64),
        np.broadcast_to(log_probability, count).astype(np.float64),
    )


def test_moves_with_equal_values_share_their_ranks():
    better, equal, logs = rank_targets(
        torch.tensor([[1.0, 3.0, 1.0, 1.0, 0.0], [0.0, 0.0, 5.0, -1.0, 0.0]]), torch.tensor([2, 2])
    )
    assert better.tolist() == [1, 0]
    assert equal.tolist() == [3, 1]
    assert logs[1].item() == pytest.approx(5 - math.log(math.exp(5) + 3 + math.exp(-1)))
    rankings = made_up([0], 1, 3)
    assert [within(rankings, n)[0] for n in (1, 2, 3, 4, 5)] == pytest.approx([0, 1 / 3, 2 / 3, 1, 1])
    assert metrics_of(rankings).rank.value == 3  # one of the ranks 2, 3 and 4


def test_intervals_account_for_correlation_within_games():
    """Copies of positions within their games add no information: the interval of the mean does not change."""
    rng = np.random.default_rng(0)
    game = np.repeat(np.arange(60), 5)
    hits = (rng.random(300) < np.repeat(rng.beta(1, 1, 60), 5)).astype(np.int64)
    once, often = (metrics_of(made_up(np.tile(game, k), np.tile(1 - hits, k))) for k in (1, 7))
    for name in ("accuracy", "rank"):
        one, many = getattr(once, name), getattr(often, name)
        assert (many.value, many.low, many.high) == pytest.approx((one.value, one.low, one.high))


def test_intervals_have_the_nominal_coverage():
    """Games of different accuracy and length: only intervals over games have the nominal coverage (400 trials)."""
    rng = np.random.default_rng(1)
    covered = naive = 0
    for _ in range(400):
        lengths = rng.integers(10, 60, 80)
        game = np.repeat(np.arange(80), lengths)
        hits = rng.random(len(game)) < np.repeat(rng.beta(2, 3, 80), lengths)
        found = metrics_of(made_up(game, (~hits).astype(np.int64))).accuracy
        covered += found.low <= 0.4 <= found.high
        naive += abs(hits.mean() - 0.4) < 1.96 * math.sqrt(hits.mean() * (1 - hits.mean()) / len(hits))
    assert 365 <= covered <= 392
    assert naive < 250


def test_small_groups_have_wide_intervals():
    one = metrics_of(made_up([0, 0, 0], 0))
    assert one.accuracy.value == 1
    assert one.accuracy.low < 0.3
    assert one.rank.high == math.inf
    lucky = metrics_of(made_up([0] * 10 + [1] * 10, ([0] * 4 + [1] * 6) * 2)).accuracy  # two games that agree
    assert lucky.value == 0.4
    assert lucky.low < 0.1
    assert lucky.high > 0.9
    several = metrics_of(made_up([0, 1, 2, 3], 5))
    assert several.accuracy.value == 0
    assert several.accuracy.high > 0.4  # as of four trials


def test_a_sample_of_positions(model, games57):
    evaluation = open_evaluation(model, [games57], "train", positions=50, seed=2)
    assert evaluation.count == 50
    assert prediction_of(evaluation.rankings(CPU)).all.positions == 50
    assert open_evaluation(model, [games57], "train", sizes=[7]).sources.main_size == 7


def test_filters_are_those_of_the_first_convolution(model, games57):
    network = open_evaluation(model, [games57], "test").network
    assert first_filters(network).shape == (4, 36, 5, 5)


def test_bad_input(tmp_path, model, games5, games57):
    assert "There is no model file" in error_of(open_evaluation, tmp_path / "none", [games5], "test")
    assert "There is no dataset" in error_of(open_evaluation, model, ["none"], "test")
    assert "has no split 'exam'" in error_of(open_evaluation, model, [games5], "exam")
    assert "no positions on 9x9 in the test part" in error_of(open_evaluation, model, [games5], "test", [9])
    fixed = tmp_path / "fixed.safetensors"
    save_model(fixed, Model.from_module(make_deep("c14-small:size=7"), 7))
    with pytest.raises(NobiError, match="plays on 7x7 only, and there are games on 5x5"):
        open_evaluation(fixed, [games57], "test")
