"""Counter-based random numbers: every game has its own stream.

The state of a stream is one 64-bit word that each draw advances by a constant; the drawn number is a hash of the word
(SplitMix64: Steele, Lea & Flood, "Fast splittable pseudorandom number generators", 2014). The numbers of a game depend
only on (seed, game), so any distribution of the games over threads, batches or machines gives the same games.

`streams` is uint64[g] everywhere: the words of the games on boards g.
"""

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import compiled, inlined

Streams = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32, _S11 = (np.uint64(s) for s in (27, 30, 31, 32, 11))


@inlined
def hash_word(word: np.uint64) -> np.uint64:
    """Return the hash of SplitMix64."""
    word = (word ^ (word >> _S30)) * _MIX1
    word = (word ^ (word >> _S27)) * _MIX2
    return word ^ (word >> _S31)


@compiled
def stream_of(seed: int | np.uint64, game: int | np.uint64) -> np.uint64:
    """Return the initial word of a game's stream."""
    return hash_word(hash_word(np.uint64(seed) + _STEP) + np.uint64(game) * _STEP)


def derive_seed(seed: int, number: int) -> int:
    """Return a seed below 2⁶³, derived from `seed`, for part `number`: a board size, a generation or a game."""
    return int(stream_of(seed, number)) >> 1


def hash_words(words: Streams) -> Streams:
    """Return `hash_word` of each element of an array, for use outside compiled code."""
    hashes: Streams = hash_word.py_func(words)  # type: ignore[attr-defined]
    return hashes


@inlined
def draw(streams: Streams, g: int) -> np.uint64:
    """Draw 64 random bits from stream g."""
    streams[g] += _STEP
    return hash_word(streams[g])


@inlined
def below(streams: Streams, g: int, n: int) -> int:
    """Draw an integer from 0..n−1, uniformly up to a bias below n/2³²."""
    return np.uint32(((draw(streams, g) >> _S32) * np.uint64(n)) >> _S32)  # type: ignore[return-value]


@inlined
def fraction(streams: Streams, g: int) -> float:
    """Draw a number from [0, 1)."""
    return np.float64(draw(streams, g) >> _S11) * 2.0**-53
