"""A real browser for the tests of the page: Playwright's interface to the installed Chromium."""

import os
import shutil

import pytest

COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"


def chromium():
    """Where Chromium is; the test is skipped without it, unless NOBI_TEST_BROWSER=required."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None and os.environ.get("NOBI_TEST_BROWSER") != "required":
        pytest.skip("chromium is not installed")
    assert found, "chromium is required but not installed"
    return found


def place_of(page, name, board=0):
    """Where a point such as D4 is on the screen."""
    element = page.locator(".nb").nth(board)
    size = int(element.get_attribute("data-size"))
    svg = element.locator("svg").first
    left, top, width, height = map(float, svg.get_attribute("viewBox").split())
    box = svg.bounding_box()
    column, row = COLUMNS.index(name[0]), size - int(name[1:])
    return box["x"] + (column - left) / width * box["width"], box["y"] + (row - top) / height * box["height"]


def click_point(page, name, board=0):
    """Clicks on a point of a board."""
    page.mouse.click(*place_of(page, name, board))


def stones(page, board=0):
    """The stones that a board shows, a letter for each cell."""
    return page.locator(".nb").nth(board).get_attribute("data-stones")


def wait_for_words(page, pattern):
    page.wait_for_function(
        "pattern => new RegExp(pattern).test(document.querySelector('.words').textContent)", arg=pattern
    )


def choose_game(page, name):
    page.get_by_role("group", name="game").get_by_text(name, exact=True).click()


def choose_size(page, size, label="board size", *, board=True):
    """Moves a slider by its keys; waits for a board of this size, unless there is none."""
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
