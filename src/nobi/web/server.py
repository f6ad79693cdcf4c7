"""The server of the page: port, request guard, storage and the view of each address."""

import contextlib
import logging
import os
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import platformdirs

from nobi.errors import NobiError
from nobi.gtp.process import split_command
from nobi.web.experiments import Experiments
from nobi.web.inside import InsideState
from nobi.web.jobs import Jobs
from nobi.web.learn import LearnState
from nobi.web.opponents import Catalogue
from nobi.web.results import study_results
from nobi.web.reviewing import ReviewState
from nobi.web.runs import Runs
from nobi.web.settings import LOOPBACK, ServerSettings
from nobi.web.setup import GAME_TITLES, Setup, setup_from_query
from nobi.web.visitors import KEEP_SECONDS, Visitors
from nobi.web.warmup import BackgroundWarmUp

_FOLDER = Path(__file__).parent
_STYLE_SHEETS = ("theme.css", "board.css", "page.css")
_TABS = {
    "/": ("Play", "sports_esports"),
    "/inside": ("Look inside", "visibility"),
    "/learn": ("Learn", "trending_up"),
    "/explore": ("Explore", "travel_explore"),
    "/models": ("Models", "category"),
}


_DROP = """
addEventListener("dragover", (e) => e.preventDefault());
addEventListener("drop", (e) => {
  e.preventDefault();
  const input = document.querySelector(".q-uploader__input");
  if (!input || !e.dataTransfer.files.length) return;
  input.files = e.dataTransfer.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
});
"""
"""Script that accepts an SGF file dropped anywhere on a view that can open one."""


