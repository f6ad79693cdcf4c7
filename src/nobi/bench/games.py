"""Speed of games of built-in players and networks, and of playouts of the search; on one core unless stated."""

import random
import time
from contextlib import closing
from functools import partial
from importlib.util import find_spec

import numpy as np

from nobi.arena.play import play_games
from nobi.bench.measure import Case, Measurement, Work, rate_measurement, rate_ratios, rates, time_measurement
from nobi.evolution.fitness import Fitness
from nobi.games import variant
from nobi.networks import make_network
from nobi.nn.bound import run_pass
from nobi.nn.lanes import LANES
from nobi.players import make_player
from nobi.players.network import NetworkPlayer
from nobi.search.policy import NetworkPolicy
from nobi.search.search import Search
from nobi.search.settings import SearchSettings
from nobi.trainers import make_trainer

MDLSTM = "mdlstm:hidden=3,mode=original"
MDRNN = "mdrnn:hidden=10"
DEEP = "nobi-net:width=32,blocks=4"


# ---- games of the built-in players


def games_between(a: str, b: str, game: str, size: int, threads: int = 1) -> Work:
    """Return a function that plays games between two players."""
    where = variant(game, size)
    players = make_player(a, where), make_player(b, where)

    def play(games: int) -> int:
        play_games(where, *players, games, threads=threads)
        return games

    return play


def game_speed(a: str, b: str, game: str, size: int, least: float | None, peer: str, seconds: float) -> Measurement:
    """Measure the games per second between two players."""
    found = rates(games_between(a, b, game, size), seconds)
    what = f"{game} {size}x{size} {a} against {'itself' if a == b else b}"
    return rate_measurement(what, "games/s", found, at_least=least, peer=peer)


def go_playouts(size: int, least: float, aim: float, libego: str, seconds: float) -> Measurement:
    """Measure the random games of Go per second, compared with libego and OpenSpiel."""
    found = rates(games_between("playout", "playout", "go:ko=simple", size), seconds)
    peers = [f"libego, C++: {libego} on such a machine"]
    if find_spec("pyspiel"):
        peers.insert(0, f"OpenSpiel called from Python, this run: {open_spiel_rate(size, seconds):,.0f}")
    what = f"Go {size}x{size} random playouts"
    return rate_measurement(what, "games/s", found, at_least=least, aim=aim, peer="; ".join(peers))


def open_spiel_rate(size: int, seconds: float) -> float:
    """Measure the random games of Go per second of OpenSpiel, called from Python."""
    import pyspiel

    game = pyspiel.load_game(f"go(board_size={size},komi=7.5)")
    rng = random.Random(0)  # noqa: S311

    def play(games: int) -> int:
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))
        return games

    return max(rates(play, seconds, repeats=2))


def two_threads(a: str, b: str, game: str, size: int, seconds: float) -> Measurement:
    """Measure the speed of two threads relative to one."""
    ratios = rate_ratios(games_between(a, b, game, size), games_between(a, b, game, size, threads=2), seconds)
    return rate_measurement(f"{game} {size}x{size}, 2 threads over 1", "times", ratios, at_least=1.8, aim=2)


def cost_of_a_ply(a: str, b: str, game: str, size: int, seconds: float) -> Measurement:
    """Measure the games per second; the note gives the cost of a ply."""
    where = variant(game, size)
    plies = float(play_games(where, make_player(a, where), make_player(b, where), 200).length.mean())
    found = rates(games_between(a, b, game, size), seconds)
    cost = 1e9 / (max(found) * plies)
    note = f"{plies:.0f} plies per game, {cost:.0f} ns per ply, {cost / size**2:.2f} ns per ply and point"
    return rate_measurement(f"{game} {size}x{size} {a} against {b}", "games/s", found, peer=note)


_PYBRAIN = "the papers' code, PyBrain: {} on such a machine"
ARENA: list[Case] = [
    partial(go_playouts, 9, 50_000, 90_000, "49,000"),
    partial(go_playouts, 19, 9_500, 18_000, "10,100"),
    partial(game_speed, "random", "naive", "atari-go", 7, 60_000, _PYBRAIN.format("862")),
    partial(game_speed, "random", "naive", "gomoku", 9, 20_000, _PYBRAIN.format("204")),
    partial(game_speed, "heuristic", "heuristic", "atari-go", 7, None, ""),
    partial(two_threads, "random", "naive", "atari-go", 7),
    partial(two_threads, "playout", "playout", "go:ko=simple", 9),
]
SIZES: list[Case] = [
    partial(cost_of_a_ply, a, b, game, size)
    for a, b, game in (
        ("random", "naive", "atari-go"),
        ("random", "naive", "gomoku"),
        ("random", "naive", "pente"),
        ("playout", "playout", "go:ko=simple"),
    )
    for size in (5, 9, 13, 19, 25)
]

