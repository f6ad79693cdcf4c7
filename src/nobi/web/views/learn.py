"""The view in which a visitor watches a network learn."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import events, ui

from nobi.board.stones import LARGEST, SMALLEST
from nobi.web.elements import Plot
from nobi.web.learn import LearnState
from nobi.web.play import PlayState
from nobi.web.runs import NETWORKS, OPPONENTS, TRAINERS, Run, RunChoice
from nobi.web.setup import GAME_TITLES
from nobi.web.views.common import TICK_SECONDS, Replay, button, show_errors

_POLL_SECONDS = 0.5
_MOST_POINTS = 400
_STATES = {
    "waiting": "waiting",
    "running": "learning",
    "elsewhere": "learning, started elsewhere",
    "stopped": "stopped",
    "finished": "finished",
    "failed": "failed",
}
_EMPTY = "No run yet. These settings learn Atari-Go on 7×7 in about a minute."


class LearnView:
    """Settings and runs on the left; the learning curve and games of the champion on two boards on the right."""

    def __init__(self, state: LearnState, play_state: PlayState) -> None:
        self.state = state
        self.play_state = play_state
        self._choice = RunChoice()
        self._seen: tuple[Any, ...] = ()
        with ui.element("div").classes("view"):
            ui.label("Watch a network learn").classes("title")
            ui.label(
                "A network starts with random weights. Every generation tries random changes and keeps the better "
                "ones. The network learns on a small board and can play on every board size."
            ).classes("lead")
            with ui.element("div").classes("learn"):
                with ui.element("div").classes("side"):
                    self._build_settings()
                    self._build_runs()
                self.main = ui.element("div").classes("main")
                with self.main:
                    self._build_run()
        self._tick()
        ui.timer(_POLL_SECONDS, self._tick)
        ui.timer(TICK_SECONDS, self._animate)

    # --- building -----------------------------------------------------------------------------------------------------

    def _build_settings(self) -> None:
        with ui.element("div").classes("card"):
            ui.label("A new run").classes("heading")
            self._select("Game", GAME_TITLES, self._choice.game, "game")
            with self._row("Board"):
                size = ui.slider(min=5, max=13, step=1, value=self._choice.size).props('aria-label="board of the run"')
                text = ui.label(f"{self._choice.size}×{self._choice.size}").style("width:48px;text-align:right")

                def resize(event: events.ValueChangeEventArguments[Any]) -> None:
                    text.set_text(f"{event.value}×{event.value}")
                    self._set(size=int(event.value))

                size.on_value_change(resize)
            self._select("Network", NETWORKS, self._choice.net, "net")
            self._select("Trainer", TRAINERS, self._choice.method, "method")
            self._select("Opponent", OPPONENTS, self._choice.opponent, "opponent")
            counts = {50: "50 generations", 150: "150 generations", 500: "500 generations"}
            self._select("Length", counts, self._choice.generations, "generations")
            with ui.element("div").classes("actions"):
                button("Start", self._start, icon="play_arrow", style="strong").classes("wide")

    def _select(self, name: str, options: dict[Any, str], value: Any, key: str) -> None:
        with self._row(name):
            made = ui.select(options, value=value, on_change=lambda event: self._set(**{key: event.value}))
            made.props(f'dense outlined options-dense aria-label="{name.lower()} of the run"')

    def _row(self, name: str) -> ui.element:
        row = ui.element("div").classes("line")
        with row:
            ui.label(name).classes("name")
        return row

    def _build_runs(self) -> None:
        self.runs_card = ui.element("div").classes("card")
        with self.runs_card:
            ui.label("Runs").classes("heading")
            self.runs = ui.element("div").classes("runs")
            ui.label("Runs started on the command line, such as 'nobi evolve runs/mine', appear here too.").classes(
                "hinted"
            )

    def _build_run(self) -> None:
        self.nothing = ui.label(_EMPTY).classes("nothing")
        self.content = ui.element("div")
        with self.content:
            with ui.element("div").classes("card"):
                with ui.element("div").classes("run-head"):
                    self.name = ui.label().classes("heading")
                    self.status = ui.label().classes("hinted").props("aria-live=polite")
                self.curve = Plot(
                    height=250,
                    zero=True,
                    x={"low": 0, "label": "generation"},
                    y={"low": -1, "high": 1, "label": "mean outcome (1: all games won)"},
                    label="strength of the network by generation",
                )
                with ui.element("div").classes("actions"):
                    self.stop = button("Stop", self._guarded(self.state.stop), icon="stop")
                    self.resume = button("Resume", self._guarded(self.state.resume), icon="play_arrow")
                    self.play = button("Play against it", self._play, icon="sports_esports", style="strong")
                    self.save = button("Save as a model", self._ask_name, icon="save")
            with ui.element("div").classes("pair"):
                self.small = Replay("Its own board", 7)
                self.large = Replay("The same weights on 19×19", 19)
                with self.large.extra:
                    slider = ui.slider(min=SMALLEST, max=LARGEST, step=1, value=self.state.large_size)
                    slider.props('aria-label="size of the large board"').style("width:120px")
                    slider.on("change", lambda event: self._resize(event.args))
            with ui.element("div").classes("card").style("margin-top:24px") as self.rates_card:
                ui.label("Games won against the naive player, by board").classes("heading")
                self.rates = Plot(
                    height=190, y={"low": 0, "high": 1, "scale": 100, "unit": " %"}, label="games won by board size"
                )
                self.rates_text = ui.label().classes("hinted")

    # --- what the visitor does ----------------------------------------------------------------------------------------

    def _guarded(self, action: Callable[[], Any]) -> Callable[[], None]:
        def run() -> None:
            with show_errors():
                action()
            self._show()

        return run

    def _set(self, **settings: Any) -> None:
        with show_errors():
            if settings.get("game", "atari-go") != "atari-go" and self._choice.opponent == "heuristic":
                settings.setdefault("opponent", "naive")
            self._choice = replace(self._choice, **settings)

    def _start(self) -> None:
        with show_errors():
            self.state.start(self._choice)
        self._show()

    def _select_run(self, run: Run) -> None:
        with show_errors():
            self.state.select(run.id)
        self.small.show(None, run.size)
        self.large.show(None, self.state.large_size)
        self._show()

    def _resize(self, value: Any) -> None:
        if isinstance(value, int | float):
            with show_errors():
                self.state.resize(int(value))
            self.large.show(None, self.state.large_size)

    def _play(self) -> None:
        with show_errors():
            one = self.state.opponent()
            setup = self.play_state.session.setup
            size = one.only_size or (self.state.run.size if self.state.run else setup.size)
            self.play_state.new_game(replace(setup.with_size(size), game=one.games[0], opponent=one.id, strength=0))
            ui.navigate.to("/")

    def _ask_name(self) -> None:
        run = self.state.run
        with ui.dialog() as dialog, ui.element("div").classes("card"):
            ui.label("Save the champion as a model").classes("heading")
            name = ui.input(value=run.title if run else "", placeholder="name").props(
                'dense outlined aria-label="name"'
            )

            def save() -> None:
                with show_errors():
                    self.state.save(str(name.value).strip())
                    dialog.close()
                    ui.notify("Saved. It is listed under Models and as an opponent.", position="bottom", timeout=4000)

            name.on("keydown.enter", save)
            with ui.element("div").classes("actions"):
                button("Save", save, style="strong")
                button("Cancel", dialog.close)
        dialog.open()

    # --- showing ------------------------------------------------------------------------------------------------------

    def _tick(self) -> None:
        self.state.poll()
        run = self.state.run
        now = (self.state.version, run and run.state, run and len(run.metrics), self.state.failed)
        if now != self._seen:
            self._seen = now
            self._show()
        elif run:
            self.status.set_text(self._status(run))

    def _animate(self) -> None:
        state = self.state
        for view, game in ((self.small, state.small), (self.large, state.large)):
            if game is not None and game is not view.game and (view.game is None or view.ended):
                view.show(game)
            view.tick()
        newest = self.small.game is state.small and self.large.game is state.large
        if newest and self.small.ended and self.large.ended and state.small is not None:
            state.next_game()

    def _show(self) -> None:
        run = self.state.run
        self.nothing.set_visibility(run is None)
        self.content.set_visibility(run is not None)
        self.main.classes(add="empty" if run is None else None, remove=None if run is None else "empty")
        self.runs_card.set_visibility(bool(self.state.runs.all()))
        self._show_runs()
        if run is None:
            return
        self.name.set_text(run.title)
        self.status.set_text(self._status(run))
        self.small.title.set_text(f"Its own board, {run.size}×{run.size}")
        self.large.title.set_text(f"The same weights on {self.state.large_size}×{self.state.large_size}")
        lines = [{"name": name, "points": _thinned(points)} for name, points in run.curve().items()]
        done = len(run.metrics)
        high = done - 1 if run.state == "finished" else min(max(run.total - 1, done), max(39, int(1.3 * done)))
        self.curve.show(lines=lines, x={"low": 0, "high": high, "label": "generation"})
        champion = run.champion.exists()
        self.stop.set_visibility(run.state in ("running", "waiting"))
        self.stop.set_text("Stopping" if run.stop_at and run.state == "running" else "Stop")
        self.resume.set_visibility(run.state in ("stopped", "failed") and run.resumable)
        self.play.set_visibility(champion)
        self.save.set_visibility(champion)
        rates = self.state.rates
        self.rates_card.set_visibility(bool(rates))
        self.rates.show(
            bars=[
                {
                    "label": f"{one.size}×{one.size}",
                    "value": round(one.share, 3),
                    "text": f"{100 * one.share:.0f} %",
                    "on": one.size == run.size,
                }
                for one in rates
            ]
        )
        if rates:
            self.rates_text.set_text(f"{rates[0].games} games on each board. It trains on the highlighted one only.")

    def _show_runs(self) -> None:
        self.runs.clear()
        with self.runs:
            for run in self.state.runs.all()[:30]:
                row = (
                    ui.element("button").props("type=button").classes("run").on("click", partial(self._select_run, run))
                )
                row.classes("on" if run.id == self.state.selected else "")
                with row:
                    ui.element("span").classes(f"state {run.state}")
                    ui.label(run.title).classes("run-name")
                    ui.label(_STATES[run.state].partition(",")[0]).classes("hinted")

    def _status(self, run: Run) -> str:
        if run.error:
            return run.error
        if run.state == "waiting":
            return f"Another run is still training. Position in the queue: {self.state.runs.place(run)}."
        if not run.metrics:
            return "Starting. The first start compiles the network, which takes up to a minute." if run.process else ""
        last = run.metrics[-1]
        parts = [f"generation {len(run.metrics)} of {run.total}", _STATES[run.state]]
        best = last.get("best", last.get("absolute", last.get("score")))
        if isinstance(best, int | float):
            parts.append(f"best {best:+.2f}".replace("-", "−"))
        left = run.seconds_left(time.monotonic())
        if left is not None and run.state == "running":
            parts.append(f"about {_time_text(left)} left")
        return " · ".join(parts) + (f" · {self.state.failed}" if self.state.failed else "")


def _thinned(points: list[tuple[float, float]]) -> list[list[float]]:
    """About _MOST_POINTS points of a curve, including the last."""
    step = -(-len(points) // _MOST_POINTS) or 1
    kept = points[::step]
    if points and kept[-1] != points[-1]:
        kept.append(points[-1])
    return [[x, round(y, 4)] for x, y in kept]


def _time_text(seconds: float) -> str:
    return f"{max(1, round(seconds))} s" if seconds < 90 else f"{round(seconds / 60)} min"
