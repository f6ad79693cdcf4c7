"""The schedule of a curriculum."""

import numpy as np
import pytest

from nobi.evolution.run import Curriculum, CurriculumSettings


def test_levels():
    curriculum = Curriculum(CurriculumSettings(start=0.4, end=0.15, threshold=0.25, factor=0.5))
    levels = [curriculum.level]
    # means: 0.0, 0.25, 0.2 with a best of 0.9, 0.5, 0.5
    for fitness in ([-0.5, 0.5], [0.0, 0.5], [-0.5, 0.9], [0.5, 0.5], [[0.5, 1.0], [0.5, 0.0]]):
        curriculum.tell(np.array(fitness))
        levels.append(curriculum.level)
    assert levels == [0.4, 0.4, 0.2, 0.2, 0.15, 0.15]


def test_it_depends_on_what_was_told_alone():
    told = np.random.default_rng(0).normal(0, 1, (30, 5))
    a, b = Curriculum(), Curriculum()
    for fitness in told:
        a.tell(fitness)
    for fitness in told:
        b.tell(fitness)
    assert a.level == b.level
    assert a.settings.end <= a.level < a.settings.start


@pytest.mark.parametrize("wrong", [{"start": 0.1, "end": 0.2}, {"start": 1.5}, {"end": -0.1}, {"factor": 1.0}])
def test_settings_that_make_no_sense(wrong):
    with pytest.raises(ValueError, match="must be"):
        CurriculumSettings(**wrong)
