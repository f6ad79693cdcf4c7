"""Coevolution, on hand-computed cases and on a game of numbers."""

import numpy as np
import pytest

from nobi.evolution.coevolution import Coevolution, Record, best_first, shared_fitness, shared_sample
from nobi.evolution.settings import PUBLISHED_RULES, CoevolutionSettings
from nobi.trainers.base import fingerprint, replay


def table(*rows):
    """Table of wins from rows such as `x.x`."""
    return np.array([[mark == "x" for mark in row] for row in rows])


def numbers_game(hosts, opponents):
    """The higher sum wins; opponents are common to all hosts, or each host's own."""
    theirs = opponents.sum(axis=-1)
    return np.tanh(hosts.sum(axis=1)[:, None] - (theirs if theirs.ndim == 2 else theirs[None])).astype(np.float64)


@pytest.mark.parametrize(
    ("wins", "fitness"),
    [
        (table("xx.", "x..", "..."), [0.5 + 1, 0.5, 0]),
        (table("xxx", "xxx", "xxx"), [1, 1, 1]),
        (table("...", "..."), [0, 0]),
        # a host that alone beats one opponent is worth more than two hosts that beat the same two
        (table("..x", "xx.", "xx.", "xx."), [1, 2 / 3, 2 / 3, 2 / 3]),
    ],
)
def test_shared_fitness(wins, fitness):
    np.testing.assert_allclose(shared_fitness(wins), fitness)


@pytest.mark.parametrize(
    ("wins", "count", "chosen"),
    [
        # 1 beats most; then 0 is worth ½ + ½ and 3 is worth 1, a tie decided by the index; then 3
        (table("xx..", "xxx.", "..x.", "...x"), 3, [1, 0, 3]),
        # 0 covers three hosts; 2 adds the one left, and is worth more than 1, which repeats two of them (½ + ½ < 1 + ½)
        (table("xxx.", "xx..", "..xx", "x..."), 2, [0, 2]),
        # a host covered twice is worth a third
        (table("x...", "x...", "x..x", ".x.."), 4, [2, 3, 0, 1]),
        (table("....", "....", "...."), 2, [0, 1]),
        (table("....", "...x", "...."), 3, [1, 0, 2]),
        (table("x", "x"), 5, [0, 1]),
        (np.zeros((3, 0), bool), 2, [0, 1]),
        (table("x", "x"), 0, []),
    ],
)
def test_shared_sample(wins, count, chosen):
    assert shared_sample(wins, count).tolist() == chosen


def test_best_first():
    shared, relative = np.array([0.1 + 0.2, 0.3, 0.9, 0.3]), np.array([-0.5, 0.1, -0.9, 0.1])
    assert best_first(shared, relative).tolist() == [2, 1, 3, 0]


@pytest.mark.parametrize("elitist", [True, False])
def test_selection_by_hand(elitist):
    """Two of four are selected by shared fitness, but the champion is chosen by the mean score."""
    settings = CoevolutionSettings(population=4, selected=2, parasites=2, hall=1, elitist=elitist, mutation=0.001)
    coevolution = Coevolution(settings, 5, seed=0)
    hosts, opponents = coevolution.ask()
    assert hosts.shape == (4, 5)
    assert opponents.shape == (3, 5)  # the hall is empty: one more parasite
    scores = np.array(
        [
            [0.9, 0.9, -0.1],  # shared: ⅓ + ⅓ = ⅔, mean 0.57: the champion
            [-0.9, -0.9, 0.1],  # shared: 1, selected first
            [0.1, 0.1, -0.9],  # shared: ⅔, the mean −0.23 decides
            [0.2, 0.2, -0.9],  # shared: ⅔, mean −0.17
        ]
    )
    coevolution.tell(scores)
    np.testing.assert_array_equal(coevolution.champion, hosts[0])
    assert coevolution.champion_population == 0
    other, _ = coevolution.ask()
    coevolution.tell(numbers_game(other, coevolution.ask()[1]))
    after, _ = coevolution.ask()
    origin = np.abs(after[:, None] - hosts[None]).max(axis=2).argmin(axis=1)
    assert set(origin) <= {0, 1}
    kept = (after == hosts[origin]).all(axis=1)
    assert kept.tolist() == ([True, True, False, False] if elitist else [False] * 4)
    if elitist:
        assert origin[:2].tolist() == [1, 0]
    assert np.abs(after - hosts[origin]).max() < 0.006


