"""Other GTP engines as bots and as the player `gtp:COMMAND`."""

import contextlib
import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, WHITE, Boards, enemy_of
from nobi.board.text import point_named, vertex_name
from nobi.clock import TimeSettings
from nobi.errors import NobiError, phrase
from nobi.games.base import Game, Variant
from nobi.gtp.process import START_SECONDS, EngineError, EngineProcess
from nobi.gtp.rules import rules_json
from nobi.players.base import RESIGN, UNLIMITED, Bot, Clock, Player
from nobi.streams import Streams, stream_of

PREFIX = "gtp:"
_LETTERS = {BLACK: "b", WHITE: "w"}
_GRACE_SECONDS = 10.0
"""Seconds after its time limit at which an engine without a move counts as hanging."""
_CLOCK_GRACE_SECONDS = 1.0
"""The same in games with clocks, where a late move loses."""


def engine_seed(seed: int, game: int) -> int:
    """Return the seed, 0 to 2³¹ − 1, for the engine's random numbers in a game."""
    return int(stream_of(seed, game)) >> 33


class GtpBot(Bot):
    """Plays the moves of an engine.

    A failure of the engine raises an `EngineError`, and the engine is restarted at the next move. The constructor
    raises a NobiError if the engine does not work or refuses the board or the komi.
    """

    def __init__(self, command: str, variant: Variant, seconds: float = 60.0) -> None:
        """`seconds` is the time limit of answers."""
        self.seed: int | None = None
        """The seed of the engine's random numbers in the next game, if it has a command for that."""
        self.name = PREFIX + command
        self.command = command
        self.variant = variant
        self.note = ""
        """A note about the engine for the user, to show before a game; may be empty."""
        self._seconds = seconds
        self._lock = threading.Lock()
        """Held while the process is started or detached: another thread may close the bot during a game."""
        self._closed = False
        self._engine: EngineProcess | None = None
        self._known: tuple[list[tuple[int, int]], list[int]] | None = None
        """The start position and the moves that the engine has received; None if it needs the whole game."""
        self._time: TimeSettings | None = None
        """The time settings that the engine has received in this game."""
        self._one_stone = False
        """Whether byo-yomi is sent as periods with one stone each."""
        with contextlib.ExitStack() as failed:
            failed.callback(self.close)
            engine = self._start()
            self._check_game(engine)
            self._check_board(engine)
            failed.pop_all()

    def warm_up(self, game: Game) -> None:
        """Start the engine if necessary, and send it the game; errors are raised by `choose`."""
        with contextlib.suppress(EngineError):
            self.follow(game)

    def choose(self, game: Game, clock: Clock = UNLIMITED) -> int:
        """Return the engine's move; the caller must check that it is legal."""
        engine = self.follow(game)
        seconds = self._send_time(engine, game.to_move, clock)
        answer = self._ask(engine, f"genmove {_LETTERS[game.to_move]}", seconds)
        if answer.lower() == "resign":
            return RESIGN
        try:
            move = point_named(answer, game.size)
        except NobiError:
            self._stop()
            raise EngineError("garbage", f"answered 'genmove' with {answer[:60]!r}") from None
        if self._known:
            self._known[1].append(move)
        return move

    def final_score(self, game: Game) -> str:
        """Return the engine's result of this position: `B+3.5`, `W+0.5` or `0`."""
        return self._ask(self.follow(game), "final_score")

    def follow(self, game: Game) -> EngineProcess:
        """Send the engine this position: only the new moves if it has received the others."""
        start, moves = game.start, list(game.moves)
        first = game.to_move if len(moves) % 2 == 0 else int(enemy_of(game.to_move))
        engine = self._engine or self._restart()
        known = self._known
        if known is None or known[0] != start or moves[: len(known[1])] != known[1]:
            self._begin(engine, game, start, first)
            known = (start, [])
        for i in range(len(known[1]), len(moves)):
            colour = first if i % 2 == 0 else int(enemy_of(first))
            self._ask(engine, f"play {_LETTERS[colour]} {vertex_name(moves[i], game.size)}")
        self._known = (start, moves)
        return engine

    def close(self) -> None:
        """End the engine; a game in another thread does not restart it."""
        with self._lock:
            self._closed = True
        engine = self._detach()
        if engine:
            engine.close()

    def _start(self) -> EngineProcess:
        with self._lock:
            if self._closed:
                raise EngineError("crash", "was closed")
            engine = self._engine = EngineProcess(self.command, self._seconds)
        engine.check_protocol()
        return engine

    def _restart(self) -> EngineProcess:
        try:
            return self._start()
        except NobiError as error:
            self._stop()
            raise EngineError("crash", f"could not be started again: {phrase(error)}") from None

    def _detach(self) -> EngineProcess | None:
        """Detach and return the engine process."""
        with self._lock:
            engine, self._engine, self._known = self._engine, None, None
        return engine

    def _stop(self) -> None:
        """Kill an engine that failed; the next move restarts it."""
        engine = self._detach()
        if engine:
            engine.kill()

    def _send_time(self, engine: EngineProcess, colour: int, clock: Clock) -> float | None:
        """Send the engine its remaining time; return how long to wait for its move, None for the default."""
        control = clock.control
        if control is None or control.settings.system == "none":
            if clock.seconds is None:
                return None
            self._send_time_settings(engine, TimeSettings("byoyomi", 0.0, clock.seconds, 1))
            return clock.seconds + _GRACE_SECONDS
        self._send_time_settings(engine, control.settings)
        left = control.left[colour]
        count = min(left.count, 1) if self._one_stone else left.count
        self._ask(engine, f"time_left {_LETTERS[colour]} {int(left.seconds)} {count}", may_refuse=True)
        most = control.most(colour)
        return None if most is None else most + _CLOCK_GRACE_SECONDS

    def _send_time_settings(self, engine: EngineProcess, settings: TimeSettings) -> None:
        """Send the engine the time settings, once per game.

        GTP 2 has no byo-yomi with several periods. An engine without KGS's extension receives periods with one stone
        each.
        """
        if settings == self._time:
            return
        self._time = settings
        self._one_stone = False
        main, period = (max(1, int(seconds)) if seconds else 0 for seconds in (settings.main, settings.period))
        count = 0 if settings.system == "absolute" else settings.count
        if settings.system == "byoyomi":
            if count > 1 and self._knows(engine, "kgs-time_settings"):
                arguments = f"{settings.main:g} {settings.period:g} {count}"
                self._ask(engine, f"kgs-time_settings byoyomi {arguments}", may_refuse=True)
                return
            self._one_stone = True
            count = 1
        self._ask(engine, f"time_settings {main} {period} {count}", may_refuse=True)

    def _begin(self, engine: EngineProcess, game: Game, start: list[tuple[int, int]], first: int) -> None:
        self._time = None
        self._send_board(engine, game)
        if self.seed is not None and self._knows(engine, "set_random_seed"):  # as in GNU Go
            self._ask(engine, f"set_random_seed {self.seed}", may_refuse=True)
        initial = type(game)(game.size, game.settings).start  # stones that belong to the start position of the game
        stones = [stone for stone in start if stone not in initial]
        names = [vertex_name(point, game.size) for point, _ in stones]
        placed = [f"{_LETTERS[colour]} {name}" for name, (_, colour) in zip(names, stones, strict=True)]
        if len(stones) > 1 and all(colour == BLACK for _, colour in stones):
            self._ask(engine, f"set_free_handicap {' '.join(names)}")
        elif stones and self._knows(engine, "gogui-setup") and self._knows(engine, "gogui-setup_player"):
            self._ask(engine, f"gogui-setup {' '.join(placed)}")
            self._ask(engine, f"gogui-setup_player {_LETTERS[first]}")
        else:
            for stone in placed:
                self._ask(engine, f"play {stone}")

    def _send_board(self, engine: EngineProcess, game: Game, seconds: float | None = None) -> None:
        """Send the engine the board size and the rules; if it refuses the rules, it may still play, with a note."""
        self._ask(engine, f"boardsize {game.size}", seconds)
        self._ask(engine, "clear_board", seconds)
        if game.name != "go":
            return
        if self._knows(engine, "kata-set-rules"):
            try:
                engine.ask(f"kata-set-rules {rules_json(game.settings)}")
            except EngineError as error:
                if error.kind != "refusal":
                    self._stop()
                    raise
                self.note = f"The engine {self.command!r} plays by its own rules: it {error}."
        self._ask(engine, f"komi {game.settings.komi:.12g}")

    def _check_board(self, engine: EngineProcess) -> None:
        """Reject an engine that cannot play on the board: it would lose every game."""
        game = self.variant.new()
        try:
            self._send_board(engine, game, max(START_SECONDS, self._seconds))
        except EngineError as error:
            where = f"{self.variant} on {game.size}x{game.size}"
            raise NobiError(f"The engine {self.command!r} cannot play {where}: it {error}.") from None

    def _check_game(self, engine: EngineProcess) -> None:
        """Reject an engine that plays another game."""
        game = self.variant.game.name
        if game == "go":
            return
        try:
            plays = engine.ask("gogui-rules_game_id") if self._knows(engine, "gogui-rules_game_id") else "Go"
        except EngineError as error:
            raise NobiError(f"The engine {self.command!r} cannot play {game}: it {error}.") from None
        if plays.lower() != game.replace("-", ""):
            raise NobiError(f"The engine {self.command!r} plays {plays}, not {game}.")

    def _ask(
        self, engine: EngineProcess, command: str, seconds: float | None = None, *, may_refuse: bool = False
    ) -> str:
        try:
            return engine.ask(command, seconds)
        except EngineError as error:
            if error.kind == "refusal" and may_refuse:
                return ""
            self._stop()
            raise

    def _knows(self, engine: EngineProcess, command: str) -> bool:
        """Return whether the engine has this command."""
        return self._ask(engine, f"known_command {command}", may_refuse=True).lower() == "true"


@dataclass(frozen=True)
class GtpSettings:
    """The settings of an engine."""

    command: str = ""
    """The program and its arguments."""


class GtpPlayer(Player):
    """Another GTP engine, `gtp:COMMAND`, as in 'gtp:gnugo --mode gtp'; it plays one game at a time."""

    name = "gtp"
    settings_type = GtpSettings

    def __str__(self) -> str:
        return PREFIX + str(self.settings.command)

    @classmethod
    def parse_settings(cls, spec: str) -> GtpSettings:
        return GtpSettings(spec.partition(":")[2])

    def choose(self, boards: Boards, indices: NDArray[np.int64], streams: Streams, moves: NDArray[np.uint16]) -> None:
        del boards, indices, streams, moves
        raise NobiError(f"The engine {self.settings.command!r} plays one game at a time; use a match.")

    def bot(self, seed: int = 0, game: int = 0) -> GtpBot:
        bot = GtpBot(self.settings.command, self.variant)
        bot.seed = engine_seed(seed, game)
        return bot
