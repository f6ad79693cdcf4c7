"""Champions: games to watch, and the share of games won on each board size."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from nobi.arena.play import play_games
from nobi.board.stones import BLACK, WHITE
from nobi.errors import NobiError
from nobi.games.base import Variant
from nobi.models.model import Model
from nobi.players import make_player
from nobi.players.network import player_from_model
from nobi.web.session import GameSession, cell_of
from nobi.web.setup import Setup

SIZES = (5, 7, 9, 11, 13, 15, 19)
"""Board sizes on which champions are measured."""
OPPONENT = "naive"
"""The player against which networks are watched and measured."""


@dataclass(frozen=True)
class WatchedGame:
    """A finished game that is shown move by move."""

    size: int
    positions: tuple[str, ...]
    """[number of moves] one letter for each cell."""
    cells: tuple[int, ...]
    """[move] cell, -1 for a pass."""
    sentence: str
    """The winner and its colour."""


@dataclass(frozen=True)
class SizeShare:
    """Share of games that a network wins on a board size."""

    size: int
    share: float
    """Games won, 0 to 1; draws count half."""
    games: int


def watch_game(file: Model, game: str, size: int, seed: int) -> WatchedGame:
    """Return a game of a network against the naive player; with an odd seed the network plays White."""
    variant = Setup(game=game, size=size).variant()
    first = seed % 2
    played = play_games(
        variant,
        player_from_model(file, variant),
        make_player(OPPONENT, variant),
        1,
        seed=seed,
        first=first,
        threads=1,
        keep_moves=True,
    )
    names = ("The network", "Naive") if first == 0 else ("Naive", "The network")
    return watched(Setup(game=game, size=size), played.replay(0).moves, *names)


def watched(setup: Setup, moves: Sequence[int], black: str, white: str) -> WatchedGame:
    """Return a finished game with all its positions."""
    session = GameSession(setup)
    positions = [session.stones()]
    for move in moves:
        session.play(move)
        positions.append(session.stones())
    winner = {BLACK: f"{black} wins as Black.", WHITE: f"{white} wins as White."}
    cells = tuple(cell_of(move, setup.size) for move in moves)
    return WatchedGame(setup.size, tuple(positions), cells, winner.get(session.game.outcome, "Draw."))


def win_rates(file: Model, game: str, sizes: Sequence[int], games: int, stop: threading.Event) -> tuple[SizeShare, ...]:
    """Return the share of games that a network wins against `naive` on each board; fewer boards after `stop`."""
    found = []
    for size in sizes:
        if stop.is_set():
            break
        variant: Variant = Setup(game=game, size=size).variant()
        try:
            player = player_from_model(file, variant)
        except NobiError:  # a network for one board size only
            continue
        played = play_games(variant, player, make_player(OPPONENT, variant), games, seed=1, threads=1)
        found.append(SizeShare(size, float((played.points_of_a.mean() + 1) / 2), games))
    return tuple(found)
