"""Figures of boards and of hidden units: valid files with the expected contents."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.colors import same_color
from matplotlib.image import imread
from matplotlib.patches import Circle

from nobi.board.stones import BLACK, EMPTY, WHITE
from nobi.board.text import point_named, row_column
from nobi.figures.board import draw_board, numbered_stones
from nobi.figures.network import MOST_UNITS, WIDTH, blocks_of, inside_figure, plan_of
from nobi.figures.style import blank_figure, place_axes
from nobi.games.atari_go import AtariGo
from nobi.games.go import Go
from nobi.games.gomoku import Gomoku
from nobi.networks import make_network
from nobi.players.inspection import LayerInspection, SweepLabel, colours_of, inspect_network

DPI = 150


def assert_whole(path, width=None, height=None):
    """PNG and SVG exist and have this size in inches."""
    image = imread(path.with_suffix(".png"))
    assert image.shape[2] == 4
    assert image[..., :3].std() > 0.05
    svg = ET.parse(path.with_suffix(".svg")).getroot()  # noqa: S314
    assert svg.tag.endswith("svg")
    for inches, pixels, text in (
        (height, image.shape[0], svg.get("height")),
        (width, image.shape[1], svg.get("width")),
    ):
        if inches:
            assert pixels == pytest.approx(inches * DPI, abs=1)
            assert float(text.removesuffix("pt")) == pytest.approx(inches * 72, abs=0.1)


def game_of(moves, kind=AtariGo, size=7):
    game = kind(size)
    for move in moves.split():
        game.play(move)
    return game


def drawn(colours, **marks):
    """The axes, all circles on them, and the texts by row and column."""
    with blank_figure(3, 3) as figure:
        axes = place_axes(figure, 0.3, 0.1, 2.5, 2.5)
        draw_board(axes, colours, **marks)
        figure.draw_without_rendering()
        circles = [patch for patch in axes.patches if isinstance(patch, Circle)]
        texts = {(int(t.get_position()[1]), int(t.get_position()[0])): t for t in axes.texts}
        return axes, circles, texts


def test_stones_are_drawn_at_their_points():
    game = game_of("D4 C3 A7")
    _, circles, _ = drawn(colours_of(game))
    stones = {(c.center[1], c.center[0]): c.get_facecolor() for c in circles if c.radius > 0.4}
    assert stones.keys() == {(3, 3), (4, 2), (0, 0)}
    assert same_color(stones[3, 3], "black")
    assert same_color(stones[4, 2], "white")
    assert same_color(stones[0, 0], "black")


@pytest.mark.parametrize(("last", "ink"), [((3, 3), "white"), ((4, 2), "black")])
def test_the_latest_stone_is_marked(last, ink):
    _, circles, _ = drawn(colours_of(game_of("D4 C3")), last=last)
    [ring] = [c for c in circles if 0.1 < c.radius < 0.4]
    assert (ring.center[1], ring.center[0]) == last
    assert same_color(ring.get_edgecolor(), ink)


def test_coordinates_are_those_of_go_players():
    axes, _, _ = drawn(np.zeros((9, 9), np.uint8))
    assert [label.get_text() for label in axes.get_xticklabels()] == list("ABCDEFGHJ")
    assert [label.get_text() for label in axes.get_yticklabels()] == list("987654321")
    assert axes.get_ylim()[0] > axes.get_ylim()[1]  # row 0 at the top


def test_numbers_are_written_on_the_stones():
    colours, numbers = np.zeros((2, 19, 19), np.uint8)
    colours[0, 0], colours[5, 7], colours[18, 3] = BLACK, WHITE, BLACK
    numbers = numbers.astype(np.int64)
    numbers[0, 0], numbers[5, 7] = 7, 123
    _, _, texts = drawn(colours, numbers=numbers)
    assert {at: text.get_text() for at, text in texts.items()} == {(0, 0): "7", (5, 7): "123"}
    assert same_color(texts[0, 0].get_color(), "white")
    assert same_color(texts[5, 7].get_color(), "black")
    cell = 2.5 * 72 / 19.2
    for text in texts.values():
        box = text.get_window_extent()
        assert box.width * 72 / DPI < 0.9 * cell  # it does not reach beyond its stone


def test_a_numbered_game_keeps_captured_stones_and_lists_the_moves_without_space():
    game = Go(5)
    for move in ["A2", "A1", "B1", "E5", "A1", "pass"]:  # black takes A1, and later plays there
        game.play(move)
    colours, numbers, notes = numbered_stones(game)
    expected = {"A2": (1, BLACK), "A1": (2, WHITE), "B1": (3, BLACK), "E5": (4, WHITE)}
    for name, (number, colour) in expected.items():
        at = row_column(point_named(name, 5), 5)
        assert (numbers[at], colours[at]) == (number, colour)
    assert (colours != EMPTY).sum() == (numbers > 0).sum() == 4
    assert notes == ["5 at 2", "6 pass"]


def test_a_numbered_game_continues_from_the_stones_set_up():
    game = Go.from_text("A B C D E\n. . . . .\n. X . . .\n. . . . .\n. . . O .\n. . . . .", to_move=WHITE)
    game.play("A1")
    colours, numbers, _ = numbered_stones(game)
    assert (colours[1, 1], colours[3, 3], colours[4, 0]) == (BLACK, WHITE, WHITE)
    assert (numbers[1, 1], numbers[3, 3], numbers[4, 0]) == (0, 0, 1)


@pytest.mark.parametrize(
    ("spec", "kind", "size"),
    [
        ("mdrnn:hidden=1", AtariGo, 5),
        ("mdrnn:hidden=10", Go, 19),
        ("mdlstm:hidden=3", AtariGo, 7),
        ("mdlstm:hidden=3,mode=original", Go, 9),
        ("stacked:hidden=3,layers=2", Go, 5),
        ("conv", Go, 9),
        ("mlp:hidden=5", AtariGo, 5),
    ],
)
def test_inside_figure(tmp_path, spec, kind, size):
    network = make_network(spec)
    weights = network.random_weights(size, np.random.default_rng(1))
    found = inspect_network(game_of("C3 D4 B2", kind, size), network, weights)
    inside_figure(found, tmp_path / "inside.png", spec)
    assert_whole(tmp_path / "inside.png", width=WIDTH)


@pytest.mark.filterwarnings("error")
def test_inside_figure_up_to_a_full_board(tmp_path):
    """One legal move, then none, and a network with output 0 everywhere."""
    network = make_network("mdrnn:hidden=1")
    game = Gomoku.from_text("A B C D E\nX X O O X\nO O X X O\nX X O O X\nO O X X O\nX X O O .")
    for _ in range(2):
        found = inspect_network(game, network, np.zeros(5, np.float32))
        inside_figure(found, tmp_path / "inside.png", "zero")
        assert_whole(tmp_path / "inside.png", width=WIDTH)
        if not game.is_over:
            assert found.best == [point_named("E1", 5)]
            game.play("E1")
    assert game.is_over


def test_the_same_figure_is_the_same_file(tmp_path):
    network = make_network("mdlstm:hidden=3")
    found = inspect_network(game_of("D4 C3"), network, network.random_weights(7, np.random.default_rng(1)))
    for name in ("one.png", "two.png"):
        inside_figure(found, tmp_path / name, "title")
    for suffix in (".png", ".svg"):
        assert (tmp_path / "one").with_suffix(suffix).read_bytes() == (tmp_path / "two").with_suffix(
            suffix
        ).read_bytes()


def test_units_of_an_mdrnn_are_drawn_before_tanh():
    network = make_network("mdrnn:hidden=2")
    found = inspect_network(game_of("D4 C3"), network, 3 * network.random_weights(7, np.random.default_rng(1)))
    [block] = blocks_of(found.layers)
    assert block.title == "hidden units, before tanh"
    np.testing.assert_array_equal(block.maps, found.layers[0].inputs())
    assert np.abs(block.maps).max() > 1


@pytest.mark.parametrize("units", [*range(1, 17), 64])
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("gates", [[""], ["row 0, column 1", "row 1, column 0"]])
def test_all_units_of_all_sweeps_are_in_the_figure(gates, layers, units):
    sweeps = [SweepLabel(arrow, gate) for arrow in "↘↙↗↖" for gate in gates]
    hidden = np.arange(len(sweeps) * units, dtype=np.float32)[:, None, None].repeat(5, 1).repeat(5, 2)
    layer = LayerInspection(sweeps, hidden.reshape(len(sweeps), units, 5, 5))
    blocks = list(blocks_of([layer] * layers))
    placed = np.concatenate([block.maps[..., 0, 0].ravel() for block in blocks])
    assert sorted(placed) == sorted([*range(len(sweeps) * units)] * layers)
    for block in blocks:
        assert block.arrows == list("↘↙↗↖")
        assert block.maps[0, 0, 0, 0] % units == block.first - 1
    assert max(block.maps.shape[1] for block in blocks) <= MOST_UNITS
    plan = plan_of(blocks)
    assert plan.rows * plan.across >= len(blocks) > (plan.rows - 1) * plan.across
    assert plan.across * plan.width < WIDTH - 1
    assert 0.4 <= plan.side <= 0.7
