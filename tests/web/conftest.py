import time

import numpy as np
import pytest

from nobi.models.model import Model, save_model
from nobi.networks import make_network
from nobi.web.jobs import Jobs
from nobi.web.opponents import Catalogue
from nobi.web.table import Table


@pytest.fixture(scope="session")
def model_file(tmp_path_factory):
    """A small network with weights drawn at random."""
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
def table(catalogue, jobs):
    table = Table("visitor", catalogue, jobs)
    yield table
    table.close()


@pytest.fixture
def settle():
    """Waits until nothing is computed for a table any more."""

    def wait(table, seconds=240):
        end = time.monotonic() + seconds
        while table.busy or table.looking:
            table.poll()
            assert time.monotonic() < end, "the job does not end"
            time.sleep(0.01)

    return wait
