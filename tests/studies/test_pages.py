"""The pages of studies are functions of the results."""

import copy
import importlib.util
import json
import re
from pathlib import Path

import pytest

from nobi import studies
from nobi.studies.pages import (
    count_outcomes,
    group_page,
    index_page,
    interval_text,
    table_cells,
    time_text,
    total_spent,
)

FOLDER = Path(__file__).parent.parent.parent / "docs" / "studies"


def make_pages():
    spec = importlib.util.spec_from_file_location("make_pages", FOLDER / "make_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def row(paper=0.7, value=0.5, low=0.4, high=0.75, **labels):
    ours = {"value": value, "low": low, "high": high}
    return {"labels": labels, "measure": "correlation", "ours": ours, "paper": paper, "neutral": 0.0}


def document(study="s08-table1", group="s08-random", **changes):
    return {
        "study": study,
        "title": "does a | b?",
        "paper": "S08 table I",
        "group": group,
        "scale": "paper",
        "seed": 3,
        "nobi": "1.2.3",
        "threads": 2,
        "settings": {"networks": 400},
        "conditions": {"networks": "400 of each kind"},
        "spent": {"seconds": 100.0, "cpu": 190.0},
        "jobs": {"shared": {"seconds": 60.0, "cpu": 110.0}, study: {"seconds": 40.0, "cpu": 80.0}},
        "tables": [{"title": "Rows", "rows": [row(game="Go"), row(-0.1, game="A|B"), row(None, game="C")]}],
        "claims": [
            {"text": "It is so.", "holds": True, "evidence": "0.7 > 0.2"},
            {"text": "It is not.", "holds": False, "evidence": "0.1"},
            {"text": "Who knows.", "holds": None, "evidence": "0.3"},
        ],
        "pictures": [{"file": f"{study}.png", "caption": "A figure."}, {"file": "game.sgf", "caption": "A game."}],
        **changes,
    }


def test_the_committed_pages_are_up_to_date():
    pages = make_pages().render()
    results = sorted((FOLDER / "results").glob("*.json"))
    assert bool(pages) == bool(results)
    for name, text in pages.items():
        assert (FOLDER / name).read_text() == text, f"run python docs/studies/make_pages.py: {name} is old"
    assert {path.name for path in FOLDER.glob("*.md")} == set(pages)
    for path in results:
        found = json.loads(path.read_text())
        assert found["study"] == path.stem
        assert found["group"] == studies.find(path.stem).page
        assert f"## {path.stem}\n" in pages[f"{found['group']}.md"]
        assert f"[{path.stem}]" in pages["README.md"]


def test_links_of_the_committed_pages_are_valid():
    for page in FOLDER.glob("*.md"):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_discussions_belong_to_studies_that_have_results():
    results = {path.stem for path in (FOLDER / "results").glob("*.json")}
    assert {path.stem for path in (FOLDER / "discussion").glob("*.md")} <= results


def test_every_group_has_a_page():
    assert {studies.find(name).page for name in studies.names()} == set(studies.PAGES)


def test_the_page_of_a_group():
    page = group_page(
        [document("s08-table1"), document("s08-fig3", tables=[])], {"s08-fig3": "\nA plain paragraph.\n\n"}
    )
    assert page.startswith("# Random networks")
    assert re.findall("^## (.*)$", page, re.MULTILINE) == ["s08-fig3", "s08-table1"]  # in the order of the list
    first, second = page.split("## s08-table1\n")
    assert "\n\nA plain paragraph.\n\n" in first
    assert "A plain paragraph" not in second
    for line in (
        "**Does a | b?** In the paper: S08 table I.",
        "`nobi study s08-table1 --scale paper --seed 3`, nobi 1.2.3: 100 seconds on 2 threads, 190 CPU seconds, "
        "including jobs shared with other studies.",
        "- ✓ **It is so.** 0.7 > 0.2",
        "- ✗ **It is not.** 0.1",
        "- ? **Who knows.** 0.3",
        "### Rows",
        "| game | measure | paper | ours [95 %] | outcome |",
        "| Go | correlation | 0.7 | 0.50 [0.40, 0.75] | ✓ agrees |",
        "| A\\|B | correlation | -0.1 | 0.50 [0.40, 0.75] | ✗ differs |",
        "| C | correlation |  | 0.50 [0.40, 0.75] |  |",
        "![A figure.](results/s08-table1.png)",
        "*A figure.* ([SVG](results/s08-table1.svg))",
        "[game.sgf](results/game.sgf): A game.",
        "| networks | 400 of each kind |",
    ):
        assert line in second.splitlines(), line
    assert page.endswith("|\n")
    assert "\n\n\n" not in page


def test_the_index():
    other = document("beyond-sizes", "beyond", paper="", spent={"seconds": 61.5, "cpu": 9.9})
    page = index_page([other, document()])
    lines = page.splitlines()
    assert (
        "| [s08-table1](s08-random.md#s08-table1) | Does a \\| b? | paper | 1 | 0 | 1 | 0 | 1 | 1 | 1 | 100 | 190 |"
        in lines
    )
    assert (
        "| [beyond-sizes](beyond.md#beyond-sizes) | Does a \\| b? | paper | 1 | 0 | 1 | 0 | 1 | 1 | 1 | 62 | 9.9 |"
        in lines
    )
    # 60 shared, and 40 of each
    assert "| **all** | shared jobs counted once |  | 2 | 0 | 2 | 0 | 2 | 2 | 2 | 140 | 270 |" in lines
    assert page.index("[s08-table1]") < page.index("[beyond-sizes]")
    heads, rule = (line.count("|") for line in lines if line.startswith(("| study", "|---")))
    assert heads == rule == 13


def test_pages_depend_on_nothing_but_the_results():
    documents = [document("s08-fig3"), document()]
    before = copy.deepcopy(documents)
    assert index_page(documents) == index_page(documents[::-1])
    assert group_page(documents, {}) == group_page(documents[::-1], {})
    assert documents == before


def test_a_table_without_figures_of_the_paper():
    heads, rows = table_cells({"title": "", "rows": [row(None, game="Go"), row(None, net="MLP")]})
    assert heads == ["game", "net", "measure", "ours [95 %]"]
    ours = ["correlation", "0.50 [0.40, 0.75]"]
    assert rows == [["Go", "", *ours], ["", "MLP", *ours]]


def test_a_row_with_the_papers_value_only():
    only = {**row(38.8, player="Aya"), "measured": False, "ours": dict.fromkeys(("value", "low", "high"))}
    heads, rows = table_cells({"title": "", "rows": [only]})
    assert rows == [["Aya", "correlation", "38.8", "not measured", ""]]
    assert len(heads) == 5


def test_rows_and_claims_are_counted():
    found = count_outcomes([document(), document()])
    assert list(found.values()) == [2, 0, 2, 0, 2, 2, 2]
    assert list(found)[4:] == ["reproduced", "not reproduced", "inconclusive"]


def test_times_of_shared_jobs_count_once():
    old = document("s08-fig3")
    old["pieces"] = old.pop("jobs")  # as in older files
    assert total_spent([document(), old]) == {"seconds": 140.0, "cpu": 270.0}


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (0.714, 0.655, 0.755, "0.71 [0.66, 0.76]"),
        (-0.5, None, 0.25, "-0.50 [?, 0.25]"),
        (14.84, 9.21, 20.5, "14.8 [9.2, 20.5]"),
        (12345.6, 12000.0, 13000.4, "12346 [12000, 13000]"),
        (None, -1.0, 1.0, "undefined"),
    ],
)
def test_intervals_as_text(value, low, high, text):
    assert interval_text({"value": value, "low": low, "high": high}) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.04, "0.0 s"), (99.0, "99.0 s"), (125.4, "2 min 5 s"), (7260.0, "2 h 1 min")]
)
def test_times_as_text(seconds, text):
    assert time_text(seconds) == text
