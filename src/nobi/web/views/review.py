"""The review panel of the Explore view."""

from functools import partial
from typing import Any

from nicegui import events, ui

from nobi.board.stones import BLACK
from nobi.errors import NobiError
from nobi.web.elements import Board, Graph
from nobi.web.play import PlayState
from nobi.web.results import Figure, study_results
from nobi.web.reviewing import PLAYOUTS, ReviewState
from nobi.web.session import COLOURS, MOST_BYTES, stones_of
from nobi.web.views.common import button, show_errors


def _recorded_games() -> list[Figure]:
    """Return the game records of the studies."""
    return [figure for result in study_results().values() for figure in result.figures if figure.is_game]


class ReviewPanel:
    """Board with the evaluation of every move, graph, agreement and largest losses."""

    def __init__(self, state: ReviewState, play_state: PlayState) -> None:
        self.state = state
        self.play_state = play_state
        self._seen: tuple[Any, ...] = ()
        self._filling = False
        ui.label("Review a game").classes("title")
        ui.label(
            "Open a game record (SGF) and see how a network evaluates every move: which move it would have played, how "
            "the chance to win changes, and which moves lost the most."
        ).classes("lead")
        self.upload = ui.upload(
            auto_upload=True, max_file_size=MOST_BYTES, on_upload=self._opened, on_rejected=self._rejected
        )
        self.upload.props("accept=.sgf").classes("hidden-upload")
        with ui.element("div").classes("tools"):
            button("Open SGF", lambda: self.upload.run_method("pickFiles"), icon="upload").classes("open-sgf")
            self.mine = button("Take my game", self._take_mine, icon="history")
            self.tools = ui.element("div").classes("tools")
            with self.tools:
                self.reviewer = ui.select({}, on_change=self._choose).props(
                    'dense outlined options-dense aria-label="reviewer"'
                )
                self.playouts = ui.select(PLAYOUTS, value=state.playouts, on_change=self._choose)
                self.playouts.props('dense outlined options-dense aria-label="playouts"')
                self.start = button("Review", self._start, icon="play_arrow", style="strong")
                self.stop = button("Stop", state.stop, icon="stop")
                self.save = button("Save with comments", self._save, icon="download")
        with ui.element("div").classes("drop") as self.drop:
            ui.icon("upload_file")
            ui.label("Drop an SGF file anywhere on this page, or open one with the button above.")
            self._example = next((one.file for one in _recorded_games()), None)
            if self._example:
                with ui.element("div").classes("actions"):
                    button("Take an example", self._take_example, icon="auto_stories")
        self.failed = ui.label().classes("failed")
        self.bar = ui.linear_progress(0, show_value=False, size="6px").props("rounded instant-feedback")
        with ui.element("div").classes("review") as self.body:
            with ui.element("div"):
                self.board = Board(label="the game")
                self.sentence = (
                    ui.label().classes("words").style("margin-top:12px;min-height:44px").props("aria-live=polite")
                )
                with ui.element("div").classes("actions"):
                    for text, icon, step in (("First", "first_page", -(10**6)), ("Previous", "chevron_left", -1),
                                             ("Next", "chevron_right", 1), ("Last", "last_page", 10**6)):  # fmt: skip
                        made = button("", partial(self._step, step), icon=icon, style="quiet")
                        made.props(f'aria-label="{text}"').tooltip(text)
            with ui.element("div").classes("side"):
                with ui.element("div").classes("card"):
                    self.names = ui.label().classes("heading")
                    self.graph = Graph()
                    self.graph.on_jump(self._jump)
                    self.agreement = ui.element("div")
                with ui.element("div").classes("card") as self.losses_card:
                    ui.label("Five largest losses").classes("heading")
                    self.losses = ui.element("div").classes("blunders")
                    self.losses_text = ui.label().classes("hinted")
        ui.keyboard(on_key=self._key)
        self.tick()

    # --- what the visitor does ----------------------------------------------------------------------------------------

    async def _opened(self, event: events.UploadEventArguments) -> None:
        self.upload.reset()
        with show_errors():
            if event.file.size() > MOST_BYTES:
                raise NobiError("SGF files can be up to 1 MB.")
            self.state.open(await event.file.read())
        self.tick()

    def _take_mine(self) -> None:
        session, title = self.play_state.session, self.play_state.opponent.title
        with show_errors():
            if not session.game.moves:
                raise NobiError("You have not played a move yet.")
            black, white = ("You", title) if session.setup.human == BLACK else (title, "You")
            self.state.open(session.sgf(black, white))
        self.tick()

    def _take_example(self) -> None:
        if self._example:
            with show_errors():
                self.state.open(self._example.read_bytes())
        self.tick()

    def _rejected(self) -> None:
        ui.notify("Choose an SGF file of up to 1 MB.", position="bottom")

    def _choose(self) -> None:
        if not self._filling:
            with show_errors():
                self.state.choose(str(self.reviewer.value), int(self.playouts.value))

    def _start(self) -> None:
        with show_errors():
            self.state.start()
        self.tick()

    def _save(self) -> None:
        with show_errors():
            ui.download.content(self.state.annotated(), "review.sgf", "application/x-go-sgf")

    def _step(self, step: int) -> None:
        if self.state.session:
            self._jump(self.state.session.shown + step)

    def _jump(self, ply: int) -> None:
        self.state.show(ply)
        self.tick()

    def _key(self, event: events.KeyEventArguments) -> None:
        if event.action.keydown and not (event.modifiers.ctrl or event.modifiers.alt or event.modifiers.meta):
            steps = {"ArrowLeft": -1, "ArrowRight": 1, "Home": -(10**6), "End": 10**6}
            if str(event.key.name) in steps:
                self._step(steps[str(event.key.name)])

    # --- showing ------------------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Show changes."""
        state = self.state
        state.poll()
        now = (state.version, state.busy, state.failed)
        if now == self._seen:
            return
        self._seen = now
        session, review = state.session, state.review
        self.body.set_visibility(session is not None)
        self.tools.set_visibility(session is not None)
        self.drop.set_visibility(session is None)
        self.mine.set_visibility(session is None)
        self.failed.set_text(state.failed)
        self.failed.set_visibility(bool(state.failed))
        self.bar.set_visibility(state.busy)
        self.bar.set_value(round(state.progress, 3))
        if session is None or review is None:
            return
        self._filling = True
        self.reviewer.set_options(state.reviewers(), value=state.reviewer)
        self._filling = False
        self.start.set_visibility(not state.busy)
        self.stop.set_visibility(state.busy)
        self.save.set_visibility(bool(review.moves) and not state.busy)
        self._show_board()
        self._show_numbers()

    def _show_board(self) -> None:
        state, session, review = self.state, self.state.session, self.state.review
        assert session is not None  # noqa: S101
        assert review is not None  # noqa: S101
        number = session.shown + 1
        total = len(session.game.moves)
        position = session.position()
        one = state.move_at(number)
        evaluation = review.evaluations[number - 1] if one and number <= len(review.evaluations) else None
        turn = "b" if position.to_move == BLACK else "w"
        loss = None
        if number <= total:
            text = f"−{one.loss:.1f}" if one and one.loss is not None and one.loss >= 0.05 else ""
            kind = one.judgement if one and one.judgement else "good"
            loss = {"cell": state.cell_of_move(number), "colour": turn, "text": text, "kind": kind}
        self.board.show(
            size=session.size,
            stones=stones_of(position),
            last=session.last_cell(),
            turn=turn,
            policy=list(evaluation.shares) if evaluation else [],
            loss=loss,
            label=f"{session.setup.title}, before move {number} of {total}",
        )
        self.sentence.set_text(self._sentence(number, total))

    def _sentence(self, number: int, total: int) -> str:
        state, review = self.state, self.state.review
        assert review is not None  # noqa: S101
        if number > total:
            return f"The end of the game, after {total} moves."
        one = state.move_at(number)
        colour = COLOURS[state.session.position().to_move] if state.session else ""
        if one is None:
            waiting = "Not reviewed yet." if state.busy else "Press 'Review' to evaluate all moves."
            return f"Move {number} of {total}, {colour}. {waiting}"
        played = f"Move {number}: {one.colour} plays {one.move}"
        if one.rank == 1:
            text = f"{played}, the choice of {review.reviewer}."
        elif one.best:
            place = f"; {one.move} is its choice number {one.rank}" if one.rank else ""
            text = f"{played}. {review.reviewer} would play {one.best}{place}."
        else:
            text = f"{played}."
        if one.loss is not None and one.loss >= 0.05:
            of = "of the chance to win" if review.loss_measure == "chance to win" else "of preference"
            judgement = {"good": "", "doubtful": " A doubtful move.", "mistake": " A mistake."}[one.judgement]
            text += f" It loses {one.loss:.1f} percentage points {of}.{judgement}"
        return text

    def _show_numbers(self) -> None:
        session, review = self.state.session, self.state.review
        assert session is not None  # noqa: S101
        assert review is not None  # noqa: S101
        self.names.set_text(f"{review.black} against {review.white}, {review.title}")
        chances, scores = review.chances(), review.scores()
        blunders = review.blunders()
        self.graph.set_visibility(bool(chances or scores))
        self.graph.show_game(chances, review.total, session.shown, scores, [one.number - 1 for one in blunders])
        self.agreement.clear()
        with self.agreement:
            if review.moves:
                ui.label(f"{review.reviewer} would have played").classes("hinted").style("margin-top:10px")
                for name, colour in (("Black", "Black"), ("White", "White"), ("Both", "")):
                    share = review.agreement(colour)
                    if share is not None:
                        with ui.element("div").classes("fact"):
                            ui.label(f"{name}'s moves" if colour else "All moves")
                            ui.label(f"{100 * share:.0f} %").classes("value")
        self.losses_card.set_visibility(bool(blunders))
        unit = "the chance to win" if review.loss_measure == "chance to win" else "preference"
        self.losses_text.set_text(f"In percentage points of {unit}.")
        self.losses.clear()
        with self.losses:
            for one in blunders:
                row = ui.element("button").props("type=button").classes("blunder")
                row.on("click", partial(self._jump, one.number - 1))
                row.classes("on" if session.shown == one.number - 1 else "")
                with row:
                    ui.element("span").classes(f"dot {'b' if one.colour == 'Black' else 'w'}")
                    ui.label(f"{one.number} {one.move}").classes("blunder-move")
                    ui.label(f"better {one.best}").classes("hinted")
                    ui.label(f"−{one.loss:.1f}").classes(f"loss nb-{one.judgement}")
