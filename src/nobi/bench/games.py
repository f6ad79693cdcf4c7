"""Games per second of the built-in players, on one core unless it says otherwise.

MERGED bench/networks.py: Networks: whole games against the naive player, single moves, and training, beside PyBrain, the papers' code.

MERGED bench/search.py: Playouts per second of the tree search, from the empty board, without and with a network.
"""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.util import find_spec

import numpy as np

from nobi.arena.play import play_games
from nobi.bench.measure import Measurement, rate_figure, rate_ratios, rates
from nobi.evolution.fitness import Fitness
from nobi.games import variant
from nobi.networks import make_network
from nobi.nn.lanes import LANES
from nobi.players import make_player
from nobi.players.network import NetworkPlayer
from nobi.search.policy import NetworkPolicy
from nobi.search.search import Search
from nobi.search.settings import SearchSettings
from nobi.trainers import make_trainer

PAPERS_CODE = "the papers' code, PyBrain: {} on such a machine"
LIBEGO = "libego, C++: {} on such a machine"


def match_of(game: str, size: int, a: str, b: str, threads: int = 1) -> Callable[[int], int]:
    """Plays so many games between two players."""
    where = variant(game, size)
    players = make_player(a, where), make_player(b, where)

    def play(games: int) -> int:
        play_games(where, *players, games, threads=threads)
        return games

    return play


def game_rate(game: str, size: int, a: str, b: str, seconds: float) -> list[float]:
    """Games per second between two players, on one thread, in several repeats."""
    return rates(match_of(game, size, a, b), seconds)


