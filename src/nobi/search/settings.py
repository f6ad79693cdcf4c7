"""The settings of a search."""

from dataclasses import dataclass
from typing import Literal

from nobi.search.gammas import SMALL_BOARDS, load_gammas, no_gammas
from nobi.search.state import RolloutParams, SearchParams

_LARGE_EXPAND = 4
"""A node of a large board has several hundred children: expanding later limits the memory of the tree."""

_LIMITS: dict[str, tuple[float, float]] = {
    "rollouts": (0, 10**9),
    "seconds": (0, 10**6),
    "threads": (1, 256),
    "batch": (1, 4096),
    "wait": (0, 10**4),
    "evaluate_at": (0, 10**6),
    "follow": (0, 1000),
    "value": (0, 1),
    "sharpness": (0, 1000),
    "rave": (1e-3, 10**9),
    "explore": (0, 1000),
    "expand": (0, 10**6),
    "tactics": (0, 1000),
    "memory": (1, 10**6),
    "resign": (0, 0.99),
    "rave_near": (1, 100),
    "rave_skip": (0, 10**6),
    "skip_explore": (0, 1000),
    "atari": (0, 1000),
    "self_atari": (0, 1000),
    "throw_in": (0, 1),
    "two_liberties": (0, 1),
    "nakade": (0, 1),
    "escape": (1, 10),
    "learnt": (0, 10**4),
    "bias": (0, 1000),
    "score": (0, 1),
    "policy_wins": (0, 10**4),
}


@dataclass(frozen=True)
class SearchSettings:
    """The settings of a search and of the player `mcts`.

    >>> nobi.SearchSettings(rollouts=400).rollouts
    400
    """

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
    """Whether the search continues while the network evaluates nodes, or waits for it."""
    batch: int = 64
    """The largest number of nodes that the network evaluates at once."""
    wait: float = 5.0
    """Milliseconds after which an incomplete batch is evaluated."""
    evaluate_at: int = 0
    """Playouts at which a node is queued for the network, and again after as many if the queue was full; 0: once, when
    it is expanded."""
    queue: Literal["visits", "fifo"] = "fifo"
    """Which nodes the network evaluates first: those with the most playouts, or those that were queued first."""
    replace: bool = False
    """Whether the network's policy replaces the won playouts of the priors of a node, or is added to them."""
    policy_wins: float = 0.0
    """With `replace`: a move of probability p by the network starts with policy_wins·√p won playouts."""
    follow: float = 1.0
    """Weight of the network's policy (c_p)."""
    value: float = 0.0
    """Share of the network's value, if it has one, in the result of a playout: that of the latest node of the playout
    that the network has evaluated."""
    sharpness: float = 1.0
    """Factor of a network's values before the softmax that makes them a policy."""
    rave: float = 3000.0
    """The number of playouts at which RAVE's weight is about one half (k)."""
    explore: float = 0.0
    """Weight of the exploration term (c of UCB1); RAVE and priors explore enough."""
    expand: float = 2.0
    """The number of playouts after which a leaf is expanded; four times as many in Go on boards above 13x13."""
    tactics: float = 0.0
    """Factor of the priors of Go made by hand."""
    rave_near: float = 2.0
    """Go: weight in RAVE of a move that follows the node at once; it decreases to 1 at the end of the playout."""
    rave_skip: int = 0
    """Go: every n-th selection of a move ignores RAVE; 0: none does."""
    skip_explore: float = 0.0
    """Weight of the exploration term in the selections that ignore RAVE."""
    ladders: bool = True
    """Whether ladders are read for the prior knowledge of Go."""
    atari: float = 0.0
    """Prior of moves of Go that give atari, in won playouts."""
    learnt: float = 100.0
    """Learnt priors of Go: a move of probability p starts with learnt·√p won playouts; 0: none."""
    bias: float = 0.0
    """Go: weight of the learnt probabilities in the term of the network's policy, until the network has evaluated."""
    score: float = 0.0
    """Go: share of the score in the result of a playout; the rest is victory or defeat."""
    weighted: bool = False
    """Rollouts of Go: choose among patterns by their learnt strength, not uniformly."""
    self_atari: int = 0
    """Rollouts of Go: chains of at least this size put themselves into atari only as nakade; 0: at random."""
    seki: bool = True
    """Rollouts of Go: do not play points that are self-atari for both players, for three stones or more each."""
    other_liberty: bool = False
    """Rollouts of Go: play the other liberty of a chain instead of a rejected self-atari."""
    throw_in: float = 0.5
    """Rollouts of Go: the share of random self-ataris of a single stone that are played."""
    two_liberties: float = 0.85
    """Rollouts of Go: how often chains with two liberties next to the latest move are attacked or defended."""
    escape: int = 2
    """Rollouts of Go: liberties that a chain with two must gain by an extension to escape from an atari."""
    nakade: float = 0.0
    """Rollouts of Go: how often the vital point of an eye space next to the latest move is played."""
    ordered: bool = False
    """Rollouts of Go: answer the latest move before the previous one; prefer captures to extensions."""
    previous_patterns: bool = False
    """Rollouts of Go: also play patterns next to the move before the latest one."""
    memory: int = 128
    """Megabytes for the tree; when it is full, rarely visited parts are dropped."""
    resign: float = 0.08
    """Resign when the share of won playouts is below this; 0: never."""
    passing: Literal["friendly", "strict"] = "friendly"
    """Whether dead stones count as captured when both pass, or as alive (as in the arena)."""
    reuse: bool = True
    """Whether the subtree below the played moves is kept."""

    def __post_init__(self) -> None:
        for name, (least, most) in _LIMITS.items():
            value = getattr(self, name)
            if not least <= value <= most:
                raise ValueError(f"{name} must be {least:g} to {most:g}, not {value:g}")

    def params(self, game: str, size: int) -> SearchParams:
        """Return the parameters that compiled code needs for a game on a board of this size."""
        is_go = game == "go"
        uses_gammas = is_go and (self.learnt > 0 or self.weighted)
        return SearchParams(
            float(self.rave),
            float(self.explore),
            float(self.follow),
            float(self.expand) * (_LARGE_EXPAND if is_go and size > SMALL_BOARDS else 1),
            self.passing == "friendly",
            float(self.tactics),
            float(self.rave_near) if is_go else 1.0,
            self.rave_skip if is_go else 0,
            float(self.skip_explore),
            self.ladders,
            float(self.atari),
            self.evaluate_at,
            float(self.learnt),
            self.weighted,
            float(self.bias / self.follow) if is_go and self.learnt > 0 and self.follow > 0 else 0.0,
            float(self.score) if is_go else 0.0,
            float(self.value),
            RolloutParams(
                self.self_atari,
                self.seki,
                self.other_liberty,
                round(256 * self.throw_in),
                round(256 * self.two_liberties),
                self.escape,
                round(256 * self.nakade),
                self.ordered,
                self.previous_patterns,
            ),
            load_gammas(size) if uses_gammas else no_gammas(),
        )
