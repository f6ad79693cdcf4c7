"""The figure of the planes agrees with its description in the documentation."""

import numpy as np

from nobi.board.text import COLUMNS
from nobi.encoding import position_planes
from nobi.features import make_planes
from nobi.figures.board import example_game, planes_figure


def test_the_position_of_the_page():
    game = example_game()
    planes = make_planes("m15")
    values = dict(zip(planes.channels, position_planes(game, planes, rank=5), strict=True))

    def where(plane):
        return {f"{COLUMNS[c]}{9 - r}" for r, c in zip(*np.nonzero(values[plane]), strict=True)}

    assert where("captures 2") == {"A7"}
    assert where("ladder") == {"C4"}
    assert where("turns since 1") == {"F6"}
    assert where("own") & where("liberties 1") == {"J3"}
    assert where("empty") - where("legal") == {"G6", "J1"}
    planes = make_planes("c14-7")
    values = dict(zip(planes.channels, position_planes(game, planes), strict=True))
    assert where("ko") == {"G6"}


def test_a_figure_is_reproduced_to_the_same_bytes(tmp_path):
    for name in ("one", "other"):
        planes_figure(example_game(), make_planes("c14-3"), tmp_path / f"{name}.png")
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "other.png").read_bytes()
    assert (tmp_path / "one.svg").exists()
