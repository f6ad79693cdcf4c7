"""The page in a real browser. One server and one browser serve all tests."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from helpers.browser import chromium, click_point, place_of, stones

WAIT = 60_000
"""Milliseconds to wait for something that takes time on a busy machine."""


@pytest.fixture(scope="module")
def server(model_file, tmp_path_factory):
    """The address of a page that runs in a process of its own."""
    chromium()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = tmp_path_factory.mktemp("page")
    log = folder / "log"
    command = [sys.executable, "-m", "nobi", "play", str(model_file), "--port", str(port), "--no-browser"]
    with log.open("w") as out:
        # NiceGUI behaves otherwise where it sees that tests run
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        process = subprocess.Popen(command, stderr=out, env=environment | {"XDG_DATA_HOME": str(folder)})
    try:
        end = time.monotonic() + 120
        while "nobi is at" not in log.read_text():
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end, "the page does not start"
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)
    assert "Traceback" not in log.read_text()


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    path = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(browser, server):
    """Opens the page as a new visitor; at the end nothing must have been complained of in the console."""
    contexts, complaints = [], []

    def open_page(path="/", **options):
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 860}} | options))
        context.set_default_timeout(WAIT)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda fault: complaints.append(str(fault)))
        page.goto(server + path)
        page.wait_for_selector(".nb svg rect")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def wait_for_words(page, pattern):
    page.wait_for_function(
        "pattern => new RegExp(pattern).test(document.querySelector('.words').textContent)", arg=pattern
    )


def choose_game(page, name):
    page.get_by_role("group", name="game").get_by_text(name, exact=True).click()


def choose_size(page, size):
    """Moves the slider by its keys."""
    page.get_by_label("board size").locator(".q-slider__track-container").focus()
    steps = size - int(page.locator(".nb").get_attribute("data-size"))
    for _ in range(abs(steps)):
        page.keyboard.press("ArrowRight" if steps > 0 else "ArrowLeft")
    page.wait_for_selector(f'.nb[data-size="{size}"]')


def choose_opponent(page, name):
    page.get_by_label("opponent").click()
    page.get_by_role("option", name=name, exact=True).click()


def test_hovering_sends_nothing_and_a_refused_click_changes_nothing(visit):
    page = visit()
    click_point(page, "E5")
    wait_for_words(page, "Your move")
    page.wait_for_timeout(1500)
    # the session's own traffic is counted from here on
    page.evaluate(
        """() => { window.sent = []; const send = WebSocket.prototype.send;
        WebSocket.prototype.send = function (data) { window.sent.push(String(data)); send.call(this, data); }; }"""
    )
    (left, bottom), (right, top) = place_of(page, "A1"), place_of(page, "J9")
    page.mouse.move(left, bottom)
    page.mouse.move(right, top, steps=60)
    frames = [frame for frame in page.evaluate("window.sent") if frame.startswith("42")]
    assert frames == []
    before = stones(page)
    click_point(page, "E5")
    page.wait_for_selector("text=E5 is taken")
    assert stones(page) == before


def test_the_keyboard_plays(visit):
    page = visit()
    page.locator(".nb svg").focus()
    for key in ("ArrowLeft", "ArrowLeft", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    page.wait_for_function("() => document.querySelector('.nb').dataset.stones[3 * 9 + 3] === 'b'")
    wait_for_words(page, r"Your move \(Black\)")
    assert "Black to move" in page.locator(".nb svg").get_attribute("aria-label")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Host": "evil.example"}, 403),
        ({"Content-Length": "3000000"}, 413),
    ],
)
def test_foreign_requests_are_refused(server, headers, status):
    connection = http.client.HTTPConnection(server.removeprefix("http://"), timeout=30)
    connection.putrequest("GET", "/", skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    assert connection.getresponse().status == status
    connection.close()
