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
