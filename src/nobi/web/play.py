"""A visitor's game: the session, the opponent's bot and their jobs.

All methods are called from the event loop and return at once; jobs run in threads of `nobi.web.jobs`. `poll` takes
their results. `version` changes whenever the page has something new to show.
"""

import logging
import random
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np

from nobi.board.stones import BLACK, PASS
from nobi.board.text import vertex_name
from nobi.errors import NobiError
from nobi.games.base import Game
from nobi.games.go import Go
from nobi.gtp.client import GtpBot
from nobi.gtp.process import EngineError
from nobi.models.model import Model
from nobi.players.base import RESIGN, Bot, Clock
from nobi.players.mcts import MctsBot
from nobi.players.network import PolicyBot
from nobi.players.scoring import ownership
from nobi.web.evaluation import (
    PositionEvaluation,
    SearchProgress,
    choose_and_evaluate,
    evaluate_by_model,
    evaluate_by_search,
    expected_ownership,
    expected_score,
)
from nobi.web.jobs import WENT_WRONG, Jobs, Priority, QueuedJob
from nobi.web.opponents import Catalogue, Opponent
from nobi.web.session import COLOURS, GameSession, count_board
from nobi.web.setup import Setup

OPENING = 0.06
"""A network samples its first moves: as many as this share of the points of the board."""
_SAMPLED_SHARE = 0.5
"""Only moves whose share is at least this fraction of the best share are sampled."""
_RESIGN_MARGIN = 0.25
"""A network alone resigns Go if it is behind by more than this share of the board …"""
_RESIGN_AFTER = 0.5
"""… and after as many moves as this share of the points."""
_SETTLED = 0.9
"""A network without search passes if the absolute ownership of every empty point exceeds this value."""
_JUDGE_PLAYOUTS = 200

_log = logging.getLogger(__name__)


