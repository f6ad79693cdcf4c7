"""MDLSTM: S09's swiping network of LSTM cells, 5k² + 16k weights (k = 3: 93), without peepholes and inner biases.

The paper claims symmetry under rotation and reflection, but with two forget gates the result depends on the assignment
of predecessors to gates:

* `symmetric` sweeps every corner with both assignments and sums the eight sweeps: exactly equivariant;
* `tied` has one forget gate for both predecessors, 4k² + 13k weights, four sweeps: exactly equivariant, at less than
  half the cost;
* `original` follows the published code, which is not equivariant.

The forward pass (S09 section 2.3). A sweep visits all points, beginning at its corner. At each point, with the inputs x
(own stone, enemy stone) and the outputs h and states s of the two points visited before it in the same row (*beside*)
and in the same column (*above*):

    z = W_in·x + W_h·(h_beside + h_above)           five rows of k sums: i, f₀, f₁, c, o
        with h = w_b and s = 0 beyond the border
    s = σ(z_i)·tanh(z_c) + σ(z_f₀)·s_beside + σ(z_f₁)·s_above
    h = σ(z_o)·tanh(s)

and the value of a point is the sum of w_out·h over all sweeps. The loops of the first line and of the sum over sweeps
are those of all swiping networks, `_add_up` and `_swipe` in `nobi/nn/swiping.py`; the others are `_activate` below.
`tests/reference/networks.py` computes the same without lanes.
"""

from dataclasses import dataclass
from typing import Any, Literal

from nobi.compiling import UNBOUND
from nobi.networks.mdrnn import check_hidden
from nobi.nn.inputs import input_planes, parse_features
from nobi.nn.lanes import F, power_of_e
from nobi.nn.swiping import WIDTH, Cell, Lanes, Layer, SwipingNetwork

GATES = {"symmetric": "both", "tied": "none", "original": "original"}

HIDDEN: Any = UNBOUND  # this and the next are bound by `specialise`
TIED: Any = UNBOUND


def _activate(sums: Lanes, s_beside: Lanes, s_above: Lanes, gate: int, s: Lanes, h: Lanes, lanes: int) -> None:
    """Compute s and h of the units of one cell, for all lanes, as above.

    The rows of `sums` are z_i, z_f₀, z_f₁, z_c, z_o; `gate` is the forget gate of the state from above. A division
    takes as long as sixteen products. Therefore σ(x) = 1/a with a = 1 + e⁻ˣ and tanh(x) = (e − 1)/(e + 1) with e = e²ˣ
    are not computed separately, but combined to three fractions.
    """
    units = HIDDEN * WIDTH
    forget_beside, forget_above = units, (1 + gate) * units
    cell = (2 if TIED else 3) * units
    out = cell + units
    for row in range((4 if TIED else 5) * HIDDEN):
        if cell <= row * WIDTH < out:  # e = e^(2·z_c)
            for lane in range(lanes):
                sums[row * WIDTH + lane] = power_of_e(F(2.0) * sums[row * WIDTH + lane])
        else:  # a = 1 + e^(−z) of each gate
            for lane in range(lanes):
                sums[row * WIDTH + lane] = F(1.0) + power_of_e(-sums[row * WIDTH + lane])
    for u in range(HIDDEN):
        for lane in range(lanes):
            j = u * WIDTH + lane
            if TIED:  # f·(s_beside + s_above)
                kept = (s_beside[j] + s_above[j]) / sums[forget_beside + j]
            else:  # f₀·s_beside + f₁·s_above = (s_beside·a₁ + s_above·a₀) / (a₀·a₁)
                a, b = sums[forget_beside + j], sums[forget_above + j]
                # the order does not depend on the direction: a fused sum of one product would break the symmetry
                one, other = s_beside[j] * b, s_above[j] * a
                kept = (max(one, other) + min(one, other)) / (a * b)
            e = sums[cell + j]
            s[j] = (e - F(1.0)) / (sums[j] * (e + F(1.0))) + kept  # s = i·tanh(z_c) + the kept state
    for u in range(HIDDEN):
        for lane in range(lanes):
            j = u * WIDTH + lane
            e = power_of_e(F(2.0) * s[j])
            h[j] = (e - F(1.0)) / (sums[out + j] * (e + F(1.0)))  # h = o·tanh(s)


MDLSTM_CELL = Cell("mdlstm", _activate, gated=True)


@dataclass(frozen=True)
class MdlstmSettings:
    """The settings of an MDLSTM."""

    hidden: int = 3
    """k, the cells of the swiping layer."""
    mode: Literal["symmetric", "tied", "original"] = "symmetric"
    """How the forget gates are assigned to the two predecessors."""
    inputs: str = ""
    """Features of the position in addition to stones, joined by +: liberties, atari (games with chains) and last."""

    def __post_init__(self) -> None:
        check_hidden(self.hidden)
        parse_features(self.inputs)


class Mdlstm(SwipingNetwork):
    """Sweeps of k LSTM cells with shared weights; unbounded field of view, and memory over long distances."""

    name = "mdlstm"
    settings_type = MdlstmSettings

    def layers(self) -> list[Layer]:
        s = self.settings
        return [Layer(MDLSTM_CELL, s.hidden, len(input_planes(s.inputs)), GATES[s.mode])]
