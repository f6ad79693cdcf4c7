"""The torch twin of `stacked`."""

from dataclasses import dataclass

from nobi.networks.deep import register
from nobi.networks.deep.inputs import TwinChoices
from nobi.networks.deep.swiping import SwipingTwin
from nobi.networks.stacked import Stacked, StackedSettings


@dataclass(frozen=True)
class StackedTwinSettings(TwinChoices, StackedSettings):
    """The choices of the compiled network, and the planes."""


@register
class StackedTwin(SwipingTwin):
    """The swiping network `stacked`, trainable by gradient."""

    name = "stacked"
    settings_type = StackedTwinSettings
    compiled_type = Stacked
