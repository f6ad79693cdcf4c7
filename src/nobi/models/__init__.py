"""The models shipped with the package, `.safetensors` files in this folder, and measurements of them.

A shipped model is named by its file name without the suffix: `go-main` can be used wherever a model file can.
`results.json` holds measurements made after training.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from nobi.workers import FILE_COPIES

_FOLDER = Path(__file__).parent
SUFFIX = ".safetensors"


@cache
def shipped() -> dict[str, Path]:
    """The files of the shipped models by name."""
    return {path.stem: path for path in sorted(_FOLDER.glob(f"*{SUFFIX}"))}


def is_model(name: str) -> bool:
    """Whether the name in a spec is that of a model: a file, or a shipped model."""
    return name.endswith(SUFFIX) or name in shipped()


def model_path(name: str | Path) -> Path:
    """The file of a shipped model, the copy of a file of another machine, or the path itself."""
    return shipped().get(str(name)) or FILE_COPIES.get(str(name)) or Path(name)


def files_in(spec: str) -> list[str]:
    """The model files in the spec of a player, such as `mcts:model=a.safetensors`; shipped models are not files."""
    if spec.startswith("gtp:"):
        return []
    return [part for part in re.split("[:,=]", spec) if part.endswith(SUFFIX)]


@cache
def results() -> dict[str, dict[str, Any]]:
    """Measurements of the shipped models, by name."""
    path = _FOLDER / "results.json"
    found: dict[str, dict[str, Any]] = json.loads(path.read_text()) if path.exists() else {}
    return found
