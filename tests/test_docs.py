"""The examples and figures of the documentation agree with the program."""

import ast
import doctest
import importlib.util
import json
import os
import re
import runpy
import shlex
from pathlib import Path

import pytest

from helpers.commands import call
from helpers.engines import gnugo

ROOT = Path(__file__).parent.parent


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_doctests_of_the_pages():
    failed = 0
    for page in sorted((ROOT / "docs").glob("*.md")):
        failed += doctest.testfile(str(page), module_relative=False, verbose=False).failed
    assert failed == 0


def programs_of(page):
    return [text for text in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL) if ">>>" not in text]


def run_program(text, folder):
    path = folder / "program.py"
    path.write_text(text)
    runpy.run_path(str(path))


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.stem)
def test_imports_of_the_programs_of_a_page_exist(page, tmp_path):
    for program in programs_of(page):
        imports = [node for node in ast.parse(program).body if isinstance(node, ast.Import | ast.ImportFrom)]
        run_program(ast.unparse(ast.Module(imports, [])), tmp_path)


@pytest.mark.parametrize("page", ["compiling", "networks"])
def test_the_programs_of_a_page_run(page, tmp_path):
    for program in programs_of(ROOT / "docs" / f"{page}.md"):
        run_program(program, tmp_path)


def test_the_program_in_the_readme_runs(capsys, tmp_path):
    [program] = programs_of(ROOT / "README.md")
    run_program(program, tmp_path)
    assert re.search(r"0\.\d+ \[0\.\d+, 0\.\d+\]", capsys.readouterr().out)


def readme_command(beginning, *more):
    [line] = [line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith(beginning)]
    command = re.split(r"\s{2,}", line)[0]
    return [*shlex.split(command)[1:], *more]


def test_the_tournament_of_the_readme(capsys):
    code, out, _ = call(capsys, *readme_command("nobi tournament", "--games", "2", "--size", "5"))
    assert code == 0
    assert "heuristic:e=0.5" in out


def test_the_match_with_an_engine_of_the_readme(capsys, monkeypatch):
    monkeypatch.setenv("PATH", f"{Path(gnugo()).parent}:{os.environ['PATH']}")
    code, out, _ = call(capsys, *readme_command("nobi match mcts", "--games", "1", "--size", "5"))
    assert code == 0
    assert "gtp:gnugo" in out


def test_the_speed_page_is_up_to_date():
    folder = ROOT / "benchmarks"
    figures = json.loads((folder / "reference.json").read_text())
    assert (ROOT / "docs" / "speed.md").read_text() == load(folder / "page.py").render(figures)


@pytest.mark.parametrize(("player", "size"), [("naive", 7), ("random", 9)])
def test_the_calibration_table_is_reproduced(player, size):
    row = load(ROOT / "benchmarks" / "calibrate_heuristic.py").row(player, size)
    assert row in (ROOT / "docs" / "players.md").read_text()


def test_links_are_valid():
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
