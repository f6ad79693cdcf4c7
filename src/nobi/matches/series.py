"""Series of games between bots: several games at once, each saved as soon as it is finished.

`open_series` is the entry point: it starts the players, and opens or resumes the folder. Each worker has a `PlayerSlot`
for each player and a referee.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import nobi
from nobi.board.stones import BLACK, DRAW, RUNNING, WHITE
from nobi.board.text import vertex_name
from nobi.clock import TimeControl, TimeSettings
from nobi.errors import NobiError
from nobi.games.base import Game, Variant
from nobi.gtp.client import PREFIX, GtpBot, engine_seed
from nobi.matches.folder import GameResult, MatchFolder
from nobi.matches.openings import Opening, opening_source
from nobi.matches.settings import SeriesSettings
from nobi.matches.single import LETTERS, EngineReferee, Referee, RulesReferee, play_single
from nobi.models import files_in
from nobi.players import make_bot
from nobi.players.base import Bot
from nobi.records.sgf_writer import sgf_of
from nobi.workers import Executor, PerWorker, ThreadExecutor, closing_iterator

_WINNERS = {BLACK: "black", WHITE: "white", DRAW: "draw", RUNNING: "void"}


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


class Pairing(NamedTuple):
    """A game to be played."""

    game: int
    """The number of the game."""
    black: int
    """The number of a player."""
    white: int
    round: int
    """Number of the pair of games with exchanged colours, which have the same opening."""


def check_entrants(players: Sequence[str]) -> None:
    """Raise a NobiError unless there are two different players or more."""
    if len(players) < 2:
        raise NobiError("A tournament needs two players or more.")
    if len(set(players)) < len(players):
        raise NobiError("A player is given twice; the players of a tournament must differ.")


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


class SeriesWorker(NamedTuple):
    """The players and the referee of one worker."""

    slots: list[PlayerSlot]
    referee: Referee


class SeriesGames(PerWorker[SeriesWorker]):
    """Plays single games of a series: a function for executors. Engines run until `close`."""

    def __init__(self, settings: SeriesSettings, entrants: Sequence[Entrant], longest: int) -> None:
        super().__init__()
        self._settings = settings
        self._entrants = entrants
        self._longest = longest
        self._open()

    @property
    def variant(self) -> Variant:
        """The game and its board, the same for all players."""
        return self._entrants[0].variant

    def _open(self) -> None:
        self._resources = ExitStack()
        self._players = self._resources.enter_context(ExitStack())
        # engines are closed first: closing a built-in player may take until the end of its search
        self._engines = self._resources.enter_context(ExitStack())

    def __getstate__(self) -> dict[str, object]:
        return {name: vars(self)[name] for name in ("_settings", "_entrants", "_longest")}

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
        referee = EngineReferee(s.referee, self.variant, s.timeout) if s.referee else RulesReferee()
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
        size, time = self.variant.size, self._settings.time
        game = opening.begin(self.variant)
        bots = {
            BLACK: worker.slots[pairing.black].bot(pairing.game),
            WHITE: worker.slots[pairing.white].bot(pairing.game),
        }
        control = TimeControl(time) if time.system != "none" else None
        longest = self._longest or self.variant.most_moves
        finished = play_single(game, bots, worker.referee, longest, self._settings.seconds, control)
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
            stones=[f"{LETTERS[colour]} {vertex_name(point, size)}" for point, colour in game.start],
            seconds=[round(finished.seconds[BLACK], 3), round(finished.seconds[WHITE], 3)],
        )
        return result, self._sgf(game, result)

    def _sgf(self, game: Game, result: GameResult) -> bytes:
        black, white = (one.title or one.spec for one in (self._entrants[result.black], self._entrants[result.white]))
        event = f"game {result.game + 1}: {result.result}, {result.reason}"
        limit = self._settings.time
        if limit.system == "none" and self._settings.seconds:
            limit = TimeSettings("byoyomi", 0.0, self._settings.seconds, 1)
        main = None if limit.system == "none" else limit.main
        return sgf_of(game, black, white, event, result.result, main_time=main, overtime=limit.overtime)


class Series:
    """A series of games, with its players and engines.

    Engines run from construction until `close`; the constructor raises a NobiError for an engine that does not work or
    cannot play on the board.
    """

    def __init__(
        self,
        settings: SeriesSettings,
        entrants: Sequence[Entrant],
        executor: Executor | None = None,
        *,
        longest: int = 0,
    ) -> None:
        """Start the players.

        Args:
            settings: of all games.
            entrants: the players, of the same game and board.
            executor: plays the games; by default one after the other.
            longest: number of moves after which a game is stopped and scored; 0: the limit of the game's rules.
        """
        self.opening_of = opening_source(settings, entrants[0].variant)
        """Number of a pair of games → its opening."""
        self.opening_of(0)  # raises errors before a player is started
        self.results: list[GameResult] = []
        """The finished games, those from the folder included, in the order in which they ended."""
        self._folder: MatchFolder | None = None
        self._executor = executor or ThreadExecutor(1)
        self._games = SeriesGames(settings, entrants, longest)
        self._files = [file for entrant in entrants for file in files_in(entrant.spec)]
        with ExitStack() as failed:
            failed.callback(self.close)
            # players on other machines are created there; creating them here as well raises errors before the first
            # game
            for _ in range(self._executor.workers if self._executor.local else 1):
                self._games.add(self._games.new_state())
            failed.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop all players and engines."""
        self._games.close()

    def use_folder(self, folder: MatchFolder) -> None:
        """Load the games in a folder, which are not played again, and save all others there."""
        self.results += folder.load()
        self._folder = folder

    def notes(self) -> list[str]:
        """Return notes for the user, to show before the games: which engines do not accept the rules."""
        with self._games.state() as worker:
            found = [*(slot.note for slot in worker.slots), worker.referee.note]
        return list(dict.fromkeys(filter(None, found)))

    def play(
        self,
        schedule: Sequence[Pairing],
        notify: Callable[[], None] = lambda: None,
        enough: Callable[[], bool] = lambda: False,
    ) -> None:
        """Play the games of a schedule that are not finished, one per worker at a time; call `notify` after each.

        When `enough` returns True, and after Ctrl-C, everything is closed, and the games in progress are lost.
        """
        finished = {result.game for result in self.results}
        tasks = [(game, self.opening_of(game.round)) for game in schedule if game.game not in finished]
        lock, stopped = threading.Lock(), threading.Event()

        def save(result: GameResult, sgf: bytes) -> None:
            if self._folder:
                self._folder.save(result, sgf)
            self.results.append(result)
            notify()

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


