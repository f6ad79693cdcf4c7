"""Parameters of a player's spec that `nobi tune` optimises, and the scale on which the trainer sees them."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.errors import NobiError
from nobi.spec import parse_spec

_LOGARITHMIC = 10.0
"""From this ratio of its bounds on, a parameter is varied by factors."""
_DIGITS = 4
"""Significant digits of a value in a spec."""


class Parameter(NamedTuple):
    """A setting with bounds; the trainer's −1 and 1 are the bounds, 0 is the middle."""

    name: str
    low: float
    high: float
    whole: bool
    """Whether values are rounded to whole numbers: both bounds are written without a decimal point."""

    @property
    def is_logarithmic(self) -> bool:
        """Whether equal steps of the trainer are equal factors."""
        return self.low > 0 and self.high / self.low >= _LOGARITHMIC

    def text(self, x: float) -> str:
        """The setting's value for the trainer's number x, which is clipped to the bounds."""
        share = (min(1.0, max(-1.0, x)) + 1) / 2
        if self.is_logarithmic:
            value = math.exp(math.log(self.low) + share * math.log(self.high / self.low))
        else:
            value = self.low + share * (self.high - self.low)
        return str(round(value)) if self.whole else f"{value:.{_DIGITS}g}"


def parse_parameter(text: str) -> Parameter:
    """The parameter of a text such as `rave=500:6000`."""
    name, equals, bounds = text.partition("=")
    low, colon, high = bounds.partition(":")
    try:
        parameter = Parameter(name.strip(), float(low), float(high), "." not in bounds and "e" not in bounds)
    except ValueError:
        parameter = Parameter("", 0.0, 0.0, False)
    if not equals or not colon or not parameter.name or not parameter.low < parameter.high < math.inf:
        raise NobiError(f"--vary needs name=low:high, as in rave=500:6000, not {text!r}.")
    return parameter


def spec_with(spec: str, parameters: Sequence[Parameter], values: NDArray[np.floating]) -> str:
    """The spec with the settings that the trainer's numbers stand for."""
    name, settings = parse_spec(spec)
    settings |= {parameter.name: parameter.text(float(x)) for parameter, x in zip(parameters, values, strict=True)}
    return f"{name}:{','.join(f'{key}={value}' for key, value in settings.items())}"
