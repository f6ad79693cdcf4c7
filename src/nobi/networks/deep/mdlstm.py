"""The torch twin of `mdlstm`."""

from dataclasses import dataclass

from nobi.networks.deep import register
from nobi.networks.deep.inputs import STONES, check_planes
from nobi.networks.deep.swiping import SwipingTwin
from nobi.networks.mdlstm import Mdlstm, MdlstmSettings


@dataclass(frozen=True)
class MdlstmTwinSettings(MdlstmSettings):
    """The choices of the compiled network, and the planes."""

    mask: bool = True
    """Masked training, as in C14."""
    planes: str = STONES
    """The planes it takes; only with `own-enemy` is there a compiled network like it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_planes(self.planes)


@register
class MdlstmTwin(SwipingTwin):
    """The swiping network `mdlstm`, trainable by gradient."""

    name = "mdlstm"
    settings_type = MdlstmTwinSettings
    compiled_type = Mdlstm
