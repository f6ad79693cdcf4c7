"""Shuffles computed by counting: where the k-th position of a shuffled pass lies, without making the shuffle.

An array of ten million shuffled numbers would have to be made anew for every pass, and kept to resume. A keyed
permutation gives any element of the shuffle at once: a Feistel network on pairs (left, right), in which each half in
turn is moved on by a hash of the other. With halves of a and b values, a·b barely above the count, it permutes a·b
numbers; those that fall beyond the count are sent on until they do not, which keeps it a permutation (Black and
Rogaway, "Ciphers with arbitrary finite domains", 2002).
"""

from functools import lru_cache
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import compiled
from nobi.streams import hash_word, hash_words, stream_of

ROUNDS = 6


def permuted(places: NDArray[np.int64], count: int, seed: int, number: int) -> NDArray[np.int64]:
    """Where some places of a shuffle of 0..count−1 lead.

    Args:
        places: int64[k], each from 0 to count − 1.
        count: how many things are shuffled.
        seed: chooses the shuffles.
        number: which of them; each is as good as independent of the others.

    Returns:
        int64[k]; for different places different numbers from 0 to count − 1.
    """
    if count < 2:
        return np.zeros_like(places)
    rows = isqrt(count - 1) + 1
    columns = -(-count // rows)
    found = np.empty(len(places), np.int64)
    _permute(places, count, np.uint64(rows), np.uint64(columns), _keys(seed, number), found)
    return found


@lru_cache(maxsize=64)
def _keys(seed: int, number: int) -> NDArray[np.uint64]:
    """uint64[ROUNDS] the keys of a shuffle."""
    key = stream_of(np.uint64(seed), np.uint64(number))
    return hash_words(key + np.arange(1, ROUNDS + 1, dtype=np.uint64))


@compiled
def _permute(
    places: NDArray[np.int64],
    count: int,
    rows: np.uint64,
    columns: np.uint64,
    keys: NDArray[np.uint64],
    found: NDArray[np.int64],
) -> None:
    """found[i] = where places[i] leads; two rounds, one for each half, with every two keys."""
    for i in range(len(places)):
        number = np.uint64(places[i])
        while True:
            left, right = number // columns, number % columns
            for r in range(0, ROUNDS, 2):
                left = (left + hash_word(right ^ keys[r]) % rows) % rows
                right = (right + hash_word(left ^ keys[r + 1]) % columns) % columns
            number = left * columns + right
            if number < np.uint64(count):
                break
        found[i] = number
