"""A visitor's settings of a game as plain data, stored in the browser tab and checked when read back."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self

from nobi import games
from nobi.board.stones import BLACK, LARGEST, SMALLEST, WHITE
from nobi.errors import NobiError
from nobi.games.base import Game, Variant
from nobi.games.go import Go, GoSettings, handicap_points

GAME_TITLES = games.TITLES
"""The games of the page in the order shown."""

GAME_RULES = {
    "atari-go": "The first player to capture a stone wins.",
    "gomoku": "Five in a row wins.",
    "pente": "Five in a row or five captured pairs wins.",
    "go": "Surround more points than your opponent.",
}

MOST_KOMI = 200.0


@dataclass(frozen=True)
class Setup:
    """The settings of one game."""

    game: str = "atari-go"
    size: int = 9
    opponent: str = "naive"
    """The id of an opponent, see `nobi.web.opponents`."""
    strength: int = 0
    """The strength step."""
    colour: Literal["black", "white"] = "black"
    """The visitor's colour."""
    komi: float = 7.5
    handicap: int = 0

    def __post_init__(self) -> None:
        if self.game not in GAME_TITLES:
            raise NobiError("There is no such game.")
        if not SMALLEST <= self.size <= LARGEST:
            raise NobiError(f"The board size must be {SMALLEST} to {LARGEST}.")
        if self.colour not in ("black", "white"):
            raise NobiError("The colour must be black or white.")
        if not abs(self.komi) <= MOST_KOMI or self.komi * 2 != int(self.komi * 2):
            raise NobiError(f"Komi must be a multiple of 0.5 between -{MOST_KOMI:g} and {MOST_KOMI:g}.")
        if not 0 <= self.strength <= 20:
            raise NobiError("This strength is not available.")
        if self.handicap and self.handicap not in handicaps(self.size):
            raise NobiError(f"A handicap of {self.handicap} stones is not available on {self.size}x{self.size}.")

    @property
    def human(self) -> int:
        """The visitor's colour as BLACK or WHITE."""
        return BLACK if self.colour == "black" else WHITE

    @property
    def title(self) -> str:
        """The game and board size."""
        return f"{GAME_TITLES[self.game]} {self.size}×{self.size}"

    def variant(self) -> Variant:
        """Return the game, board and rules."""
        game = games.find(self.game)
        return Variant(game, self.size, GoSettings(komi=self.komi) if game is Go else game.settings_type())

    def new_game(self) -> Game:
        """Return the start position."""
        game = self.variant().new()
        if isinstance(game, Go) and self.handicap:
            game.place_handicap(self.handicap)
        return game

    def with_size(self, size: int) -> Self:
        """Return the same settings on another board; the handicap is reduced if necessary."""
        possible = [stones for stones in handicaps(size) if stones <= self.handicap]
        return replace(self, size=size, handicap=max(possible, default=0))

    def plain(self) -> dict[str, Any]:
        """Return the settings as plain data."""
        return asdict(self)

    @classmethod
    def from_plain(cls, data: Any) -> Self:
        """Return the settings from plain data; raise a NobiError if the data are invalid."""
        if not isinstance(data, dict):
            raise NobiError("These game settings are not valid.")
        try:
            return cls(
                game=str(data["game"]),
                size=int(data["size"]),
                opponent=str(data["opponent"]),
                strength=int(data["strength"]),
                colour=data["colour"],
                komi=float(data["komi"]),
                handicap=int(data["handicap"]),
            )
        except (KeyError, TypeError, ValueError, OverflowError):
            raise NobiError("These game settings are not valid.") from None


def setup_from_query(query: Mapping[str, str]) -> Setup | None:
    """Return the settings in the query of an address, such as `?game=go&size=9&opponent=mcts`; None if there are none.

    Invalid settings are ignored, because addresses are often typed by hand.
    """
    known = {"game": str, "size": int, "opponent": str, "strength": int, "colour": str}
    found: dict[str, Any] = {"opponent": ""}  # empty: the default opponent
    for name, kind in known.items():
        if name in query:
            with suppress(ValueError, NobiError):
                value = kind(query[name])
                replace(Setup(), **{name: value})
                found[name] = value
    return replace(Setup(), **found) if len(found) > 1 or found["opponent"] else None


def handicaps(size: int) -> list[int]:
    """Possible numbers of handicap stones on a board."""
    possible = []
    for stones in range(2, 10):
        try:
            handicap_points(stones, size)
        except NobiError:
            break
        possible.append(stones)
    return possible