@contextmanager
def open_series(
    settings: SeriesSettings,
    variant: Variant,
    specs: Sequence[str],
    executor: Executor,
    folder: Path | None = None,
    stored: Mapping[str, Any] | None = None,
    *,
    resume: bool = True,
) -> Iterator[Series]:
    """Yield a series between the players of these specs; with a folder, its games are loaded, and new ones saved there.

    Args:
        settings: of all games.
        variant: the game and board.
        specs: the players.
        executor: plays the games.
        folder: of the series; None: it is not saved.
        stored: further settings to store in the folder, such as the players; they must be the same to resume it.
        resume: whether a series in the folder is resumed; otherwise it is an error.
    """
    # different seeds, or two players of one kind would draw the same random numbers
    entrants = [Entrant(spec, variant, (settings.seed + i) % 2**63, settings.timeout) for i, spec in enumerate(specs)]
    with Series(settings, entrants, executor) as series:  # raises errors about players before anything is written
        if folder:
            rules = {"game": str(variant), "size": variant.size}
            config = {"nobi": nobi.__version__, **(stored or {}), **rules, **asdict(settings)}
            series.use_folder(MatchFolder(folder, config, resume=resume))
        yield series


def play_series(series: Series, players: int, count: int, notify: Callable[[], None]) -> None:
    """Play `count` games between each pair of players; `notify` is called first, and after each game."""
    schedule = pairings(players, count)
    if any(result.game >= len(schedule) for result in series.results):
        raise NobiError(f"The folder contains more games than the {len(schedule)} requested.")
    notify()
    series.play(schedule, notify)
