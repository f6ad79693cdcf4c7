"""The measured strength of opponents, from the table `strength.json` beside the shipped models.

The table is a JSON object: game → board → opponent → list of measured steps. Other steps show no rating.

    {"go": {"9x9": {"mcts": [{"playouts": 1000, "elo": 12, "low": -30, "high": 55}],
                    "go-main": [{"playouts": 0, "elo": -140, "low": -190, "high": -95}]},
            "zero": "GNU Go 3.8 level 10 has 0"}}

`playouts` is 0 for a network without search; `low` and `high` are the bounds of the 95 % interval. `zero`, a sentence
beside the boards of a game, names the reference player with rating 0.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from nobi import models

TABLE = Path(models.__file__).parent / "strength.json"

STEP_NAMES = {100: "Quick look", 300: "Short search", 1000: "Search", 3000: "Long search", 10_000: "Deep search"}
"""The names of the steps of the strength slider by their playouts."""
ALONE = "At first sight"
"""The name of the step without search."""


@dataclass(frozen=True)
class Elo:
    """A measured strength."""

    elo: float
    low: float
    high: float
    zero: str = ""
    """The reference player with rating 0."""

    @property
    def text(self) -> str:
        """For the visitor: `Elo +12 (−30 to +55)`."""
        numbers = [f"{value:+.0f}".replace("-", "−") for value in (self.elo, self.low, self.high)]
        return f"Elo {numbers[0]} ({numbers[1]} to {numbers[2]})"


@cache
def _table(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def elo_of(game: str, size: int, opponent: str, playouts: int, path: Path = TABLE) -> Elo | None:
    """The measured rating of an opponent with this number of playouts per move; None if not measured."""
    boards = _table(path).get(game)
    if not isinstance(boards, dict):
        return None
    board = boards.get(f"{size}x{size}")
    steps = board.get(opponent) if isinstance(board, dict) else None
    for step in steps if isinstance(steps, list) else []:
        try:
            if step["playouts"] == playouts:
                zero = boards.get("zero")
                numbers = float(step["elo"]), float(step["low"]), float(step["high"])
                return Elo(*numbers, zero if isinstance(zero, str) else "")
        except (KeyError, TypeError, ValueError):
            continue
    return None


def step_name(playouts: int) -> str:
    """The name of a step of the strength slider."""
    return STEP_NAMES.get(playouts, f"{playouts:,} playouts") if playouts else ALONE
