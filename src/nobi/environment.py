"""The environment that results may depend on: the commit of the sources, the processor, versions of libraries."""

import platform
import subprocess
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import nobi

_PACKAGE = Path(__file__).parent
_LIBRARIES = ("numpy", "numba", "scipy", "torch")
"""Libraries whose versions are recorded if they are loaded."""


def processor_name() -> str:
    """Return the name of the processor, such as `Intel(R) Xeon(R) Processor`."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


@cache
def commit_of_sources() -> str:
    """Return the commit of the working tree, with `, changed` if files differ; empty for an installed package."""
    if _git("rev-parse", "--show-prefix") != "src/nobi/":
        return ""
    commit = _git("rev-parse", "--short=12", "HEAD")
    return f"{commit}, changed" if commit and _git("status", "--porcelain", "--", ".") else commit


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 (fixed arguments, and no shell)
            ["git", "-C", str(_PACKAGE), *arguments],  # noqa: S607
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def describe_environment() -> dict[str, str]:
    """Return version, commit, processor, and the versions of Python and of the loaded libraries."""
    found = {"nobi": nobi.__version__, "commit": commit_of_sources(), "processor": processor_name()}
    found["python"] = platform.python_version()
    for library in _LIBRARIES:
        if library in sys.modules:
            try:
                found[library] = version(library)
            except PackageNotFoundError:
                continue
    return {name: text for name, text in found.items() if text}
