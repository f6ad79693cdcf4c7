"""All studies at the scale tiny; their paper scale is at least the paper's."""

import math

import numpy as np
import pytest

from nobi import studies
from nobi.statistics import Interval, mean_of_published
from nobi.studies.c14.ablation import (
    ALL,
    LIBERTIES_ONLY,
    NONE,
    SWITCHES,
    expected_symmetric_share,
    small_network,
    symmetric_share,
)
from nobi.studies.cache import JobCache
from nobi.studies.study import AGREES, DIFFERS, DIRECTION, SCALES, WIDE, Results, Row
from nobi.studies.training_jobs import GradientTraining
from studies.made_up import DATASETS, ENGINES


@pytest.fixture(scope="session")
def cache(tmp_path_factory, data):
    return JobCache(tmp_path_factory.mktemp("studies"), data=data)


@pytest.mark.parametrize("name", studies.names())
def test_a_study_finds_rows_claims_and_figures(name, cache, tmp_path):
    study = studies.find(name)("tiny", 0, cache.datasets)
    assert study.name == name
    takes_days = study.roles or study.plays_against
    assert set(SCALES) - (set() if takes_days else {"day"}) <= set(study.scales) <= set(SCALES)
    assert study.conditions()
    cache.make(study.all_jobs())
    found = study.report(Results(study.jobs(), cache), tmp_path)
    for table in found.tables:
        assert table.rows
        assert len({tuple(row.labels) for row in table.rows}) == 1, "the rows of a table have the same columns"
        assert len({(*row.labels.values(), row.measure) for row in table.rows}) == len(table.rows)
        for row in table.rows:
            assert math.isnan(row.ours.value) or row.ours.low <= row.ours.value <= row.ours.high
            assert (row.paper is None or math.isnan(row.ours.value)) == (row.outcome == "")
    for claim in found.claims:
        assert claim.holds is None or type(claim.holds) is bool, "NumPy's bool cannot be written as JSON"
        assert claim.text.endswith(".")
        assert claim.evidence
    for picture in found.pictures:
        assert (tmp_path / picture.file).stat().st_size > 0
        if picture.file.endswith(".png"):
            assert (tmp_path / picture.file).with_suffix(".svg").exists()
    assert found.tables or found.pictures


def test_rows_are_the_same_for_any_number_of_threads(tmp_path):
    found = []
    for threads in (1, 2):
        study = studies.find("s08-fig10")("tiny", 7)
        cache = JobCache(tmp_path / str(threads), threads)
        cache.make(study.all_jobs())
        job = study.all_jobs()[-1]
        found.append({key: value.tolist() for key, value in cache.arrays(job).items()})
    assert found[0] == found[1]


def test_another_seed_needs_other_jobs():
    one, other = (studies.find("s08-fig5")("tiny", seed).all_jobs() for seed in (0, 1))
    assert not {job.name for job in one} & {job.name for job in other}


def test_all_tables_and_figures_of_both_papers_have_studies():
    wanted = {f"s08-fig{i}" for i in range(2, 11)} | {f"s08-table{i}" for i in (1, 2, 3)}
    wanted |= {"s09-fig2", "s09-table1", "s09-table2"}
    assert wanted <= set(studies.names())
    assert studies.select("s09-fig3") == ["s09-fig3a", "s09-fig3b", "s09-fig3c"]
    assert studies.select("s09-fig4") == ["s09-fig4a", "s09-fig4b", "s09-fig4c"]
    assert set(studies.select("schaul")) == set(studies.select("s08")) | set(studies.select("s09"))


def test_the_paper_scale_is_at_least_the_papers():
    def settings(name):
        return studies.find(name).scales["paper"]

    for name in ("s08-fig3", "s08-fig4", "s08-fig5", "s08-table1"):
        assert settings(name).networks >= 200
        assert settings(name).games >= 100
    for name in ("s09-fig2", "s09-table1"):
        assert settings(name).networks >= 400
        assert settings(name).games >= 100
    assert settings("s08-fig6").runs >= 10
    assert (settings("s08-table2").runs, settings("s08-table2").generations) >= (5, 400)
    assert settings("s09-fig3a").runs >= 10
    assert (settings("s09-fig3b").runs, settings("s09-fig3b").generations) >= (5, 3500)
    for name in ("s08-table3", "s09-table2"):
        study = studies.find(name)("paper", 0)
        champions = [job for job in study.all_jobs() if job.kind == "champions"]
        assert champions
        assert all(len(job.runs) * len(job.chosen) >= 200 for job in champions)
        assert all(job.games >= 100 for job in champions)
    assert settings("s08-table3").first >= 50


