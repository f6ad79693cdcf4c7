"""The card of each model: description, training, measured strength and preferences for the first move."""

import threading
from dataclasses import dataclass
from typing import Any

from nobi import models
from nobi.errors import NobiError
from nobi.web.opinion import network_opinion
from nobi.web.opponents import Opponent
from nobi.web.setup import GAME_TITLES, Setup

_TRAINING_FACTS = {
    "method": "trainer",
    "opponents": "trained against",
    "generations": "generations",
    "net": "network",
    "data": "trained on",
    "steps": "steps",
    "seed": "seed",
}
"""Training settings shown on a card, by their names in the model file."""


@dataclass(frozen=True)
class Card:
    """Facts about a model."""

    opponent: Opponent
    summary: str
    """The game, the boards and the size of the network."""
    ratings: tuple[tuple[str, str], ...]
    """(board, Elo rating) of the network without search, where measured."""
    reference: str
    """The player whose rating is 0."""
    facts: tuple[tuple[str, str], ...]
    """Further facts: name and value."""

    @property
    def mini_size(self) -> int:
        """The size of the small board on its card."""
        return self.opponent.only_size or min(9, self.opponent.network_file.size or 9)


def card_of(opponent: Opponent) -> Card:
    """The card of a model; unknown facts are left out."""
    file = opponent.network_file
    boards = f"{opponent.only_size}×{opponent.only_size} only" if opponent.only_size else "every board size"
    weights = f"{opponent.weight_count:,} weights"
    summary = " · ".join([GAME_TITLES.get(file.game, file.game), boards, weights])
    facts = [("network", file.spec)]
    measured: dict[str, Any] = models.results().get(opponent.title, {}) if opponent.shipped else {}
    if measured.get("summary"):
        facts.append(("measured", str(measured["summary"])))
    ratings, reference = [], ""
    for match in measured.get("matches", []):
        if match.get("playouts") == 0:
            elo = str(models.measured_elo(opponent.title, match["board"])).removeprefix("Elo ")
            ratings.append((f"{match['board']}×{match['board']}", elo))
            reference = str(match["opponent"])
    training = file.provenance.get("training")
    for key, name in _TRAINING_FACTS.items():
        value = training.get(key) if isinstance(training, dict) else None
        if value not in (None, "", [], ()) and name != "network":
            facts.append((name, ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)[:80]))
    sizes = training.get("sizes") if isinstance(training, dict) else None
    if isinstance(sizes, list | tuple) and sizes:
        facts.append(("trained on", ", ".join(f"{size}×{size}" for size in sizes)))
    return Card(opponent, summary, tuple(ratings), reference, tuple(facts))


def first_preferences(cards: list[Card], stop: threading.Event) -> dict[str, tuple[float, ...]]:
    """Shares of the first moves on the small board of each card, by model id."""
    found = {}
    for card in cards:
        if stop.is_set():
            break
        file = card.opponent.network_file
        try:
            game = Setup(game=file.game, size=card.mini_size).new_game()
            found[card.opponent.id] = network_opinion(file, game).shares
        except NobiError:  # the board stays empty
            continue
    return found
