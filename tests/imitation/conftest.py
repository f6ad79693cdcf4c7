import pytest
import torch

from helpers.datasets import make_dataset


@pytest.fixture(scope="session")
def games5(tmp_path_factory):
    """A dataset of 40 short games on 5x5."""
    return make_dataset(tmp_path_factory.mktemp("datasets") / "five")


@pytest.fixture(scope="session")
def games57(tmp_path_factory):
    """A dataset of games on 5x5 and 7x7."""
    return make_dataset(tmp_path_factory.mktemp("datasets") / "both", sizes=(5, 7), games=20, seed=1)


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
