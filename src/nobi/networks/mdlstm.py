"""MDLSTM: S09's swiping network of LSTM cells, 5k² + 16k weights (k = 3: 93), no peepholes, no inner biases.

The paper claims symmetry under rotation and reflection, but with two forget gates it matters which predecessor meets
which:

* `symmetric` sweeps every corner with both assignments and sums the eight sweeps: exactly equivariant;
* `tied` has one forget gate for both predecessors, 4k² + 13k weights, four sweeps: exactly equivariant, less than
  half the cost;
* `original` follows the published code, which is not equivariant.
"""

from dataclasses import dataclass
from typing import Literal

from nobi.networks.mdrnn import check_hidden
from nobi.nn.swiping import PLANES, Layer, SwipingNetwork

GATES = {"symmetric": "both", "tied": "none", "original": "original"}


@dataclass(frozen=True)
class MdlstmSettings:
    """The choices of an MDLSTM."""

    hidden: int = 3
    """k, the cells of the swiping layer."""
    mode: Literal["symmetric", "tied", "original"] = "symmetric"
    """How the forget gates are given to the two predecessors."""

    def __post_init__(self) -> None:
        check_hidden(self.hidden)


class Mdlstm(SwipingNetwork):
    """Sweeps of k LSTM cells with the same weights; unbounded field of view, and memory for far things."""

    name = "mdlstm"
    settings_type = MdlstmSettings

    def layers(self) -> list[Layer]:
        """One layer."""
        return [Layer("lstm", self.settings.hidden, PLANES, GATES[self.settings.mode])]
