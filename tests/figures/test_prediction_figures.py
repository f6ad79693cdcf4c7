"""Figures of training and prediction: their contents."""

from types import SimpleNamespace

import numpy as np
import pytest

from nobi.figures import style, training
from nobi.figures.comparison import PaperComparison, compare_with_paper
from nobi.imitation.metrics import PredictionMetrics
from nobi.statistics import Interval


@pytest.fixture
def drawn(monkeypatch):
    """Collect every saved figure."""
    kept = []
    for module in (style, training):
        monkeypatch.setattr(module, "save_figure", lambda figure, path: kept.append((figure, path)))
    return kept


def line(step, rate, **more):
    return {"step": step, "positions": 128 * step, "epoch": step / 100, "rate": rate, **more}


def share(value):
    return Interval(value, value - 0.05, value + 0.05)


def test_decreases_of_the_learning_rate_are_marked():
    jobs = [line(step, rate) for step, rate in ((0, 5), (10, 5), (20, 5), (30, 1), (40, 1), (50, 1))]
    assert training.rate_drops(jobs) == [25 * 128]
    assert training.rate_drops([line(step, 1 / (1 + step)) for step in range(10)]) == []


def test_the_training_curve_has_both_parts(drawn, tmp_path):
    lines = [line(0, 0.1, validation_loss=4.0, validation_accuracy=0.1)]
    lines += [
        line(step, 0.1, loss=3.0 / step, accuracy=0.2, validation_loss=3.1, validation_accuracy=0.15)
        for step in (1, 2, 3)
    ]
    training.training_curve(lines, tmp_path / "curve.png", "a run")
    [(figure, _)] = drawn
    left, right = figure.axes
    assert [curve.get_ydata().tolist() for curve in left.get_lines()] == [[3.0, 1.5, 1.0], [4.0, 3.1, 3.1, 3.1]]
    assert right.get_lines()[1].get_ydata() == pytest.approx([10, 15, 15, 15])
    assert left.get_lines()[1].get_xdata() == pytest.approx([0, 0.128, 0.256, 0.384])


def test_curves_of_guesses_and_moves(drawn, tmp_path):
    training.top_curve({"a": [share(0.4), share(0.6)], "b": [share(0.3)]}, tmp_path / "top.png", "guesses")
    quality, few = (PredictionMetrics(100, games, share(0.5), share(3), share(0.2), share(2)) for games in (20, 2))
    training.moves_curve({"a": {0: quality, 10: quality, 20: few}}, tmp_path / "moves.png")
    top, moves = (figure.axes[0] for figure, _ in drawn)
    assert [curve.get_ydata() for curve in top.get_lines()] == [pytest.approx([40, 60]), pytest.approx([30])]
    assert [text.get_text() for text in top.get_legend().get_texts()] == ["a", "b", "95 % interval over games"]
    assert moves.get_lines()[0].get_xdata().tolist() == [5.5, 15.5]  # the middle of moves 1 to 10 and 11 to 20


def test_groups_are_in_order(drawn, tmp_path):
    groups = {"a": {"5k": share(0.3), "1d": share(0.5)}, "b": {"1d": share(0.4)}}
    training.accuracy_by_group(groups, tmp_path / "ranks.png", "rank")
    axes = drawn[0][0].axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["5k", "1d"]
    one, other = axes.containers
    assert one.lines[0].get_ydata() == pytest.approx([30, 50])
    assert other.lines[0].get_ydata() == pytest.approx([40])
    (bars,) = one.lines[2]
    assert [segment[:, 1] for segment in bars.get_segments()] == [pytest.approx([25, 35]), pytest.approx([45, 55])]


