"""Figures of studies: the drawn values are the measured ones, and the files are valid."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.image import imread
from scipy import stats

from nobi.figures.board import CELL, games_figure
from nobi.figures.comparison import (
    PERCENTAGES,
    Cloud,
    Panel,
    ScatterPanel,
    curve_styles,
    fitness_limits,
    percentile_curves,
    scatter_plot,
    win_rates,
)
from nobi.figures.style import boards_in_words, in_words, saved_panels, title
from nobi.figures.training import LearningPanel, learning_bands, mean_band
from nobi.games.atari_go import AtariGo
from nobi.games.go import Go
from nobi.statistics import Interval, percentiles

RANDOM = np.random.default_rng(5)
FITNESS = RANDOM.uniform(-1, 1, 60)


@pytest.fixture
def figures(monkeypatch):
    """The figures that a study would save."""
    kept = []
    for module in ("style", "board"):
        monkeypatch.setattr(f"nobi.figures.{module}.save_figure", lambda figure, _: kept.append(figure))
    return kept


def labels_of(legend):
    return [text.get_text() for text in legend.get_texts()]


def runs_of(runs, generations):
    mean = RANDOM.uniform(-0.5, 0.5, (runs, generations))
    return mean, mean + 0.3


def test_percentile_curves_show_the_share_that_reaches_a_fitness(figures, tmp_path):
    percentile_curves([Panel("one", {"net": FITNESS})], tmp_path / "figure.png", "")
    [axes] = figures[0].axes
    [line] = axes.lines
    for share, value in zip(*line.get_data(), strict=True):
        reached = 100 * np.mean(value <= FITNESS)
        assert abs(reached - share) <= 100 / len(FITNESS) + 1e-9
    assert axes.get_ylabel() == "fitness"
    assert axes.get_xlim() == (0, 100)


def test_percentile_bands_are_the_intervals_cut_at_the_ends_of_the_scale(figures, tmp_path):
    percentile_curves([Panel("one", {"net": FITNESS})], tmp_path / "figure.png", "")
    [axes] = figures[0].axes
    band, explanation = axes.collections
    assert explanation.get_label() == "95 % interval"
    assert not any(len(path.vertices) for path in explanation.get_paths())
    at = percentiles(FITNESS, [100 - PERCENTAGES[30]])[0]
    drawn = band.get_paths()[0].vertices
    found = drawn[np.isclose(drawn[:, 0], PERCENTAGES[30]), 1]
    assert {round(y, 9) for y in found} == {round(at.low, 9), round(at.high, 9)}
    assert drawn[:, 1].min() >= -1
    assert drawn[:, 1].max() == 1  # 60 networks do not determine the best of all


def test_a_legend_is_shared_if_all_panels_have_the_same_curves(figures, tmp_path):
    same = [Panel(name, {"a": FITNESS, "b": -FITNESS}) for name in ("one", "two", "three")]
    percentile_curves(same, tmp_path / "figure.png", "")
    percentile_curves([*same, Panel("four", {"b": FITNESS, "c": FITNESS})], tmp_path / "figure.png", "")
    shared, own = figures
    assert [labels_of(legend) for legend in shared.legends] == [["a", "b", "95 % interval"]]
    assert all(axes.get_legend() is None for axes in shared.axes)
    assert not own.legends
    assert [labels_of(axes.get_legend()) for axes in own.axes] == [
        *[["a", "b", "95 % interval"]] * 3,
        ["b", "c", "95 % interval"],
    ]
    # a label looks the same everywhere, and differs from others in colour and in style
    looks = [{line.get_label(): (line.get_color(), line.get_linestyle()) for line in axes.lines} for axes in own.axes]
    assert looks[0]["b"] == looks[3]["b"]
    assert looks[0]["a"][0] != looks[0]["b"][0]
    assert looks[0]["a"][1] != looks[0]["b"][1]


def test_many_curves_can_be_distinguished():
    few = curve_styles([f"net {i}" for i in range(7)])
    assert len({colour for colour, _ in few.values()}) == len({str(line) for _, line in few.values()}) == 7
    many = curve_styles([f"{net}, k = {k}" for net in ("MDLSTM", "MDRNN", "CONV", "MLP") for k in (1, 3, 10)])
    assert len({(colour, str(line)) for colour, line in many.values()}) == 12
    assert many["CONV, k = 1"][0] == many["CONV, k = 10"][0] != many["MLP, k = 1"][0]
    assert len({(colour, str(line)) for colour, line in curve_styles([f"net {i}" for i in range(20)]).values()}) == 20


def test_scatter_plots_show_the_correlation(figures, tmp_path):
    other = np.clip(FITNESS + RANDOM.normal(0, 0.4, len(FITNESS)), -1, 1)
    clouds = [Cloud("MDLSTM", FITNESS, other), Cloud("CONV", FITNESS, np.zeros(len(FITNESS))),
              Cloud("MLP", FITNESS, -FITNESS)]  # fmt: skip
    scatter_plot([ScatterPanel("one", "fitness on 5x5", "fitness on 9x9", clouds)], tmp_path / "figure.png", "")
    [axes] = figures[0].axes
    r = stats.pearsonr(FITNESS, other).statistic
    assert labels_of(axes.get_legend()) == [f"MDLSTM, r = {r:.2f}", "CONV, r undefined", "MLP, r = −1.00"]
    diagonal, first, second, _ = axes.lines
    assert [list(part) for part in diagonal.get_data()] == [[-1, 1], [-1, 1]]
    assert (first.get_marker(), second.get_marker()) == ("o", "x")
    assert np.array_equal(first.get_data()[1], other)
    assert axes.get_xlim() == axes.get_ylim()
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("fitness on 5x5", "fitness on 9x9")


@pytest.mark.parametrize("block", [1, 4])
def test_bands_are_students_intervals_over_runs(block):
    fitness = RANDOM.uniform(-0.3, 0.3, (6, 11))
    at, mean, low, high = mean_band(fitness, block)
    for number, start in enumerate(range(0, 11, block)):
        values = fitness[:, start : start + block].mean(axis=1)
        expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
        assert at[number] == np.mean(range(start, min(11, start + block)))
        assert (low[number], mean[number], high[number]) == pytest.approx((expected.low, values.mean(), expected.high))


def test_bands_of_one_run_have_no_width_and_none_leaves_the_scale():
    one = RANDOM.uniform(-1, 1, (1, 5))
    _, mean, low, high = mean_band(one, 1)
    assert np.array_equal(low, mean)
    assert np.array_equal(high, mean)
    _, _, low, high = mean_band(np.array([[-1.0, 1.0], [1.0, 0.9]]), 1)
    assert low.min() >= -1
    assert high.max() <= 1


def test_learning_curves_are_solid_for_the_mean_and_dashed_for_the_best(figures, tmp_path):
    curves = {"MDLSTM": runs_of(3, 20), "CONV": runs_of(3, 20)}
    learning_bands([LearningPanel("one", curves)], tmp_path / "figure.png", "")
    [axes] = figures[0].axes
    for number, (mean, best) in enumerate(curves.values()):
        solid, broken = axes.lines[2 * number : 2 * number + 2]
        assert (solid.get_linestyle(), broken.get_linestyle()) == ("-", "--")
        assert solid.get_color() == broken.get_color()
        assert np.allclose(solid.get_ydata(), mean.mean(axis=0))
        assert np.allclose(broken.get_ydata(), best.mean(axis=0))
    for points, (mean, _) in zip(axes.lines[4:6], curves.values(), strict=True):
        assert np.allclose(points.get_ydata(), mean[:, -2:].mean(axis=1))
        assert points.get_xdata().min() > 19
    parts = ["mean of the generation", "best of the generation", "95 % interval over runs", "mean of a run, last tenth"]
    assert labels_of(figures[0].legends[0]) == ["MDLSTM", "CONV", *parts]
    assert axes.get_xlabel() == "generation"


def test_many_runs_are_not_drawn_one_by_one(figures, tmp_path):
    learning_bands([LearningPanel("one", {"MDLSTM": runs_of(11, 20)})], tmp_path / "figure.png", "")
    assert "mean of a run, last tenth" not in labels_of(figures[0].legends[0])


def test_one_run_has_no_bands_in_the_legend(figures, tmp_path):
    learning_bands([LearningPanel("one", {"MDLSTM": runs_of(1, 20)})], tmp_path / "figure.png", "")
    assert labels_of(figures[0].legends[0]) == ["MDLSTM", "mean of the generation", "best of the generation"]


def test_a_probability_has_an_axis_of_its_own_and_stays_between_0_and_1(figures, tmp_path):
    levels = np.array([[0.5, 0.1, 0.0], [0.5, 0.4, 0.05], [0.5, 0.0, 0.0]])  # Student's interval reaches below 0
    panel = LearningPanel("one", {"MDLSTM": runs_of(3, 3)}, {"share of random moves, e": levels})
    learning_bands([panel], tmp_path / "figure.png", "")
    fitness, shares = figures[0].axes
    assert (fitness.get_ylabel(), shares.get_ylabel()) == ("fitness", "share of random moves, e")
    [line] = shares.lines
    assert np.allclose(line.get_ydata(), levels.mean(axis=0))
    [band] = shares.collections
    drawn = band.get_paths()[0].vertices
    assert drawn[:, 1].min() == 0
    assert shares.get_ylim()[0] == 0
    assert "share of random moves, e" in labels_of(figures[0].legends[0])


@pytest.mark.parametrize(
    ("intervals", "bottom", "top"),
    [
        ([Interval(0.99, 0.96, 1.0), Interval(0.81, 0.75, 0.86)], 0.5, 1.0),
        ([Interval(-0.2, -0.3, 0.1), Interval(0.9, 0.8, 0.95)], -0.5, 1.0),
        ([Interval(-0.95, -0.99, -0.9)], -1.0, -0.5),
        ([Interval(0, -np.inf, np.inf)], -1.0, 1.0),
    ],
)
def test_the_axis_of_fitness_is_as_long_as_needed(intervals, bottom, top):
    low, high = fitness_limits(intervals)
    assert bottom - 0.06 < low < bottom
    assert top < high < top + 0.06


def test_titles_are_descriptive():
    assert in_words("mdlstm:hidden=3,mode=tied") == "MDLSTM (hidden 3, mode tied)"
    assert in_words("cmaes") == "CMA-ES"
    assert in_words("runs/a:b/champion.safetensors") == "runs/a:b/champion.safetensors"
    assert in_words("whatever") == "whatever"
    assert boards_in_words([7]) == "7x7"
    assert boards_in_words([5, 7, 9]) == "5x5, 7x7 and 9x9"
    assert title("an MDLSTM") == "An MDLSTM"
    assert max(map(len, title("MDLSTM " * 40).splitlines())) <= 62


def test_long_runs_make_small_files(tmp_path):
    panel = LearningPanel("", {name: runs_of(5, 3500) for name in ("MDLSTM", "CONV", "MDRNN", "MLP")})
    learning_bands([panel] * 3, tmp_path / "figure.png", "Learning")
    assert (tmp_path / "figure.svg").stat().st_size < 310_000


def test_games_of_different_sizes_are_drawn_side_by_side(figures, tmp_path):
    small, large = AtariGo(5), Go(9)
    for move in ["C3", "B3", "C2"]:
        small.play(move)
    for move in ["A9", "pass", "J1"]:
        large.play(move)
    games_figure([(small, "small"), (large, "large"), (small, "again")], tmp_path / "figure.png", "Games", columns=2)
    [figure] = figures
    numbers = [[text.get_text() for text in axes.texts] for axes in figure.axes]
    assert [sorted(found) for found in numbers] == [["1", "2", "3"], ["1", "3"], ["1", "2", "3"]]
    texts = [text.get_text() for text in figure.texts]
    assert {"Games", "small", "large", "again", "2\N{NO-BREAK SPACE}pass"} <= set(texts)
    boxes = [axes.get_position() for axes in figure.axes]
    inches = figure.get_size_inches()
    for box, size in zip(boxes, (5, 9, 5), strict=True):  # the lines of all boards are as far apart
        assert box.width * inches[0] == pytest.approx(CELL * (size + 0.2))
        assert box.height * inches[1] == pytest.approx(CELL * (size + 0.2))
    for one in range(3):
        for other in range(one):
            assert not boxes[one].overlaps(boxes[other])
    assert boxes[2].x0 == boxes[0].x0


def test_shares_are_percentages_with_their_intervals(figures, tmp_path):
    points = [(100, Interval(0.25, 0.2, 0.35)), (1000, Interval(0.5, 0.4, 0.6))]
    win_rates({"one": points, "two": points[:1]}, tmp_path / "figure.png", "Title")
    [axes] = figures[0].axes
    line, *_ = axes.lines
    assert line.get_xydata().tolist() == [[100, 25], [1000, 50]]
    ends = axes.collections[0].get_segments()[0]
    assert ends == pytest.approx(np.array([[100, 20], [100, 35]]))
    assert [text.get_text() for text in axes.get_xticklabels()] == ["100", "1,000"]
    assert axes.get_xscale() == "log"
    assert labels_of(axes.get_legend()) == ["one", "two"]


def test_all_are_saved_as_png_and_svg_the_same_bytes_every_time(tmp_path):
    game = AtariGo(5)
    game.play("C3")
    cloud = Cloud("net", FITNESS, FITNESS**3)
    for path in (tmp_path / "first", tmp_path / "second"):
        path.mkdir()
        percentile_curves([Panel("p", {"a": FITNESS})], path / "percentiles.png", "Title")
        scatter_plot([ScatterPanel("p", "x", "y", [cloud])], path / "scatter.png", "Title")
        learning_bands(
            [LearningPanel("p", {"a": (FITNESS[None, :5], FITNESS[None, 5:10])})], path / "learning.png", "Title"
        )
        games_figure([(game, "game")], path / "games.png", "Title")
        win_rates({"a": [(1, Interval(0.5, 0.4, 0.6))]}, path / "shares.png", "Title")
    names = sorted(file.name for file in (tmp_path / "first").iterdir())
    assert names == [
        f"{one}.{kind}" for one in ("games", "learning", "percentiles", "scatter", "shares") for kind in ("png", "svg")
    ]
    for name in names:
        file = tmp_path / "first" / name
        assert file.read_bytes() == (tmp_path / "second" / name).read_bytes()
        if file.suffix == ".png":
            assert imread(file).std() > 0.02
        else:
            assert ET.parse(file).getroot().tag.endswith("svg")  # noqa: S314
            assert "<!-- Title -->" in file.read_text()


@pytest.mark.parametrize("draw", [percentile_curves, scatter_plot, learning_bands, games_figure])
def test_nothing_to_draw_is_an_error(tmp_path, draw):
    with pytest.raises(ValueError, match="at least one"):
        draw([], tmp_path / "figure.png", "Title")
    assert list(tmp_path.iterdir()) == []


def test_a_title_is_not_wider_than_a_narrow_figure(tmp_path):
    long = "The same random networks on two boards " * 3
    with saved_panels(tmp_path / "narrow.png", long, 1, width=3.2, height=3) as (axes,):
        figure = axes.figure
        axes.plot([0, 1], [0, 1])
    assert "\n" in figure.get_suptitle()
    FigureCanvasAgg(figure).draw()
    assert figure._suptitle.get_window_extent().x1 <= figure.bbox.x1
