"""The server of the page: forged events, a restart, a page with a token."""

import http.client

import pytest

from helpers.browser import WAIT, choose_size, click_point, running_page, stones, wait_for_words

pytestmark = pytest.mark.browser

FORGED = [
    [],
    [None],
    [-1],
    [10**9],
    ["x" * 1000],
    [{}],
    [{"cell": -1}],
    [{"cell": 10**9}],
    [{"cell": "x"}],
    [{"cell": 1.5}],
    [{"cell": True}],
    [{"cell": [3]}],
    [{"cell": {"cell": {}}}, 1, 2],
]


def test_forged_events_change_nothing(visit):
    page = visit()
    page.evaluate(
        """() => { window.events = []; const emit = window.socket.emit.bind(window.socket);
        window.forge = (event, args) => emit("event", {...event, args: args.map((a) => JSON.stringify(a))});
        window.socket.emit = (name, ...data) => {
            if (name === "event") window.events.push(data[0]);
            emit(name, ...data); }; }"""
    )
    choose_size(page, 7)
    click_point(page, "D4")
    wait_for_words(page, r"Your move \(Black\)")
    before = stones(page)
    recorded = page.evaluate("window.events")
    # NiceGUI itself reads the keyboard's events and logs invalid ones
    listeners = {event["listener_id"]: event for event in recorded if "action" not in str(event["args"])}
    assert len(listeners) >= 2, "the click on the board and the slider have their own listeners"
    for event in listeners.values():
        for arguments in FORGED:
            page.evaluate("([event, args]) => window.forge(event, args)", [event, arguments])
        page.evaluate("(event) => window.forge({...event, listener_id: 'x', id: 10 ** 9}, [])", event)
    page.wait_for_timeout(1000)
    assert stones(page) == before
    click_point(page, "A1")
    page.wait_for_function("before => document.querySelector('.nb').dataset.stones !== before", arg=before)


def test_a_restarted_server_offers_the_last_game(browser, model_file, tmp_path):
    with running_page(tmp_path, model_file) as (process, address):
        context = browser.new_context()
        context.set_default_timeout(WAIT)
        page = context.new_page()
        page.goto(address)
        page.wait_for_selector(".nb svg rect")
        click_point(page, "E5")
        wait_for_words(page, r"Your move \(Black\)")
        before = stones(page)
        page.wait_for_timeout(1500)  # the game is saved once a second
        process.kill()
        process.wait(30)
    port = int(address.rsplit(":", 1)[1])
    with running_page(tmp_path, model_file, port=port) as (_, address):
        again = context.new_page()
        again.goto(address)
        again.wait_for_selector(".nb svg rect")
        assert set(stones(again)) == {"."}
        again.get_by_role("button", name="Back to Atari-Go 9×9").click()
        again.wait_for_function("before => document.querySelector('.nb').dataset.stones === before", arg=before)
        context.close()


def test_a_token_opens_the_page(browser, tmp_path):
    with running_page(tmp_path, "--host", "127.0.0.1", "--token", "sesame123") as (_, address):
        connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=30)
        connection.request("GET", "/")
        assert connection.getresponse().status in (401, 403)
        connection.close()
        context = browser.new_context()
        context.set_default_timeout(WAIT)
        page = context.new_page()
        page.goto(f"{address}/?token=sesame123")
        page.wait_for_selector(".nb svg rect")
        page.goto(address)  # the cookie replaces the token
        page.wait_for_selector(".nb svg rect")
        click_point(page, "E5")
        wait_for_words(page, "Your move|thinking")
        context.close()
