"""The cards of models."""

import threading

from nobi.web.cards import card_of, first_preferences
from nobi.web.opponents import Catalogue


def test_a_card_tells_what_is_known(model_file):
    opponent = next(found for found in Catalogue([model_file]).models() if not found.shipped)
    card = card_of(opponent)
    assert dict(card.facts) == {
        "game": "Atari-Go",
        "boards": "all, 5×5 to 25×25",
        "network": "mdlstm",
        "weights": str(opponent.weight_count),
    }
    shares = first_preferences([card], threading.Event())[opponent.id]
    assert len(shares) == 49
    assert abs(sum(shares) - 1) < 0.01