class PlayState:
    """The state of the Play view: the game of one browser tab."""

    def __init__(
        self, visitor: str, catalogue: Catalogue, jobs: Jobs, session: GameSession | None = None, tab: str = ""
    ) -> None:
        """`visitor` is the id of the browser, to which the limits of `jobs` apply; `tab` is the id of the tab."""
        self.visitor = visitor
        self.tab = tab
        self.catalogue = catalogue
        self._jobs = jobs
        first = Setup()
        first = replace(first, opponent=catalogue.first_for(first.game, first.size))
        self.session = session or GameSession(first)
        self.version = 0
        self.message = ""
        """A message for the visitor, cleared by the next move."""
        self.failed = ""
        """Why the opponent cannot move; empty if it can."""
        self.search_progress: SearchProgress | None = None
        self.overlay = ""
        """`preferences`, `ownership` or empty."""
        self.evaluation: PositionEvaluation | None = None
        self.owned: tuple[float, ...] = ()
        self.hint = -1
        """The cell of the hint, or -1."""
        self.previous: dict[str, Any] | None = None
        """The previous game, as plain data."""
        self._bot: Bot | None = None
        self._bot_key: tuple[Any, ...] = ()
        self._bot_in_use = threading.Lock()
        self._job: QueuedJob | None = None
        self._job_done: Callable[[Any], None] = lambda _: None
        self._look: QueuedJob | None = None
        self._look_done: Callable[[Any], None] = lambda _: None
        self._seed = random.SystemRandom().getrandbits(31)
        self.proceed()

    # --- what the visitor does ----------------------------------------------------------------------------------------

    @property
    def opponent(self) -> Opponent:
        """The visitor's opponent."""
        return self.catalogue[self.session.setup.opponent]

    @property
    def busy(self) -> bool:
        """Whether the opponent is thinking or the board is being counted."""
        return self._job is not None

    @property
    def looking(self) -> bool:
        """Whether a hint or an overlay is being computed."""
        return self._look is not None

    @property
    def human_may_play(self) -> bool:
        """Whether a click on the board plays a stone."""
        session = self.session
        if session.at_end:
            return session.human_to_move and not self.busy
        return bool(session.position().to_move == session.setup.human)

    def new_game(self, setup: Setup) -> None:
        """Start a new game; the current one can be restored."""
        self.previous = self.session.plain() if self.session.game.moves else self.previous
        self._take(GameSession(replace(setup, opponent=self.catalogue.best_for(setup))))

    def back(self) -> None:
        """Restore the previous game."""
        if self.previous is None:
            raise NobiError("There is no previous game.")
        before, self.previous = self.previous, None
        self._take(GameSession.from_plain(before))

    def open_sgf(self, content: bytes) -> None:
        """Show the game of an SGF file from its start."""
        session = GameSession.from_sgf(content, self.session.setup)
        best = self.catalogue.best_for(session.setup)
        session.setup = replace(session.setup, opponent=best)
        session.show(0)
        self.previous = self.session.plain() if self.session.game.moves else self.previous
        self._take(session, proceed=False)
        self.message = f"{session.setup.title}, {len(session.game.moves)} moves. Step through it with ← and →."

    def change(self, **settings: Any) -> None:
        """Change the opponent or the strength during a game."""
        setup = replace(self.session.setup, **settings)
        refusal = self.catalogue[setup.opponent].refusal(setup.game, setup.size)
        if refusal:
            raise NobiError(refusal)
        self._cancel()
        self.session.setup = setup
        self.failed = self.message = ""
        self._changed()
        self.proceed()

    def play_cell(self, cell: Any) -> None:
        """Play the move of a click on the board."""
        self.play(self.session.cell_to_move(cell))

    def play(self, move: int) -> None:
        """Play the visitor's move; in an earlier position it starts a variation."""
        session = self.session
        if session.at_end and not session.is_over and not session.human_to_move:
            raise NobiError(f"Wait for {COLOURS[session.game.to_move]}'s move.")
        if not session.at_end:
            if session.position().to_move != session.setup.human:
                raise NobiError("It is not your turn in this position. Go one move forward or back.")
            self.previous = session.plain()
            self._cancel()
            session.play_from_here()
        session.play(move)
        self.message = ""
        self._changed()
        self.proceed()

    def pass_turn(self) -> None:
        """Pass for the visitor."""
        self.play(PASS)

    def undo(self) -> None:
        """Undo the visitor's latest move."""
        self._cancel()
        try:
            self.session.undo()
        finally:
            self.failed = self.message = ""
            self._changed()
            self.proceed()

    def resign(self) -> None:
        """Resign for the visitor."""
        self._cancel()
        self.session.resign(self.session.setup.human)
        self._changed()

    def show(self, moves: int) -> None:
        """Show the position after this number of moves."""
        self.session.show(moves)
        self.message = ""
        self._changed()

    def move_now(self) -> None:
        """Let the opponent play its best move so far."""
        if self._job:
            self._job.stop.set()

    # --- hints and overlays -------------------------------------------------------------------------------------------

    def ask_hint(self) -> None:
        """Search for a good move in the position shown."""
        game = self._position_to_evaluate()
        file = self.opponent.file if self.opponent.kind == "model" else None

        def work(stop: threading.Event) -> PositionEvaluation:
            return evaluate_by_model(file, game) if file else evaluate_by_search(game, stop)

        def done(evaluation: PositionEvaluation) -> None:
            best = evaluation.best[0] if evaluation.best else None
            if best is None:
                self.message = "There is no move to suggest."
                return
            self.hint = -1 if best.move == PASS else evaluation.shares.index(max(evaluation.shares))
            who = self.opponent.title if file else "A short search"
            self.message = f"{who} would play {best.name}."

        self._start_look(Priority.HINT, work, done)

    def set_overlay(self, overlay: str) -> None:
        """Switch an overlay on, or off if `overlay` is empty."""
        if overlay == "ownership" and self.session.setup.game != "go":
            raise NobiError("Only Go has territory.")
        self.overlay = overlay
        self._changed()

    def _refresh_overlay(self) -> None:
        """Compute the overlay for the position shown."""
        self.evaluation, self.owned, self.hint = None, (), -1
        self._stop_looking()  # it evaluates an earlier position
        if not self.overlay or self.session.position().is_over:
            return
        game, file = self.session.position().copy(), self.opponent.file
        if self.overlay == "ownership":
            self._start_look(Priority.EVALUATION, lambda _: expected_ownership(game), self._take_owned)
        else:
            self._start_look(
                Priority.EVALUATION,
                lambda stop: evaluate_by_model(file, game) if file else evaluate_by_search(game, stop),
                self._take_evaluation,
            )

    def _take_owned(self, owned: tuple[float, ...]) -> None:
        self.owned = owned

    def _take_evaluation(self, evaluation: PositionEvaluation) -> None:
        self.evaluation = evaluation
        if evaluation.black_chance is not None:
            self.session.black_chance.setdefault(self.session.shown, evaluation.black_chance)

    def _position_to_evaluate(self) -> Game:
        game = self.session.position()
        if game.is_over or (self.session.at_end and self.session.is_over):
            raise NobiError("The game is over.")
        return game.copy()

    def _start_look(
        self, priority: Priority, work: Callable[[threading.Event], Any], done: Callable[[Any], None]
    ) -> None:
        self._stop_looking()
        try:
            self._look = self._jobs.submit(self.visitor, priority, work, f"play {self.tab}")
        except NobiError as error:
            self._show_message(str(error))
            return
        self._look_done = done

    def _stop_looking(self) -> None:
        if self._look:
            self._look.cancel()
            self._look = None

    # --- the opponent -------------------------------------------------------------------------------------------------

    def proceed(self) -> None:
        """Start the next job: the opponent's move, or the count of a finished game."""
        session = self.session
        if self.busy or self.failed:
            return
        if session.needs_counting:
            finished = cast(Go, session.game.copy())
            self._start(lambda _: count_board(finished), self._take_count)
        elif session.at_end and not session.is_over and not session.human_to_move:
            game, opponent, setup = session.game.copy(), self.opponent, session.setup
            self._start(lambda stop: self._choose(game, opponent, setup, stop), self._take_move)

    def retry(self) -> None:
        """Ask the opponent again after a failure."""
        self.failed = ""
        self.proceed()
        self._changed()

    def poll(self) -> None:
        """Take the results of finished jobs."""
        if self._job and self._job.done.is_set():
            job, self._job, self.search_progress = self._job, None, None
            self._finish(job, self._job_done, self._fail)
            self.proceed()
        if self._look and self._look.done.is_set():
            job, self._look = self._look, None
            self._finish(job, self._look_done, self._show_message)

    def close(self) -> None:
        """Close the bot and cancel all jobs."""
        self._cancel()
        self._stop_looking()
        self._drop_bot()

    def _finish(self, job: QueuedJob, done: Callable[[Any], None], failed: Callable[[str], None]) -> None:
        try:
            done(job.take())
        except EngineError as error:
            failed(f"{self.opponent.title} stopped: it {error}.")
        except NobiError as error:
            failed(str(error))
        except Exception:
            _log.exception("a computation for a visitor failed")
            failed(WENT_WRONG)
        self.version += 1

    def _fail(self, sentence: str) -> None:
        self.failed = sentence

    def _show_message(self, sentence: str) -> None:
        self.message = sentence

    def _start(self, work: Callable[[threading.Event], Any], done: Callable[[Any], None]) -> None:
        try:
            self._job = self._jobs.submit(self.visitor, Priority.MOVE, work, f"play {self.tab}")
        except NobiError as error:
            self.failed = str(error)
            return
        self._job_done = done
        self.version += 1

    def _choose(
        self, game: Game, opponent: Opponent, setup: Setup, stop: threading.Event
    ) -> tuple[int, PositionEvaluation | None, float | None]:
        """Return the opponent's move, its evaluation, and the score before the move; runs in a thread."""

        def note(found: SearchProgress) -> None:
            if not stop.is_set():
                self.search_progress = found  # one assignment; the event loop reads it

        score = expected_score(game)
        with self._bot_in_use:  # a cancelled job may still be running
            bot = self._bot_for(opponent, setup)
            if opponent.file and not isinstance(bot, MctsBot):
                move, evaluation = _network_move(bot, opponent.file, game, self._seed)
            else:
                move, evaluation = choose_and_evaluate(bot, game, stop, note)
        return move, evaluation, score

    def _bot_for(self, opponent: Opponent, setup: Setup) -> Bot:
        """Return the bot of this game."""
        key = (opponent.id, setup.strength, setup.game, setup.size, setup.komi)
        if self._bot is None or self._bot_key != key:
            self._drop_bot()
            self._bot = opponent.bot(setup.variant(), setup.strength, self._seed)
            self._bot_key = key
        return self._bot

    def _drop_bot(self) -> None:
        bot, self._bot = self._bot, None
        if bot:
            bot.close()

    def _take_move(self, found: tuple[int, PositionEvaluation | None, float | None]) -> None:
        move, evaluation, score = found
        session = self.session
        if score is not None:
            session.black_score[len(session.game.moves)] = score
        if evaluation and evaluation.black_chance is not None:
            session.black_chance[len(session.game.moves)] = evaluation.black_chance
        mover = session.game.to_move
        if move == RESIGN:
            session.resign(mover)
            return
        try:
            session.play(move)
        except NobiError:
            name = vertex_name(move, session.size)
            raise NobiError(f"{self.opponent.title} chose {name}, which cannot be played.") from None
        if move == PASS and not session.is_over:
            self.message = f"{COLOURS[mover]} passes. Your move; pass too to end the game."
        self._changed()

    def _take_count(self, result: Any) -> None:
        self.session.result = result

    def _cancel(self) -> None:
        """Cancel the job of the opponent. A bot that is still in use is left to its thread and replaced."""
        if self._job:
            job, self._job, self.search_progress = self._job, None, None
            job.cancel()
            bot, self._bot = self._bot, None
            if bot:  # an engine can be closed while it thinks; other bots end soon
                waits = not isinstance(bot, GtpBot)
                threading.Thread(target=_close_bot, args=(job if waits else None, bot), daemon=True).start()

    def _take(self, session: GameSession, *, proceed: bool = True) -> None:
        self._cancel()
        self.session = session
        self._seed = random.SystemRandom().getrandbits(31)
        self.failed = self.message = ""
        self._changed()
        if proceed:
            self.proceed()

    def _changed(self) -> None:
        self.version += 1
        self._refresh_overlay()


