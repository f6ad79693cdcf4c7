"""Series of games between bots: several games at once, each saved as soon as it is finished.

`Series` is the entry point. Each worker has a `PlayerSlot` for each player and a `Referee`; `play_single` plays one
game, from its opening to a result with a reason.
"""

import re
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from nobi.board.stones import BLACK, DRAW, RUNNING, WHITE, enemy_of
from nobi.board.text import vertex_name
from nobi.clock import TimeControl, TimeSettings
from nobi.games.base import COLOUR_NAMES, Game, Variant
from nobi.games.go import Go
from nobi.gtp.client import PREFIX, GtpBot, engine_seed
from nobi.gtp.process import EngineError
from nobi.matches.folder import GameResult, MatchFolder
from nobi.matches.openings import Opening
from nobi.models import files_in
from nobi.players import make_bot
from nobi.players.base import RESIGN, Bot, Clock, clock_for
from nobi.players.scoring import final_score
from nobi.records.sgf_writer import sgf_of
from nobi.workers import Executor, PerWorker, ThreadExecutor, closing_iterator

_LETTERS = {BLACK: "B", WHITE: "W"}
_WINNERS = {BLACK: "black", WHITE: "white", DRAW: "draw", RUNNING: "void"}


class Decision(NamedTuple):
    """The result of a game."""

    winner: int
    """BLACK, WHITE, DRAW, or RUNNING if the referee could not decide."""
    result: str
    """The result in SGF's format."""
    reason: str


def decision_of(score: str, reason: str) -> Decision:
    """Return the decision for a score such as `B+3.5`, `W+0.5`, `0` or `Draw`."""
    score = score.strip()
    match = re.fullmatch(r"([BW])\+(\d+(?:\.\d+)?)", score, re.IGNORECASE)
    if score.lower() in ("0", "draw", "jigo") or (match and float(match[2]) == 0):
        return Decision(DRAW, "Draw", reason)
    if not match:
        raise EngineError("garbage", f"answered 'final_score' with {score[:40]!r}")
    colour = match[1].upper()
    return Decision(BLACK if colour == "B" else WHITE, f"{colour}+{float(match[2]):g}", reason)


class Referee(ABC):
    """Decides games."""

    note: str = ""
    """A note for the user, to show before the first game; may be empty."""

    @abstractmethod
    def decide(self, game: Game) -> Decision:
        """Return the result of a game that is over or too long."""

    def close(self) -> None:  # noqa: B027
        """Stop the engine, if it has one."""


class RulesReferee(Referee):
    """Decides by the rules of the game; in Go, stones that playouts mostly capture are dead."""

    def decide(self, game: Game) -> Decision:
        if not isinstance(game, Go):
            return Decision(game.outcome, game.result(), "by the rules")
        return decision_of(final_score(game), "by counting")


class EngineReferee(Referee):
    """Decides games of Go by an engine's `final_score`."""

    def __init__(self, command: str, variant: Variant, seconds: float) -> None:
        self._bot = GtpBot(command, variant, seconds)
        self._bot.seed = 0
        self.note = self._bot.note

    def decide(self, game: Game) -> Decision:
        """Return the engine's result; a failure is retried once."""
        if not isinstance(game, Go):
            return RulesReferee().decide(game)
        reason = ""
        for _ in range(2):
            try:
                return decision_of(self._bot.final_score(game), "by the referee")
            except EngineError as error:
                reason = str(error)
        return Decision(RUNNING, "Void", f"the referee {reason}")

    def close(self) -> None:
        self._bot.close()


@dataclass(frozen=True)
class Entrant:
    """A player of a match."""

    spec: str
    variant: Variant
    seed: int
    """The seed; it must differ between the players of a match, which otherwise draw the same random numbers."""
    seconds: float
    """Time limit of an engine's answers."""
    title: str = ""
    """The name in game records; by default the spec."""

    @property
    def is_engine(self) -> bool:
        """Whether it is an external program."""
        return self.spec.startswith(PREFIX)

    def make(self, game: int = 0) -> Bot:
        """Return the bot for the game of this number."""
        if self.is_engine:
            return GtpBot(self.spec.removeprefix(PREFIX), self.variant, self.seconds)
        return make_bot(self.spec, self.variant, self.seed, game)


class PlayerSlot:
    """The bot of an entrant in one worker.

    A built-in player has a new bot for each game, so that a game depends only on seed and number. An engine process is
    kept for all games; if it has the command `set_random_seed`, it is seeded for each game.
    """

    def __init__(self, entrant: Entrant) -> None:
        self._entrant = entrant
        self._bot: Bot | None = None

    def bot(self, game: int) -> Bot:
        """Return the bot for this game."""
        bot = self._bot
        if bot is None or not self._entrant.is_engine:
            self.close()
            bot = self._bot = self._entrant.make(game)
        if isinstance(bot, GtpBot):
            bot.seed = engine_seed(self._entrant.seed, game)
        return bot

    @property
    def note(self) -> str:
        """A note for the user, to show before the first game; may be empty."""
        return self._bot.note if isinstance(self._bot, GtpBot) else ""

    def close(self) -> None:
        """Close the bot. An engine's bot is kept, so that a game in progress does not start another process."""
        if self._bot:
            self._bot.close()


