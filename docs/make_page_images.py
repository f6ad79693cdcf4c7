"""Make the pictures of the page in docs/images: `python docs/make_page_images.py`.

Needs Playwright, Chromium and a folder `runs` with a finished run, such as that of `make demo`. The page is served by a
process of its own.
"""

import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

FOLDER = Path(__file__).parent
IMAGES = FOLDER / "images"
GAME = FOLDER / "studies" / "results" / "s08-fig9-1-5x5.sgf"
WAIT = 300_000
"""Milliseconds to wait for what may compile first."""


def empty_port() -> int:
    """A port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def opened(browser: Browser, address: str, height: int) -> Page:
    """A view in a new window."""
    page = browser.new_page(viewport={"width": 1280, "height": height})
    page.set_default_timeout(WAIT)
    page.goto(address)
    return page


def inside(page: Page) -> None:
    """A sweep over 7x7 and 19x19, when it has crossed the smaller board."""
    page.wait_for_selector('.nb[data-size="19"][data-overlay="policy"]')
    page.get_by_text("Sweeps", exact=True).click()
    page.wait_for_selector('.nb[data-size="19"] .nb-front')
    page.wait_for_timeout(1100)


def learn(page: Page) -> None:
    """A finished run and its champion."""
    page.locator(".run").first.click()
    page.wait_for_function(
        "() => [...document.querySelectorAll('.nb')].every(e => (e.dataset.stones.match(/[bw]/g) || []).length > 16)"
    )


def review(page: Page) -> None:
    """The largest loss of a game."""
    page.get_by_role("button", name="Open SGF").wait_for()
    page.locator("input[type=file]").first.set_input_files(GAME)
    page.get_by_role("button", name="Review", exact=True).click()
    page.get_by_role("button", name="Save with comments").wait_for()
    page.locator(".blunder").first.click()
    page.wait_for_selector(".nb-loss")
    page.wait_for_timeout(800)


def main() -> None:
    """Serve the page and takes the pictures."""
    port = empty_port()
    command = [sys.executable, "-m", "nobi", "play", "--no-browser", "--port", str(port), *sys.argv[1:]]
    process = subprocess.Popen(command)  # noqa: S603
    try:
        while socket.socket().connect_ex(("127.0.0.1", port)):
            time.sleep(0.2)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            pictures = {"page": ("inside", 805, inside), "page-learn": ("learn", 1150, learn)}
            for name, (view, height, prepare) in (pictures | {"page-review": ("explore", 880, review)}).items():
                page = opened(browser, f"http://127.0.0.1:{port}/{view}", height)
                prepare(page)
                page.screenshot(path=IMAGES / f"{name}.png")
            browser.close()
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


if __name__ == "__main__":
    main()
