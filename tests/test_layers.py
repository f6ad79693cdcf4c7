"""Which part of the package may know of which."""

from pathlib import Path


def test_the_layers_point_one_way():
    """Rules know nothing of players, players nothing of the arena, nothing knows the command line."""
    package = Path(__file__).parent.parent / "src" / "nobi"
    layers = [
        "board",
        "games",
        "records",
        "networks",
        "search",
        "players",
        "arena",
        "evolve",
        "figures",
        "bench",
        "cli",
    ]
    for i, layer in enumerate(layers):
        for file in (package / layer).rglob("*.py"):
            for higher in layers[i + 1 :]:
                assert f"nobi.{higher}" not in file.read_text(), f"{file} imports nobi.{higher}"
