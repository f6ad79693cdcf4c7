"""Who plays: a word becomes a bot for each game."""

from dataclasses import dataclass

from nobi.games.base import Variant
from nobi.gtp.bot import PREFIX, GtpBot
from nobi.players import make_bot
from nobi.players.bot import Bot
from nobi.streams import stream_of


@dataclass(frozen=True)
class Entrant:
    """A player of a match, before it sits down."""

    word: str
    variant: Variant
    seed: int
    """No other player of the match should have the same: they would draw the same random numbers."""
    seconds: float
    """How long an engine may take for an answer."""
    title: str = ""
    """What records of games call it; its word unless given."""

    @property
    def is_engine(self) -> bool:
        """Whether it is another program."""
        return self.word.startswith(PREFIX)

    def make(self, game: int = 0) -> Bot:
        """The bot for the game of this number."""
        if self.is_engine:
            return GtpBot(self.word.removeprefix(PREFIX), self.variant, self.seconds)
        return make_bot(self.word, self.variant, self.seed, game)


class Seat:
    """The place of an entrant in one thread.

    Of our own players there is a new one for each game, so that a game depends on (seed, its number) alone. An engine
    stays for all its games; if it can be told to (`set_random_seed`), it too draws other numbers in each.
    """

    def __init__(self, entrant: Entrant) -> None:
        self._entrant = entrant
        self._bot: Bot | None = None

    def bot(self, game: int) -> Bot:
        """Who plays this game."""
        bot = self._bot
        if bot is None or not self._entrant.is_engine:
            self.close()
            bot = self._bot = self._entrant.make(game)
        if isinstance(bot, GtpBot):
            bot.seed = int(stream_of(self._entrant.seed, game)) >> 33
        return bot

    @property
    def note(self) -> str:
        """What is to be known of the engine before a game, in a sentence."""
        return self._bot.note if isinstance(self._bot, GtpBot) else ""

    def close(self) -> None:
        """Leaves. The bot of an engine stays and refuses, so that a game in work does not start another."""
        if self._bot:
            self._bot.close()
