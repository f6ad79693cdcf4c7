"""The environment that results record."""

import platform
import re
import subprocess
from pathlib import Path

from nobi import __version__, environment

ROOT = Path(__file__).parent.parent


def test_the_environment_names_version_commit_processor_and_libraries():
    found = environment.describe_environment()
    assert found["nobi"] == __version__
    assert found["python"] == platform.python_version()
    assert found["processor"]
    assert all(isinstance(text, str) and text for text in found.values())


def test_the_commit_is_that_of_the_checkout():
    commit = environment.commit_of_sources()
    head = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    assert re.fullmatch(r"([0-9a-f]{12}(, changed)?)?", commit)
    assert head.startswith(commit.partition(",")[0])


def test_without_git_there_is_no_commit(monkeypatch):
    monkeypatch.setenv("PATH", "")
    environment.commit_of_sources.cache_clear()
    assert environment.commit_of_sources() == ""
    environment.commit_of_sources.cache_clear()