class FinishedGame(NamedTuple):
    """The end of a game."""

    decision: Decision
    forfeited: bool
    """Whether the game ended by an engine's error, an illegal move or lack of time."""
    seconds: dict[int, float]
    """[colour] the thinking time."""


def play_single(
    game: Game,
    bots: Mapping[int, Bot],
    referee: Referee,
    longest: int,
    seconds_per_move: float | None = None,
    control: TimeControl | None = None,
) -> FinishedGame:
    """Play a game to its end, or to `longest` moves.

    An engine that crashes, hangs, violates the protocol or plays an illegal move loses the game; so does a player that
    oversteps the time of `control`, the clocks of the game. `seconds_per_move` is the time limit without such clocks.
    """
    seconds = {BLACK: 0.0, WHITE: 0.0}
    if control and not game.is_over:
        for bot in bots.values():
            bot.warm_up(game)

    def lost(letter: str, reason: str, *, forfeited: bool = True) -> FinishedGame:
        """Return a loss of the player to move."""
        loser, winner = game.to_move, int(enemy_of(game.to_move))
        decision = Decision(winner, f"{_LETTERS[winner]}+{letter}", f"{COLOUR_NAMES[loser]} {reason}")
        return FinishedGame(decision, forfeited, seconds)

    while not game.is_over and len(game.moves) < longest:
        colour = game.to_move
        clock = clock_for(game, control) if control else Clock(seconds_per_move)
        start = time.perf_counter()
        try:
            move = bots[colour].choose(game, clock)
        except EngineError as error:
            return lost("T" if error.kind == "time-out" else "F", str(error))
        finally:
            took = time.perf_counter() - start
            seconds[colour] += took
        if control and not control.spend(colour, took):
            return lost("T", "overstepped the time")
        if move == RESIGN:
            return lost("R", "resigned", forfeited=False)
        if not game.is_legal(move):
            return lost("F", f"chose the illegal move {vertex_name(move, game.size)}")
        game.play(move)
    decision = referee.decide(game)
    if not game.is_over:
        decision = decision._replace(reason=f"{decision.reason}, stopped after {len(game.moves)} moves")
    return FinishedGame(decision, False, seconds)


class Pairing(NamedTuple):
    """A game to be played."""

    game: int
    """The number of the game."""
    black: int
    """The number of a player."""
    white: int
    round: int
    """Number of the pair of games with exchanged colours, which have the same opening."""


