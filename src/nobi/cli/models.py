"""`nobi models`: the networks that ship with nobi, and what each can do."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nobi import models
from nobi.cli.common import CommonFlags, print_json
from nobi.cli.tables import output_console, plain_table


@dataclass(frozen=True)
class ListModels(CommonFlags):
    """List the models that ship with nobi: their game, boards, size and measured strength.

    Every command takes their names in place of a model file, as in 'nobi gtp go-main' or
    'nobi match mcts:model=go-main "gtp:gnugo --mode gtp" --game go'. See docs/models.md.
    """

    def run(self) -> int:
        """Prints the list."""
        entries = [describe(name, path) for name, path in models.shipped().items()]
        if self.json:
            print_json(entries)
            return 0
        table = plain_table(["model", "game", "boards", "network"], ["weights", "file", "measured", "Elo"])
        for entry in entries:
            table.add_row(
                entry["name"],
                entry["game"],
                entry["boards"],
                entry["network"],
                f"{entry['weights']:,}",
                f"{entry['bytes'] / 1e6:.2f} MB",
                entry["measured"],
                "  ".join(f"{board} {elo:+.0f}" for board, elo in entry["elo"].items()),
            )
        output_console().print(table)
        output_console().print("Elo: GNU Go 3.8 at level 10 is 0 for Go, the player naive is 0 for the other games.")
        return 0


def describe(name: str, path: Path) -> dict[str, Any]:
    """What is known of a shipped model."""
    from nobi.networks.modelfile import read_model_file

    file = read_model_file(path)
    found = models.results().get(name, {})
    return {
        "name": name,
        "game": file.game,
        "boards": found.get("boards", "5x5 to 25x25"),
        "network": file.network,
        "weights": sum(tensor.size for tensor in file.tensors.values()),
        "bytes": path.stat().st_size,
        "measured": found.get("summary", ""),
        "elo": found.get("elo", {}),
        "results": found,
        "provenance": file.provenance,
    }
