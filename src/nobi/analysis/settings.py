"""The settings of an analysis engine: defaults of queries, KataGo's configuration files and override strings."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nobi.board.stones import BLACK, WHITE
from nobi.errors import NobiError
from nobi.storage import read_content

SIDE_TO_MOVE = 0
"""The perspective of the player to move."""
_PERSPECTIVES = {"BLACK": BLACK, "WHITE": WHITE, "SIDETOMOVE": SIDE_TO_MOVE}

NUMBERS: dict[str, tuple[str, float, float, bool]] = {
    "maxVisits": ("max_visits", 1, 2**50, True),
    "maxPlayouts": ("max_visits", 1, 2**50, True),
    "maxTime": ("max_time", 0.0, 1e20, False),
    "analysisPVLen": ("variation", 1, 1000, True),
    "rootPolicyTemperature": ("temperature", 0.01, 100.0, False),
    "wideRootNoise": ("noise", 0.0, 5.0, False),
}
"""KataGo's numeric keys: the field of `Defaults`, the limits, and whether it is a whole number."""


class SettingError(Exception):
    """An invalid value of a setting; the message names the setting."""


@dataclass(frozen=True)
class Defaults:
    """Default settings of queries."""

    max_visits: int = 500
    max_time: float = 1e20
    variation: int = 15
    """The length of variations without their first move."""
    temperature: float = 1.0
    noise: float = 0.0
    perspective: int = SIDE_TO_MOVE
    """The perspective of reported win rates and scores: BLACK, WHITE or SIDE_TO_MOVE."""

    def with_setting(self, name: str, value: Any) -> "Defaults | None":
        """Return a copy with one of KataGo's settings, as text or as a number; None if the setting is unknown."""
        if name == "reportAnalysisWinratesAs":
            found = _PERSPECTIVES.get(str(value).upper())
            if found is None:
                raise SettingError(f"{name} must be BLACK, WHITE or SIDETOMOVE")
            return replace(self, perspective=found)
        if name not in NUMBERS:
            return None
        field, least, most, whole = NUMBERS[name]
        changed: dict[str, Any] = {field: number_within(name, value, least, most, whole)}
        return replace(self, **changed)


def number_within(name: str, value: Any, least: float, most: float, whole: bool) -> float | int:
    """Return a number given as a number or as text; raise a SettingError if it is invalid or out of range."""
    kind = "a whole number" if whole else "a number"
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if isinstance(value, bool) or not least <= number <= most or (whole and number != int(number)):
        raise SettingError(f"{name} must be {kind} from {least:g} to {most:g}")
    return int(number) if whole else number


@dataclass(frozen=True)
class EngineSettings:
    """The settings of an engine."""

    defaults: Defaults = Defaults()
    searches: int = 0
    """Number of searches that run at once; 0: depends on the number of cores."""

    def with_text(self, pairs: dict[str, str]) -> "EngineSettings":
        """Return a copy with settings of a configuration; unknown ones, mostly about hardware, are ignored."""
        settings = self
        for name, value in pairs.items():
            try:
                if name == "numAnalysisThreads":
                    searches = int(number_within(name, value, 1, 1024, True))
                    settings = replace(settings, searches=searches)
                else:
                    defaults = settings.defaults.with_setting(name, value)
                    settings = replace(settings, defaults=defaults or settings.defaults)
            except SettingError as error:
                raise NobiError(f"{error}, not {value!r}.") from None
        return settings


def read_config(path: Path) -> dict[str, str]:
    """Return the settings of a configuration file of KataGo: lines `key = value`, and comments after a hash."""
    lines = read_content(path).decode("utf-8", "replace").splitlines()
    pairs = [line.partition("#")[0].partition("=") for line in lines]
    return {name.strip(): value.strip() for name, equals, value in pairs if equals}


def read_overrides(text: str) -> dict[str, str]:
    """Return the settings of `-override-config "key=value,key=value"`."""
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    if not all(equals for _, equals, _ in pairs):
        raise NobiError(f"--override-config needs key=value, not {text!r}.")
    return {name.strip(): value.strip() for name, _, value in pairs}
