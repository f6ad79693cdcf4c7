"""Networks: whole games against the naive player, single moves, and training, beside PyBrain, the papers' code."""

import time
from collections.abc import Callable, Iterator

import numpy as np

from nobi.arena.play import play_games
from nobi.bench.figure import Figure, rate_figure, rates
from nobi.evolve import make_trainer
from nobi.evolve.fitness import Fitness
from nobi.games import variant
from nobi.networks import make_network
from nobi.networks.functions import LANES
from nobi.players import make_player
from nobi.players.network import NetworkPlayer

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
    room = net.new_room(net.random_weights(size, np.random.default_rng(0)), size)
    forward = net.forward()

    def work(amount: int) -> int:
        blocks = max(1, amount // boards)
        for _ in range(blocks):
            forward(room, boards)
        return blocks * boards

    return rates(work, seconds)


def ply_rate(network: str, game: str, size: int, seconds: float) -> list[float]:
    """Plies per second of whole games of many random networks against naive, on one core."""
    where = variant(game, size)
    net = make_network(network)
    chance = np.random.default_rng(0)
    naive = make_player("naive", where)
    someone = [NetworkPlayer(where, net, net.random_weights(size, chance)) for _ in range(10)]

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


def figures(seconds: float) -> Iterator[Callable[[], Figure]]:
    """The figures of this section, each measured when called."""
    for network, game, size, pybrain in GAMES:

        def whole(network: str = network, game: str = game, size: int = size, pybrain: float = pybrain) -> Figure:
            found = [rate * pybrain / 1000 for rate in ply_rate(network, game, size, seconds)]
            micro = pybrain * 1000 / max(found)
            note = f"{micro:.2f} µs a ply at best; PyBrain: {pybrain} ms on such a machine"
            what = f"{network}, {game} {size}x{size} against naive, times PyBrain"
            return rate_figure(what, "times", found, at_least=2000, aim=5000, peer=note)

        yield whole
    for network, size, pybrain, paper in MOVES:

        def single(network: str = network, size: int = size, pybrain: float = pybrain, paper: str = paper) -> Figure:
            times = [1e6 / rate for rate in pass_rate(network, size, seconds, boards=1)]
            note = f"PyBrain: {pybrain} ms on such a machine" + (f"; the paper: {paper} ms" if paper else "")
            middle = sorted(times)[len(times) // 2]
            return Figure(
                f"{network}, one move on {size}x{size}", "µs", middle, min(times), peer=note, lower_is_better=True
            )

        yield single
    for network, size in (("mdrnn:hidden=10", 7), ("mdlstm:hidden=3,mode=original", 7)):

        def share(network: str = network, size: int = size) -> Figure:
            found = [rate * operations(network, size) for rate in pass_rate(network, size, seconds)]
            peak = peak_rate()
            note = f"{max(found) / 1e9:.0f} of {peak / 1e9:.0f} billion operations a second (a matrix product)"
            return rate_figure(f"{network}, {size}x{size}: share of peak", "", [x / peak for x in found], peer=note)

        yield share

    def generations() -> Figure:
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


def growth_figures(seconds: float) -> Iterator[Callable[[], Figure]]:
    """How the cost of a pass grows with the board and with the units."""
    cases = [("mdrnn", 10, size) for size in (5, 7, 9, 13, 19, 25)] + [("mdrnn", k, 9) for k in (2, 5, 20)]
    cases += [("mdlstm", 3, size) for size in (5, 7, 9, 13, 19, 25)] + [("mdlstm", k, 9) for k in (1, 5, 10)]
    for name, k, size in cases:

        def grown(network: str = f"{name}:hidden={k}", size: int = size) -> Figure:
            times = [1e6 / rate for rate in pass_rate(network, size, seconds)]
            note = f"{1000 * min(times) / size**2:.0f} ns a point"
            middle = sorted(times)[len(times) // 2]
            return Figure(
                f"{network}, {size}x{size}", "µs a board", middle, min(times), peer=note, lower_is_better=True
            )

        yield grown
