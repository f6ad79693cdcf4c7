"""C14's network of its ablation study (section 4.1)."""

from nobi.networks.deep import register
from nobi.networks.deep.c14 import C14


@register
class C14Small(C14):
    """C14's medium scale network: 48 filters of 7x7, three layers of 32 of 5x5, one fully connected."""

    name = "c14-small"
    filters = (48, 32, 32, 32)
