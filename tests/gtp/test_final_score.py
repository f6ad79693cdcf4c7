"""Our final score compared with GNU Go's, on games that GNU Go finished against itself."""

from collections import Counter
from pathlib import Path

import pytest

from helpers.conversation import Talk

RECORDS = Path(__file__).parent.parent / "data" / "gnugo_scores.txt"
"""One line per game, `rules score moves…`: 100 for each rule set, 9x9, written by benchmarks/compare_scores.py."""
AGREE = {"chinese": 95, "japanese": 96}
"""Random playouts misjudge positions that need reading, such as seki: docs/gtp.md describes these games."""


@pytest.mark.parametrize("rules", AGREE)
def test_the_score_of_100_finished_games_is_gnugos(rules):
    games = [line.split() for line in RECORDS.read_text().splitlines() if line.startswith(rules)]
    talk = Talk(size=9)
    talk.ask(f"kata-set-rules {rules}")
    found = Counter()
    for _, score, *moves in games:
        talk.ask("clear_board", "komi 7.5", *[f"play {'bw'[i % 2]} {move}" for i, move in enumerate(moves)])
        found[talk.ask("final_score") == score] += 1
    assert found[True] + found[False] == 100
    assert found[True] >= AGREE[rules], found
