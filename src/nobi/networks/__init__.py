"""Compiled networks: a vector of weights and a board → a value for every point; one class and one registry line each.

Their building blocks are in `nobi.nn`.
"""

from typing import TYPE_CHECKING

from nobi.spec import Registry

if TYPE_CHECKING:
    from nobi.nn.network import Network

_networks: "Registry[Network]" = Registry(
    "network",
    "nobi.networks",
    {
        "conv": "nobi.networks.conv:Conv",
        "mdlstm": "nobi.networks.mdlstm:Mdlstm",
        "mdrnn": "nobi.networks.mdrnn:Mdrnn",
        "mlp": "nobi.networks.mlp:Mlp",
        "stacked": "nobi.networks.stacked:Stacked",
    },
)
register, names, find = _networks.register, _networks.names, _networks.find


def make_network(spec: str) -> "Network":
    """Return the network of a spec such as `mdlstm:hidden=3`."""
    return _networks.make(spec)
