"""How many threads torch may use beside threads of ours."""

import torch

from nobi.cores import usable_threads


def leave_cores(busy: int) -> None:
    """Has torch use no more threads than there are cores beside the busy ones, but one at least.

    More would take turns with the busy threads, and each wait for the others.
    """
    torch.set_num_threads(min(torch.get_num_threads(), max(1, usable_threads() - busy)))
