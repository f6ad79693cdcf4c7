"""C14's best network (section 4.2)."""

from nobi.networks.deep import register
from nobi.networks.deep.c14 import C14


@register
class C14Large(C14):
    """C14's full scale network: 64 filters of 7x7, layers of 64, 64, 48, 48, 32, 32 of 5x5, one fully connected."""

    name = "c14-large"
    filters = (64, 64, 64, 48, 48, 32, 32)
