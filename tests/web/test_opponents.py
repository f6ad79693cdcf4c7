"""The cards of models."""

import threading

from nobi.web.opponents import Catalogue, card_of, first_preferences


def test_a_card_shows_the_known_facts(model_file):
    opponent = next(found for found in Catalogue([model_file]).models() if not found.shipped)
    card = card_of(opponent)
    assert card.summary == f"Atari-Go · every board size · {opponent.weight_count} weights"
    assert dict(card.facts) == {"network": "mdlstm"}
    assert card.ratings == ()
    shares = first_preferences([card], threading.Event())[opponent.id]
    assert len(shares) == 49
    assert abs(sum(shares) - 1) < 0.01
