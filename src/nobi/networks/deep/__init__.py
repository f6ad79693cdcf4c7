"""Deep networks, planes of a position → a value for every point, trained with PyTorch: one registry line each.

Only this folder, `nn/torch_layers.py`, `nn/winograd_torch.py`, `models` and `imitation` import PyTorch.
"""

from typing import TYPE_CHECKING

from nobi.errors import require_torch
from nobi.spec import Registry, parse_spec

if TYPE_CHECKING:
    from nobi.networks.deep.base import DeepNetwork

_networks: "Registry[DeepNetwork]" = Registry(
    "deep network",
    "nobi.deep_networks",
    {
        "c14-large": "nobi.networks.deep.c14:C14Large",
        "c14-small": "nobi.networks.deep.c14:C14Small",
        "conv": "nobi.networks.deep.conv:ConvTwin",
        "m15": "nobi.networks.deep.m15:M15",
        "mdlstm": "nobi.networks.deep.swiping:MdlstmTwin",
        "mdrnn": "nobi.networks.deep.swiping:MdrnnTwin",
        "nobi-net": "nobi.networks.deep.nobi_net:NobiNet",
        "nobi-net-v1": "nobi.networks.deep.nobi_net_v1:NobiNetV1",
        "stacked": "nobi.networks.deep.swiping:StackedTwin",
    },
)
register, names, find = _networks.register, _networks.names, _networks.find


def make_deep(spec: str, seed: int = 0) -> "DeepNetwork":
    """Return the deep network of a spec such as `c14-small:edge=false`, with initial weights drawn by the seed."""
    require_torch(f"The network {parse_spec(spec)[0]!r}")
    network = _networks.make(spec)
    network.init_weights(seed)
    return network