def pairings(entrants: int, games: int) -> list[Pairing]:
    """Return `games` games for each pair of players; the player listed first begins with Black, then colours alternate.

    All pairs play once before any pair plays again, so that an interrupted tournament is balanced.
    """
    found: list[Pairing] = []
    for k in range(games):
        for i in range(entrants):
            for j in range(i + 1, entrants):
                black, white = (i, j) if k % 2 == 0 else (j, i)
                found.append(Pairing(len(found), black, white, k // 2))
    return found


def remaining(games: Sequence[Pairing], results: Sequence[GameResult]) -> list[Pairing]:
    """Return the games that are not finished."""
    finished = {result.game for result in results}
    return [game for game in games if game.game not in finished]


@dataclass(frozen=True)
class SeriesSettings:
    """How games are played."""

    variant: Variant
    referee: str = ""
    """The command of a referee engine; empty: nobi scores."""
    seconds: float | None = None
    """Time limit per move; None: no limit."""
    timeout: float = 60.0
    """How long an engine may take for an answer."""
    parallel: int = 1
    time: TimeSettings = field(default_factory=TimeSettings)
    """The clocks of every game."""
    longest: int = 0
    """Number of moves after which a game is stopped and scored; 0: the limit of the game's rules."""


Save = Callable[[GameResult, bytes], None]
"""Function that receives a finished game and its SGF."""


def result_saver(results: list[GameResult], folder: MatchFolder | None, notify: Callable[[], None]) -> Save:
    """Return a function that saves a game, appends it to the results, and calls `notify`."""

    def save(result: GameResult, sgf: bytes) -> None:
        if folder:
            folder.save(result, sgf)
        results.append(result)
        notify()

    return save


class SeriesWorker(NamedTuple):
    """The players and the referee of one worker."""

    slots: list[PlayerSlot]
    referee: Referee


class SeriesGames(PerWorker[SeriesWorker]):
    """Plays single games of a series: a function for executors. Engines run until `close`."""

    def __init__(self, settings: SeriesSettings, entrants: Sequence[Entrant]) -> None:
        super().__init__()
        self._settings = settings
        self._entrants = entrants
        self._open()

    def _open(self) -> None:
        self._resources = ExitStack()
        self._players = self._resources.enter_context(ExitStack())
        # engines are closed first: closing a built-in player may take until the end of its search
        self._engines = self._resources.enter_context(ExitStack())

    def __getstate__(self) -> dict[str, object]:
        return {"_settings": self._settings, "_entrants": self._entrants}

    def __setstate__(self, state: dict[str, object]) -> None:
        super().__setstate__(state)
        self._open()

    def new_state(self) -> SeriesWorker:
        slots = []
        for entrant in self._entrants:
            slot = PlayerSlot(entrant)
            (self._engines if entrant.is_engine else self._players).callback(slot.close)
            slot.bot(0)
            slots.append(slot)
        s = self._settings
        referee = EngineReferee(s.referee, s.variant, s.timeout) if s.referee else RulesReferee()
        self._engines.callback(referee.close)
        return SeriesWorker(slots, referee)

    def close(self) -> None:
        """Stop all players and engines."""
        self._resources.close()

    def __call__(self, task: tuple[Pairing, Opening]) -> tuple[GameResult, bytes]:
        """Play a game; return its result and its SGF."""
        with self.state() as worker:
            return self._play(*task, worker)

    def _play(self, pairing: Pairing, opening: Opening, worker: SeriesWorker) -> tuple[GameResult, bytes]:
        settings, size = self._settings, self._settings.variant.size
        game = opening.begin(settings.variant)
        bots = {
            BLACK: worker.slots[pairing.black].bot(pairing.game),
            WHITE: worker.slots[pairing.white].bot(pairing.game),
        }
        control = TimeControl(settings.time) if settings.time.system != "none" else None
        longest = settings.longest or settings.variant.most_moves
        finished = play_single(game, bots, worker.referee, longest, settings.seconds, control)
        decision = finished.decision
        result = GameResult(
            game=pairing.game,
            black=pairing.black,
            white=pairing.white,
            winner=_WINNERS[decision.winner],
            result=decision.result,
            reason=decision.reason,
            forfeited=finished.forfeited,
            opening=opening.name,
            moves=[vertex_name(move, size) for move in game.moves],
            stones=[f"{_LETTERS[colour]} {vertex_name(point, size)}" for point, colour in game.start],
            seconds=[round(finished.seconds[BLACK], 3), round(finished.seconds[WHITE], 3)],
        )
        return result, self._sgf(game, result)

    def _sgf(self, game: Game, result: GameResult) -> bytes:
        settings = self._settings
        black, white = (one.title or one.spec for one in (self._entrants[result.black], self._entrants[result.white]))
        event = f"game {result.game + 1}: {result.result}, {result.reason}"
        limit = settings.time
        if limit.system == "none" and settings.seconds:
            limit = TimeSettings("byoyomi", 0.0, settings.seconds, 1)
        main = None if limit.system == "none" else limit.main
        return sgf_of(game, black, white, event, result.result, main_time=main, overtime=limit.overtime)


class Series:
    """A series of games, with its players and engines.

    Engines run from construction until `close`; the constructor raises a NobiError for an engine that does not work or
    cannot play on the board.
    """

    def __init__(self, settings: SeriesSettings, entrants: Sequence[Entrant], executor: Executor | None = None) -> None:
        """`executor` plays the games; by default `settings.parallel` threads."""
        self._executor = executor or ThreadExecutor(settings.parallel)
        self._games = SeriesGames(settings, entrants)
        self._files = [file for entrant in entrants for file in files_in(entrant.spec)]
        with ExitStack() as failed:
            failed.callback(self.close)
            # players on other machines are created there; creating them here as well raises errors before the first
            # game
            for _ in range(settings.parallel if self._executor.local else 1):
                self._games.add(self._games.new_state())
            failed.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop all players and engines."""
        self._games.close()

    def notes(self) -> list[str]:
        """Return notes for the user, to show before the games: which engines do not accept the rules."""
        with self._games.state() as worker:
            found = [*(slot.note for slot in worker.slots), worker.referee.note]
        return list(dict.fromkeys(filter(None, found)))

    def play(
        self,
        games: Sequence[Pairing],
        opening_of: Callable[[int], Opening],
        save: Save,
        enough: Callable[[], bool] = lambda: False,
    ) -> None:
        """Play the games, one per worker at a time, and pass each to `save`, one at a time.

        When `enough` returns True, and after Ctrl-C, everything is closed, and the games in progress are lost.
        """
        tasks = [(game, opening_of(game.round)) for game in games]
        lock, stopped = threading.Lock(), threading.Event()

        def play_and_save(task: tuple[Pairing, Opening]) -> None:
            """Save in the thread that played: Ctrl-C interrupts only the main thread, so no finished game is lost."""
            found = self._games(task)
            with lock:
                if not stopped.is_set():
                    save(*found)

        def cancel() -> None:
            with lock:
                stopped.set()
            self.close()

        if self._executor.local:
            saved = self._executor.stream(play_and_save, tasks, cancel=cancel)
            with closing_iterator(saved):
                for _ in saved:
                    if enough():
                        break
            return
        played = self._executor.stream(self._games, tasks, cancel=self.close, files=self._files)
        with closing_iterator(played):
            for _, found in played:
                save(*found)
                if enough():
                    break
