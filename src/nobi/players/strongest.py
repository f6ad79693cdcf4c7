"""The strongest player that comes with the package: the tree search with the best shipped model for the board."""

from nobi.games.base import Variant
from nobi.models.choice import best_model
from nobi.workers import usable_threads

SECONDS = 2.0
"""The time for a move without a clock."""


def strongest_spec(variant: Variant, threads: int = 0) -> str:
    """The spec of the player, which is limited by time only and uses this number of threads; 0: one per core.

    With a network about a quarter of the cores is left to it, at least one of several.
    """
    cores = usable_threads(threads)
    model = best_model(variant.game.name, variant.size)
    searching = max(1, cores - max(1, cores // 4)) if model else cores
    return f"mcts:rollouts=0,threads={searching}" + (f",model={model}" if model else "")
