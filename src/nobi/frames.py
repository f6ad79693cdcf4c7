"""Results as pandas data frames; pandas is optional."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from nobi.errors import NobiError
from nobi.statistics import Interval

if TYPE_CHECKING:
    import pandas


def frame_of(rows: Iterable[Any]) -> "pandas.DataFrame":
    """Return a data frame with one row per mapping or dataclass; an interval fills NAME, NAME_low and NAME_high."""
    if find_spec("pandas") is None:
        raise NobiError("Data frames need pandas; install it with pip install 'nobi[pandas]'.")
    import pandas

    return pandas.DataFrame([_flat(row) for row in rows])


def _flat(row: Any) -> dict[str, Any]:
    items: Mapping[str, Any] = row if isinstance(row, Mapping) else vars(row)
    found: dict[str, Any] = {}
    for name, value in items.items():
        if isinstance(value, Interval):
            found |= {name: value.value, f"{name}_low": value.low, f"{name}_high": value.high}
        elif is_dataclass(value) and not isinstance(value, type):
            found |= {f"{name}_{key}": part for key, part in _flat(asdict(value)).items()}
        else:
            found[name] = value
    return found
