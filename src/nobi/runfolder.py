"""The folder of a run: its settings in `config.json`, and the rule that a run is resumed only as what it was."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import nobi
from nobi.errors import NobiError
from nobi.files import ready_folder, write_whole

CONFIG = "config.json"


def config_of(settings: Any) -> dict[str, Any]:
    """The settings of a run, a dataclass, as they are kept and compared."""
    config: dict[str, Any] = json.loads(json.dumps({"nobi": nobi.__version__, **dataclasses.asdict(settings)}))
    return config


def holds_run(folder: Path, config: dict[str, Any], *, resume: bool, may_change: tuple[str, ...] = ()) -> bool:
    """Makes the folder ready; returns whether it holds a run to go on with.

    A run is refused if it is not to be resumed, or is one of other settings; those of `may_change` may differ.
    """
    path = ready_folder(folder) / CONFIG
    if not path.exists():
        return False
    if not resume:
        raise NobiError(f"The folder {str(folder)!r} holds a run already; add --resume or choose another.")
    try:
        before = json.loads(path.read_bytes())
    except (OSError, ValueError) as fault:
        raise NobiError(f"{str(path)!r} cannot be read: {fault}.") from None
    if not isinstance(before, dict):
        raise NobiError(f"{str(path)!r} does not hold the settings of a run.")
    for key, value in config.items():
        if before.get(key) != value and key not in (*may_change, "nobi"):
            raise NobiError(
                f"The run in {str(folder)!r} has another {key} ({before.get(key)!r}, not {value!r}); "
                "resume it with the same."
            )
    return True


def write_config(folder: Path, config: dict[str, Any]) -> None:
    """Writes the settings; from now on the folder holds a run."""
    write_whole(folder / CONFIG, (json.dumps(config, indent=2) + "\n").encode())
