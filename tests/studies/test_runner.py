"""Whole studies: result documents, which do not depend on interruptions, threads and other studies."""

import json
import math

import pytest

import nobi
from helpers.runs import error_of
from nobi import studies
from nobi.studies import PAGES
from nobi.studies.cache import JobCache
from nobi.studies.pages import group_page, index_page
from nobi.studies.runner import TINY_NOTE, carry_out, run_studies
from nobi.studies.study import SCALES
from studies.made_up import DATASETS, ENGINES, MadeUp, Numbers, Other, forget, interrupt_at, made


@pytest.fixture(autouse=True)
def forget_all():
    forget()


@pytest.fixture
def two(monkeypatch):
    """Registers the made-up studies."""
    known = {kind.name: kind for kind in (MadeUp, Other)}
    monkeypatch.setattr("nobi.studies.runner.find", known.__getitem__)
    return list(known)


def without_times(documents):
    return [
        {key: value for key, value in document.items() if key not in ("spent", "jobs", "threads")}
        for document in documents
    ]


def test_the_document_of_a_study_is_written(tmp_path, two):
    [document] = run_studies(two[:1], "tiny", 7, tmp_path, threads=2)
    assert json.loads((tmp_path / "results" / "s08-fig3.json").read_text()) == document
    spent, jobs = document.pop("spent"), document.pop("jobs")
    [environment] = document.pop("environments")
    assert {"nobi", "processor", "python", "numpy"} <= environment.keys()
    assert document == {
        "study": "s08-fig3",
        "title": "S00 table 1: numbers",
        "paper": "S00 table 1",
        "group": "s08-random",
        "scale": "tiny",
        "seed": 7,
        "nobi": nobi.__version__,
        "threads": 2,
        "settings": {"numbers": [3, 1]},
        "conditions": {"numbers": "3 1"},
        "tables": [
            {
                "title": "Sums",
                "rows": [
                    {
                        "labels": {"case": "0"},
                        "measure": "sum",
                        "ours": {"value": 3 / 7, "low": 3 / 7 - 1, "high": None},
                        "paper": 0.25,
                        "neutral": 0.0,
                        "outcome": "wide",
                    },
                    {
                        "labels": {"case": "1"},
                        "measure": "sum",
                        "ours": {"value": 0.0, "low": -1.0, "high": None},
                        "paper": 0.25,
                        "neutral": 0.0,
                        "outcome": "wide",
                    },
                    {
                        "labels": {"case": "none"},
                        "measure": "sum",
                        "ours": {"value": None, "low": -1.0, "high": 1.0},
                        "paper": None,
                        "neutral": None,
                        "outcome": "",
                    },
                ],
            }
        ],
        "claims": [
            {"text": "Sums are numbers.", "holds": True, "evidence": "2 of them."},
            {"text": "Or not.", "holds": None, "evidence": "Unknown."},
        ],
        "pictures": [{"file": "s08-fig3.png", "caption": "A picture."}],
        "notes": [TINY_NOTE],
    }
    assert list(jobs) == [*(job.name for job in MadeUp("tiny", 7).all_jobs()), "tables and figures of s08-fig3"]
    assert spent["seconds"] == pytest.approx(sum(job["seconds"] for job in jobs.values()), abs=0.2)
    assert (tmp_path / "results" / "s08-fig3.png").exists()


def test_studies_share_jobs(tmp_path, two):
    documents = run_studies([*two, two[0]], "quick", 0, tmp_path)
    assert [document["study"] for document in documents] == two
    assert made == [1, 5, 3, 2]
    assert set(documents[0]["jobs"]) & set(documents[1]["jobs"]) == {Numbers(5).name}


def test_interruptions_change_no_row(tmp_path, two):
    whole = run_studies(two, "quick", 0, tmp_path / "whole")
    made.clear()
    interrupt_at.update({5, 2})
    for kept in ([1], [1, 5, 3]):
        with pytest.raises(KeyboardInterrupt):
            run_studies(two, "quick", 0, tmp_path / "left")
        assert made == kept
    # the first study is complete and written
    assert [path.name for path in (tmp_path / "left" / "results").glob("*.json")] == ["s08-fig3.json"]
    resumed = run_studies(two, "quick", 0, tmp_path / "left", threads=3)
    assert made == [1, 5, 3, 2]
    assert without_times(resumed) == without_times(whole)
    again = run_studies(two, "quick", 0, tmp_path / "left")
    assert made == [1, 5, 3, 2]
    assert without_times(again) == without_times(whole)


def test_progress_counts_the_missing_jobs(tmp_path, two):
    run_studies(two[:1], "tiny", 0, tmp_path)  # computes 3 and 1
    reported = []
    run_studies(two, "quick", 0, tmp_path, progress=lambda *now: reported.append(now))  # lacks 5 and 2
    done, totals, what = zip(*reported, strict=True)
    assert set(totals) == {2}
    assert list(done) == sorted(done)
    assert done[-1] == 2
    assert what[-1] == "tables and figures of s08-fig4"
    assert sum(text.startswith("numbers-5") for text in what) == 2


