"""The networks that ship with the package, each a `.safetensors` file of this folder, and what was measured of them.

A shipped model is named by its file's name: `go-main` wherever a model file can be named. `results.json` holds the
measurements that the files themselves cannot know.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent
SUFFIX = ".safetensors"


@cache
def shipped() -> dict[str, Path]:
    """The files of the shipped models by name."""
    return {path.stem: path for path in sorted(_FOLDER.glob(f"*{SUFFIX}"))}


def is_model(name: str) -> bool:
    """Whether a spec's name stands for a model: a file, or a shipped one."""
    return name.endswith(SUFFIX) or name in shipped()


def model_path(name: str | Path) -> Path:
    """The file that a path or the name of a shipped model stands for."""
    return shipped().get(str(name), Path(name))


@cache
def results() -> dict[str, dict[str, Any]]:
    """What was measured of the shipped models, by name."""
    path = _FOLDER / "results.json"
    found: dict[str, dict[str, Any]] = json.loads(path.read_text()) if path.exists() else {}
    return found
