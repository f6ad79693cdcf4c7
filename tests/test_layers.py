"""Which part of the package may know of which."""

import re
from pathlib import Path

LAYERS = [
    "board",
    "games",
    "records",
    "datasets",
    "features",
    "nn",
    "models",
    "networks",
    "search",
    "players",
    "arena",
    "gtp",
    "matches",
    "evolve",
    "imitate",
    "figures",
    "studies",
    "bench",
    "web",
    "cli",
]


def test_the_layers_point_one_way():
    """Rules know nothing of players, players nothing of the arena, nothing knows the command line."""
    package = Path(__file__).parent.parent / "src" / "nobi"
    for i, layer in enumerate(LAYERS):
        for file in (package / layer).rglob("*.py"):
            for higher in LAYERS[i + 1 :]:
                assert f"nobi.{higher}" not in file.read_text(), f"{file} imports nobi.{higher}"


def test_every_folder_of_the_package_is_a_layer():
    package = Path(__file__).parent.parent / "src" / "nobi"
    folders = {file.parent.relative_to(package).parts[0] for file in package.glob("*/**/*.py")}
    assert folders <= set(LAYERS)


def test_torch_stays_where_it_belongs():
    """Only the deep networks and their training know of torch."""
    package = Path(__file__).parent.parent / "src" / "nobi"
    users = {
        str(file.relative_to(package))
        for file in package.rglob("*.py")
        if re.search(r"^\s*(import|from) torch\b", file.read_text(), re.MULTILINE)
    }
    assert users
    assert all(user.startswith(("networks/deep/", "imitate/")) or user == "nn/winograd_torch.py" for user in users)
