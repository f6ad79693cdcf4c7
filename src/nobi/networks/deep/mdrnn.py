"""The torch twin of `mdrnn`."""

from dataclasses import dataclass

from nobi.networks.deep import register
from nobi.networks.deep.inputs import TwinChoices
from nobi.networks.deep.swiping import SwipingTwin
from nobi.networks.mdrnn import Mdrnn, MdrnnSettings


@dataclass(frozen=True)
class MdrnnTwinSettings(TwinChoices, MdrnnSettings):
    """The choices of the compiled network, and the planes."""


@register
class MdrnnTwin(SwipingTwin):
    """The swiping network `mdrnn`, trainable by gradient."""

    name = "mdrnn"
    settings_type = MdrnnTwinSettings
    compiled_type = Mdrnn
