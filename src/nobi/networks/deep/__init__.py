"""Deep networks, one file each, trained by gradient with torch: planes of a position → a value for every point.

A file `my_net.py` in this folder is the deep network `my-net`. Only this folder and the training know of torch; a
player calls `evaluate`. Read `base`, then `layers`.
"""

from typing import TYPE_CHECKING

from nobi.errors import NobiError
from nobi.registry import Registry
from nobi.words import settings_from, split_word

if TYPE_CHECKING:
    from nobi.networks.deep.base import DeepNetwork

_others = {"base", "c14", "export", "inputs", "layers", "loss", "orbits", "playing", "store", "swiping", "threads"}
_networks: "Registry[DeepNetwork]" = Registry("deep network", __name__, __path__, _others)
register, names, find = _networks.register, _networks.names, _networks.find


def make_deep(word: str, seed: int = 0) -> "DeepNetwork":
    """The deep network that a word such as `c14-small:edge=false` stands for, with fresh weights chosen by the seed."""
    name, given = split_word(word)
    try:
        kind = find(name)
    except ModuleNotFoundError as fault:
        if fault.name != "torch":
            raise
        raise NobiError(f"The network {name!r} needs PyTorch; install it with pip install 'nobi[deep]'.") from None
    network = kind(settings_from(kind.settings_type, given, word))
    network.start_afresh(seed)
    return network
