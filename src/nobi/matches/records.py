"""What is kept of a game of a match: a line of games.jsonl."""

import json
from dataclasses import asdict, dataclass
from typing import Any

from nobi.board.stones import BLACK, DRAW, RUNNING, WHITE

_WINNERS = {BLACK: "black", WHITE: "white", DRAW: "draw", RUNNING: "void"}


@dataclass(frozen=True)
class GameRecord:
    """A game between the entrants of these numbers."""

    game: int
    black: int
    white: int
    winner: str
    """`black`, `white`, `draw`, or `void` if the referee could not say."""
    result: str
    """As SGF writes it."""
    reason: str
    forfeited: bool
    opening: str
    moves: list[str]
    """All moves, those of the opening first."""
    stones: list[str]
    """The stones of the start position."""
    seconds: list[float]
    """How long black and white have thought."""

    def line(self) -> str:
        """The line that stands for it."""
        return json.dumps(asdict(self), ensure_ascii=False) + "\n"

    @property
    def fault(self) -> tuple[int, str] | None:
        """The number of the entrant who forfeited the game, and the words for what he did; None if nobody did."""
        if not self.forfeited:
            return None
        loser, colour = (self.white, "white") if self.winner == "black" else (self.black, "black")
        return loser, self.reason.removeprefix(f"{colour} ")

    def points(self, entrant: int) -> float | None:
        """1 for a win of this entrant, ½ for a draw, 0 for a loss; None for a game without result."""
        if self.winner == "void":
            return None
        if self.winner == "draw":
            return 0.5
        return 1.0 if (self.black if self.winner == "black" else self.white) == entrant else 0.0


def winner_name(outcome: int) -> str:
    """How a record calls the winner."""
    return _WINNERS[outcome]


def record_from(line: str) -> GameRecord:
    """The game of a line; ValueError if it is none."""
    try:
        values: dict[str, Any] = json.loads(line)
        return GameRecord(**values)
    except TypeError as fault:
        raise ValueError(str(fault)) from None


def without_repetitions(records: list[GameRecord]) -> tuple[list[GameRecord], int]:
    """The games that tell something new, in order of their numbers, and how many were left out.

    A game that went move for move like an earlier one of the same players with the same colours is left out. One that
    was forfeited is not: two crashes are two.
    """
    seen = set()
    kept = []
    for record in sorted(records, key=lambda one: one.game):
        key = (record.black, record.white, tuple(record.stones), tuple(record.moves))
        if record.forfeited or key not in seen:
            kept.append(record)
        if not record.forfeited:
            seen.add(key)
    return kept, len(records) - len(kept)