# ---- networks

TANH_OPERATIONS = 22
"""Floating-point operations of one tanh or sigmoid: 5 fused multiply-adds of the polynomial and 12 others."""


def operations(network: str, size: int) -> float:
    """Return the floating-point operations of a forward pass over one board; a fused multiply-add counts as two."""
    net = make_network(network)
    k = net.settings.hidden
    if net.name == "mdrnn":
        per_cell = 2 * k * (k + 2) + k + TANH_OPERATIONS * k + 2 * k
    else:
        per_cell = 5 * 2 * k * (k + 2) + k + (6 * TANH_OPERATIONS + 6) * k + 2 * k
    sweeps = 8 if net.name == "mdlstm" and net.settings.mode == "symmetric" else 4
    return float(sweeps * size * size * per_cell)


def pass_rate(network: str, size: int, seconds: float, boards: int = LANES) -> list[float]:
    """Measure the boards per second of the forward pass alone, in several repeats."""
    net = make_network(network)
    bound = net.bind(net.random_weights(size, np.random.default_rng(0)), size)

    def work(amount: int) -> int:
        blocks = max(1, amount // boards)
        for _ in range(blocks):
            run_pass(bound, boards)
        return blocks * boards

    return rates(work, seconds)


def peak_rate() -> float:
    """Measure the floating-point operations per second of one core: a matrix product in single precision."""
    from threadpoolctl import threadpool_limits

    a = np.random.default_rng(0).random((1024, 1024), np.float32)
    best = 0.0
    with threadpool_limits(1):
        for _ in range(5):
            start = time.perf_counter()
            a @ a
            best = max(best, 2 * 1024**3 / (time.perf_counter() - start))
    return best


def whole_games(network: str, game: str, size: int, pybrain: float, seconds: float) -> Measurement:
    """Measure the speed of games of random networks against naive, relative to PyBrain's milliseconds per ply."""
    where, net, rng = variant(game, size), make_network(network), np.random.default_rng(0)
    naive = make_player("naive", where)
    members = [NetworkPlayer(where, net, net.random_weights(size, rng)) for _ in range(10)]

    def work(matches: int) -> int:
        turns = [members[i % len(members)] for i in range(matches)]
        return sum(int(play_games(where, player, naive, 256, threads=1).length.sum()) for player in turns)

    found = [rate * pybrain / 1000 for rate in rates(work, seconds)]
    note = f"{pybrain * 1000 / max(found):.2f} µs per ply at best; PyBrain: {pybrain} ms on such a machine"
    what = f"{network}, {game} {size}x{size} against naive, times PyBrain"
    return rate_measurement(what, "times", found, at_least=2000, aim=5000, peer=note)


def single_move(network: str, size: int, pybrain: float, paper: str, seconds: float) -> Measurement:
    """Measure the time of one move, compared with the milliseconds of PyBrain and of the paper."""
    times = [1e6 / rate for rate in pass_rate(network, size, seconds, boards=1)]
    note = f"PyBrain: {pybrain} ms on such a machine" + (f"; the paper: {paper} ms" if paper else "")
    return time_measurement(f"{network}, one move on {size}x{size}", "µs", times, peer=note)


def share_of_peak(network: str, size: int, seconds: float) -> Measurement:
    """Measure the operations per second of a forward pass relative to those of a matrix product."""
    found, peak = [rate * operations(network, size) for rate in pass_rate(network, size, seconds)], peak_rate()
    note = f"{max(found) / 1e9:.0f} of {peak / 1e9:.0f} billion operations per second (a matrix product)"
    return rate_measurement(f"{network}, {size}x{size}: share of peak", "", [x / peak for x in found], peer=note)


def cost_of_a_pass(network: str, size: int, seconds: float) -> Measurement:
    """Measure the time of a forward pass per board."""
    times = [1e6 / rate for rate in pass_rate(network, size, seconds)]
    note = f"{1000 * min(times) / size**2:.0f} ns per point"
    return time_measurement(f"{network}, {size}x{size}", "µs per board", times, peer=note)


def generations(seconds: float) -> Measurement:
    """Measure the generations per second of CMA-ES."""
    net = make_network("mdlstm")
    trainer = make_trainer("cmaes", net.weight_count(7), 0)
    fitness = Fitness("atari-go", (7,), net, ("naive",), 100, 0)

    def work(count: int) -> int:
        for _ in range(count):
            trainer.tell(fitness.measure(trainer.ask(), trainer.generation))
        return count

    what = "CMA-ES, mdlstm:hidden=3, atari-go 7x7: 17 candidates of 100 games, all cores"
    return rate_measurement(what, "generations/s", rates(work, 4 * seconds), at_least=10)


NETWORKS: list[Case] = [
    partial(whole_games, MDLSTM, "atari-go", 7, 15.5),
    partial(whole_games, MDRNN, "atari-go", 7, 5.2),
    partial(whole_games, MDRNN, "gomoku", 9, 8.4),
    partial(single_move, MDRNN, 5, 4.9, "2"),
    partial(single_move, MDRNN, 9, 15.4, "20"),
    partial(single_move, MDRNN, 19, 69.8, ""),
    partial(single_move, MDLSTM, 7, 27.4, "3"),
    partial(single_move, MDLSTM, 19, 206.0, "25"),
    partial(share_of_peak, MDRNN, 7),
    partial(share_of_peak, MDLSTM, 7),
    generations,
]
GROWTH: list[Case] = [
    *(partial(cost_of_a_pass, "mdrnn:hidden=10", size) for size in (5, 7, 9, 13, 19, 25)),
    *(partial(cost_of_a_pass, f"mdrnn:hidden={k}", 9) for k in (2, 5, 20)),
    *(partial(cost_of_a_pass, "mdlstm:hidden=3", size) for size in (5, 7, 9, 13, 19, 25)),
    *(partial(cost_of_a_pass, f"mdlstm:hidden={k}", 9) for k in (1, 5, 10)),
]

# ---- search


def plain_search(game: str, size: int, threads: int = 1) -> Search:
    """Return a search without a network."""
    return Search(variant(game, size), SearchSettings(threads=threads))


def mdlstm_search(size: int) -> Search:
    """Return a search of Go with a small network, whose policy is written into the tree but does not guide the search.

    If it did, the tree would differ, and other playouts would be timed.
    """
    network = make_network("mdlstm")
    policy = NetworkPolicy(network, network.random_weights(size, np.random.default_rng(0)))
    return Search(variant("go", size), SearchSettings(follow=0), policy=policy)


def deep_search(size: int) -> Search:
    """Return the same search with a deep network, which runs on the remaining cores."""
    from nobi.networks.deep import make_deep
    from nobi.nn.torch_layers import leave_cores
    from nobi.search.policy import DeepPolicy

    leave_cores(busy=1)
    policy = DeepPolicy(make_deep(DEEP).for_play())
    return Search(variant("go", size), SearchSettings(follow=0), policy=policy)


def playouts_of(search: Search) -> Work:
    """Return a function that makes playouts from the empty board with a new tree."""

    def work(playouts: int) -> int:
        search.clear()
        search.set_game(search.variant.new())
        return search.run(playouts)

    return work


def search_speed(
    game: str, size: int, least: float | None, aim: float | None, peer: str, seconds: float
) -> Measurement:
    """Measure the playouts per second of the search."""
    with closing(plain_search(game, size)) as search:
        found = rates(playouts_of(search), seconds)
    name = "Go" if game == "go" else game
    return rate_measurement(f"{name} {size}x{size} search", "playouts/s", found, at_least=least, aim=aim, peer=peer)


def search_with_two_threads(size: int, seconds: float) -> Measurement:
    """Measure the playouts per second of two threads relative to one."""
    with closing(plain_search("go", size)) as one, closing(plain_search("go", size, 2)) as two:
        ratios = rate_ratios(playouts_of(one), playouts_of(two), seconds)
    return rate_measurement(f"Go {size}x{size} search, 2 threads over 1", "times", ratios, at_least=1.7, aim=2)


def search_with_network(size: int, deep: bool, seconds: float) -> Measurement:
    """Measure the playouts per second of a search with a network relative to one without."""
    with (
        closing(plain_search("go", size)) as bare,
        closing(deep_search(size) if deep else mdlstm_search(size)) as search,
    ):
        ratios = rate_ratios(playouts_of(bare), playouts_of(search), seconds)
        stats = search.stats
    note = ""
    if stats:
        note = f"{stats.rate:,.0f} evaluations/s of the network, {1000 * stats.mean_lag:.1f} ms from node to policy"
    what = f"Go {size}x{size} search with {DEEP if deep else 'an MDLSTM network'}, over without"
    return rate_measurement(what, "times", ratios, at_least=0.8, peer=note)


SEARCH: list[Case] = []
for _size, _least, _aim, _peer in (
    (9, 8_000, 16_000, "on such a machine Pachi: 9,000 to 9,950, Fuego 1.1: 16,000"),
    (19, 2_000, 3_600, "on such a machine Pachi: 2,200 to 2,460, Fuego 1.1: 3,600"),
):
    SEARCH += [
        partial(search_speed, "go", _size, _least, _aim, _peer),
        partial(search_with_two_threads, _size),
        partial(search_with_network, _size, False),
        *([partial(search_with_network, _size, True)] if find_spec("torch") else []),
    ]
SEARCH += [
    partial(search_speed, game, size, None, None, "") for game, size in (("atari-go", 7), ("gomoku", 9), ("pente", 9))
]
