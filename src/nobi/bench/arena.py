"""Games per second of the built-in players, on one core unless it says otherwise."""

import random
from collections.abc import Callable, Iterator

from nobi.arena.play import play_games
from nobi.bench.figure import Figure, rate_figure, rate_ratios, rates
from nobi.games import variant
from nobi.players import make_player

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
    chance = random.Random(0)  # noqa: S311

    def play(games: int) -> int:
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(chance.choice(state.legal_actions()))
        return games

    return max(rates(play, seconds, repeats=2))


def figures(seconds: float) -> Iterator[Callable[[], Figure]]:
    """The figures of this section, each measured when called."""
    for size, least, aim, libego in ((9, 50_000, 90_000, "49,000"), (19, 9_500, 18_000, "10,100")):

        def playouts(size: int = size, least: int = least, aim: int = aim, libego: str = libego) -> Figure:
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

        def naive(game: str = game, size: int = size, least: int = least, papers: str = papers) -> Figure:
            found = game_rate(game, size, "random", "naive", seconds)
            what = f"{game} {size}x{size} random against naive"
            return rate_figure(what, "games/s", found, at_least=least, peer=PAPERS_CODE.format(papers))

        yield naive

    def heuristic() -> Figure:
        found = game_rate("atari-go", 7, "heuristic", "heuristic", seconds)
        return rate_figure("atari-go 7x7 heuristic against itself", "games/s", found)

    yield heuristic
    for game, size, a, b in (("atari-go", 7, "random", "naive"), ("go:ko=simple", 9, "playout", "playout")):

        def scaling(game: str = game, size: int = size, a: str = a, b: str = b) -> Figure:
            ratios = rate_ratios(match_of(game, size, a, b), match_of(game, size, a, b, threads=2), seconds)
            return rate_figure(f"{game} {size}x{size}, 2 threads over 1", "times", ratios, at_least=1.8, aim=2)

        yield scaling


def size_figures(seconds: float) -> Iterator[Callable[[], Figure]]:
    """How the cost grows with the board."""
    for game, a, b in (
        ("atari-go", "random", "naive"),
        ("gomoku", "random", "naive"),
        ("pente", "random", "naive"),
        ("go:ko=simple", "playout", "playout"),
    ):
        for size in (5, 9, 13, 19, 25):

            def grown(game: str = game, a: str = a, b: str = b, size: int = size) -> Figure:
                found = game_rate(game, size, a, b, seconds)
                where = variant(game, size)
                sample = play_games(where, make_player(a, where), make_player(b, where), 200)
                plies = float(sample.length.mean())
                cost = 1e9 / (max(found) * plies)
                note = f"{plies:.0f} plies a game, {cost:.0f} ns a ply, {cost / size**2:.2f} ns a ply and point"
                return rate_figure(f"{game} {size}x{size} {a} against {b}", "games/s", found, peer=note)

            yield grown
