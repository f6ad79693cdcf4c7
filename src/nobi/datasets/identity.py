"""Which games are the same, and to which part of a dataset a game belongs.

Two games are the same if their set-up stones and moves are, up to one of the board's eight symmetries; passes at the
end do not count, nor who played and how it ended. A game is known by 128 bits of a hash of the least of its images.

The share of a game (train, validation or test) is decided by a hash of (seed, game), not by a shuffle. So a game stays
where it is when records are added, left out, or come in another order; and with one seed and the same shares, a game
that is in two datasets, or is mirrored in one of them, falls into the same part of both: networks can learn from both
without a leak from test to train. The price is that the shares are met up to chance only, as by throwing a coin for
each game.
"""

from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.symmetry import SYMMETRIES, cells_after
from nobi.records.collection import PASS_CODE, WHITE_BIT

SPLITS = ("train", "validation", "test")

_OPENING = 12
"""So many moves nearly always tell which of the eight images is least."""


class Identity(NamedTuple):
    """What a game is known by: 16 bytes each."""

    exact: bytes
    up_to_symmetry: bytes


def identify(size: int, moves: NDArray[np.uint16], setup: NDArray[np.uint16]) -> Identity:
    """The hashes of a game; `setup` is in rising order."""
    played = np.flatnonzero((moves & PASS_CODE) != PASS_CODE)
    moves = moves[: played[-1] + 1] if len(played) else moves[:0]
    images = _images(size)
    cells = np.minimum(moves & PASS_CODE, size * size)
    opening = [row.tobytes() for row in images.take(cells[:_OPENING], axis=1)]
    least = min(opening)
    candidates = [s for s in range(SYMMETRIES) if opening[s] == least]
    if len(candidates) > 1:
        candidates = _least_of(candidates, [images[s, cells].tobytes() for s in candidates])
    setups = [_image_of_setup(images[s], size, setup) for s in candidates]
    best = min(range(len(candidates)), key=setups.__getitem__)
    colours = ((moves & WHITE_BIT) != 0).tobytes()
    canonical = images[candidates[best], cells].tobytes() + colours
    return Identity(
        _digest(size, setup.astype(">u2").tobytes(), cells.astype(">u2").tobytes() + colours),
        _digest(size, setups[best], canonical),
    )


def split_of(seed: int, game: bytes, shares: Sequence[float]) -> int:
    """The index in SPLITS of the part that the game, known `up_to_symmetry`, belongs to."""
    word = int.from_bytes(blake2b(seed.to_bytes(8, "little") + game, digest_size=8).digest(), "little")
    place = word / 2**64 * sum(shares)
    for part, share in enumerate(shares[:-1]):
        if place < share:
            return part
        place -= share
    return len(shares) - 1


@cache
def _images(size: int) -> NDArray[np.uint16]:
    """[symmetry, cell] where each symmetry takes a cell; the cell size² stands for a pass. Big-endian, so that bytes
    compare as numbers do.
    """
    images = np.full((SYMMETRIES, size * size + 1), PASS_CODE, ">u2")
    images[:, :-1] = cells_after(size)
    return images


def _least_of(names: list[int], values: list[bytes]) -> list[int]:
    least = min(values)
    return [name for name, value in zip(names, values, strict=True) if value == least]


def _image_of_setup(image: NDArray[np.uint16], size: int, setup: NDArray[np.uint16]) -> bytes:
    if not len(setup):
        return b""
    codes = image[np.minimum(setup & PASS_CODE, size * size)] | (setup & WHITE_BIT)
    return np.sort(codes).astype(">u2").tobytes()


def _digest(size: int, setup: bytes, moves: bytes) -> bytes:
    head = size.to_bytes(2, "little") + len(setup).to_bytes(4, "little")
    return blake2b(head + setup + moves, digest_size=16).digest()