def _close_bot(job: QueuedJob | None, bot: Bot) -> None:
    """Close a bot, after the end of its job if one is given."""
    if job:
        job.done.wait()
    bot.close()


def _network_move(bot: Bot, file: Model, game: Game, seed: int) -> tuple[int, PositionEvaluation | None]:
    """Return the move of a network without search: sampled in the opening; in Go it may pass or resign."""
    evaluation = evaluate_by_model(file, game)
    if isinstance(bot, PolicyBot) and len(game.moves) >= _RESIGN_AFTER * game.size**2:
        ending = _pass_or_resign(cast(Go, game))
        if ending is not None:
            return ending, evaluation
    if len(game.moves) < max(2, OPENING * game.size**2) and evaluation.best:
        worth = [one for one in evaluation.best if one.share >= _SAMPLED_SHARE * evaluation.best[0].share]
        chosen = random.Random(f"{seed}/{len(game.moves)}").choices(worth, [one.share for one in worth])[0]  # noqa: S311
        return chosen.move, evaluation
    return bot.choose(game, Clock()), evaluation


def _pass_or_resign(game: Go) -> int | None:
    """RESIGN if the game is clearly lost, PASS if the game is settled, else None."""
    owned = ownership(game, _JUDGE_PLAYOUTS)
    sign = 1 if game.to_move == BLACK else -1
    margin = sign * (float(owned.sum()) - game.settings.komi)
    empty = np.array([game.colour(point) == 0 for point in game.points()]).reshape(game.size, game.size)
    if (np.abs(owned[empty]) > _SETTLED).all():
        return PASS
    return RESIGN if margin < -_RESIGN_MARGIN * game.size**2 else None
