"""The networks, one file each: a vector of weights and a board → a value for every point.

A file `my_net.py` in this folder is the network `my-net`. Read `base`, then `layers` for the innermost loops.
"""

from typing import TYPE_CHECKING

from nobi.registry import Registry
from nobi.words import settings_from, split_word

if TYPE_CHECKING:
    from nobi.networks.base import Network

_others = {"base", "deep", "dense", "functions", "inside", "layers", "model", "modelfile", "sweeps", "swiping"}
_networks: "Registry[Network]" = Registry("network", __name__, __path__, _others)
register, names, find = _networks.register, _networks.names, _networks.find


def make_network(word: str) -> "Network":
    """The network that a word such as `mdlstm:hidden=3` stands for."""
    name, given = split_word(word)
    kind = find(name)
    return kind(settings_from(kind.settings_type, given, word))