def test_roles_swap_and_opponents_come_from_the_other_side():
    settings = CoevolutionSettings(population=4, selected=2, parasites=2, hall=2, mutation=0.001)
    coevolution = Coevolution(settings, 3, seed=0)
    first_hosts, first_opponents = coevolution.ask()
    assert coevolution.host_population == 0
    assert len(first_opponents) == 4  # all of the other population, in order: there are no results yet
    first_scores = np.array(
        [
            [0.1, -1, -1, -1],
            [-1, 0.1, 0.1, -1],
            [-1, 0.1, -1, -1],
            [0.9, -0.9, -0.9, 0.9],  # the best mean
        ]
    )
    coevolution.tell(first_scores)
    hosts, opponents = coevolution.ask()
    assert coevolution.host_population == 1
    np.testing.assert_array_equal(hosts, first_opponents)
    # three parasites by shared sampling: 1 (beats 1, 2; first of equals), 3 (beats 0, 3), then 0 (½), 2 (½) by index;
    # they are the first population as it was evaluated, not its mutants; the fourth is the only one in the hall
    np.testing.assert_array_equal(opponents, first_hosts[[1, 3, 0, 3]])
    assert coevolution.champion_population == 0
    coevolution.tell(np.where(np.eye(4)[::-1] > 0, 0.5, -0.5) + np.array([[0.0], [0.0], [0.3], [0.0]]))
    np.testing.assert_array_equal(coevolution.champion, hosts[2])
    assert coevolution.champion_population == 1
    third_hosts, third_opponents = coevolution.ask()
    assert coevolution.host_population == 0
    # the shared fitness was ½, 1½, ½, 1½, and 3 had a better mean score than 1
    np.testing.assert_array_equal(third_hosts[:2], first_hosts[[3, 1]])
    # 0 beat only the member of the hall, which does not count for the hosts; 1, 2 and 3 each beat one parasite
    np.testing.assert_array_equal(third_opponents[:2], hosts[[1, 2]])
    assert {row.tobytes() for row in third_opponents[2:]} == {first_hosts[3].tobytes(), hosts[2].tobytes()}
    np.testing.assert_array_equal(coevolution.champions[0], first_hosts[3])
    np.testing.assert_array_equal(coevolution.champions[1], hosts[2])
    # the next parasites are the mutants that have now been evaluated
    coevolution.tell(np.array([[-1.0] * 4, [-1.0] * 4, [-1, 0.1, -1, -1], [0.1, -1, -1, -1]]))
    _, fourth_opponents = coevolution.ask()
    np.testing.assert_array_equal(fourth_opponents[:2], third_hosts[[2, 3]])


def test_sizes_of_the_paper():
    coevolution = Coevolution(None, 140, seed=0)
    for generation in range(14):
        hosts, opponents = coevolution.ask()
        assert hosts.shape == opponents.shape == (15, 140)
        assert hosts.dtype == opponents.dtype == np.float32
        champions = {one.tobytes() for one in coevolution.champions}
        from_hall = [one for one in opponents[-min(10, len(champions)) or 15 :] if one.tobytes() in champions]
        assert len(from_hall) == min(10, len(champions))
        assert len({one.tobytes() for one in from_hall}) == len(from_hall)
        coevolution.tell(numbers_game(hosts, opponents))
        assert coevolution.generation == len(coevolution.champions) == generation + 1


def test_a_champion_enters_the_hall_of_fame_once():
    coevolution = Coevolution(CoevolutionSettings(population=3, selected=1, parasites=1, hall=5), 2, seed=0)
    for _ in range(12):
        _, opponents = coevolution.ask()
        scores = np.full((3, len(opponents)), -1.0)
        scores[0] = 1.0  # the first remains champion
        coevolution.tell(scores)
    assert len({one.tobytes() for one in coevolution.champions}) == 2
    _, opponents = coevolution.ask()
    # the hall has two members; four more parasites are requested and three exist
    assert len(opponents) == 5


@pytest.mark.parametrize("elitist", [True, False])
def test_a_game_of_numbers_is_learnt(elitist):
    coevolution = Coevolution(CoevolutionSettings(elitist=elitist), 6, seed=3)
    for _ in range(60):
        coevolution.tell(numbers_game(*coevolution.ask()))
    sums = np.array([one.sum() for one in coevolution.champions])
    for population in (0, 1):
        own = sums[population::2]
        assert own[-1] > own[15] + 2 > own[0] + 3
    assert np.mean(np.diff(sums[::2]) >= 0) > 0.8


