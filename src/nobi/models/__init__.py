"""The models shipped with the package, `.safetensors` files in this folder, and measurements of them.

The name of a shipped model is its file name without the suffix; `go-main` can be used in place of a model file.
`results.json` contains the measurements of `benchmarks/measure_models.py` by model name, and under `mcts` the strength
of the search without a network:

    {"go-main": {"sha256": …, "summary": …, "accuracy": {collection: …}, "fitness": {board: …},
                 "matches": [{"board": 9, "playouts": 0, "opponent": "GNU Go 3.8, level 10", "games": 100, "wins": 40,
                              "win_rate": {…}, "elo": {"value": -70.4, "low": -140.2, "high": -2.1}, …}, …],
                 "ratings": [{"game": "gomoku", "board": 9, "playouts": 100, "opponent": "naive", "elo": {…}, …}, …]},
     …}

`matches` are games against an opponent with rating 0; `ratings` are fitted to the games of many players.
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from nobi.workers import FILE_COPIES

_FOLDER = Path(__file__).parent
SUFFIX = ".safetensors"
RESULTS = _FOLDER / "results.json"


@cache
def shipped() -> dict[str, Path]:
    """Return the files of the shipped models by name."""
    return {path.stem: path for path in sorted(_FOLDER.glob(f"*{SUFFIX}"), key=lambda path: path.stem)}


def is_model(name: str) -> bool:
    """Return whether the name in a spec is that of a model: a file, or a shipped model."""
    return name.endswith(SUFFIX) or name in shipped()


def model_path(name: str | Path) -> Path:
    """Return the file of a shipped model, the local copy of another machine's file, or the path itself."""
    return shipped().get(str(name)) or FILE_COPIES.get(str(name)) or Path(name)


def files_in(spec: str) -> list[str]:
    """Return the model files in a player's spec, such as `mcts:model=a.safetensors`, without shipped models."""
    if spec.startswith("gtp:"):
        return []
    return [part for part in re.split("[:,=]", spec) if part.endswith(SUFFIX)]


@cache
def results() -> dict[str, dict[str, Any]]:
    """Return the measurements of the shipped models, by name."""
    found: dict[str, dict[str, Any]] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    return found


def quality(name: str) -> float:
    """Return a shipped model's mean accuracy over collections or mean outcome over boards; −1 if not measured."""
    found = results().get(name, {})
    values = [one["value"] for one in (found.get("accuracy") or found.get("fitness") or {}).values()]
    return sum(values) / len(values) if values else -1.0


def predicts_moves(name: str) -> bool:
    """Return whether a shipped model was trained to predict moves, so that a search can use it as prior."""
    return bool(results().get(name, {}).get("accuracy"))


@dataclass(frozen=True)
class MeasuredElo:
    """The Elo difference to a reference opponent, measured in a match; None for an infinite bound."""

    value: float | None
    low: float | None
    high: float | None
    opponent: str
    """The opponent, whose rating is 0."""
    board: int
    """The size of the board of the games."""

    def __str__(self) -> str:
        if self.value is None:
            return f"Elo above {_signed(self.low)}" if self.low is not None else f"Elo below {_signed(self.high)}"
        return f"Elo {_signed(self.value)} ({_signed(self.low)} to {_signed(self.high)})"


def _signed(elo: float | None) -> str:
    return "?" if elo is None else f"{elo:+.0f}".replace("-", "−")


def measured_elo(name: str, size: int, playouts: int = 0, game: str = "go") -> MeasuredElo | None:
    """Return the rating of a shipped model, or of `mcts`, with this number of playouts per move (0: without search).

    The measurement on the board nearest in size is used; None if there is none. `game` matters only for `mcts`, since a
    model plays a single game.
    """
    found = results().get(name, {})
    entries = [
        entry
        for entry in (*found.get("matches", []), *found.get("ratings", []))
        if entry.get("playouts") == playouts and (name != "mcts" or entry.get("game", "go") == game)
    ]
    if not entries:
        return None
    nearest = min(entries, key=lambda entry: (abs(entry["board"] - size), entry["board"]))
    elo = nearest["elo"]
    return MeasuredElo(elo["value"], elo["low"], elo["high"], nearest["opponent"], nearest["board"])
