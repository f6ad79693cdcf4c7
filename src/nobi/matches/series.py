"""Who plays: a word becomes a bot for each game.

MERGED matches/single.py: One game between two bots, from its opening to a result that has a reason.

MERGED matches/referee.py: Who decides a game of Go that two passes have ended: ourselves, or an engine.

MERGED matches/series.py: Many games between bots, several at once, each kept as soon as it is over.
"""

import queue
import re
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from time import monotonic
from typing import NamedTuple, Self

from nobi.board.stones import BLACK, DRAW, RUNNING, WHITE, enemy_of
from nobi.board.text import vertex_name
from nobi.clock import TimeControl, TimeSettings
from nobi.errors import NobiError
from nobi.games.base import COLOUR_NAMES, Game, Variant
from nobi.games.go import Go
from nobi.gtp.client import PREFIX, EngineError, GtpBot
from nobi.matches.folder import GameRecord, MatchFolder, winner_name
from nobi.matches.openings import Opening
from nobi.players import make_bot
from nobi.players.base import RESIGN, Bot, Clock, clock_for
from nobi.players.scoring import final_score
from nobi.records.sgf_writer import sgf_of
from nobi.streams import stream_of


class Decision(NamedTuple):
    """What a referee says."""

    winner: int
    """BLACK, WHITE, DRAW, or RUNNING if there is no saying."""
    result: str
    """As SGF writes it."""
    reason: str


class Referee(ABC):
    """Decides games."""

    @property
    def note(self) -> str:
        """What is to be known of it before a game, in a sentence."""
        return ""

    @abstractmethod
    def decide(self, game: Game) -> Decision:
        """Who has won a game that is over, or too long."""

    def close(self) -> None:  # noqa: B027
        """Lets go of what it holds."""


class RulesReferee(Referee):
    """Counts by the rules of the game; in Go the stones that playouts mostly take are dead."""

    def decide(self, game: Game) -> Decision:
        """The result by the rules, or by counting."""
        if not isinstance(game, Go):
            return Decision(game.outcome, game.result(), "by the rules")
        return decision_of(final_score(game), "by counting")


class EngineReferee(Referee):
    """Believes what an engine answers to `final_score`."""

    def __init__(self, command: str, variant: Variant, seconds: float) -> None:
        self._bot = GtpBot(command, variant, seconds)
        self._bot.seed = 0

    @property
    def note(self) -> str:
        """What is to be known of the engine before a game, in a sentence."""
        return self._bot.note

    def decide(self, game: Game) -> Decision:
        """The engine's result; it is asked twice before there is no saying."""
        if not isinstance(game, Go):
            return RulesReferee().decide(game)
        fault = ""
        for _ in range(2):
            try:
                return decision_of(self._bot.final_score(game), "by the referee")
            except (EngineError, NobiError) as failure:
                fault = str(failure).rstrip(".")
        return Decision(RUNNING, "Void", f"the referee {fault}")

    def close(self) -> None:
        """Ends the engine."""
        self._bot.close()


def decision_of(score: str, reason: str) -> Decision:
    """The ruling of a score such as `B+3.5`, `W+0.5`, `0` or `Draw`."""
    score = score.strip()
    if score.lower() in ("0", "draw", "jigo"):
        return Decision(DRAW, "Draw", reason)
    match = re.fullmatch(r"([BW])\+(\d+(?:\.\d+)?)", score, re.IGNORECASE)
    if not match:
        raise NobiError(f"gave the score {score[:40]!r}, which is none.")
    if float(match[2]) == 0:
        return Decision(DRAW, "Draw", reason)
    colour = match[1].upper()
    return Decision(BLACK if colour == "B" else WHITE, f"{colour}+{float(match[2]):g}", reason)


@dataclass(frozen=True)
class Entrant:
    """A player of a match, before it sits down."""

    spec: str
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
        return self.spec.startswith(PREFIX)

    def make(self, game: int = 0) -> Bot:
        """The bot for the game of this number."""
        if self.is_engine:
            return GtpBot(self.spec.removeprefix(PREFIX), self.variant, self.seconds)
        return make_bot(self.spec, self.variant, self.seed, game)


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


_LETTERS = {BLACK: "B", WHITE: "W"}


class Finished(NamedTuple):
    """A game that was played."""

    ruling: Decision
    forfeited: bool
    """Whether an engine's fault, or a flag that fell, ended it."""
    seconds: dict[int, float]
    """[colour] how long each has thought."""


