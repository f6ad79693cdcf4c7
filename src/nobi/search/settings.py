"""The settings of a search."""

from dataclasses import dataclass
from typing import Literal

from nobi.search.state import SearchParams

SHARED_RAVE_INTERVAL = 8
"""With several threads, RAVE is updated every n-th playout at nodes with many visits: otherwise each thread would wait
for the others' cache lines, a dozen for the children of a node, at every playout."""

_LIMITS: dict[str, tuple[float, float]] = {
    "rollouts": (0, 10**9),
    "seconds": (0, 10**6),
    "threads": (1, 256),
    "batch": (1, 4096),
    "wait": (0, 10**4),
    "follow": (0, 1000),
    "sharpness": (0, 1000),
    "rave": (1e-3, 10**9),
    "explore": (0, 1000),
    "expand": (0, 10**6),
    "tactics": (0, 1000),
    "memory": (1, 10**6),
    "resign": (0, 0.99),
}


@dataclass(frozen=True)
class SearchSettings:
    """The settings of a search; the player `mcts` takes the same."""

    rollouts: int = 1000
    """Playouts per move; 0: as many as the time allows."""
    seconds: float = 0.0
    """Seconds per move; 0: no limit but the clock of the game."""
    threads: int = 1
    """Threads that search one tree.

    One thread and a seed give the same moves every time, except for searches with a time limit and for those with a
    network in the asynchronous mode.
    """
    model: str = ""
    """The file of a network whose policy guides the search."""
    mode: Literal["asynchronous", "synchronous"] = "asynchronous"
    """Whether the search goes on while the network evaluates nodes, or waits for it."""
    batch: int = 64
    """The largest number of nodes that the network evaluates at once."""
    wait: float = 5.0
    """Milliseconds after which an incomplete batch is evaluated."""
    follow: float = 1.0
    """Weight of the network's policy (c_p)."""
    sharpness: float = 1.0
    """Factor of a network's values before the softmax that makes them a policy."""
    rave: float = 3000.0
    """The number of playouts at which RAVE's weight is about one half (k)."""
    explore: float = 0.0
    """Weight of the exploration term (c of UCB1); RAVE and priors explore enough."""
    expand: float = 2.0
    """The number of playouts after which a leaf is expanded."""
    tactics: float = 1.0
    """Factor of the prior knowledge of Go."""
    memory: int = 128
    """Megabytes for the tree; when it is full, rarely visited parts are dropped."""
    resign: float = 0.08
    """Resign when the share of won playouts is below this; 0: never."""
    passing: Literal["friendly", "strict"] = "friendly"
    """Whether dead stones count as captured when both pass, or as alive (as in the arena)."""
    reuse: bool = True
    """Whether the part of the tree below the moves played is kept."""

    def __post_init__(self) -> None:
        for name, (least, most) in _LIMITS.items():
            value = getattr(self, name)
            if not least <= value <= most:
                raise ValueError(f"{name} must be {least:g} to {most:g}, not {value:g}")

    @property
    def params(self) -> SearchParams:
        """The parameters that compiled code needs."""
        return SearchParams(
            float(self.rave),
            float(self.explore),
            float(self.follow),
            float(self.expand),
            self.passing == "friendly",
            float(self.tactics),
            1 if self.threads == 1 else SHARED_RAVE_INTERVAL,
        )
