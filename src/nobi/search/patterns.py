"""3x3 patterns: shapes around an empty point at which a stone is likely to be good.

The patterns are hane, two kinds of cut, and moves at the side (Gelly, Wang, Munos & Teytaud, "Modification of UCT with
patterns in Monte-Carlo Go", 2006). A diagram shows the surroundings of the point at its centre:

    X O   stones of the two players, in either assignment
    x o   anything except that player's stone
    .     empty        ?  anything, also the border        #  border

The colours of the eight neighbours of a point, two bits each, are its *code*. It is updated as stones are placed and
removed; `PATTERN` is a table over all 65,536 codes. `PATTERN_CLASS` numbers their classes under the symmetries of the
board, for the learnt priors.
"""

from itertools import product

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, BORDER, EMPTY, WHITE, Stones
from nobi.board.symmetry import SYMMETRIES, transformed
from nobi.compiling import inlined
from nobi.search.shapes import image_of
from nobi.search.tactics import as_count

PATTERNS = {
    "hane around a stone": "XOX ... ???",
    "hane at the head of a stone": "XO. ... ?.?",
    "hane over a wall": "XO? X.. x.?",
    "shoulder move": ".O. X.. ...",
    "cut between unprotected stones": "XO? O.o ?o?",
    "cut that is peeped at": "XO? O.X ???",
    "push through": "?X? O.O ooo",
    "cut of a knight's move": "OX? o.O ???",
    "at the side: chase": "X.? O.? ##?",
    "at the side: block a cut": "OX? X.O ###",
    "at the side: block a connection": "?X? x.O ###",
    "at the side: descend": "?XO x.x ###",
    "at the side: cut": "?OX X.O ###",
}

_MEANING = {
    "X": (BLACK,),
    "O": (WHITE,),
    "x": (EMPTY, WHITE, BORDER),
    "o": (EMPTY, BLACK, BORDER),
    ".": (EMPTY,),
    "?": (EMPTY, BLACK, WHITE, BORDER),
    "#": (BORDER,),
}
_STEPS = [(0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (1, 1), (-1, 1), (1, -1)]
"""(down, right) of the neighbours, in the order of `Stones.neighbours`, which is that of the codes."""


def _pattern_table() -> NDArray[np.uint8]:
    """Return 1 for codes, [code], that match any pattern, with the colours as drawn or exchanged."""
    table = np.zeros(1 << 16, np.uint8)
    for drawn in PATTERNS.values():
        exchanged = drawn.translate(str.maketrans("XOxo", "OXox"))
        for text in (drawn, exchanged):
            drawing = np.array([list(row) for row in text.split()])
            for square in (transformed(drawing, symmetry) for symmetry in range(SYMMETRIES)):
                around = [_MEANING[square[1 + down, 1 + right]] for down, right in _STEPS]
                for colours in product(*around):
                    table[sum(colour << 2 * k for k, colour in enumerate(colours))] = 1
    return table


PATTERN = _pattern_table()


def _pattern_classes() -> NDArray[np.uint16]:
    """Return the index of the class of each 3x3 code, [code], under the symmetries of the board."""
    codes = np.arange(1 << 16, dtype=np.uint32)
    smallest = codes
    for symmetry in range(SYMMETRIES):
        image = np.zeros_like(codes)
        for k, step in enumerate(_STEPS):
            position = _STEPS.index(image_of(step, symmetry))
            image |= ((codes >> np.uint32(2 * k)) & np.uint32(3)) << np.uint32(2 * position)
        smallest = np.minimum(smallest, image)
    return np.unique(smallest, return_inverse=True)[1].astype(np.uint16)


PATTERN_CLASS = _pattern_classes()
PATTERN_CLASSES = int(PATTERN_CLASS.max()) + 1


def codes_of(stones: Stones, g: int) -> NDArray[np.uint16]:
    """Return the codes of board g, [point], computed from scratch."""
    around = stones.colour[g][stones.neighbours].astype(np.uint16)
    codes: NDArray[np.uint16] = (around << (2 * np.arange(8, dtype=np.uint16))).sum(axis=1, dtype=np.uint16)
    return codes


@inlined
def seen_by(code: int, colour: int) -> int:
    """Return a code with Black and White exchanged if `colour` is WHITE; the border has both bits of a point."""
    code = as_count(code)
    return code if colour == BLACK else ((code & 0x5555) << 1) | ((code & 0xAAAA) >> 1)


@inlined
def add_to_codes(stones: Stones, codes: NDArray[np.uint16], point: int, colour: int) -> None:
    """Update the codes of the neighbours of a point where a stone was placed."""
    for k in range(8):
        # from the neighbour, the point is in the opposite direction k ^ 1
        codes[0, stones.neighbours[point, k]] += np.uint16(colour << (2 * (k ^ 1)))


@inlined
def remove_from_codes(stones: Stones, codes: NDArray[np.uint16], point: int, colour: int) -> None:
    """Update the codes of the neighbours of a point whose stone was removed."""
    for k in range(8):
        codes[0, stones.neighbours[point, k]] -= np.uint16(colour << (2 * (k ^ 1)))