def play_single(
    game: Game,
    bots: Mapping[int, Bot],
    referee: Referee,
    longest: int,
    seconds_a_move: float | None = None,
    control: TimeControl | None = None,
) -> Finished:
    """Plays a game on to its end, or to `longest` moves.

    An engine that crashes, hangs, talks nonsense or plays an illegal move loses the game; so does whoever oversteps the
    time of `control`, the clocks of the game. `seconds_a_move` is what players are told without such clocks.
    """
    seconds = {BLACK: 0.0, WHITE: 0.0}
    if control and not game.is_over:
        for bot in bots.values():
            bot.get_ready(game)
    while not game.is_over and len(game.moves) < longest:
        colour = game.to_move
        other = int(enemy_of(colour))
        clock = clock_for(game, control) if control else Clock(seconds_a_move)
        start = time.perf_counter()
        try:
            move = bots[colour].choose(game, clock)
        except EngineError as fault:
            sign = "T" if fault.kind == "time-out" else "F"
            ruling = Decision(other, f"{_LETTERS[other]}+{sign}", f"{COLOUR_NAMES[colour]} {fault}")
            return Finished(ruling, True, seconds)
        finally:
            took = time.perf_counter() - start
            seconds[colour] += took
        if control and not control.spend(colour, took):
            words = f"{COLOUR_NAMES[colour]} overstepped the time"
            return Finished(Decision(other, f"{_LETTERS[other]}+T", words), True, seconds)
        if move == RESIGN:
            ruling = Decision(other, f"{_LETTERS[other]}+R", f"{COLOUR_NAMES[colour]} resigned")
            return Finished(ruling, False, seconds)
        if not game.is_legal(move):
            words = f"{COLOUR_NAMES[colour]} chose the illegal move {vertex_name(move, game.size)}"
            return Finished(Decision(other, f"{_LETTERS[other]}+F", words), True, seconds)
        game.play(move)
    ruling = referee.decide(game)
    if not game.is_over:
        ruling = ruling._replace(reason=f"{ruling.reason}, stopped after {len(game.moves)} moves")
    return Finished(ruling, False, seconds)


_FAREWELL_SECONDS = 5.0


class Pairing(NamedTuple):
    """A game to be played."""

    game: int
    """Its number."""
    black: int
    """The number of the entrant."""
    white: int
    round: int
    """Chooses the opening: both games of a pair, with colours exchanged, begin alike."""


