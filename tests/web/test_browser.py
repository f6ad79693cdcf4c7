"""The page in a real browser. One server and one browser serve all tests."""

import http.client
import re

import pytest

from helpers.browser import (
    choose_game,
    choose_opponent,
    choose_size,
    click_point,
    place_of,
    stones,
    wait_for_words,
)

pytestmark = pytest.mark.browser


def test_a_whole_game_of_atari_go_by_clicks_and_another_size(visit):
    page = visit()
    choose_opponent(page, "Random")
    choose_size(page, 5)
    for number in range(12):
        empty = [i for i, stone in enumerate(stones(page)) if stone == "."]
        cell = empty[7 * number % len(empty)]
        before = stones(page)
        click_point(page, f"{'ABCDE'[cell % 5]}{5 - cell // 5}")
        page.wait_for_function("before => document.querySelector('.nb').dataset.stones !== before", arg=before)
        wait_for_words(page, "Your move|wins")
        if "wins" in page.locator(".words").inner_text():
            break
    assert re.search("wins: (first capture|Black took|White took)", page.locator(".words").inner_text())
    choose_size(page, 7)
    assert set(stones(page)) == {"."}
    page.get_by_role("button", name="Back to Atari-Go 5×5").click()
    page.wait_for_selector('.nb[data-size="5"]')
    wait_for_words(page, "wins")


def test_hovering_sends_nothing_and_a_refused_click_changes_nothing(visit):
    page = visit()
    click_point(page, "E5")
    page.wait_for_function(
        "/b.*w|w.*b/.test(document.querySelector('.nb').dataset.stones)"
    )  # the answer is on the board
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
    page.wait_for_selector("text=E5 cannot be played: it is taken")
    assert stones(page) == before


def test_preferences_hint_undo_and_resign(visit):
    page = visit()
    page.keyboard.press("v")
    page.wait_for_selector('.nb[data-overlay="policy"]')
    assert page.locator(".nb-policy text").count() > 0
    assert page.locator(".nb-best").count() == 1
    page.get_by_role("button", name="Hint").click()
    wait_for_words(page, "would play")
    assert page.locator(".nb-hint").count() == 1
    click_point(page, "E5")
    wait_for_words(page, r"Your move \(Black\)")
    page.get_by_role("button", name="Undo").click()
    page.wait_for_function("() => !/[bw]/.test(document.querySelector('.nb').dataset.stones)")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    wait_for_words(page, "White wins: Black resigned")


def test_go_from_an_sgf_with_capture_passes_and_count(visit):
    page = visit()
    choose_game(page, "Go")
    choose_opponent(page, "Random")
    # White has a stone in atari at C3, and no two eyes
    record = b"(;GM[1]FF[4]SZ[5]KM[0.5];B[cb];W[cc];B[bc];W[ee];B[dc];W[])"
    upload = page.locator("input[type=file]")
    upload.set_input_files({"name": "game.sgf", "mimeType": "application/x-go-sgf", "buffer": record})
    page.wait_for_selector('.nb[data-size="5"]')
    page.get_by_label("Last").click()
    page.wait_for_function("() => document.querySelector('.nb').dataset.stones[12] === 'w'")
    click_point(page, "C2")
    page.wait_for_function("() => document.querySelector('.nb').dataset.stones[12] === '.'")
    wait_for_words(page, "Your move|passes")
    page.wait_for_selector("text=1 captured")
    upload.set_input_files({"name": "x.sgf", "mimeType": "text/plain", "buffer": b"<script>alert(1)</script>"})
    page.wait_for_selector("text=This file is not an SGF game")
    record = b"(;GM[1]FF[4]SZ[5]KM[0.5];B[cc];W[])"
    upload.set_input_files({"name": "game.sgf", "mimeType": "application/x-go-sgf", "buffer": record})
    page.wait_for_function("() => !/[bw]/.test(document.querySelector('.nb').dataset.stones)")
    page.get_by_label("Last").click()
    page.wait_for_function("() => document.querySelector('.nb').dataset.stones[12] === 'b'")
    page.locator(".under").get_by_role("button", name="Pass").click()
    wait_for_words(page, r"Black wins by 24.5 points\. The count is on the board")
    assert page.locator(".nb-own rect").count() == 24


