import time

import numpy as np
import pytest

from helpers.browser import WAIT, chromium, running_page
from nobi.models.model import Model, save_model
from nobi.networks import make_network
from nobi.web.jobs import Jobs
from nobi.web.opponents import Catalogue
from nobi.web.play import PlayState


@pytest.fixture(scope="session")
def model_file(tmp_path_factory):
    """The file of a small network with random weights."""
    path = tmp_path_factory.mktemp("models") / "small.safetensors"
    network = make_network("mdlstm:hidden=3")
    weights = np.random.default_rng(3).normal(size=network.weight_count(7)).astype(np.float32)
    save_model(path, Model(network, weights, 7, {"training": {"game": "atari-go"}}))
    return path


@pytest.fixture(scope="session")
def catalogue(model_file):
    return Catalogue([model_file])


@pytest.fixture(scope="module")
def jobs():
    jobs = Jobs(2)
    yield jobs
    jobs.close()


@pytest.fixture
def state(catalogue, jobs):
    state = PlayState("visitor", catalogue, jobs)
    yield state
    state.close()


@pytest.fixture
def settle():
    """Wait until all jobs of a tab are done."""

    def wait(state, seconds=240):
        end = time.monotonic() + seconds
        while state.busy or state.looking:
            state.poll()
            assert time.monotonic() < end, "the job does not end"
            time.sleep(0.01)

    return wait


@pytest.fixture(scope="session")
def runs_folder(tmp_path_factory):
    """The folder of runs of the page."""
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="session")
def server(model_file, runs_folder, tmp_path_factory):
    """The address of a page that runs in another process."""
    chromium()
    with running_page(tmp_path_factory.mktemp("page"), model_file, "--runs", runs_folder) as (_, address):
        yield address


@pytest.fixture(scope="module")  # Playwright runs an event loop, which would disturb other tests
def browser():
    from playwright.sync_api import sync_playwright

    path = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(browser, server):
    """Open the page as a new visitor; fails if the console of the browser shows an error."""
    contexts, complaints = [], []

    def open_page(path="/", ready=".nb svg rect", **options):
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 860}} | options))
        context.set_default_timeout(WAIT)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(server + path)
        page.wait_for_selector(ready)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
