"""The folder of a run or match: its settings in `config.json`, and the rule that it is resumed only as what it was."""

import dataclasses
import json
from collections.abc import Mapping
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


def holds_run(
    folder: Path,
    config: Mapping[str, Any],
    *,
    resume: bool,
    may_change: tuple[str, ...] = (),
    what: str = "run",
    names: Mapping[str, str] | None = None,
) -> bool:
    """Makes the folder ready; returns whether it holds a run to go on with.

    Args:
        folder: of the run.
        config: its settings.
        resume: whether to go on with a run that is there; if not, it is refused.
        may_change: the settings that may be others than before.
        what: what a run is called in complaints.
        names: what settings are called there that are no flags.
    """
    path = ready_folder(folder) / CONFIG
    if not path.exists():
        return False
    if not resume:
        raise NobiError(f"The folder {str(folder)!r} holds a {what} already; add --resume or choose another.")
    try:
        before = json.loads(path.read_bytes())
    except (OSError, ValueError) as fault:
        raise NobiError(f"{str(path)!r} cannot be read: {fault}.") from None
    if not isinstance(before, dict):
        raise NobiError(f"{str(path)!r} does not hold the settings of a {what}.")
    for key, value in config.items():
        if before.get(key) != value and key not in (*may_change, "nobi"):
            name = (names or {}).get(key) or f"--{key.replace('_', '-')}"
            raise NobiError(
                f"The {what} in {str(folder)!r} has another {name} ({before.get(key)!r}, not {value!r}); "
                "resume it with the same."
            )
    return True


def write_config(folder: Path, config: Mapping[str, Any]) -> None:
    """Writes the settings; from now on the folder holds a run."""
    write_whole(folder / CONFIG, (json.dumps(config, indent=2, ensure_ascii=False) + "\n").encode())
