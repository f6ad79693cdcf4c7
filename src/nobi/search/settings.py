"""The settings of a search."""

from dataclasses import dataclass
from typing import Literal

from nobi.search.state import SearchParams

SPARING = 8
"""With several threads, every so many-th playout teaches RAVE at nodes that all of them visit: else each would wait for
the others' cache lines, of which the children of a node fill a dozen, at every playout."""


@dataclass(frozen=True)
class SearchSettings:
    """How a search goes."""

    rollouts: int = 1000
    """Playouts a move; 0: as many as the time allows."""
    seconds: float = 0.0
    """Seconds a move; 0: no limit but the clock of the game."""
    threads: int = 1
    """Threads that search one tree.

    One thread and a seed give the same moves every time, but for searches that are ended by time and those with a
    network that works beside them (`mode=asynchronous`).
    """
    model: str = ""
    """The file of a network whose policy guides the search."""
    mode: Literal["asynchronous", "synchronous"] = "asynchronous"
    """Whether the search goes on while the network evaluates nodes, or waits for it."""
    batch: int = 64
    """The most nodes that the network evaluates at once."""
    wait: float = 5.0
    """Milliseconds after which a batch goes to the network that is not full."""
    follow: float = 1.0
    """How strongly the network's policy is followed (c_p)."""
    sharpness: float = 1.0
    """By what a network's values are multiplied before the softmax that makes them a policy."""
    rave: float = 3000.0
    """At how many playouts RAVE's weight is about one half (k)."""
    explore: float = 0.0
    """How strongly rarely tried moves are preferred (c of UCB1); RAVE and priors explore enough."""
    expand: float = 2.0
    """A leaf gets children at the playout after so many."""
    tactics: float = 1.0
    """What the built-in knowledge of Go is worth as prior, as a factor."""
    memory: int = 128
    """Megabytes for the tree; when it is full, rarely visited parts are dropped."""
    resign: float = 0.08
    """Resigns when fewer playouts than this share are won; 0: never."""
    passing: Literal["friendly", "strict"] = "friendly"
    """Whether dead stones count as captured when both pass, or as alive (as the arena counts them)."""
    reuse: bool = True
    """Whether the part of the tree below the moves played is kept."""

    def __post_init__(self) -> None:
        for name, least, most in (
            ("rollouts", 0, 10**9),
            ("seconds", 0, 10**6),
            ("threads", 1, 256),
            ("batch", 1, 4096),
            ("wait", 0, 10**4),
            ("follow", 0, 1000),
            ("sharpness", 0, 1000),
            ("rave", 1e-3, 10**9),
            ("explore", 0, 1000),
            ("expand", 0, 10**6),
            ("tactics", 0, 1000),
            ("memory", 1, 10**6),
            ("resign", 0, 0.99),
        ):
            value = getattr(self, name)
            if not least <= value <= most:
                raise ValueError(f"{name} must be {least:g} to {most:g}, not {value:g}")

    @property
    def params(self) -> SearchParams:
        """What compiled code needs of them."""
        return SearchParams(
            float(self.rave),
            float(self.explore),
            float(self.follow),
            float(self.expand),
            self.passing == "friendly",
            float(self.tactics),
            1 if self.threads == 1 else SPARING,
        )
