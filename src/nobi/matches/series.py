"""Many games between bots, several at once, each kept as soon as it is over."""

import queue
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from time import monotonic
from typing import NamedTuple, Self

from nobi.board.stones import BLACK, WHITE
from nobi.board.vertices import vertex_name
from nobi.games.base import Game, Variant
from nobi.matches.folder import MatchFolder
from nobi.matches.openings import Opening
from nobi.matches.records import GameRecord, winner_name
from nobi.matches.referee import EngineReferee, Referee, RulesReferee
from nobi.matches.seats import Entrant, Seat
from nobi.matches.single import Finished, play_single
from nobi.players.time import TimeControl, TimeSettings
from nobi.records.sgf import sgf_of

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
    black, white = (one.title or one.word for one in (entrants[pairing.black], entrants[pairing.white]))
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
