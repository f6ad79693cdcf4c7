"""The Inside view: preferences and sweeps of a network on two boards."""

import asyncio
from functools import partial
from typing import Any

from nicegui import background_tasks, ui

from nobi.board.stones import LARGEST, SMALLEST
from nobi.web.elements import Board, Plot, thumbnail
from nobi.web.inside import RATE_GAMES, InsideState, ShownBoard
from nobi.web.sweeps import SUM_SENTENCE, TWICE_SENTENCE
from nobi.web.views.common import Choice, button, show_errors

_MOST_UNITS = 10
"""Maximum number of units with thumbnails."""
_PAUSE = 0.5
"""Seconds between two sweeps."""


class InsideView:
    """Two boards evaluated with the same weights."""

    def __init__(self, state: InsideState) -> None:
        self.state = state
        self._seen = -1
        self._mode = "preferences"
        self._unit = 0
        self._step = 0
        self._run = 0
        self._playing = False
        self._thumbs: tuple[Any, ...] | None = None
        with ui.element("div").classes("view"):
            if state.model is None:
                self._build_nothing()
                return
            self._build()
        self._measure_small()
        ui.timer(0.1, self._tick)

    def _build_nothing(self) -> None:
        with ui.element("div").classes("nothing"):
            ui.label("There is no network yet.").classes("title")
            ui.label("Start a run in 'Learn', or evolve a network with 'nobi evolve DIR'.")

    def _build(self) -> None:
        state = self.state
        ui.label("The same weights on another board").classes("title")
        ui.label(
            "Click on the first board to place stones. The network evaluates the position on this board and, with the "
            "same weights, on a board of another size. Move the slider to change the size."
        ).classes("lead")
        with ui.element("div").classes("tools"):
            options = state.choices()
            chosen = ui.select(
                options,
                value=state.model.id if state.model else None,
                on_change=lambda event: self._choose(event.value),
            )
            chosen.props('dense outlined options-dense aria-label="network"').style("min-width:200px")
            button("Undo", self._guarded(state.undo), icon="undo")
            button("Clear", self._guarded(state.clear))
            button("Example", self._guarded(state.show_example))
            self._build_controls()
        with ui.element("div").classes("inside-line"):
            self.sentence = ui.label().props("aria-live=polite")
        self.boards: list[Board] = []
        self.titles: list[tuple[Any, ui.label]] = []
        with ui.element("div").classes("inside"):
            with ui.element("div").classes("inside-first"):
                self._build_board(live=True)
                self.strip = ui.html(sanitize=False).classes("strip-box")
            with ui.element("div").classes("inside-second"):
                self._build_board(live=False)
            self._build_slider()
            with ui.element("div").classes("inside-best"):
                self.best = ui.html(sanitize=False)
                with ui.element("div") as self.units_box:
                    ui.label("Every sweep and unit").classes("heading")
                    self.thumbnails = ui.element("div").classes("thumbnails")
                ui.html("", sanitize=False).classes("inside-tip")
        self.boards[0].on_play(self._play)
        for board in self.boards:
            board.on_swept(partial(self._swept, board))
        self._build_cards()

    def _build_board(self, *, live: bool) -> None:
        with ui.element("div").classes("title"):
            title = ui.html(sanitize=False, tag="b")
        with ui.element("div").classes("frame"):
            self.boards.append(Board(status="", live=live, link="inside", tip="inside-tip"))
        self.titles.append((title, ui.label().classes("hinted").style("margin-top:8px")))

    def _build_slider(self) -> None:
        with ui.element("div").classes("sizer"):
            ui.label("Size").classes("hinted")
            slider = ui.slider(min=SMALLEST, max=LARGEST, step=1, value=self.state.second_size)
            slider.props('aria-label="size of the second board"')
            slider.on("update:model-value", lambda event: self._resize(event.args), throttle=0.05)

    def _build_controls(self) -> None:
        self.mode = Choice(
            {"preferences": "Preferences", "sweeps": "Sweeps"}, "preferences", self._set_mode, "what is shown"
        )
        self.controls = ui.element("div").classes("tools tight")
        with self.controls:
            button("", lambda: self._turn(-1), icon="chevron_left", style="quiet").props('aria-label="back"')
            self.run_button = button("Play", self._toggle, icon="play_arrow")
            button("", lambda: self._turn(1), icon="chevron_right", style="quiet").props('aria-label="on"')
            self.units = ui.element("div")

    def _build_cards(self) -> None:
        with ui.element("div").classes("card").style("margin-top:24px"):
            ui.label("Games won against the naive player, by board").classes("heading")
            self.rates = Plot(height=180, y={"low": 0, "high": 1, "scale": 100, "unit": " %"}, label="games won")
            self.measure = button("Measure", self._guarded(self.state.measure), icon="bar_chart")
            self.rates_text = ui.label().classes("hinted")

    # --- what the visitor does ----------------------------------------------------------------------------------------

    def _guarded(self, action: Any) -> Any:
        def run() -> None:
            with show_errors():
                action()

        return run

    def _choose(self, key: Any) -> None:
        with show_errors():
            self.state.choose(str(key))
        self._unit = self._step = 0
        self._measure_small()

    def _measure_small(self) -> None:
        """Measure a fast network at once; others are measured on request."""
        if self.state.is_fast:
            with show_errors():
                self.state.measure()

    def _play(self, cell: Any) -> None:
        before = len(self.state.first.game.moves)
        with show_errors():
            self.state.play_cell(cell)
        if len(self.state.first.game.moves) == before:
            self.boards[0].refuse()

    def _resize(self, value: Any) -> None:
        with show_errors():
            if isinstance(value, int | float):
                self.state.resize(int(value))

    def _set_mode(self, mode: str) -> None:
        self._mode, self._step, self._playing = mode, 0, mode == "sweeps"
        self._show()

    def _set_unit(self, unit: int) -> None:
        self._unit = unit
        self._show()

    def _toggle(self) -> None:
        self._playing = not self._playing
        if self._playing and self._step >= self._frames():
            self._step = 0
        self._show()

    def _turn(self, way: int) -> None:
        self._playing = False
        self._step = min(max(0, self._step + way), self._frames())
        self._show()

    def _swept(self, board: Board, run: Any) -> None:
        """Handle the end of a sweep on a board; the larger board ends last."""
        larger = max(self.boards, key=lambda one: one.props.get("size", 0))
        if self._playing and run == self._run and board is larger:
            background_tasks.create(self._go_on(self._run))

    async def _go_on(self, run: int) -> None:
        await asyncio.sleep(_PAUSE)
        if self._playing and run == self._run:
            with self.sentence:
                self._step += 1
                if self._step >= self._frames():
                    self._playing = False
                self._show()

    # --- showing ------------------------------------------------------------------------------------------------------

    def _frames(self) -> int:
        view = self.state.boards[0].view if self.state.boards else None
        return len(view.frames) if view else 0

    def _tick(self) -> None:
        self.state.poll()
        if self.state.version != self._seen:
            self._seen = self.state.version
            if self.state.failed:
                ui.notify(self.state.failed, position="bottom", timeout=4000)
            self._show()

    def _show(self) -> None:
        shown = self.state.boards
        if not shown:
            return
        frames = self._frames()
        sweeping = self._mode == "sweeps" and self._step < frames
        self._run += 1
        for board, one, (title, note) in zip(self.boards, shown, self.titles, strict=True):
            self._show_board(board, one, sweeping=sweeping)
            title.set_content(f"{one.size} × {one.size}")
            note.set_text(one.note)
        self.mode.set(self._mode)
        self.mode.offer("sweeps", frames > 0)
        self.controls.set_visibility(self._mode == "sweeps" and frames > 0)
        self.run_button.set_text("Pause" if self._playing else "Play")
        self.run_button.props(f"icon={'pause' if self._playing else 'play_arrow'}")
        self._show_units()
        self._show_strip()
        self.sentence.set_text(self._sentence(sweeping=sweeping))
        self._show_best(shown)
        self._show_thumbnails(sweeping=self._mode == "sweeps" and frames > 0)
        self._show_rates()

    def _show_thumbnails(self, *, sweeping: bool) -> None:
        """Thumbnails of every unit in every sweep over the first board; a click shows the unit on the board."""
        view = self.state.boards[0].view
        self.units_box.set_visibility(sweeping)
        self.best.set_visibility(not sweeping)
        wanted = (view.frames, self._step, self._unit) if sweeping and view else None
        if wanted == self._thumbs:
            return
        self._thumbs = wanted
        self.thumbnails.clear()
        if wanted is None or view is None:
            return
        size = self.state.boards[0].size
        with self.thumbnails:
            for step, frame in enumerate(view.frames):
                for unit, values in enumerate(frame.units[:_MOST_UNITS]):
                    one = ui.element("button").props(
                        f'type=button aria-label="sweep {step + 1} {frame.arrow}, unit {unit + 1}"'
                    )
                    one.classes("thumb on" if (step, unit) == (self._step, self._unit) else "thumb")
                    one.on("click", partial(self._pick_thumbnail, step, unit))
                    with one:
                        ui.html(f'<img alt="" src="{thumbnail(values, size)}">', sanitize=False)
                        ui.label(f"{frame.arrow} {unit + 1}")

    def _pick_thumbnail(self, step: int, unit: int) -> None:
        self._step, self._unit, self._playing = step, unit, False
        self._show()

    def _show_rates(self) -> None:
        model, sizes = self.state.model, {board.size for board in self.state.boards}
        found = self.state.rates.get(model.id, ()) if model else ()
        self.rates.set_visibility(bool(found))
        self.measure.set_visibility(not found and not self.state.measuring)
        bars = [
            {
                "label": f"{one.size}×{one.size}",
                "value": round(one.share, 3),
                "text": f"{100 * one.share:.0f} %",
                "on": one.size in sizes,
            }
            for one in found
        ]
        self.rates.show(bars=bars)
        if found:
            self.rates_text.set_text(f"{found[0].games} games on each board. The two boards above are highlighted.")
        else:
            pending = f"The network plays {RATE_GAMES} games on each board."
            waiting = "The network is playing." if self.state.measuring else pending
            self.rates_text.set_text(waiting)

    def _show_board(self, board: Board, one: ShownBoard, *, sweeping: bool) -> None:
        view = one.view
        sweep = None
        if sweeping and view:
            frame = view.frames[self._step]
            values = frame.units[min(self._unit, view.units - 1)]
            sweep = {"corner": frame.corner, "values": values, "run": self._run, "still": not self._playing}
            if frame.unit_gates and not self._playing:
                sweep |= {
                    "names": list(frame.gate_names),
                    "gates": frame.unit_gates[min(self._unit, view.units - 1)],
                }
        board.show(
            size=one.size,
            stones=one.stones,
            turn=one.turn,
            policy=list(view.evaluation.shares) if view and not sweeping else [],
            sweep=sweep,
            forbidden=self.state.first.forbidden() if board is self.boards[0] else {},
            label=f"{one.size}×{one.size} board, evaluated by the network",
        )

    def _show_units(self) -> None:
        view = self.state.boards[0].view
        count = view.units if view else 0
        self.units.clear()
        with self.units:
            if count:
                names = {str(i): f"unit {i + 1}" for i in range(count)}
                Choice(names, str(self._unit), lambda key: self._set_unit(int(key)), "hidden unit")

    def _show_strip(self) -> None:
        weights, model = self.state.weights(), self.state.model
        count = model.weight_count if model else 0
        squares = "".join(
            f'<i class="{"n" if weight < 0 else "p"}" style="--s:{max(0.15, abs(weight) ** 0.5):.2f}"></i>'
            for weight in weights
        )
        changed = self.state.changed_weights
        compared = "" if changed is None else f" · changed on the other board: {changed}"
        caption = f'<div class="hinted" style="margin-top:8px">{count:,} weights{compared}</div>'
        self.strip.set_content(f'<div class="strip">{squares}</div>{caption}')

    def _sentence(self, *, sweeping: bool) -> str:
        first, second = self.state.boards
        if not sweeping:
            if self._mode == "sweeps":
                return SUM_SENTENCE
            evaluation = first.view.evaluation if first.view else None
            if evaluation is None:
                return first.note
            if evaluation.measure == "preference":
                return "The numbers are preferences in percent, computed in the same way for every board size."
            return "The numbers are the move probabilities of the network in percent."
        frames = first.view.frames if first.view else ()
        frame = frames[self._step]
        again = self._step > 0 and frames[self._step - 1].corner == frame.corner
        steps = " and ".join(f"{2 * size - 1} steps on {size}×{size}" for size in (first.size, second.size))
        text = f"{frame.arrow} {frame.sentence}"
        return f"{text} {TWICE_SENTENCE}" if again else f"{text} The sweep takes {steps}."

    def _show_best(self, shown: tuple[ShownBoard, ...]) -> None:
        parts = []
        for one in shown:
            if one.view is None:
                continue
            has_details = one.view.evaluation.measure != "probability"  # the share is the probability
            rows = "".join(
                f'<tr><td class="num">{i}</td><td>{best.name}</td>'
                f'<td class="detail">{best.detail if has_details else ""}</td><td>{_percent(best.share)}</td></tr>'
                for i, best in enumerate(one.view.evaluation.best[:5], 1)
            )
            title = f"Best moves on {one.size}×{one.size}"
            parts.append(f'<div class="half"><b>{title}</b><table class="best">{rows}</table></div>')
        self.best.set_content("".join(parts))


def _percent(share: float) -> str:
    return "&lt; 1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"