@pytest.mark.parametrize("generations", [0, 1, 2, 15])
def test_replay(generations):
    told, last = [], None
    coevolution, copy = (Coevolution(CoevolutionSettings(elitist=False), 6, seed=3) for _ in range(2))
    for _ in range(generations):
        asked = coevolution.ask()
        told.append(numbers_game(*asked))
        last = fingerprint(asked)
        coevolution.tell(told[-1])
    replay(copy, told, last)
    for _ in range(4):
        asked, again = coevolution.ask(), copy.ask()
        assert fingerprint(asked) == fingerprint(again)
        for one in (coevolution, copy):
            one.tell(numbers_game(*asked))
    assert [one.tobytes() for one in coevolution.champions] == [one.tobytes() for one in copy.champions]
    assert fingerprint(Coevolution(None, 6, seed=4).ask()) != fingerprint(Coevolution(None, 6, seed=3).ask())


def test_invalid_scores_and_settings():
    coevolution = Coevolution(None, 6, seed=3)
    with pytest.raises(RuntimeError, match="ask before tell"):
        coevolution.tell(np.zeros((15, 15)))
    with pytest.raises(RuntimeError, match="no generation"):
        _ = coevolution.champion
    coevolution.ask()
    for wrong in (np.zeros((15, 14)), np.zeros(15), np.full((15, 15), np.nan)):
        with pytest.raises(ValueError, match="the scores must"):
            coevolution.tell(wrong)
    for settings in (
        {"selected": 16},
        {"selected": 15},
        {"parasites": 0},
        {"parasites": 16},
        {"hall": -1},
        {"mutation": 0.0},
    ):
        with pytest.raises(ValueError, match="must be"):
            CoevolutionSettings(**settings)


def played(generations, **settings):
    """A coevolution after some generations of the game of numbers, and the requested candidates."""
    coevolution, asked = Coevolution(CoevolutionSettings(**settings), 4, seed=3), []
    for _ in range(generations):
        asked.append(coevolution.ask())
        coevolution.tell(numbers_game(*asked[-1]))
    return coevolution, asked


@pytest.mark.parametrize("rule", [*PUBLISHED_RULES, "all of them"])
def test_every_rule_of_the_published_code_changes_the_run_and_it_still_learns(rule):
    changes = PUBLISHED_RULES if rule == "all of them" else {rule: PUBLISHED_RULES[rule]}
    ours, (coevolution, asked) = played(30)[0], played(30, **changes)
    if rule not in ("results", "champion_by"):  # in the game of numbers these make no difference
        assert fingerprint(coevolution.ask()) != fingerprint(ours.ask())
    assert coevolution.champions[29].sum() > coevolution.champions[1].sum() + 0.5  # of the same population
    again = Coevolution(coevolution.settings, 4, seed=3)
    replay(again, [numbers_game(*one) for one in asked], fingerprint(asked[-1]))
    assert fingerprint(again.ask()) == fingerprint(coevolution.ask())


def test_each_host_draws_its_own_hall_of_fame():
    _, asked = played(30, hall_draw="own")
    opponents = asked[-1][1]
    assert opponents.shape == (15, 15, 4)
    assert (opponents[:, :5] == opponents[0, :5]).all()  # the parasites are common to all
    assert len({one[5:].tobytes() for one in opponents}) > 1


def test_the_first_population_of_the_published_code_is_one_network_and_its_mutants():
    _, [(hosts, _)] = played(1, first="mutants")
    assert np.abs(hosts - hosts[0]).max() < 1
    assert 0.05 < (hosts[1:] - hosts[0]).std() < 0.15


def test_a_record_of_all_results():
    a, b, c = np.eye(3, dtype=np.float32)
    record = Record()
    record.add(np.stack([a, b]), np.stack([np.stack([c, b]), np.stack([c, a])]), np.array([[0.8, 0.2], [-0.9, 0.1]]))
    assert record.score(a, c) == 0.8
    assert record.score(c, a) == -0.8
    assert record.score(a, b) == pytest.approx((0.2 - 0.1) / 2)
    assert record.mean_score(c) == pytest.approx(0.05)
    assert record.mean_score(np.ones(3, np.float32)) == 0
    # a beats both that it met, b none of them
    np.testing.assert_allclose(record.shared_wins(np.stack([a, b]), [c, b]), [2, 0])
    np.testing.assert_allclose(record.shared_fitness(np.stack([a, b]), [c, b]), [1, 0])
    assert record.shared_fitness(np.stack([a, b]), []).tolist() == [0, 0]