def test_the_paper_scale_of_deep_networks_is_the_papers():
    def runs(name, scale="paper"):
        study = studies.find(name)(scale, 0, DATASETS)
        return [job for job in study.all_jobs() if job.kind == "imitation"]

    for name, epochs, nets in (
        ("c14-table1", 9, 8),
        ("c14-table2", 10, 1),
        ("c14-table3", 10, 2),
        ("m15-symmetry", 28, 4),
        ("m15-depth", 28, 5),
    ):
        assert len(runs(name)) == nets
        for run in runs(name):
            assert run.settings.batch == 128
            assert run.settings.optimiser == "sgd"
            assert epochs * 10_000_000 <= run.positions < epochs * 10_000_000 + 128
            assert run.settings.symmetries == name.startswith("m15")
    assert "m15:layers=12,filters=128" in {run.settings.net for run in runs("m15-depth")}
    assert {
        "m15:layers=6,filters=192,planes=m15-reduced",
        "m15:layers=3,filters=64,symmetric=true,planes=m15-reduced",
    } < {run.settings.net for run in runs("m15-symmetry")}
    # studies share jobs
    for scale in ("tiny", "quick", "day", "paper"):
        assert set(runs("c14-fig3", scale)) < set(runs("c14-table1", scale))
        for name in ("c14-fig6", "c14-fig7", "c14-fig8"):
            assert runs(name, scale) == runs("c14-table2", scale)
        assert runs("m15-fig1", scale) == runs("m15-depth", scale)
    assert runs("m15-rank", "day")[0] in runs("m15-depth", "day")


def test_networks_of_the_ablation():
    study = studies.find("c14-table1")("paper", 0, DATASETS)
    assert small_network(study, NONE).settings.net == "c14-small"
    assert (
        small_network(study, LIBERTIES_ONLY).settings.net == "c14-small:ko=false,edge=false,mask=false,reflection=false"
    )
    assert set(SWITCHES[ALL]) == set(SWITCHES[LIBERTIES_ONLY]) | {"liberties"}
    assert len(SWITCHES) == 8


def test_symmetry_of_a_filter():
    ring = np.array([[1.0, 2, 1], [2, 5, 2], [1, 2, 1]], np.float32)
    odd = np.array([[1.0, 0, -1], [2, 0, -2], [1, 0, -1]], np.float32)
    assert symmetric_share(np.stack([ring, odd])[:, None]) == pytest.approx([1, 0])
    rng = np.random.default_rng(0).normal(size=(40, 40, 7, 7)).astype(np.float32)
    assert symmetric_share(rng).mean() == pytest.approx(expected_symmetric_share(7), abs=0.01)


def test_jobs_have_names_of_their_own():
    kinds = [studies.find(name) for name in studies.names()]
    jobs = {job for kind in kinds for scale in kind.scales for job in kind(scale, 0, DATASETS, ENGINES).all_jobs()}
    assert len({job.name for job in jobs}) == len(jobs)


@pytest.mark.parametrize(
    ("ours", "paper", "neutral", "expected"),
    [
        (Interval(0.5, 0.4, 0.6), 0.45, 0.0, AGREES),
        (Interval(0.5, 0.4, 0.6), 0.9, 0.0, DIRECTION),
        (Interval(0.5, -0.1, 0.6), 0.9, 0.0, DIFFERS),  # not the whole interval is on the paper's side
        (Interval(0.5, 0.4, 0.6), -0.1, 0.0, DIFFERS),
        (Interval(0.5, 0.4, 0.6), 0.9, None, DIFFERS),
        (Interval(0.4, 0.3, 0.45), 0.2, 0.5, DIRECTION),
        (Interval(0.4, 0.3, 0.45), 0.7, 0.5, DIFFERS),
        # the paper's own error makes the difference not significant
        (Interval(0.5, 0.4, 0.6), Interval(0.7, 0.4, 0.9), 0.0, AGREES),
        # so does a very large error of the paper, which is not an agreement
        (Interval(0.5, 0.4, 0.6), Interval(0.7, 0.2, 0.9), 0.0, WIDE),
        # a number of the paper that does not differ from the null value is on neither side of it
        (Interval(0.9, 0.8, 0.95), Interval(0.1, -0.1, 0.3), 0.0, DIFFERS),
        (Interval(0.9, 0.8, 0.95), Interval(0.2, 0.1, 0.3), 0.0, DIRECTION),
        (Interval(0.1, -0.5, 0.7), 0.45, 0.0, WIDE),
        (Interval(0.5, 0.4, 0.6), None, 0.0, ""),
        (Interval(math.nan, -1, 1), 0.3, 0.0, ""),
    ],
)
def test_agreement_with_the_paper(ours, paper, neutral, expected):
    assert Row({}, "correlation", ours, paper, neutral).outcome == expected


def test_without_bounds_the_width_is_relative_to_the_papers_number():
    assert Row({}, "rank", Interval(8.0, 6.5, 9.5), 7.5).outcome == AGREES
    assert Row({}, "rank", Interval(8.0, 3.0, 13.0), 7.5).outcome == WIDE
    # table II of S08: 27.6 ± 14 in five runs does not agree with 10
    paper = mean_of_published(27.6, 14.0, 5)
    assert Row({}, "dominance number", Interval(10.4, 8.7, 12.1), paper).outcome == WIDE


@pytest.mark.parametrize(("positions", "holds"), [(500, None), (1000, True), (9000, True)])
def test_training_on_few_positions_is_inconclusive_on_overfitting(positions, holds):
    training = GradientTraining(positions, batch=100)
    claim = training.overfitting("Little.", Interval(0.001, -0.002, 0.004), 0.01, 1000, "gap")
    assert claim.holds is holds
    assert ("not decided" in claim.evidence) == (holds is None)
    large = training.overfitting("Little.", Interval(0.03, 0.02, 0.04), 0.01, 1000, "gap")
    assert large.holds is (None if holds is None else False)
