"""The torch twin of `mdlstm`."""

from dataclasses import dataclass

from nobi.networks.deep import register
from nobi.networks.deep.inputs import TwinChoices
from nobi.networks.deep.swiping import SwipingTwin
from nobi.networks.mdlstm import Mdlstm, MdlstmSettings


@dataclass(frozen=True)
class MdlstmTwinSettings(TwinChoices, MdlstmSettings):
    """The choices of the compiled network, and the planes."""


@register
class MdlstmTwin(SwipingTwin):
    """The swiping network `mdlstm`, trainable by gradient."""

    name = "mdlstm"
    settings_type = MdlstmTwinSettings
    compiled_type = Mdlstm
