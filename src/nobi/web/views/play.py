"""The Play view."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from html import escape
from typing import Any

from nicegui import events, ui

from nobi.board.stones import BLACK, LARGEST, SMALLEST
from nobi.errors import NobiError
from nobi.web.elements import Board, Graph
from nobi.web.play import PlayState
from nobi.web.session import COLOURS, MOST_BYTES
from nobi.web.setup import GAME_RULES, GAME_TITLES, Setup, handicaps
from nobi.web.views.common import COMPILING, Choice, button, show_errors
from nobi.web.warmup import BackgroundWarmUp, is_compiling

POLL_SECONDS = 0.1
_QUICK_SECONDS = 0.03
_SETTLE_SECONDS = 0.25
_LETTERS = {"black": "b", "white": "w"}
_NOW = ' class="now"'
_PICK = (
    "(e) => { const a = e.target.closest('[data-n]'); if (a && %s) { e.preventDefault(); emit(Number(a.dataset.n)); } }"
)
"""Script that sends the number of the move picked in the list."""


class PlayView:
    """Board, status line, buttons and settings of one game."""

    def __init__(self, state: PlayState, warming: BackgroundWarmUp) -> None:
        self.state = state
        self._warming = warming
        self._awaited = ""  # the chosen game while it is being compiled
        self._seen: tuple[Any, ...] = ()
        self._moving: dict[int, float] = {}
        """Values of sliders that are being moved, by element id."""
        self._filling = False  # whether the program, not the visitor, is setting values
        with ui.element("div").classes("view play"):
            with ui.element("div").classes("stage"):
                self._build_stage()
            with ui.element("div").classes("side"):
                self._build_settings()
                self._build_moves()
        ui.keyboard(on_key=self._key)
        self.refresh()
        ui.timer(POLL_SECONDS, self._tick)

    # --- building -----------------------------------------------------------------------------------------------------

    def _build_stage(self) -> None:
        with ui.element("div").classes("frame"):
            self.board = Board(status="hover")
            self.board.on_play(self._play)
        with ui.element("div").classes("under"):
            with ui.element("div").classes("sentence"):
                self.words = ui.label().classes("words").props("aria-live=polite")
                ui.label().classes("hover")
            with ui.element("div").classes("players"):
                self.players = {letter: ui.html(sanitize=False) for letter in "bw"}
            with ui.element("div").classes("actions"):
                button("Undo", self._guarded(self.state.undo), icon="undo")
                self.pass_button = button("Pass", self._guarded(self.state.pass_turn), icon="skip_next")
                self.hint_button = button("Hint", self._guarded(self.state.ask_hint), icon="lightbulb_outline")
                self.now_button = button("Move now", self.state.move_now)
                self.retry_button = button("Try again", self._guarded(self.state.retry))
                ui.element("div").classes("grow")
                self.back_button = button("", self._guarded(self.state.back), icon="history", style="quiet")
                self.resign_button = button("Resign", self._ask_resign, style="quiet")
                button("New game", self._new, style="strong")

    def _build_settings(self) -> None:
        with ui.element("div").classes("card"):
            self.game = Choice(GAME_TITLES, "atari-go", self._change_game, "game")
            self.rules = ui.label().classes("hinted").style("margin:8px 0 4px")
            with self._row("Board"):
                self.size = ui.slider(min=SMALLEST, max=LARGEST, step=1).props('aria-label="board size"')
                self.size.on("change", lambda event: self._settle(self.size, event.args, self._change_size))
                self.size_text = ui.label().style("width:48px;text-align:right")
                self.size.on_value_change(lambda event: self.size_text.set_text(f"{event.value}×{event.value}"))
            with self._row("Opponent"):
                self.opponent = ui.select([], on_change=self._change_opponent)
                self.opponent.props('dense outlined options-dense aria-label="opponent"')
            with self._row("Strength") as self.strength_row:
                self.strength = ui.slider(min=0, max=5, step=1).props('snap markers aria-label="strength"')
                self.strength.on("change", lambda event: self._settle(self.strength, event.args, self._change_strength))
            self.strength_text = ui.label().classes("hinted").style("margin:2px 0 8px 88px")
            with self._row("You play"):
                self.colour = Choice(
                    {"black": "Black", "white": "White"}, "black", lambda key: self._new(colour=key), "your colour"
                )
            with self._row("Komi") as self.komi_row:
                self.komi = ui.number(step=0.5, format="%.1f").props('dense outlined aria-label="komi"')
                self.komi.on("change", lambda: self._new(komi=self.komi.value))
            with self._row("Handicap") as self.handicap_row:
                self.handicap = ui.select({0: "none"}, on_change=self._change_handicap)
                self.handicap.props('dense outlined options-dense aria-label="handicap stones"')
            with ui.element("div").classes("apart"):
                self.overlay = Choice(
                    {"": "Board only", "preferences": "Preferences", "ownership": "Territory"},
                    "",
                    self._set_overlay,
                    "what the board shows",
                )
            self.explanation = ui.label().classes("hinted").style("margin-top:6px")

    def _build_moves(self) -> None:
        with ui.element("div").classes("card"):
            self.graph = Graph()
            self.graph.on_jump(lambda ply: self._jump(ply))
            with ui.element("div").classes("actions steps") as self.steps:
                for text, icon, step in (("First", "first_page", -(10**6)), ("Previous", "chevron_left", -1),
                                         ("Next", "chevron_right", 1), ("Last", "last_page", 10**6)):  # fmt: skip
                    action = self._guarded(lambda step=step: self._jump(self.state.session.shown + step))
                    button("", action, icon=icon, style="quiet").props(f'aria-label="{text}"').tooltip(text)
            # one element for all moves: an element for each would cost more than the opponent's move
            self.moves = ui.html("", sanitize=False).classes("moves")
            for event, condition in (("click", "true"), ("keydown", "['Enter', ' '].includes(e.key)")):
                self.moves.on(event, lambda found: self._jump_to(found.args), js_handler=_PICK % condition)
            with ui.element("div").classes("actions files"):
                button("Save SGF", self._save, icon="download")
                button("Open SGF", lambda: self.upload.run_method("pickFiles"), icon="upload")
            self.upload = ui.upload(
                auto_upload=True, max_file_size=MOST_BYTES, on_upload=self._open, on_rejected=self._rejected
            )
            self.upload.props("accept=.sgf").style("display:none")

    def _row(self, name: str) -> ui.element:
        row = ui.element("div").classes("line")
        with row:
            ui.label(name).classes("name")
        return row

    # --- what the visitor does ----------------------------------------------------------------------------------------

    def _guarded(self, action: Any) -> Any:
        def run() -> None:
            with show_errors():
                action()
            self.refresh()

        return run

    def _play(self, cell: Any) -> None:
        before, refusal = self.state.version, ""
        try:
            self.state.play_cell(cell)
        except NobiError as error:
            refusal = str(error)
        if self.state.version == before:
            self.board.refuse()
        self.refresh()
        if refusal:
            self.words.set_text(refusal)
        if self.state.busy:  # a fast opponent need not wait for the next tick
            ui.timer(_QUICK_SECONDS, self._tick, once=True)

    def _change_game(self, game: str) -> None:
        """Start a game; one that is not compiled yet starts after compilation."""
        self._awaited = game
        self._warming.prefer(game)
        self._begin_awaited()

    def _begin_awaited(self) -> None:
        if self._awaited and self._warming.is_ready([self._awaited]):
            game, self._awaited = self._awaited, ""
            self._new(game=game)

    def _new(self, **settings: Any) -> None:
        state = self.state
        old = state.session.setup
        with show_errors():
            if settings.get("game", old.game) != old.game:
                settings.setdefault("opponent", state.catalogue.first_for(settings["game"], old.size))
                settings.setdefault("strength", 0)
            setup = replace(old, **{key: value for key, value in settings.items() if key != "size"})
            state.new_game(setup.with_size(settings.get("size", old.size)))
        self.refresh()

    def _change_opponent(self, event: events.ValueChangeEventArguments[Any]) -> None:
        if self._filling or event.value is None:
            return
        with show_errors():
            chosen = self.state.catalogue[str(event.value)]
            strength = 1 if chosen.kind == "search" else 0
            self.state.change(opponent=chosen.id, strength=strength)
        self._seen = ()
        self.refresh()

    def _settle(self, slider: ui.slider, value: Any, action: Callable[[int], None]) -> None:
        """Apply the value of a slider after it has stopped moving; until then do not change the slider."""
        if not isinstance(value, int | float):
            return
        self._moving[slider.id] = value

        def take() -> None:
            if self._moving.get(slider.id) == value:
                del self._moving[slider.id]
                action(int(value))

        ui.timer(_SETTLE_SECONDS, take, once=True)

    def _change_size(self, size: int) -> None:
        if size != self.state.session.size:
            self._new(size=size)

    def _change_strength(self, strength: int) -> None:
        with show_errors():
            self.state.change(strength=strength)
        self.refresh()

    def _change_handicap(self, event: events.ValueChangeEventArguments[Any]) -> None:
        if not self._filling and event.value is not None:
            stones = int(event.value)
            self._new(handicap=stones, komi=0.5 if stones else 7.5)

    def _set_overlay(self, key: str) -> None:
        with show_errors():
            self.state.set_overlay("" if key == self.state.overlay else key)
        self.refresh()

    def _jump(self, ply: int) -> None:
        self.state.show(ply)
        self.refresh()

    def _jump_to(self, number: Any) -> None:
        """Handle a click on the list of moves; the value comes from the browser and is checked."""
        if isinstance(number, int) and not isinstance(number, bool):
            self._jump(number)

    def _ask_resign(self) -> None:
        with ui.dialog() as dialog, ui.element("div").classes("card"):
            ui.label("Resign this game?").style("font-weight:600")

            def resign() -> None:
                dialog.close()
                self._guarded(self.state.resign)()

            with ui.element("div").classes("actions"):
                button("Resign", resign, style="strong")
                button("Keep playing", dialog.close)
        dialog.open()

    def _save(self) -> None:
        session, title = self.state.session, self.state.opponent.title
        black, white = ("You", title) if session.setup.human == BLACK else (title, "You")
        ui.download.content(session.sgf(black, white), f"{session.setup.game}.sgf", "application/x-go-sgf")

    async def _open(self, event: events.UploadEventArguments) -> None:
        self.upload.reset()
        with show_errors():
            if event.file.size() > MOST_BYTES:
                raise NobiError("SGF files can be up to 1 MB.")
            content = await event.file.read()
            while not self._warming.is_ready():
                await asyncio.sleep(0.1)
            self.state.open_sgf(content)
        self.refresh()

    def _rejected(self) -> None:
        ui.notify("Choose an SGF file of up to 1 MB.", position="bottom")

    def _key(self, event: events.KeyEventArguments) -> None:
        if not event.action.keydown or event.modifiers.ctrl or event.modifiers.meta or event.modifiers.alt:
            return
        name, shown = str(event.key.name), self.state.session.shown
        actions = {
            "u": self.state.undo,
            "p": self.state.pass_turn,
            "h": self.state.ask_hint,
            "ArrowLeft": lambda: self._jump(shown - 1),
            "ArrowRight": lambda: self._jump(shown + 1),
            "Home": lambda: self._jump(0),
            "End": lambda: self._jump(10**6),
            "v": lambda: self._set_overlay("preferences"),
            "o": lambda: self._set_overlay("ownership"),
        }
        key = name.lower() if len(name) == 1 else name
        if key in actions:
            self._guarded(actions[key])()
        elif key == "n":
            self._new()
        elif key == "r":
            self._ask_resign()
        elif key in "123456789" and self.state.evaluation:
            best = self.state.evaluation.best
            if int(key) <= len(best):
                self._guarded(lambda: self.state.play(best[int(key) - 1].move))()

    # --- showing ------------------------------------------------------------------------------------------------------

    def _tick(self) -> None:
        self.state.poll()
        self._begin_awaited()
        self.refresh()

    def refresh(self) -> None:
        """Show changes."""
        state = self.state
        compiling = bool(self._awaited) or (is_compiling() and (state.busy or state.looking))
        now = (state.version, state.busy, state.looking, state.search_progress, compiling)
        if now == self._seen:
            return
        only_progress = bool(self._seen) and now[:1] == self._seen[:1]
        self._seen = now
        self.words.set_text(COMPILING if compiling else self._sentence())
        self.now_button.set_visibility(state.busy and state.opponent.kind in ("search", "model"))
        self.hint_button.props(f"loading={'true' if state.looking and not state.overlay else 'false'}")
        if only_progress:
            return
        self._show_board()
        self._show_players()
        self._show_settings()
        self._show_moves()

    def _sentence(self) -> str:
        state, session = self.state, self.state.session
        if state.failed:
            return state.failed
        if not session.at_end:
            return f"After move {session.shown} of {len(session.game.moves)}."
        if state.busy:
            if session.is_over:
                return "Counting the board."
            words = f"{state.opponent.title} is thinking"
            if state.search_progress:
                words += f" · {state.search_progress.playouts:,} playouts · {state.search_progress.seconds:.1f} s"
            return words + "."
        if session.result:
            return session.result.sentence
        if state.message:
            return state.message
        if not session.game.moves:
            return "Your move. Click a point." if session.human_to_move else ""
        return f"Your move ({COLOURS[session.setup.human]})."

    def _show_board(self) -> None:
        state, session = self.state, self.state.session
        game = session.position()
        result = session.result if session.at_end else None
        owned: list[float] = []
        if result and result.owners:
            owned = [1.0 if owner == BLACK else -1.0 if owner else 0.0 for owner in result.owners]
        elif state.owned:
            owned = list(state.owned)
        to_move = COLOURS[game.to_move]
        title = GAME_TITLES[session.setup.game]
        status = "game over" if session.is_over and session.at_end else f"{to_move} to move"
        self.board.show(
            size=session.size,
            stones=session.stones(),
            last=session.last_cell(),
            turn=to_move[0].lower(),
            live=state.human_may_play and not (session.is_over and session.at_end),
            forbidden=session.forbidden(),
            policy=list(state.evaluation.shares) if state.evaluation and state.overlay == "preferences" else [],
            ownership=owned,
            dead=list(result.dead) if result else [],
            hint=state.hint,
            label=f"{title} board {session.size}×{session.size}, {status}",
        )
        self.words.classes(add="over" if result else None, remove=None if result else "over")

    def _show_players(self) -> None:
        state, session = self.state, self.state.session
        taken = dict(zip("bw", session.captured(), strict=True))
        for letter, label in self.players.items():
            human = _LETTERS[session.setup.colour] == letter
            name = "You" if human else escape(state.opponent.title)
            pulse = " class=pulse" if state.busy and not human and not session.is_over else ""
            captured = f" · {taken[letter]} captured" if taken[letter] else ""
            label.set_content(f'<span class="dot {letter}"></span><b{pulse}>{name}</b>{captured}')

    def _show_settings(self) -> None:
        state, setup = self.state, self.state.session.setup
        opponent = state.opponent
        self._filling = True
        try:
            self.game.set(setup.game)
            self.rules.set_text(GAME_RULES[setup.game])
            if self.size.id not in self._moving:
                self.size.set_value(setup.size)
            options = {
                one.id: one.title + (f" ({one.only_size}×{one.only_size})" if one.only_size else "")
                for one in state.catalogue.for_game(setup.game)
            }
            self.opponent.set_options(options, value=setup.opponent)
            self.strength_row.set_visibility(bool(opponent.steps))
            if opponent.steps:
                self.strength.props(f"max={len(opponent.steps) - 1}")
                step = min(setup.strength, len(opponent.steps) - 1)
                if self.strength.id not in self._moving:
                    self.strength.set_value(step)
                self.strength_text.set_text(
                    f"{opponent.steps[step]}: {opponent.step_detail(setup.game, setup.size, step)}"
                )
            else:
                self.strength_text.set_text(opponent.note)
            self.colour.set(setup.colour)
            self.komi_row.set_visibility(setup.game == "go")
            self.handicap_row.set_visibility(setup.game == "go" and bool(handicaps(setup.size)))
            self.komi.set_value(setup.komi)
            stones = {0: "none"} | {count: f"{count} stones" for count in handicaps(setup.size)}
            self.handicap.set_options(stones, value=setup.handicap)
            self.overlay.set(state.overlay)
            self.overlay.offer("ownership", setup.game == "go")
        finally:
            self._filling = False
        self.pass_button.set_visibility(setup.game == "go")
        self.retry_button.set_visibility(bool(state.failed))
        self.resign_button.set_visibility(not state.session.is_over)
        self.back_button.set_visibility(state.previous is not None)
        if state.previous is not None:
            before = Setup.from_plain(state.previous["setup"]).title
            self.back_button.set_text(f"Back to {before}")
        self.explanation.set_text(self._explanation())

    def _explanation(self) -> str:
        state = self.state
        if state.looking and state.overlay and not state.evaluation and not state.owned:
            return "Evaluating the position. The first time this takes up to a minute."
        if state.overlay == "ownership":
            return "Squares show the probable owner of each point. A stone with a square is probably dead."
        if state.overlay != "preferences" or not state.evaluation:
            return ""
        what = {
            "probability": f"The probability that {state.opponent.title} plays each point, in percent.",
            "preference": f"How much {state.opponent.title} prefers each point, in percent.",
            "playouts": "The share of the playouts of a short search, in percent.",
        }[state.evaluation.measure]
        return f"{what} {state.evaluation.sentence}".strip()

    def _show_moves(self) -> None:
        session = self.state.session
        names = session.move_names()
        self.graph.show_game(session.black_chance, len(names), session.shown, session.black_score)
        self.graph.set_visibility(bool(session.black_chance or session.black_score))
        for element in (self.steps, self.moves):
            element.set_visibility(bool(names))
        self.moves.set_content(
            "".join(
                f'<a data-n="{number}" tabindex="0" role="button"{_NOW * (number == session.shown)}>'
                f"<i>{number}</i>{name}</a>"
                for number, name in enumerate(names, 1)
            )
        )
