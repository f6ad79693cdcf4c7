"""Planes of Go positions for deep networks, a file for each set. A file `my_planes.py` here is the set `my-planes`.

Read `base` first, then `c14_3`, which is the plainest. `codes` looks at a position, `encoder` replays records,
`position` takes a game in the hand; these are no sets of planes. A set that lives elsewhere announces itself with
`register`.
"""

from typing import TYPE_CHECKING

from nobi.registry import Registry
from nobi.words import settings_from, split_word

if TYPE_CHECKING:
    from nobi.features.base import Planes

_planes: "Registry[Planes]" = Registry("set of planes", __name__, __path__, {"base", "codes", "encoder", "position"})
register, names, find = _planes.register, _planes.names, _planes.find


def planes_named(word: str) -> "Planes":
    """The set of planes that a word such as `m15` or `c14-7:edge=true` stands for."""
    name, given = split_word(word)
    planes = find(name)
    return planes(settings_from(planes.settings_type, given, word))
