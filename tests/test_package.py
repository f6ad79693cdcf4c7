"""The package: its requirements and metadata."""

import ast
import re
import runpy
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from types import ModuleType

import pytest

import nobi

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
BESIDE = {"llvmlite", "gymnasium", "open-spiel"}
"""Dependencies of numba and pettingzoo, and optional packages that `nobi bench` compares with."""


def names_of(requirements):
    return {re.match(r"[\w.-]+", text)[0].lower().replace("_", "-") for text in requirements}


def imported_distributions(folder):
    """The distributions that the Python files below a folder import, also inside functions."""
    modules = set()
    for file in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            modules |= {name.partition(".")[0] for name in names}
            if names and names[0].startswith("torch.utils.tensorboard"):
                modules.add("tensorboard")
    found = packages_distributions()
    return {name.lower().replace("_", "-") for module in modules for name in found.get(module, [])} - {"nobi"}


def test_requirements_and_imports_agree():
    extras = PROJECT["optional-dependencies"]
    used = imported_distributions(ROOT / "src")
    required = names_of(PROJECT["dependencies"])
    for_users = extras.keys() - {"dev", "docs"}
    optional = {name for extra in for_users for name in names_of(extras[extra])} - {"nobi"}
    assert required | optional == used - BESIDE


def test_torch_is_a_range_for_users_and_one_version_for_the_makefile():
    [torch] = [text for text in PROJECT["optional-dependencies"]["deep"] if text.startswith("torch")]
    assert torch == "torch>=2.5,<3"
    assert re.search(r"^torch==[\d.]+$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    makefile = (ROOT / "Makefile").read_text()
    installs = [line for line in makefile.splitlines() if "pip install" in line]
    assert installs
    assert all("--constraint constraints.txt" in line for line in installs)


@pytest.fixture
def build(monkeypatch):
    """The names of hatch_build.py. Its interfaces exist only during the build of a package."""
    metadata = ModuleType("hatchling.metadata.plugin.interface")
    metadata.MetadataHookInterface = object
    hooks = ModuleType("hatchling.builders.hooks.plugin.interface")
    hooks.BuildHookInterface = object
    for interface in (metadata, hooks):
        monkeypatch.setitem(sys.modules, interface.__name__, interface)
        parts = interface.__name__.split(".")
        for i in range(1, len(parts)):
            monkeypatch.setitem(sys.modules, ".".join(parts[:i]), ModuleType(".".join(parts[:i])))
    return runpy.run_path(str(ROOT / "hatch_build.py"))


def test_a_wheel_contains_the_results_shown_on_the_page(build):
    hook = build["CustomBuildHook"]()
    hook.root = str(ROOT)
    data = {"force_include": {}}
    hook.initialize("standard", data)
    places = set(data["force_include"].values())
    assert {f"nobi/studies/results/s08-fig8.{kind}" for kind in ("json", "svg")} <= places
    assert not any(place.endswith(".png") for place in places)
    assert all(Path(path).is_file() for path in data["force_include"])
    nothing = {"force_include": {}}
    hook.initialize("editable", nothing)
    assert nothing == {"force_include": {}}


def test_links_of_the_package_description_are_valid(build):
    description = build["description"]

    readme = (ROOT / "README.md").read_text()
    assert re.search(r"!\[[^\]]*\]\(docs/", readme)
    target = re.compile(r"\]\((?!https?:|#)")
    assert not target.search(description(readme))
    linked = description(readme, "https://example.org/files/")
    assert not target.search(linked)
    assert "](https://example.org/files/docs/images/page.png)" in linked
    assert description("a ![b](c.png) [d](e.md) [f](https://g)") == "a *Figure: b.* d [f](https://g)"


def test_the_citation_has_this_version():
    text = (ROOT / "CITATION.cff").read_text()
    assert re.search(rf"^version: {re.escape(nobi.__version__)}$", text, re.MULTILINE)
