"""Speed figures: measurement and printing with their required values."""

import json
from types import SimpleNamespace

import pytest

from helpers.commands import call
from nobi.bench import measure
from nobi.bench.data import playout_records, records_as_sgf
from nobi.bench.measure import Measurement, rate_measurement, rates
from nobi.records.sgf_reader import parse_sgf


def test_rates_are_units_per_second(monkeypatch):
    """With a clock on which a unit takes two milliseconds."""
    clock = SimpleNamespace(seconds=0.0)
    amounts = []

    def work(units):
        amounts.append(units)
        clock.seconds += 0.002 * units
        return units

    monkeypatch.setattr(measure, "time", SimpleNamespace(perf_counter=lambda: clock.seconds))
    assert rates(work, 0.02, repeats=3) == pytest.approx([500] * 3)
    assert amounts[-3:] == [10] * 3


@pytest.mark.parametrize(
    ("value", "least", "lower", "reached"),
    [(5, None, False, None), (5, 4, False, True), (5, 6, False, False), (5, 6, True, True), (5, 4, True, False)],
)
def test_a_figure_is_compared_with_its_required_value(value, least, lower, reached):
    assert Measurement("x", "s", value, value, at_least=least, lower_is_better=lower).reached is reached


def test_the_median_is_reported():
    figure = rate_measurement("x", "games/s", [3.0, 9.0, 5.0])
    assert (figure.value, figure.best) == (5.0, 9.0)


def test_the_arena_section(capsys):
    code, out, _ = call(capsys, "bench", "arena", "--seconds", "0.01", "--json")
    assert code == 0
    [section] = json.loads(out)["sections"]
    assert section["name"] == "arena"
    playouts = section["figures"][0]
    assert playouts["what"] == "Go 9x9 random playouts"
    assert 0 < playouts["value"] <= playouts["best"]
    assert "OpenSpiel" in playouts["peer"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["everything"],
            "There is no section 'everything'; "
            "choose one of start, arena, sizes, networks, search, growth, datasets, features, convolutions or imitate.",
        ),
        (["arena", "--seconds", "0"], "--seconds must be above 0 and at most 60, not 0."),
    ],
)
def test_bad_input(capsys, arguments, sentence):
    code, out, err = call(capsys, "bench", *arguments)
    assert (code, out, err) == (2, "", f"nobi: {sentence}\n")


def test_the_records_to_import_are_those_of_the_games():
    games = playout_records(9, 3)
    for i, text in enumerate(records_as_sgf(games)):
        [record] = parse_sgf(text)
        assert record.size == 9
        assert record.moves.tolist() == games.moves[games.start[i] : games.start[i + 1]].tolist()
