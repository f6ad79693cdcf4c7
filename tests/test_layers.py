"""The layers of the package and their imports."""

import ast
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "nobi"

LAYERS = [
    (
        "",
        "__main__",
        "errors",
        "streams",
        "spec",
        "storage",
        "compile_cache",
        "compiling",
        "memory",
        "workers",
        "cluster",
        "statistics",
        "frames",
        "environment",
    ),
    ("board",),
    ("games", "clock"),
    ("features",),
    ("encoding",),
    ("records",),
    ("nn",),
    ("networks",),
    ("models",),
    ("search",),
    ("players",),
    ("arena",),
    ("gtp", "matches"),
    ("analysis",),
    ("trainers",),
    ("evolution", "imitation"),
    ("figures",),
    ("studies", "bench"),
    ("cli", "pettingzoo", "plugins", "web", "api", "api_training"),
]
"""From the lowest to the highest: the modules and folders of the package."""

RANK = {part: rank for rank, parts in enumerate(LAYERS) for part in parts}


def part_of(file):
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    return "" if parts == ("__init__",) else parts[0]


def imported_modules(file):
    """All modules of nobi that a file imports, also inside of functions, and `from nobi import x`."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "nobi")
        elif isinstance(node, ast.ImportFrom) and node.module == "nobi":
            yield from (f"nobi.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("nobi."):
            yield node.module


def test_no_layer_imports_a_higher_one():
    for file in PACKAGE.rglob("*.py"):
        if file in (PACKAGE / "__main__.py", PACKAGE / "__init__.py"):  # the interface is imported lazily
            continue
        for module in imported_modules(file):
            part = module.split(".")[1] if "." in module else ""
            assert RANK.get(part, 0) <= RANK[part_of(file)], f"{file.relative_to(PACKAGE)} imports {module}"


def test_every_part_of_the_package_has_a_layer():
    assert {part_of(file) for file in PACKAGE.rglob("*.py")} == set(RANK)


def test_only_deep_networks_and_their_training_import_torch():
    users = {
        str(file.relative_to(PACKAGE))
        for file in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if (isinstance(node, ast.Import) and any(alias.name.split(".")[0] == "torch" for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "torch")
    }
    files = ("nn/winograd_torch.py", "nn/torch_layers.py", "models/model.py", "models/export.py", "cli/train.py")
    others = [user for user in users if not user.startswith(("networks/deep/", "imitation/", "bench/"))]
    assert sorted(others) == sorted(files)


NEEDS_TORCH = ("nobi.networks.deep.", "nobi.imitation.", "nobi.nn.torch_layers", "nobi.nn.winograd_torch")
WITHOUT_TORCH = ("nobi.networks.deep.compiled_nobi_net", "nobi.imitation.settings", "nobi.imitation.metrics")

IMPORT_ALL = """
import importlib, pkgutil, sys
import nobi

class Missing:
    def find_spec(self, name, *_):
        if name.split(".")[0] == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")

importlib.util.find_spec = lambda name, found=importlib.util.find_spec: None if name == "torch" else found(name)
sys.meta_path.insert(0, Missing())
for module in pkgutil.walk_packages(nobi.__path__, "nobi."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            print(module.name, error.name)
"""


def test_all_parts_except_deep_networks_and_their_training_load_without_torch():
    out = subprocess.run([sys.executable, "-c", IMPORT_ALL], capture_output=True, text=True, check=True).stdout
    assert {line.split()[1] for line in out.splitlines()} == {"torch"}
    failed = {line.split()[0] for line in out.splitlines()}
    allowed = {"nobi.models.export", "nobi.bench.training"}
    assert {name for name in failed if not name.startswith(NEEDS_TORCH) and name not in allowed} == set()
    assert not failed & set(WITHOUT_TORCH)


def test_no_module_is_longer_than_the_limit():
    """450 lines, as CONTRIBUTING.md says."""
    long = {file.name: n for file in PACKAGE.rglob("*.py") if (n := len(file.read_text().splitlines())) > 450}
    assert not long
