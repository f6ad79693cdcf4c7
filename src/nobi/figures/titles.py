"""Titles of figures in words: networks, games, trainers and optimisers as a reader calls them."""

import textwrap
from collections.abc import Sequence

from nobi.words import split_word

_NAMES = {
    "atari-go": "Atari-Go",
    "go": "Go",
    "gomoku": "Gomoku",
    "pente": "Pente",
    "mdrnn": "MDRNN",
    "mdlstm": "MDLSTM",
    "conv": "CONV",
    "mlp": "MLP",
    "stacked": "stacked network",
    "c14-small": "C14's small network",
    "c14-large": "C14's large network",
    "m15": "M15's network",
    "cmaes": "CMA-ES",
    "es": "an evolution strategy",
    "guess": "guessing",
    "nsga2": "NSGA-II",
    "sgd": "plain descent",
    "nesterov": "Nesterov's momentum",
    "adamw": "AdamW",
    "muon": "Muon",
    "naive": "the naive player",
    "random": "the random player",
    "heuristic": "the heuristic player",
}
_COLUMNS = 76
"""Letters of a title that stand side by side above a figure of usual width."""


def in_words(word: str) -> str:
    """`mdlstm:hidden=3` → `MDLSTM (hidden 3)`; what has no other name keeps its own."""
    if word.endswith(".safetensors"):
        return word
    name, settings = split_word(word)
    title = _NAMES.get(name, name)
    return f"{title} ({', '.join(f'{key} {value}' for key, value in settings.items())})" if settings else title


def boards_in_words(sizes: Sequence[int]) -> str:
    """`5x5, 7x7 and 9x9`."""
    *most, last = [f"{size}x{size}" for size in sizes]
    return f"{', '.join(most)} and {last}" if most else last


def title(text: str) -> str:
    """A sentence as a title: a capital letter at its beginning, and lines no longer than a figure is wide."""
    return textwrap.fill(text[:1].upper() + text[1:], _COLUMNS)
