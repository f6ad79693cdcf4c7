"""Random numbers by counting: every game has a stream of its own.

A stream is one 64-bit word that a draw advances by a constant; the drawn number is a hash of the word
(SplitMix64: Steele, Lea & Flood, "Fast splittable pseudorandom number generators", 2014). A game's numbers depend
on (seed, game) alone, so any split of the games over threads, batches or machines gives the same games.

In this file and wherever streams are used, `streams` is uint64[g], the words of the games on the boards g.
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
    """The hash behind all draws."""
    word = (word ^ (word >> _S30)) * _MIX1
    word = (word ^ (word >> _S27)) * _MIX2
    return word ^ (word >> _S31)


@compiled
def stream_of(seed: int | np.uint64, game: int | np.uint64) -> np.uint64:
    """The first word of a game's stream."""
    return hash_word(hash_word(np.uint64(seed) + _STEP) + np.uint64(game) * _STEP)


def hash_words(words: Streams) -> Streams:
    """`hash_word` of many words at once: for what is computed with NumPy, outside compiled code."""
    hashes: Streams = hash_word.py_func(words)  # type: ignore[attr-defined]
    return hashes


@inlined
def draw(streams: Streams, g: int) -> np.uint64:
    """Draws 64 random bits from stream g."""
    streams[g] += _STEP
    return hash_word(streams[g])


@inlined
def below(streams: Streams, g: int, n: int) -> int:
    """Draws a whole number from 0..n−1, each equally likely (but for a bias below n/2³²)."""
    return np.uint32(((draw(streams, g) >> _S32) * np.uint64(n)) >> _S32)  # type: ignore[return-value]


@inlined
def fraction(streams: Streams, g: int) -> float:
    """Draws a number from [0, 1)."""
    return np.float64(draw(streams, g) >> _S11) * 2.0**-53