def check_settings(settings: ServerSettings) -> None:
    """Raise a NobiError for a server that is public by mistake, a missing engine and a port in use."""
    if not 1 <= settings.port <= 65535:
        raise NobiError(f"--port must be 1 to 65535, not {settings.port}.")
    if settings.host not in LOOPBACK and not settings.token and not settings.public:
        raise NobiError(
            f"'--host {settings.host}' lets everyone on the network play and start computations here; "
            "add '--token WORD' or '--public'."
        )
    if settings.token and not settings.token.isalnum():
        raise NobiError("--token must consist of letters and digits.")
    for engine in settings.engines:
        split_command(engine)
    if settings.runs.exists() and not settings.runs.is_dir():
        raise NobiError(f"--runs must be a folder, and {str(settings.runs)!r} is a file.")
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with closing(socket.socket(family, socket.SOCK_STREAM)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            if error.errno in (98, 48, 10048):
                raise NobiError(
                    f"Port {settings.port} is in use; try 'nobi play --port {settings.port % 65535 + 1}'."
                ) from None
            raise NobiError(
                f"The page cannot be served at {settings.host}:{settings.port}: {error.strerror}."
            ) from None


def serve(settings: ServerSettings, say: Callable[[str], None]) -> None:
    """Serve the page until interrupted. `say` prints a line."""
    check_settings(settings)
    data = Path(platformdirs.user_data_path("nobi")) / "page"
    data.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("NICEGUI_STORAGE_PATH", str(data / "storage"))  # read when NiceGUI is imported
    try:
        from nicegui import app, ui
    except ModuleNotFoundError as error:
        if error.name != "nicegui":
            raise
        raise NobiError("The page needs NiceGUI; install it with pip install 'nobi[web]'.") from None
    from nobi.web.guard import Guard

    folders = [path for path in settings.models if path.is_dir()]
    files = [path / "champion.safetensors" if path.is_dir() else path for path in settings.models]
    catalogue = Catalogue(files, settings.engines, data / "models")
    visitors = Visitors(catalogue, Jobs())
    runs = Runs(settings.runs, folders)
    warming = BackgroundWarmUp(lambda: visitors.warm_up(Setup()))
    listens = settings.host not in LOOPBACK
    app.add_middleware(Guard, hosts=settings.hosts, token=settings.token, addresses=listens)
    app.storage.max_tab_storage_age = KEEP_SECONDS
    app.on_shutdown(visitors.close)
    app.on_shutdown(runs.close)
    for result in study_results().values():
        for figure in result.figures:
            if not figure.is_game:
                app.add_static_file(local_file=figure.file, url_path=figure.url)
    app.on_startup(lambda: _open_browser(settings, say))

    async def root() -> None:
        await _page(visitors, runs, warming)

    logging.getLogger("uvicorn.error").addFilter(_is_worth_logging)

    ui.run(
        root,
        host=settings.host,
        port=settings.port,
        title="nobi",
        dark=None,
        reload=False,
        show=False,
        show_welcome_message=False,
        reconnect_timeout=30,
        tailwind=False,
        storage_secret=_secret(data / "secret"),
        session_middleware_kwargs={"same_site": "strict"},
        uvicorn_logging_level="error",
    )


async def _page(visitors: Visitors, runs: Runs, warming: BackgroundWarmUp) -> None:
    """Build the page of one browser tab."""
    from nicegui import app, ui

    from nobi.web.views.common import wait_until_compiled
    from nobi.web.views.explore import ExploreView
    from nobi.web.views.inside import InsideView
    from nobi.web.views.learn import LearnView
    from nobi.web.views.models import ModelsView
    from nobi.web.views.play import PlayView

    catalogue, jobs = visitors.catalogue, visitors.jobs
    ui.add_css("".join((_FOLDER / name).read_text(encoding="utf-8") for name in _STYLE_SHEETS))
    ui.add_body_html(f"<script>{_DROP}</script>")
    dark = ui.dark_mode(app.storage.user.get("dark"))
    client = ui.context.client
    await client.connected()
    if client.tab_id is None:
        return

    def switch_theme() -> None:
        dark.set_value({None: True, True: False, False: None}[dark.value])
        app.storage.user["dark"] = dark.value
        ui.notify({None: "System setting", True: "Dark", False: "Light"}[dark.value], position="bottom", timeout=1000)

    _header(switch_theme)
    tab, kept = client.tab_id, app.storage.tab
    last = app.storage.user.get("last")
    asked = setup_from_query(client.request.query_params)
    await wait_until_compiled(warming, _games_of(kept.get("game"), last, asked.plain() if asked else None))
    try:
        browser = str(app.storage.browser.get("id", tab))
        play_state = visitors.play_state(tab, kept.get("game"), browser=browser, last=last, setup=asked)
    except NobiError as error:
        ui.label(str(error)).classes("nothing")
        return

    def keep() -> None:
        visitors.touch(tab)
        if kept.get("version") != play_state.version:
            kept["version"], kept["game"] = play_state.version, play_state.session.plain()
            if play_state.session.game.moves:
                app.storage.user["last"] = kept["game"]

    taken = [-1]

    # state of a view is created when the view is first opened

    def inside_state() -> InsideState:
        return visitors.keep(
            tab, "inside_state", lambda: InsideState(browser, catalogue, jobs, tab, play_state.session.setup)
        )

    def inside() -> None:
        if play_state.session.game.moves and taken[0] != play_state.version:
            taken[0] = play_state.version
            with contextlib.suppress(NobiError):
                inside_state().look_at(play_state.session)
        InsideView(inside_state())

    def learn() -> None:
        LearnView(
            visitors.keep(tab, "learn_state", lambda: LearnState(browser, tab, runs, catalogue, jobs)), play_state
        )

    def explore() -> None:
        review_state = visitors.keep(tab, "review_state", lambda: ReviewState(browser, tab, catalogue, jobs))
        experiments = visitors.keep(tab, "experiments", lambda: Experiments(browser, tab, jobs))
        ExploreView(
            review_state, experiments, inside_state, play_state, visitors.keep(tab, "chosen", lambda: ["review"])
        )

    def compiled(view: Callable[[], Any]) -> Callable[[], Any]:
        async def build() -> None:
            await wait_until_compiled(warming)
            view()

        return build

    views: dict[str, Callable[[], Any]] = {
        "/": lambda: PlayView(play_state, warming),
        "/inside": compiled(inside),
        "/learn": compiled(learn),
        "/explore": compiled(explore),
        "/models": compiled(lambda: ModelsView(play_state, inside_state, jobs)),
    }
    ui.sub_pages(views)
    ui.timer(1.0, keep)


def _games_of(*games: Any) -> set[str]:
    """Return the names of the games in stored sessions, and of the default game."""
    setups = [one.get("setup", one) for one in games if isinstance(one, dict)]
    names = {Setup().game, *(str(setup.get("game")) for setup in setups if isinstance(setup, dict))}
    return names & GAME_TITLES.keys()


def _header(switch_theme: Callable[[], None]) -> None:
    """Links to the views; at the bottom of a narrow screen."""
    from nicegui import ui

    with ui.element("nav").classes("bar").props('aria-label="views"'):
        ui.link("nobi", "/").classes("brand")
        tabs = {}
        for path, (name, icon) in _TABS.items():
            with ui.link(target=path).classes("tab") as tabs[path]:
                ui.icon(icon)
                ui.label(name)
        ui.element("div").classes("space")
        toggle = ui.button(icon="contrast", on_click=switch_theme).props('flat round aria-label="light or dark"')
        toggle.classes("theme").style("color:var(--muted)!important").tooltip("Light, dark or system setting")

    def mark(path: str) -> None:
        for target, tab in tabs.items():
            here = target == path.partition("?")[0]
            tab.classes(add="here" if here else None, remove=None if here else "here")

    router = ui.context.client.sub_pages_router
    mark(router.current_path)
    router.on_path_changed(mark)


def _is_worth_logging(record: logging.LogRecord) -> bool:
    """Return whether to log a record; a browser that disconnects early is not logged."""
    error = record.exc_info[1] if record.exc_info else None
    return not (isinstance(error, RuntimeError) and str(error) == "No response returned.")


def _open_browser(settings: ServerSettings, say: Callable[[str], None]) -> None:
    say(f"nobi is running at {settings.address} (press Ctrl-C to stop).")

    def open_it() -> None:
        if not webbrowser.open(settings.address):
            say(f"No browser found; open {settings.address}.")

    if settings.browser:
        threading.Thread(target=open_it, daemon=True).start()


def _secret(path: Path) -> str:
    """Return the key that signs cookies, created once and readable only by its owner."""
    if not path.exists():
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(32))
    return path.read_text()