def test_two_visitors_and_a_reload(visit):
    one, two = visit(), visit()
    choose_size(one, 7)
    click_point(one, "D4")
    wait_for_words(one, r"Your move \(Black\)")
    assert two.locator(".nb").get_attribute("data-size") == "9"
    assert set(stones(two)) == {"."}
    before = stones(one)
    one.wait_for_timeout(1200)  # the game is kept once a second
    one.reload()
    one.wait_for_selector('.nb[data-size="7"]')
    assert stones(one) == before


def test_a_phone_in_dark_mode(visit):
    page = visit(viewport={"width": 390, "height": 844}, color_scheme="dark", has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 23, 25)"
    choose_size(page, 19)
    before = stones(page)
    page.touchscreen.tap(*place_of(page, "Q16"))
    page.get_by_role("button", name="Play Q16").wait_for()
    assert stones(page) == before
    page.touchscreen.tap(*place_of(page, "Q16"))
    page.wait_for_function("() => document.querySelector('.nb').dataset.stones[3 * 19 + 15] === 'b'")
    small = page.evaluate(
        """() => [...document.querySelectorAll('.actions button, .bar a.tab, .choice button')]
        .filter(e => e.offsetParent).map(e => e.getBoundingClientRect())
        .filter(r => r.height < 44).length"""
    )
    assert small == 0


def test_the_list_of_opponents_is_as_wide_as_its_names(visit):
    page = visit()
    page.get_by_label("opponent").click()
    page.wait_for_selector(".q-menu .q-item")
    assert 150 < page.locator(".q-menu").bounding_box()["width"] < 420


def test_a_narrow_column_shows_every_choice(visit):
    page = visit("/?game=go&size=9")
    cut = page.evaluate(
        """() => [...document.querySelectorAll('.choice')].filter(e => e.offsetParent)
        .filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)"""
    )
    assert cut == []


def test_a_game_by_keyboard(visit):
    page = visit()
    page.locator(".nb svg").focus()
    for key in ("ArrowLeft", "ArrowLeft", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    page.wait_for_function("() => document.querySelector('.nb').dataset.stones[3 * 9 + 3] === 'b'")
    wait_for_words(page, r"Your move \(Black\)")
    assert "Black to move" in page.locator(".nb svg").get_attribute("aria-label")


def test_the_same_weights_on_another_board(visit):
    page = visit("/inside")
    page.wait_for_selector('.nb[data-size="19"][data-overlay="policy"]')
    strip = page.locator(".strip").inner_html()
    shares = [int(text) for text in page.locator(".nb").nth(0).locator(".nb-policy text").all_text_contents()]
    assert 0 < sum(shares) <= 110
    choose_size(page, 13, "size of the second board")
    page.wait_for_selector('.nb[data-size="13"][data-overlay="policy"]')
    assert page.locator(".strip").inner_html() == strip
    click_point(page, "A7")
    page.wait_for_function("() => document.querySelector('.nb').dataset.stones[0] === 'b'")
    page.get_by_text("Sweeps", exact=True).click()
    page.wait_for_selector('.nb[data-size="7"][data-overlay="sweep"]')
    page.wait_for_selector("text=From the top left")
    assert page.locator(".nb").nth(0).locator("g > g > rect.nb-seen").count() == 49


def test_the_models_are_listed_and_can_be_played(visit):
    page = visit("/models")
    page.wait_for_selector('.nb[data-overlay="policy"]')
    assert "93" in page.locator(".card").first.inner_text()
    page.get_by_role("button", name="Play", exact=True).first.click()
    page.wait_for_selector(".words")
    assert "small" in page.locator(".players").inner_text()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Host": "evil.example"}, 403),
        ({"Content-Length": "3000000"}, 413),
    ],
)
def test_foreign_requests_are_rejected(server, headers, status):
    connection = http.client.HTTPConnection(server.removeprefix("http://"), timeout=30)
    connection.putrequest("GET", "/", skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    assert connection.getresponse().status == status
    connection.close()
