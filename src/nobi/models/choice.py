"""The shipped model for a game and a board size."""

from functools import cache
from pathlib import Path

from nobi.errors import NobiError
from nobi.models import predicts_moves, quality, shipped
from nobi.models.model import DEEP, compiled_in, model_in, read_model_file


def made_for(path: str | Path) -> tuple[str, int]:
    """The game that a model was trained on, and the board size that suits it; 0 for any size."""
    file = read_model_file(Path(path))
    if file.format == DEEP:
        return "go", file.size
    model = model_in(file)
    return model.game, 0 if model.network.scalable else model.size


@cache
def best_model(game: str, size: int) -> str:
    """The shipped model that predicts moves best among those for the game and the board; empty if there is none."""
    able = (name for name in shipped() if predicts_moves(name) and _plays(name, game, size))
    return max(able, key=quality, default="")


def _plays(name: str, game: str, size: int) -> bool:
    """Whether a shipped model plays the game on the board, without PyTorch."""
    trained, only_size = made_for(name)
    file = read_model_file(Path(name))
    if trained != game or file.format != DEEP:
        return trained == game and only_size in (0, size)
    network = compiled_in(file, 1)
    try:
        if network:
            network.check_size(size)
    except NobiError:
        return False
    return network is not None
