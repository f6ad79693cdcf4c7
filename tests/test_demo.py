"""`make demo` prints the output in docs/demo.md and the README.

Its trainer and the compiled networks compute the same bits on every processor with fused multiply-add, so this holds
under the instruction set of `make test-portable` too.
"""

import re
import shlex
from pathlib import Path

from helpers.commands import call

ROOT = Path(__file__).parent.parent


def commands_of_the_demo():
    makefile = (ROOT / "Makefile").read_text()
    recipe = re.search(r"^demo:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)[1]
    return [line.strip().replace("$(BIN)", ".venv/bin") for line in recipe.splitlines()]


def without_times(text):
    """The lines without times and trailing spaces."""
    text = re.sub(r"in [\d.]+ s \([\d,]+ games/s\)", "in … s (… games/s)", text)
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def test_the_demo_prints_what_the_documentation_shows(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    printed = ""
    for line in commands_of_the_demo():
        if line.startswith("@echo "):
            printed += shlex.split(line)[1] + "\n"
            continue
        name, *arguments = shlex.split(line)
        assert name == ".venv/bin/nobi"
        code, out, _ = call(capsys, *arguments)
        assert code == 0
        printed += f"{line}\n{out}"
    shown = re.search(r"```\n\$ make demo\n(.*?)```", (ROOT / "docs" / "demo.md").read_text(), re.DOTALL)[1]
    assert without_times(printed) == without_times(shown)
    excerpt = re.search(r"```\n( board  against.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[1]
    assert "\n".join(without_times(excerpt)) in "\n".join(without_times(printed))
    assert (tmp_path / "runs" / "demo" / "transfer.png").stat().st_size > 10_000
