"""Positions of a step: each once per epoch for any batch size, as a function of seed and step only."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nobi.imitation.data import _BLOCK, Sampler, fixed_sample, permuted


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 3000), st.integers(0, 2**63 - 1), st.integers(0, 1000))
def test_a_shuffle_is_a_permutation(count, seed, number):
    found = permuted(np.arange(count), count, seed, number)
    assert sorted(found.tolist()) == list(range(count))


def test_shuffles_look_random():
    """Over many shuffles each index is mapped uniformly, and two indices independently."""
    count, shuffles = 7, 7000
    found = np.stack([permuted(np.arange(count), count, 5, n) for n in range(shuffles)])
    for first in range(count):
        hits = np.bincount(found[:, first], minlength=count)
        assert ((hits - shuffles / count) ** 2 / (shuffles / count)).sum() < 30  # χ² with 6 degrees: 0.00004
    pairs = Counter((found[:, 0] * count + found[:, 1]).tolist())
    expected = shuffles / (count * (count - 1))
    assert len(pairs) == count * (count - 1)
    assert sum((n - expected) ** 2 / expected for n in pairs.values()) < 90  # 41 degrees: 0.00001


def test_large_shuffles_are_computed_element_by_element():
    count = 27_400_000
    places = np.array([0, 1, 2, 12_345_678, count - 1])
    found = permuted(places, count, 1, 2)
    assert len(set(found.tolist())) == 5
    assert ((found >= 0) & (found < count)).all()
    assert found[3] == permuted(places[3:4], count, 1, 2)[0]


def test_every_epoch_has_each_position_once():
    sampler = Sampler([101], [1.0], batch=8, seed=3)
    seen = np.concatenate([sampler.draw(step).number for step in range(101)])
    for one in range(8):
        assert sorted(seen[101 * one : 101 * (one + 1)].tolist()) == list(range(101))
    assert seen[:101].tolist() != seen[101:202].tolist()


def test_threads_that_draw_steps_of_two_blocks_get_the_same():
    steps = [step for i in range(40) for step in (_BLOCK - 20 + i, 40 - i)]
    alone = Sampler([50, 130], [1.0, 1.0], batch=4, seed=0)
    expected = [alone.draw(step) for step in sorted(set(steps))]
    shared = Sampler([50, 130], [1.0, 1.0], batch=4, seed=0)
    with ThreadPoolExecutor(4) as pool:
        found = dict(zip(steps, pool.map(shared.draw, steps), strict=True))
    for step, draw in zip(sorted(set(steps)), expected, strict=True):
        assert found[step].source == draw.source
        assert found[step].number.tolist() == draw.number.tolist()
        assert found[step].symmetry.tolist() == draw.symmetry.tolist()


def test_every_epoch_of_each_source_has_each_position_once():
    counts = [50, 130]
    sampler = Sampler(counts, [1.0, 1.0], batch=4, seed=0)
    seen = [[], []]
    for step in range(400):
        draw = sampler.draw(step)
        seen[draw.source] += draw.number.tolist()
    for numbers, count in zip(seen, counts, strict=True):
        for one in range(len(numbers) // count):
            assert sorted(numbers[one * count : (one + 1) * count]) == list(range(count))


@pytest.mark.parametrize("weights", [(1.0, 1.0), (3.0, 1.0)])
def test_sources_are_drawn_in_proportion(weights):
    counts = [100, 300]
    sampler = Sampler(counts, weights, batch=1, seed=1)
    drawn = np.mean([sampler.draw(step).source == 0 for step in range(4000)])
    expected = weights[0] * 100 / (weights[0] * 100 + weights[1] * 300)
    assert abs(drawn - expected) < 4 * np.sqrt(expected * (1 - expected) / 4000)


def test_a_step_depends_only_on_seed_and_number():
    def sampler(seed=9):
        return Sampler([40, 60], [1.0, 2.0], batch=6, seed=seed)

    whole, fresh = sampler(), sampler()
    drawn = [0, 0]
    for step in range(70_003):  # beyond the first block of sources
        source, turn = whole._source_of(step)
        assert turn == drawn[source]
        drawn[source] += 1
    for step in (70_002, 3, 70_000, 65_536, 65_535):
        again, ours = fresh.draw(step), sampler().draw(step)
        assert (again.source, whole._source_of(step)) == (ours.source, fresh._source_of(step))
        assert again.number.tolist() == ours.number.tolist()
        assert again.symmetry.tolist() == ours.symmetry.tolist()
    assert any(sampler(10).draw(t).number.tolist() != whole.draw(t).number.tolist() for t in range(3))


def test_parts_of_a_batch_make_the_whole_batch():
    sampler = Sampler([40], [1.0], batch=7, seed=9)
    whole, left, right = sampler.draw(5), sampler.draw(5, 0, 3), sampler.draw(5, 3, 7)
    assert whole.number.tolist() == [*left.number, *right.number]
    assert whole.symmetry.tolist() == [*left.symmetry, *right.symmetry]


def test_symmetries_are_equally_likely_or_absent():
    turned = np.concatenate([Sampler([500], [1.0], 100, 2).draw(step).symmetry for step in range(80)])
    hits = np.bincount(turned, minlength=8)
    assert len(hits) == 8
    assert ((hits - 1000) ** 2 / 1000).sum() < 35  # χ² with 7 degrees: 0.00001
    assert not Sampler([500], [1.0], 100, 2, symmetries=False).draw(0).symmetry.any()


def test_a_fixed_sample_is_in_proportion_and_has_no_position_twice():
    counts = [1000, 3000]
    found = fixed_sample(counts, 100, seed=4)
    assert [len(part) for part in found] == [25, 75]
    for part, count in zip(found, counts, strict=True):
        assert len(set(part.tolist())) == len(part)
        assert (np.diff(part) > 0).all()
        assert part.max() < count
    assert [len(part) for part in fixed_sample(counts, 0, 0)] == counts
    assert [len(part) for part in fixed_sample(counts, 5000, 0)] == counts
