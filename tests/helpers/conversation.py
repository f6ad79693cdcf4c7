"""An engine inside the tests, and its dialogues."""

from nobi.games import variant
from nobi.gtp.engine import GtpEngine
from nobi.gtp.session import Session
from nobi.players import make_bot, make_player
from nobi.players.base import PlayerBot

HALVES = "b C1 b C2 b C3 b C4 b C5 w D1 w D2 w D3 w D4 w D5"
"""A finished position on 5x5, for `gogui-setup`: black has the left, white the right."""


class Talk:
    """An engine that plays `player`; `talk("name")` is its answer to a line, as one text.

    `bot` creates a bot from a player; None for the player's default bot.
    """

    def __init__(self, game="go", size=9, player="playout", bot=PlayerBot):
        self.said = []
        self.complaints = []
        new_bot = make_bot if bot is None else lambda spec, where: bot(make_player(spec, where))
        session = Session(variant(game, size), lambda where: new_bot(player, where))
        session.stop.set()  # an analysis ends at once
        self.engine = GtpEngine(session, self.said.append, self.complaints.append)
        self.session = session

    def __call__(self, line):
        self.said.clear()
        self.engine.answer(line)
        assert self.complaints == []
        return "".join(self.said)

    def ask(self, *lines):
        """The text of the last answer; all answers must be successes."""
        for line in lines:
            answer = self(line)
            assert answer[:2] == "= ", f"{line!r}: {answer!r}"
        return answer[2:].rstrip("\n")

    def error(self, line):
        """The error message of a line."""
        answer = self(line)
        assert answer.startswith("? "), f"{line!r}: {answer!r}"
        assert answer.endswith("\n\n")
        return answer[2:-2]


def talk_through(talk, script):
    """A line that begins with = or ? is the expected answer to the line above it."""
    said = ""
    for line in map(str.strip, script.strip().splitlines()):
        if line[0] in "=?":
            assert said.endswith("\n\n")
            assert said.rstrip() == line
        else:
            said = talk(line)
