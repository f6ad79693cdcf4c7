"""The interface of sets of planes; a plane has a value of 0 or 1 for every point of the board.

A position is first encoded as *codes*, small numbers for each point: the colour of the stone, its liberties, the number
of stones that a move would capture. A plane is then one comparison, low <= code <= high, and a set of planes is a list
of planes. A new set is a class with such a list; only a new code needs changes in `nobi.encoding`.
"""

from abc import ABC, abstractmethod
from enum import IntEnum
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.games.base import NoSettings
from nobi.spec import format_spec

MOST = 255
"""The highest code; larger counts are clipped to it."""


class Code(IntEnum):
    """The codes of a point. "Own" refers to the player to move."""

    NOTHING = 0
    """Always 0."""
    STONE = 1
    """NEITHER, OWN or ENEMY."""
    LIBERTIES = 2
    """Liberties of the stone's chain; 0 without a stone."""
    OWN_LIBERTIES = 3
    """LIBERTIES of own stones; 0 elsewhere."""
    ENEMY_LIBERTIES = 4
    """LIBERTIES of enemy stones; 0 elsewhere."""
    KO = 5
    """1 at the point that simple ko forbids."""
    LEGAL = 6
    """1 where the player to move may play."""
    LIBERTIES_AFTER = 7
    """Liberties of the own chain after a legal move there, up to 6; 0 where no move is legal."""
    CAPTURES = 8
    """Enemy stones that a legal move there captures."""
    LADDER = 9
    """1 where a legal move captures a chain of two liberties in a ladder (`nobi.board.ladders`)."""
    TURNS = 10
    """How many turns ago the stone was played, passes included: 1 is the latest move, OLD means OLD or more, or a stone
    that was set up; 0 without a stone."""
    RANK = 11
    """The rank of the player to move on all points: 1 to 9 dan, 0 below or unknown; professionals count as 9 dan."""
    ESCAPE = 12
    """1 where a legal move saves an own chain in atari from a ladder (`nobi.board.ladders`)."""
    KOMI = 13
    """NO_KOMI + 2 · komi for white to move, NO_KOMI − 2 · komi for black, on all points."""


NEITHER, OWN, ENEMY = 0, 1, 2
"""The values of Code.STONE."""
OLD = 5
NINE_DAN = 9
NO_KOMI = 128
"""The value of Code.KOMI without komi."""
USUAL_KOMI = 6.5
"""The komi assumed for a record without one."""

CODES = len(Code)


def rank_code(rank: int) -> int:
    """Return the value of Code.RANK for a rank (1..9 dan, 10 professional, 0 unknown, below 0 kyu)."""
    return min(max(rank, 0), NINE_DAN)


class Plane(NamedTuple):
    """One plane: 1 where the code is from `low` to `high`, else 0."""

    name: str
    code: Code
    low: int
    high: int


def exactly(name: str, code: Code, value: int = 1) -> Plane:
    """Return the plane for one value of a code."""
    return Plane(name, code, value, value)


def counted(name: str, code: Code, most: int) -> list[Plane]:
    """Return planes for the values 1, 2, …, and for `most` or more."""
    return [exactly(f"{name} {value}", code, value) for value in range(1, most)] + [
        Plane(f"{name} {most}+", code, most, MOST)
    ]


EDGE = Plane("edge", Code.NOTHING, 1, 1)
"""C14 section 2.3.1: zeros on the board. The network pads this plane with ones, and all others with zeros."""


class PlaneTable(NamedTuple):
    """Planes as arrays, for compiled code."""

    code: NDArray[np.int64]  # [plane]
    low: NDArray[np.uint8]  # [plane]
    high: NDArray[np.uint8]  # [plane]
    wanted: NDArray[np.bool_]  # [code] whether a plane uses it


class Planes(ABC):
    """A set of planes."""

    name: ClassVar[str]
    settings_type: ClassVar[type] = NoSettings

    def __init__(self, settings: Any = None) -> None:
        self.settings = self.settings_type() if settings is None else settings

    def __str__(self) -> str:
        return format_spec(self.name, self.settings)

    @abstractmethod
    def define(self) -> list[Plane]:
        """Return the planes in order."""

    @cached_property
    def planes(self) -> tuple[Plane, ...]:
        return tuple(self.define())

    @property
    def channels(self) -> tuple[str, ...]:
        """The names of the planes."""
        return tuple(plane.name for plane in self.planes)

    @property
    def count(self) -> int:
        return len(self.planes)

    @property
    def edge(self) -> int | None:
        """The index of the plane that the network pads with ones, if there is one."""
        return self.planes.index(EDGE) if EDGE in self.planes else None

    @cached_property
    def table(self) -> PlaneTable:
        wanted = np.zeros(CODES, np.bool_)
        wanted[[plane.code for plane in self.planes]] = True
        return PlaneTable(
            np.array([plane.code for plane in self.planes], np.int64),
            np.array([plane.low for plane in self.planes], np.uint8),
            np.array([plane.high for plane in self.planes], np.uint8),
            wanted,
        )
