"""Random lines; `.ci/fuzz.py` sends many more."""

from helpers.fuzzing import check_gtp, check_json, random_gtp_line, random_json_line, rng_of


def test_random_lines_of_json():
    rng = rng_of(7)
    assert check_json([random_json_line(rng, i) for i in range(2000)]) > 1000


def test_random_lines_of_gtp(monkeypatch):
    monkeypatch.setattr("nobi.players.scoring.PLAYOUTS", 4)
    rng = rng_of(7)
    check_gtp([random_gtp_line(rng) for _ in range(500)], rng)
