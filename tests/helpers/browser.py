"""A real browser for the tests of the page: Playwright's interface to the installed Chromium."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
WAIT = 60_000
"""Milliseconds to wait for slow operations on a busy machine."""


def chromium():
    """The path of Chromium; the test is skipped without it, unless NOBI_TEST_BROWSER=required."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None and os.environ.get("NOBI_TEST_BROWSER") != "required":
        pytest.skip("chromium is not installed")
    assert found, "chromium is required but not installed"
    return found


def _accepts(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def running_page(folder, *arguments, port=0):
    """A page in a separate process: yields the process and its address."""
    if not port:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
    log = folder / "log"
    command = [sys.executable, "-m", "nobi", "play", *map(str, arguments), "--port", str(port), "--no-browser"]
    with log.open("w") as out:
        # NiceGUI behaves differently if it detects tests
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        process = subprocess.Popen(command, stderr=out, env=environment | {"XDG_DATA_HOME": str(folder)})
    try:
        end = time.monotonic() + 120
        while "nobi is running at" not in log.read_text():
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end, "the page does not start"
            time.sleep(0.1)
        while not _accepts(port):
            assert time.monotonic() < end, "the page does not answer"
            time.sleep(0.1)
        yield process, f"http://127.0.0.1:{port}"
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait(30)
    assert "Traceback" not in log.read_text()


def place_of(page, name, board=0):
    """The screen position of a point such as D4."""
    element = page.locator(".nb").nth(board)
    size = int(element.get_attribute("data-size"))
    svg = element.locator("svg").first
    left, top, width, height = map(float, svg.get_attribute("viewBox").split())
    box = svg.bounding_box()
    column, row = COLUMNS.index(name[0]), size - int(name[1:])
    return box["x"] + (column - left) / width * box["width"], box["y"] + (row - top) / height * box["height"]


def click_point(page, name, board=0):
    """Click on a point of a board."""
    page.mouse.click(*place_of(page, name, board))


def stones(page, board=0):
    """The stones that a board shows, one letter for each cell."""
    return page.locator(".nb").nth(board).get_attribute("data-stones")


def wait_for_words(page, pattern):
    page.wait_for_function(
        "pattern => new RegExp(pattern).test(document.querySelector('.words').textContent)", arg=pattern
    )


def choose_game(page, name):
    page.get_by_role("group", name="game").get_by_text(name, exact=True).click()


def choose_size(page, size, label="board size", *, board=True):
    """Move a slider by its keys; wait for a board of this size, unless `board` is false."""
    slider = page.get_by_label(label)
    slider.locator(".q-slider__track-container").focus()
    for _ in range(100):
        now = int(slider.get_attribute("aria-valuenow"))
        if now == size:
            break
        page.keyboard.press("ArrowRight" if now < size else "ArrowLeft")
        page.wait_for_timeout(120)  # the server answers each step
    if board:
        page.wait_for_selector(f'.nb[data-size="{size}"]')


def choose_opponent(page, name):
    page.get_by_label("opponent").click()
    page.get_by_role("option", name=name, exact=True).click()