def test_a_folder_with_contents_is_refused_if_requested(tmp_path, two):
    run_studies(two[:1], "tiny", 0, tmp_path / "new", resume=False)
    sentence = error_of(run_studies, two[:1], "tiny", 0, tmp_path / "new", resume=False)
    assert "is not empty" in sentence
    assert made == [3, 1]


def test_a_damaged_file_is_an_error_before_any_work(tmp_path, two):
    run_studies(two[:1], "tiny", 0, tmp_path)
    made.clear()
    damaged = next((tmp_path / "jobs").glob("numbers-3-*"))
    damaged.write_bytes(b"")
    assert str(damaged) in error_of(run_studies, two, "quick", 0, tmp_path)
    assert made == []


def test_an_unknown_scale(tmp_path, two):
    sentence = error_of(run_studies, two, "huge", 0, tmp_path / "out")
    assert "no scale 'huge'; choose one of tiny or quick" in sentence
    assert not (tmp_path / "out").exists()


def test_a_study_without_the_scale_day(tmp_path):
    sentence = error_of(run_studies, ["s08-fig5"], "day", 0, tmp_path)
    assert "no scale 'day'; choose one of tiny, quick or paper" in sentence


def test_a_study_without_its_datasets(tmp_path, data):
    for given in ({}, {"pro": data["pro"]}):
        sentence = error_of(run_studies, ["c14-table3"], "tiny", 0, tmp_path / "out", data=given)
        assert f"--data {'kgs' if given else 'pro'}=DATASET" in sentence
        assert "'nobi data import'" in sentence
    sentence = error_of(run_studies, ["c14-fig3"], "tiny", 0, tmp_path / "out", data={"pro": data["small"]})
    assert sentence.startswith("The study 'c14-fig3' needs games on 19x19 in every split of the dataset 'pro'")
    assert not (tmp_path / "out").exists()


def test_a_study_of_records_states_them_by_their_counts(tmp_path, data):
    [document] = run_studies(["c14-fig6"], "tiny", 0, tmp_path / "out", threads=1, data=data)
    assert list(document["data"]) == ["pro"]
    assert sum(part["19"] for part in document["data"]["pro"]["games"].values()) == 24
    text = json.dumps(document)
    assert str(tmp_path) not in text
    assert data["pro"] not in text
    assert "24 games on 19x19" in document["conditions"]["records, professionals"]
    [again] = run_studies(["c14-fig6"], "tiny", 0, tmp_path / "other", threads=1, data=data)
    assert without_times([again]) == without_times([document])
    page = group_page([document], {})
    assert "`nobi study c14-fig6 --scale tiny --seed 0 --data pro=DATASET`" in page
    assert "24 games on 19x19" in page


def test_a_folder_that_cannot_be_created(tmp_path, two):
    (tmp_path / "file").write_text("")
    assert "cannot be written to" in error_of(run_studies, two, "tiny", 0, tmp_path / "file" / "out")


def test_infinite_numbers_are_an_error_of_the_study(tmp_path):
    class Wrong(MadeUp):
        scales = {"tiny": MadeUp.scales["tiny"]}  # noqa: RUF012

        def conditions(self):
            return {"numbers": math.inf}

    with pytest.raises(ValueError, match="JSON compliant"):
        carry_out([Wrong("tiny", 0)], JobCache(tmp_path))
    assert not (tmp_path / "results" / "s08-fig3.json").exists()


@pytest.mark.parametrize("paper", ["s08", "s09", "c14", "m15", "beyond", "size"])
def test_every_study_is_complete(paper):
    for name in [name for name in studies.names() if name.startswith(paper)]:
        kind = studies.find(name)
        assert kind.name == name
        assert kind.page in PAGES
        assert set(SCALES) - {"day"} <= set(kind.scales) <= set(SCALES)
        assert "day" in kind.scales or not (kind.roles or kind.plays_against)
        assert bool(kind.paper) == (paper not in ("beyond", "size"))
        assert kind.paper in ("", kind.title.partition(":")[0])
        for scale in kind.scales:
            study = kind(scale, 0, DATASETS, ENGINES)
            assert all(isinstance(text, str) for pair in study.conditions().items() for text in pair)
            jobs = study.all_jobs()
            for i, job in enumerate(jobs):
                assert all(needed in jobs[:i] for needed in job.dependencies)


def test_a_third_party_study_is_found_and_run(tmp_path):
    class Plugin(MadeUp):
        name, page = "my-study", "my-page"

    studies.register(Plugin)
    try:
        assert studies.names()[-1] == "my-study"
        assert studies.select("my-study") == ["my-study"]
        [document] = run_studies(["my-study"], "tiny", 0, tmp_path)
        assert group_page([document], {}).startswith("# my-page\n")
        assert "[my-study](my-page.md#my-study)" in index_page([document])
    finally:
        studies._studies._loaded.pop("my-study")
