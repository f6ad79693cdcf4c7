import pytest
import torch

from helpers.datasets import make_dataset


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """A dataset of generated games for every role: role → path."""
    folder = tmp_path_factory.mktemp("data")
    return {
        "pro": make_dataset(folder / "pro", sizes=(19,), games=24, seed=1, most=30),
        "kgs": make_dataset(folder / "kgs", sizes=(19,), games=24, seed=2, most=30),
        "small": make_dataset(folder / "small", sizes=(9, 13), games=24, seed=3, most=30),
    }


@pytest.fixture(autouse=True)
def same_threads():
    """Studies set the number of threads of torch; this restores it for other tests."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)
