"""Which part of the package may know of which."""

from pathlib import Path


def test_the_layers_point_one_way():
    """Rules know nothing of players, players nothing of the arena, nothing knows the command line."""
    package = Path(__file__).parent.parent / "src" / "nobi"
    layers = ["board", "games", "records", "networks", "players", "arena", "evolve", "figures", "bench", "cli"]
    for i, layer in enumerate(layers):
        for file in (package / layer).rglob("*.py"):
            for higher in layers[i + 1 :]:
                assert f"nobi.{higher}" not in file.read_text(), f"{file} imports nobi.{higher}"


def test_torch_stays_where_it_belongs():
    """Only deep networks and the player that plays by one know of torch."""
    package = Path(__file__).parent.parent / "src" / "nobi"
    users = {str(file.relative_to(package)) for file in package.rglob("*.py") if "import torch" in file.read_text()}
    assert all(user.startswith(("networks/deep/", "players/policy.py")) for user in users)