def test_filters_are_drawn_with_their_values(drawn, tmp_path):
    filters = np.random.default_rng(0).normal(size=(3, 2, 5, 5)).astype(np.float32)
    training.filter_figure(filters, tmp_path / "filters.png", "filters")
    figure = drawn[0][0]
    pictures = [axes.images[0] for axes in figure.axes if axes.images]
    found = {picture.get_array().tobytes() for picture in pictures}
    assert found == {channel.tobytes() for channel in filters.reshape(6, 5, 5)}
    for picture in pictures:
        assert picture.norm.vmax == -picture.norm.vmin == np.abs(picture.get_array()).max()  # white is 0
    assert figure.axes[-1].get_ylabel() == "weight, as a share of the largest of its picture"


def test_filters_are_named_by_their_planes(drawn, tmp_path):
    filters = np.zeros((2, 3, 5, 5), np.float32)
    filters[1, 2, 0, 0], filters[0, 0, 0, 1] = 1, 2
    training.filter_figure(filters, tmp_path / "filters.png", "filters", ["own", "enemy"])
    figure = drawn[0][0]
    texts = {text.get_text() for text in figure.texts}
    names = ("own", "enemy", "edge of the board")
    assert texts == {"filters", *(f"filter {output}\n{name}" for output in (1, 2) for name in names)}
    places = {text.get_text(): text.get_position() for text in figure.texts}
    [axes] = [axes for axes in figure.axes if axes.images and axes.images[0].get_array()[0, 0] == 1]
    x, y = places["filter 2\nedge of the board"]
    assert (axes.get_position().x0, axes.get_position().y1 < y) == (pytest.approx(x), True)


def test_the_names_of_inputs():
    assert training.plane_names("c14-3", SimpleNamespace(ko=True)) == ["own", "enemy", "ko"]
    assert training.plane_names("c14-3", SimpleNamespace(ko=False)) == ["own", "enemy"]
    assert training.plane_names("own-enemy", SimpleNamespace()) == ["own", "enemy"]


def test_figures_of_filters_are_reproduced_to_the_same_bytes(tmp_path):
    filters = np.random.default_rng(0).normal(size=(3, 2, 5, 5)).astype(np.float32)
    training.filter_figure(filters, tmp_path / "filters.png", "filters")
    first = (tmp_path / "filters.png").read_bytes()
    training.filter_figure(filters, tmp_path / "filters.png", "filters")
    assert (tmp_path / "filters.png").read_bytes() == first
    assert (tmp_path / "filters.svg").exists()


def test_curves_of_several_runs_can_be_distinguished(drawn, tmp_path):
    runs = {f"run {i}": [line(step, 0.1, validation_accuracy=0.01 * i) for step in (0, 10)] for i in range(8)}
    training.validation_curves(runs, tmp_path / "runs.png", "eight runs")
    axes = drawn[0][0].axes[0]
    assert [curve.get_ydata().tolist() for curve in axes.get_lines()] == [pytest.approx([i, i]) for i in range(8)]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == list(runs)
    looks = {(curve.get_color(), str(curve.get_linestyle())) for curve in axes.get_lines()}
    assert len(looks) == 8


def test_our_results_are_next_to_the_papers(monkeypatch, tmp_path):
    kept = []
    monkeypatch.setattr(style, "save_figure", lambda figure, _: kept.append(figure))
    cases = [
        PaperComparison("a", Interval(2, 1, 4), 3.0),
        PaperComparison("b", Interval(-1, -2, 0), each=(-2.0, 0.0)),
        PaperComparison("c", Interval(5, 4, 6), 5.5),
    ]
    compare_with_paper(cases, tmp_path / "beside.png", "some", "points")
    axes = kept[0].axes[0]
    ours, papers = axes.containers
    assert ours.lines[0].get_xdata().tolist() == [2, -1, 5]
    (bars,) = ours.lines[2]
    assert [segment[:, 0].tolist() for segment in bars.get_segments()] == [[1, 4], [-2, 0], [4, 6]]
    [points] = [line for line in axes.lines if line.get_label() == "single runs"]
    assert points.get_xdata().tolist() == [-2, 0]
    assert papers.get_label() == "paper"
    assert papers.lines[0].get_xdata().tolist() == [3, 5.5]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["a", "b", "c"]
    assert axes.yaxis_inverted()  # the first case is at the top