def pairings(entrants: int, games: int) -> list[Pairing]:
    """So many games between every two entrants; who is named first has black in the first, and so on by turns.

    All meet once before any two meet again, so that a tournament that is stopped is nearly complete.
    """
    found: list[Pairing] = []
    for k in range(games):
        for i in range(entrants):
            for j in range(i + 1, entrants):
                black, white = (i, j) if k % 2 == 0 else (j, i)
                found.append(Pairing(len(found), black, white, k // 2))
    return found


@dataclass(frozen=True)
class SeriesSettings:
    """How games are played."""

    variant: Variant
    referee: str = ""
    """An engine's command; nothing for our own counting."""
    seconds: float | None = None
    """For a move; None for no limit."""
    timeout: float = 60.0
    """How long an engine may take for an answer."""
    parallel: int = 1
    time: TimeSettings = field(default_factory=TimeSettings)
    """The clocks of every game."""
    longest: int = 0
    """Moves after which a game is stopped and counted; 0 for those of the game's rules."""

    def new_referee(self) -> Referee:
        """A referee."""
        return EngineReferee(self.referee, self.variant, self.timeout) if self.referee else RulesReferee()


Keep = Callable[[GameRecord, bytes], None]
"""Takes a game that is over, and its SGF."""


class Series:
    """Players and referees at their tables. Engines run from the beginning, so that one that does not work or cannot
    play on the board is a NobiError at once, until `close`.
    """

    def __init__(self, settings: SeriesSettings, entrants: Sequence[Entrant]) -> None:
        self._settings = settings
        self._entrants = entrants
        self._tables: list[tuple[list[Seat], Referee]] = []
        self._leave = ExitStack()
        self._own = self._leave.enter_context(ExitStack())
        # engines go first: one of our own players may think to the end of its time before it goes
        self._engines = self._leave.enter_context(ExitStack())
        with ExitStack() as failed:
            failed.callback(self.close)
            for _ in range(settings.parallel):
                self._tables.append(self._new_table())
            failed.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Everybody leaves."""
        self._leave.close()

    def notes(self) -> list[str]:
        """What is to be known before the games: which engines do not take the rules."""
        seats, referee = self._tables[0]
        return list(dict.fromkeys(filter(None, [*(seat.note for seat in seats), referee.note])))

    def play(self, games: Sequence[Pairing], opening_of: Callable[[int], Opening], keep: Keep) -> None:
        """Plays the games, one at every table at once, and hands each to `keep`, one at a time.

        After Ctrl-C everybody leaves, and the games in work are lost.
        """
        waiting: queue.SimpleQueue[Pairing] = queue.SimpleQueue()
        for game in games:
            waiting.put(game)
        stop = threading.Event()
        lock = threading.Lock()
        faults: list[BaseException] = []

        def work(seats: list[Seat], referee: Referee, done: threading.Event) -> None:
            try:
                while not stop.is_set():
                    try:
                        pairing = waiting.get_nowait()
                    except queue.Empty:
                        return
                    played = self._play_one(pairing, opening_of(pairing.round), seats, referee)
                    with lock:
                        if not stop.is_set():
                            keep(*played)
            except BaseException as fault:
                faults.append(fault)
                stop.set()
            finally:
                done.set()

        # not the threads themselves are waited for: Python 3.11 takes one for ended whose join Ctrl-C cuts short
        ends: list[threading.Event] = []
        try:
            for table in self._tables[: len(games)]:
                done = threading.Event()
                threading.Thread(target=work, args=(*table, done), daemon=True).start()
                ends.append(done)
            for done in ends:
                while not done.wait(1.0):
                    pass
        except BaseException:
            with lock:
                stop.set()
            self.close()  # which ends the games in work
            deadline = monotonic() + _FAREWELL_SECONDS
            for done in ends:
                done.wait(max(0.0, deadline - monotonic()))
            raise
        if faults:
            raise faults[0]

    def _new_table(self) -> tuple[list[Seat], Referee]:
        seats = []
        for entrant in self._entrants:
            seat = Seat(entrant)
            (self._engines if entrant.is_engine else self._own).callback(seat.close)
            seat.bot(0)
            seats.append(seat)
        referee = self._settings.new_referee()
        self._engines.callback(referee.close)
        return seats, referee

    def _play_one(
        self, pairing: Pairing, opening: Opening, seats: list[Seat], referee: Referee
    ) -> tuple[GameRecord, bytes]:
        settings = self._settings
        game = opening.begin(settings.variant)
        bots = {BLACK: seats[pairing.black].bot(pairing.game), WHITE: seats[pairing.white].bot(pairing.game)}
        control = TimeControl(settings.time) if settings.time.system != "none" else None
        done = play_single(
            game, bots, referee, settings.longest or settings.variant.most_moves, settings.seconds, control
        )
        return _kept(pairing, game, done, self._entrants, opening.name, settings)


def _kept(
    pairing: Pairing,
    game: Game,
    done: Finished,
    entrants: Sequence[Entrant],
    opening: str,
    settings: SeriesSettings,
) -> tuple[GameRecord, bytes]:
    size = game.size
    ruling = done.ruling
    record = GameRecord(
        game=pairing.game,
        black=pairing.black,
        white=pairing.white,
        winner=winner_name(ruling.winner),
        result=ruling.result,
        reason=ruling.reason,
        forfeited=done.forfeited,
        opening=opening,
        moves=[vertex_name(move, size) for move in game.moves],
        stones=[f"{'BW'[colour - 1]} {vertex_name(point, size)}" for point, colour in game.start],
        seconds=[round(done.seconds[BLACK], 3), round(done.seconds[WHITE], 3)],
    )
    black, white = (one.title or one.spec for one in (entrants[pairing.black], entrants[pairing.white]))
    event = f"game {pairing.game + 1}: {ruling.result}, {ruling.reason}"
    time = settings.time
    if time.system == "none" and settings.seconds:
        time = TimeSettings("byoyomi", 0.0, settings.seconds, 1)
    main = None if time.system == "none" else time.main
    return record, sgf_of(game, black, white, event, ruling.result, main_time=main, overtime=time.overtime)


def remaining(games: Sequence[Pairing], records: Sequence[GameRecord]) -> list[Pairing]:
    """The games that are not played yet."""
    played = {record.game for record in records}
    return [game for game in games if game.game not in played]


def keeper(records: list[GameRecord], folder: MatchFolder | None, tell: Callable[[], None]) -> Keep:
    """Appends each game to the records, saves it, and tells that there is news."""

    def keep(record: GameRecord, sgf: bytes) -> None:
        if folder:
            folder.save(record, sgf)
        records.append(record)
        tell()

    return keep
