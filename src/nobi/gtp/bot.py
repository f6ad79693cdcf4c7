"""Another program as a player: the word `gtp:COMMAND`."""

from nobi.board.stones import BLACK, WHITE
from nobi.board.vertices import point_named, vertex_name
from nobi.errors import NobiError
from nobi.games.base import Game, Variant
from nobi.gtp.client import EngineError, EngineProcess, start_engine
from nobi.gtp.rulesets import as_json
from nobi.players.bot import RESIGN, Bot, Clock

PREFIX = "gtp:"
_LETTERS = {BLACK: "b", WHITE: "w"}
_EXTRA_SECONDS = 10.0
"""A move with a time limit may come so much later before the engine counts as hanging."""


class GtpBot(Bot):
    """Plays the moves of an engine, which is told of the game as it goes on.

    What the engine does wrong is an `EngineError`; at the next move it is started anew.
    """

    def __init__(self, command: str, variant: Variant, seconds: float = 60.0) -> None:
        """`seconds` is how long it may take for an answer."""
        self.name = PREFIX + command
        self.command = command
        self.variant = variant
        self._seconds = seconds
        self._engine: EngineProcess | None = start_engine(command, seconds)
        self._told: tuple[list[tuple[int, int]], list[int]] | None = None
        """The start position and the moves that the engine knows of; None if it is to be told from the beginning."""
        self._check_game()

    def choose(self, game: Game, clock: Clock) -> int:
        """The engine's move. An illegal one is returned as it is: the caller knows the rules."""
        engine = self.follow(game)
        colour = _LETTERS[game.to_move]
        seconds = None
        if clock.seconds is not None:
            self._ask(engine, f"time_settings 0 {max(1, round(clock.seconds))} 1", may_refuse=True)
            seconds = clock.seconds + _EXTRA_SECONDS
        answer = self._ask(engine, f"genmove {colour}", seconds)
        if answer.lower() == "resign":
            return RESIGN
        try:
            move = point_named(answer, game.size)
        except NobiError:
            self._fail()
            raise EngineError("garbage", f"answered 'genmove' with {answer[:60]!r}") from None
        if self._told:
            self._told[1].append(move)
        return move

    def final_score(self, game: Game) -> str:
        """What the engine says of the result of this position: `B+3.5`, `W+0.5` or `0`."""
        return self._ask(self.follow(game), "final_score")

    def follow(self, game: Game) -> EngineProcess:
        """Makes the engine know this position: of the game that it knows, only the new moves are told."""
        start, moves = game.start, list(game.moves)
        engine = self._engine
        if engine is None:
            try:
                engine = self._engine = start_engine(self.command, self._seconds)
            except NobiError as fault:
                raise EngineError("crash", f"could not be started again: {fault}") from None
        known = self._told
        if known is None or known[0] != start or moves[: len(known[1])] != known[1]:
            self._begin(engine, game, start)
            known = (start, [])
        first = game.to_move if len(moves) % 2 == 0 else BLACK + WHITE - game.to_move
        for i in range(len(known[1]), len(moves)):
            colour = first if i % 2 == 0 else BLACK + WHITE - first
            self._ask(engine, f"play {_LETTERS[colour]} {vertex_name(moves[i], game.size)}")
        self._told = (start, moves)
        return engine

    def close(self) -> None:
        """Ends the engine."""
        engine, self._engine, self._told = self._engine, None, None
        if engine:
            engine.close()

    def _begin(self, engine: EngineProcess, game: Game, start: list[tuple[int, int]]) -> None:
        self._ask(engine, f"boardsize {game.size}")
        self._ask(engine, "clear_board")
        if game.name == "go":
            if engine.knows("kata-set-rules"):
                self._ask(engine, f"kata-set-rules {as_json(game.settings)}", may_refuse=True)
            self._ask(engine, f"komi {game.settings.komi:g}")
        plain = type(game)(game.size, game.settings).start
        stones = [stone for stone in start if stone not in plain]  # a game may begin with stones of its own
        names = [vertex_name(point, game.size) for point, _ in stones]
        if len(stones) > 1 and all(colour == BLACK for _, colour in stones):
            self._ask(engine, f"set_free_handicap {' '.join(names)}")
        else:
            for name, (_, colour) in zip(names, stones, strict=True):
                self._ask(engine, f"play {_LETTERS[colour]} {name}")

    def _check_game(self) -> None:
        """Refuses an engine that plays another game."""
        game = self.variant.game.name
        engine = self._engine
        if engine is None or game == "go":
            return
        try:
            plays = engine.ask("gogui-rules_game_id") if engine.knows("gogui-rules_game_id") else "Go"
        except EngineError as fault:
            plays = f"nothing: it {fault}"
        if plays.lower() != game.replace("-", ""):
            self.close()
            raise NobiError(f"The engine {self.command!r} plays {plays}, not {game}.")

    def _ask(
        self, engine: EngineProcess, command: str, seconds: float | None = None, *, may_refuse: bool = False
    ) -> str:
        try:
            return engine.ask(command, seconds)
        except EngineError as fault:
            if fault.kind == "refusal" and may_refuse:
                return ""
            self._fail()
            raise

    def _fail(self) -> None:
        """Ends an engine that went wrong; the next move starts another."""
        engine, self._engine, self._told = self._engine, None, None
        if engine:
            engine.kill()