def open_spiel_rate(size: int, seconds: float) -> float | None:
    """Random games of Go per second of OpenSpiel, called from Python; None if it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game(f"go(board_size={size},komi=7.5)")
    rng = random.Random(0)  # noqa: S311

    def play(games: int) -> int:
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))
        return games

    return max(rates(play, seconds, repeats=2))


def arena_figures(seconds: float) -> Iterator[Callable[[], Measurement]]:
    """The figures of this section, each measured when called."""
    for size, least, aim, libego in ((9, 50_000, 90_000, "49,000"), (19, 9_500, 18_000, "10,100")):

        def playouts(size: int = size, least: int = least, aim: int = aim, libego: str = libego) -> Measurement:
            found = game_rate("go:ko=simple", size, "playout", "playout", seconds)
            peers = [LIBEGO.format(libego)]
            spiel = open_spiel_rate(size, seconds)
            if spiel:
                peers.insert(0, f"OpenSpiel called from Python, this run: {spiel:,.0f}")
            return rate_figure(
                f"Go {size}x{size} random playouts", "games/s", found, at_least=least, aim=aim, peer="; ".join(peers)
            )

        yield playouts
    for game, size, least, papers in (("atari-go", 7, 60_000, "862"), ("gomoku", 9, 20_000, "204")):

        def naive(game: str = game, size: int = size, least: int = least, papers: str = papers) -> Measurement:
            found = game_rate(game, size, "random", "naive", seconds)
            what = f"{game} {size}x{size} random against naive"
            return rate_figure(what, "games/s", found, at_least=least, peer=PAPERS_CODE.format(papers))

        yield naive

    def heuristic() -> Measurement:
        found = game_rate("atari-go", 7, "heuristic", "heuristic", seconds)
        return rate_figure("atari-go 7x7 heuristic against itself", "games/s", found)

    yield heuristic
    for game, size, a, b in (("atari-go", 7, "random", "naive"), ("go:ko=simple", 9, "playout", "playout")):

        def scaling(game: str = game, size: int = size, a: str = a, b: str = b) -> Measurement:
            ratios = rate_ratios(match_of(game, size, a, b), match_of(game, size, a, b, threads=2), seconds)
            return rate_figure(f"{game} {size}x{size}, 2 threads over 1", "times", ratios, at_least=1.8, aim=2)

        yield scaling


def size_figures(seconds: float) -> Iterator[Callable[[], Measurement]]:
    """How the cost grows with the board."""
    for game, a, b in (
        ("atari-go", "random", "naive"),
        ("gomoku", "random", "naive"),
        ("pente", "random", "naive"),
        ("go:ko=simple", "playout", "playout"),
    ):
        for size in (5, 9, 13, 19, 25):

            def grown(game: str = game, a: str = a, b: str = b, size: int = size) -> Measurement:
                found = game_rate(game, size, a, b, seconds)
                where = variant(game, size)
                sample = play_games(where, make_player(a, where), make_player(b, where), 200)
                plies = float(sample.length.mean())
                cost = 1e9 / (max(found) * plies)
                note = f"{plies:.0f} plies a game, {cost:.0f} ns a ply, {cost / size**2:.2f} ns a ply and point"
                return rate_figure(f"{game} {size}x{size} {a} against {b}", "games/s", found, peer=note)

            yield grown


GAMES = (
    # network, game, board, milliseconds a ply of PyBrain on a machine like the reference machine
    ("mdlstm:hidden=3,mode=original", "atari-go", 7, 15.5),
    ("mdrnn:hidden=10", "atari-go", 7, 5.2),
    ("mdrnn:hidden=10", "gomoku", 9, 8.4),
)
MOVES = (
    # network, board, milliseconds of PyBrain for one move, milliseconds the papers state
    ("mdrnn:hidden=10", 5, 4.9, "2"),
    ("mdrnn:hidden=10", 9, 15.4, "20"),
    ("mdrnn:hidden=10", 19, 69.8, ""),
    ("mdlstm:hidden=3,mode=original", 7, 27.4, "3"),
    ("mdlstm:hidden=3,mode=original", 19, 206.0, "25"),
)
TANH_OPERATIONS = 22
"""Floating-point operations of one tanh or sigmoid: 5 fused multiply-adds of the polynomial and 12 others."""


def operations(network: str, size: int) -> float:
    """Floating-point operations of one pass over one board, a fused multiply-add being two."""
    net = make_network(network)
    k = net.settings.hidden
    if net.name == "mdrnn":
        per_cell = 2 * k * (k + 2) + k + TANH_OPERATIONS * k + 2 * k
    else:
        per_cell = 5 * 2 * k * (k + 2) + k + (6 * TANH_OPERATIONS + 6) * k + 2 * k
    sweeps = 8 if net.name == "mdlstm" and net.settings.mode == "symmetric" else 4
    return float(sweeps * size * size * per_cell)


def pass_rate(network: str, size: int, seconds: float, boards: int = LANES) -> list[float]:
    """Boards per second of the bare pass, in several repeats."""
    net = make_network(network)
    workspace = net.new_workspace(net.random_weights(size, np.random.default_rng(0)), size)
    forward = net.forward()

    def work(amount: int) -> int:
        blocks = max(1, amount // boards)
        for _ in range(blocks):
            forward(workspace, boards)
        return blocks * boards

    return rates(work, seconds)


def ply_rate(network: str, game: str, size: int, seconds: float) -> list[float]:
    """Plies per second of whole games of many random networks against naive, on one core."""
    where = variant(game, size)
    net = make_network(network)
    rng = np.random.default_rng(0)
    naive = make_player("naive", where)
    someone = [NetworkPlayer(where, net, net.random_weights(size, rng)) for _ in range(10)]

    def work(matches: int) -> int:
        turn = [someone[i % len(someone)] for i in range(matches)]
        return sum(int(play_games(where, player, naive, 256, threads=1).length.sum()) for player in turn)

    return rates(work, seconds)


def peak_rate() -> float:
    """Floating-point operations per second of one core at the best: a product of matrices in single precision."""
    from threadpoolctl import threadpool_limits

    a = np.random.default_rng(0).random((1024, 1024), np.float32)
    best = 0.0
    with threadpool_limits(1):
        for _ in range(5):
            start = time.perf_counter()
            a @ a
            best = max(best, 2 * 1024**3 / (time.perf_counter() - start))
    return best


def network_figures(seconds: float) -> Iterator[Callable[[], Measurement]]:
    """The figures of this section, each measured when called."""
    for network, game, size, pybrain in GAMES:

        def whole(network: str = network, game: str = game, size: int = size, pybrain: float = pybrain) -> Measurement:
            found = [rate * pybrain / 1000 for rate in ply_rate(network, game, size, seconds)]
            micro = pybrain * 1000 / max(found)
            note = f"{micro:.2f} µs a ply at best; PyBrain: {pybrain} ms on such a machine"
            what = f"{network}, {game} {size}x{size} against naive, times PyBrain"
            return rate_figure(what, "times", found, at_least=2000, aim=5000, peer=note)

        yield whole
    for network, size, pybrain, paper in MOVES:

        def single(
            network: str = network, size: int = size, pybrain: float = pybrain, paper: str = paper
        ) -> Measurement:
            times = [1e6 / rate for rate in pass_rate(network, size, seconds, boards=1)]
            note = f"PyBrain: {pybrain} ms on such a machine" + (f"; the paper: {paper} ms" if paper else "")
            middle = sorted(times)[len(times) // 2]
            return Measurement(
                f"{network}, one move on {size}x{size}", "µs", middle, min(times), peer=note, lower_is_better=True
            )

        yield single
    for network, size in (("mdrnn:hidden=10", 7), ("mdlstm:hidden=3,mode=original", 7)):

        def share(network: str = network, size: int = size) -> Measurement:
            found = [rate * operations(network, size) for rate in pass_rate(network, size, seconds)]
            peak = peak_rate()
            note = f"{max(found) / 1e9:.0f} of {peak / 1e9:.0f} billion operations a second (a matrix product)"
            return rate_figure(f"{network}, {size}x{size}: share of peak", "", [x / peak for x in found], peer=note)

        yield share

    def generations() -> Measurement:
        net = make_network("mdlstm")
        trainer = make_trainer("cmaes", net.weight_count(7), 0)
        fitness = Fitness("atari-go", (7,), net, ("naive",), 100, 0)

        def work(count: int) -> int:
            for _ in range(count):
                trainer.tell(fitness.measure(trainer.ask(), trainer.generation))
            return count

        found = rates(work, 4 * seconds)
        what = "CMA-ES, mdlstm:hidden=3, atari-go 7x7: 17 candidates of 100 games, all cores"
        return rate_figure(what, "generations/s", found, at_least=10)

    yield generations


def growth_figures(seconds: float) -> Iterator[Callable[[], Measurement]]:
    """How the cost of a pass grows with the board and with the units."""
    cases = [("mdrnn", 10, size) for size in (5, 7, 9, 13, 19, 25)] + [("mdrnn", k, 9) for k in (2, 5, 20)]
    cases += [("mdlstm", 3, size) for size in (5, 7, 9, 13, 19, 25)] + [("mdlstm", k, 9) for k in (1, 5, 10)]
    for name, k, size in cases:

        def grown(network: str = f"{name}:hidden={k}", size: int = size) -> Measurement:
            times = [1e6 / rate for rate in pass_rate(network, size, seconds)]
            note = f"{1000 * min(times) / size**2:.0f} ns a point"
            middle = sorted(times)[len(times) // 2]
            return Measurement(
                f"{network}, {size}x{size}", "µs a board", middle, min(times), peer=note, lower_is_better=True
            )

        yield grown


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


def plain(spec: str, size: int, threads: int = 1) -> Search:
    """A search without a network."""
    return Search(variant(spec, size), SearchSettings(threads=threads))


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
    from nobi.nn.torch_layers import leave_cores
    from nobi.search.policy import DeepPolicy

    leave_cores(busy=1)
    policy = DeepPolicy(make_deep(DEEP).for_play())
    return Search(variant("go", size), SearchSettings(follow=0), policy=policy)


def share_kept(what: str, size: int, search: Search, seconds: float) -> Measurement:
    """How many of its playouts the search keeps beside a network."""
    shares = playout_ratios(plain("go", size), search, seconds)
    told = search.stats
    note = (
        f"{told.rate:,.0f} evaluations/s of the network, {1000 * told.mean_lag:.1f} ms from node to policy"
        if told
        else ""
    )
    return rate_figure(f"Go {size}x{size} search with {what}, over without", "times", shares, at_least=0.8, peer=note)


def search_figures(seconds: float) -> Iterator[Callable[[], Measurement]]:
    """The figures of this section, each measured when called."""
    for size, least, aim in ((9, 8_000, 16_000), (19, 2_000, 3_600)):

        def alone(size: int = size, least: int = least, aim: int = aim) -> Measurement:
            found = playout_rate(plain("go", size), seconds)
            what = f"Go {size}x{size} search"
            return rate_figure(what, "playouts/s", found, at_least=least, aim=aim, peer=PEERS[size])

        def threads(size: int = size) -> Measurement:
            ratios = playout_ratios(plain("go", size), plain("go", size, 2), seconds)
            return rate_figure(f"Go {size}x{size} search, 2 threads over 1", "times", ratios, at_least=1.7, aim=2)

        def with_network(size: int = size) -> Measurement:
            return share_kept("an MDLSTM network", size, guided(size), seconds)

        def with_deep_network(size: int = size) -> Measurement:
            return share_kept(DEEP, size, guided_by_torch(size), seconds)

        yield alone
        yield threads
        yield with_network
        if find_spec("torch"):
            yield with_deep_network
    for game, size in (("atari-go", 7), ("gomoku", 9), ("pente", 9)):

        def other(game: str = game, size: int = size) -> Measurement:
            return rate_figure(f"{game} {size}x{size} search", "playouts/s", playout_rate(plain(game, size), seconds))

        yield other
