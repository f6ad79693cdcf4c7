"""Openings of games: handicap, moves from a file, or random moves."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from nobi.board.stones import PASS, enemy_of
from nobi.board.text import point_named
from nobi.errors import NobiError
from nobi.games.base import Game, Variant, illegal_move_text
from nobi.games.go import Go
from nobi.matches.settings import SeriesSettings
from nobi.records.sgf_reader import read_sgf
from nobi.storage import read_content

_TRIES = 100


@dataclass(frozen=True)
class Opening:
    """The stones and moves of a game before the players' first move."""

    name: str = ""
    stones: list[tuple[int, int]] = field(default_factory=list)
    first: int | None = None
    """The player to move after the set-up."""
    moves: list[int] = field(default_factory=list)

    def begin(self, variant: Variant) -> Game:
        """Return a new game with this opening; raise a NobiError if it is impossible."""
        game = variant.new()
        if self.stones and self.first:
            game.set_up(self.stones, self.first)
        for number, move in enumerate(self.moves, 1):
            if not game.is_legal(move):
                reason = game.why_illegal(move)
                raise NobiError(f"{illegal_move_text(number, game.to_move, move, game.size, reason)}.")
            game.play(move)
        if game.is_over:
            raise NobiError("the opening ends the game.")
        return game


def opening_source(settings: SeriesSettings, variant: Variant) -> Callable[[int], Opening]:
    """Return the function from the number of a pair of games to its opening."""
    if settings.handicap:
        opening = handicap_opening(variant, settings.handicap)
        return lambda _: opening
    if settings.openings:
        book = read_openings(Path(settings.openings), variant)
        return lambda number: book[number % len(book)]
    if settings.random_moves:
        return cache(lambda number: random_opening(variant, settings.random_moves, settings.seed, number))
    return lambda _: Opening()


def handicap_opening(variant: Variant, stones: int) -> Opening:
    """Return the opening with GTP's fixed handicap; White moves first."""
    game = variant.new()
    if not isinstance(game, Go):
        raise NobiError(f"There is no handicap in {game.name}; leave --handicap out.")
    game.place_handicap(stones)
    return Opening(f"handicap {stones}", game.start, game.to_move)


def read_openings(path: Path, variant: Variant) -> list[Opening]:
    """Return the openings of a folder of SGF files, of one SGF file, or of a text file with one opening per line."""
    if path.is_dir():
        openings = [_from_sgf(file, variant) for file in sorted(path.glob("*.sgf"))]
    elif path.suffix.lower() == ".sgf":
        openings = [_from_sgf(path, variant)]
    else:
        openings = _from_text(path, variant)
    if not openings:
        raise NobiError(f"There are no openings in {str(path)!r}.")
    return openings


def random_opening(variant: Variant, moves: int, seed: int, number: int) -> Opening:
    """Return an opening of random legal moves, each drawn uniformly, after which the game is not over."""
    rng = np.random.default_rng((seed, number))
    for _ in range(_TRIES):
        game = variant.new()
        for _ in range(moves):
            choices = [move for move in game.legal_moves() if move != PASS]
            if not choices:
                break
            game.play(int(rng.choice(choices)))
        if len(game.moves) == moves and not game.is_over:
            return Opening(f"random {number}", moves=game.moves)
    raise NobiError(f"{moves} random moves end nearly every game of {variant} on this board; use fewer.")


def _from_sgf(path: Path, variant: Variant) -> Opening:
    record = read_sgf(path)
    if record.error:
        raise NobiError(f"{str(path)!r} cannot be read to its end: {record.error.reason}")
    if record.changes:
        raise NobiError(f"{str(path)!r} sets up stones after move {record.changes[0].after}.")
    if record.size != variant.size:
        raise NobiError(f"{str(path)!r} is for {record.size}x{record.size}, not {variant.size}x{variant.size}.")
    moves: list[int] = []
    turn = record.first
    for colour, move in record.played:
        if colour != turn:
            raise NobiError(f"{str(path)!r}: move {len(moves) + 1} is not made by the player whose turn it is.")
        moves.append(move)
        turn = enemy_of(turn)
    return _checked(Opening(path.name, record.stones, record.first, moves), variant, str(path))


def _from_text(path: Path, variant: Variant) -> list[Opening]:
    try:
        lines = read_content(path).decode().splitlines()
    except UnicodeDecodeError:
        raise NobiError(f"The openings {str(path)!r} are not text in UTF-8.") from None
    openings = []
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if words:
            where = f"{path}, line {number}"
            try:
                moves = [point_named(word, variant.size) for word in words]
            except NobiError as error:
                raise NobiError(f"{where}: {error}") from None
            openings.append(_checked(Opening(" ".join(words), moves=moves), variant, where))
    return openings


def _checked(opening: Opening, variant: Variant, where: str) -> Opening:
    try:
        opening.begin(variant)
    except NobiError as error:
        raise NobiError(f"{where}: {error}") from None
    return opening
