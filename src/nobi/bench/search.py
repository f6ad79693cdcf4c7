"""Playouts per second of the tree search, from the empty board, without and with a network."""

from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.util import find_spec

import numpy as np

from nobi.bench.figure import Figure, rate_figure, rate_ratios, rates
from nobi.games import variant
from nobi.networks import make_network
from nobi.search.policy import NetworkPolicy
from nobi.search.search import Search
from nobi.search.settings import SearchSettings

DEEP = "nobi-net:width=32,blocks=4"
PEERS = {
    9: "on such a machine Pachi: 9,000 to 9,950, Fuego 1.1: 16,000",
    19: "on such a machine Pachi: 2,200 to 2,460, Fuego 1.1: 3,600",
}


def playing(search: Search) -> Callable[[int], int]:
    """Makes so many playouts from an empty board with a fresh tree."""

    def work(playouts: int) -> int:
        search.clear()
        search.set_game(search.variant.new())
        return search.run(playouts)

    return work


def playout_rate(search: Search, seconds: float) -> list[float]:
    """Playouts per second in several repeats."""
    with closing(search):
        return rates(playing(search), seconds)


def playout_ratios(search: Search, other: Search, seconds: float) -> list[float]:
    """How many times as many playouts per second the other makes, in pairs of measurements one after the other."""
    with closing(search), closing(other):
        return rate_ratios(playing(search), playing(other), seconds)


def plain(word: str, size: int, threads: int = 1) -> Search:
    """A search without a network."""
    return Search(variant(word, size), SearchSettings(threads=threads))


def guided(size: int) -> Search:
    """A search of Go with a small network, whose policy is written into the tree but not followed.

    If it were, the tree would be another, and the speed that of its playouts.
    """
    network = make_network("mdlstm")
    policy = NetworkPolicy(network, network.random_weights(size, np.random.default_rng(0)))
    return Search(variant("go", size), SearchSettings(follow=0), policy=policy)


def guided_by_torch(size: int) -> Search:
    """The same with a deep network, which has the cores that the search leaves."""
    from nobi.networks.deep import make_deep
    from nobi.networks.deep.threads import leave_cores
    from nobi.search.deep import DeepPolicy

    leave_cores(busy=1)
    policy = DeepPolicy(make_deep(DEEP).for_play())
    return Search(variant("go", size), SearchSettings(follow=0), policy=policy)


def share_kept(what: str, size: int, search: Search, seconds: float) -> Figure:
    """How many of its playouts the search keeps beside a network."""
    shares = playout_ratios(plain("go", size), search, seconds)
    told = search.figures
    note = (
        f"{told.rate:,.0f} evaluations/s of the network, {1000 * told.mean_lag:.1f} ms from node to policy"
        if told
        else ""
    )
    return rate_figure(f"Go {size}x{size} search with {what}, over without", "times", shares, at_least=0.8, peer=note)


def figures(seconds: float) -> Iterator[Callable[[], Figure]]:
    """The figures of this section, each measured when called."""
    for size, least, aim in ((9, 8_000, 16_000), (19, 2_000, 3_600)):

        def alone(size: int = size, least: int = least, aim: int = aim) -> Figure:
            found = playout_rate(plain("go", size), seconds)
            what = f"Go {size}x{size} search"
            return rate_figure(what, "playouts/s", found, at_least=least, aim=aim, peer=PEERS[size])

        def threads(size: int = size) -> Figure:
            ratios = playout_ratios(plain("go", size), plain("go", size, 2), seconds)
            return rate_figure(f"Go {size}x{size} search, 2 threads over 1", "times", ratios, at_least=1.7, aim=2)

        def with_network(size: int = size) -> Figure:
            return share_kept("an MDLSTM network", size, guided(size), seconds)

        def with_deep_network(size: int = size) -> Figure:
            return share_kept(DEEP, size, guided_by_torch(size), seconds)

        yield alone
        yield threads
        yield with_network
        if find_spec("torch"):
            yield with_deep_network
    for game, size in (("atari-go", 7), ("gomoku", 9), ("pente", 9)):

        def other(game: str = game, size: int = size) -> Figure:
            return rate_figure(f"{game} {size}x{size} search", "playouts/s", playout_rate(plain(game, size), seconds))

        yield other
