"""The registry of games, and specs of variants."""

from pathlib import Path

import pytest

from nobi import games
from nobi.errors import NobiError
from nobi.games import variant


@pytest.mark.parametrize(
    ("spec", "size", "message"),
    [
        ("go:ko=banana", 9, "'go:ko=banana': ko cannot be 'banana'; choose one of simple, positional or situational."),
        ("go:scoring=", 9, "'go:scoring=': scoring cannot be ''; choose one of area or territory."),
        ("go:komi=nan", 9, "'go:komi=nan': komi must be a finite number, not nan."),
        ("go:komi=inf", 9, "'go:komi=inf': komi must be a finite number, not inf."),
        ("go:komi=much", 9, "'go:komi=much': komi is a number, not 'much'."),
        ("go:komi", 9, "'go:komi': 'komi' is not of the form key=value."),
        ("go:suicide=maybe", 9, "'go:suicide=maybe': suicide is true or false, not 'maybe'."),
        ("go:size=9", 9, "'go:size=9': there is no setting 'size'; choose one of komi, ko, suicide or scoring."),
        ("atari-go:captures=0", 9, "'atari-go:captures=0': captures must be 1 to 100, not 0."),
        ("atari-go:captures=101", 9, "'atari-go:captures=101': captures must be 1 to 100, not 101."),
        ("atari-go:captures=1.5", 9, "'atari-go:captures=1.5': captures is a whole number, not '1.5'."),
        ("atari-go:komi=1", 9, "'atari-go:komi=1': there is no setting 'komi'; the only choice is captures."),
        ("pente:centre=yes", 9, "'pente:centre=yes': centre is true or false, not 'yes'."),
        ("gomoku:five=6", 9, "'gomoku:five=6': there is no setting 'five'; it takes none."),
        ("chess", 9, "There is no game 'chess'; choose one of atari-go, go, gomoku or pente."),
        ("", 9, "There is no game ''; choose one of atari-go, go, gomoku or pente."),
        ("base", 9, "There is no game 'base'; choose one of atari-go, go, gomoku or pente."),
        ("Go", 9, "There is no game 'Go'; did you mean 'go'? Choose one of atari-go, go, gomoku or pente."),
        ("go", 4, "The board size must be 5 to 25, not 4."),
        ("pente", 26, "The board size must be 5 to 25, not 26."),
        ("gomoku", 0, "The board size must be 5 to 25, not 0."),
        ("atari-go", -9, "The board size must be 5 to 25, not -9."),
    ],
)
def test_bad_specs(spec, size, message):
    with pytest.raises(NobiError) as error:
        variant(spec, size)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("spec", "shortest", "settings"),
    [
        ("go", "go", {"komi": 7.5, "ko": "positional", "suicide": False, "scoring": "area"}),
        ("go:", "go", {"komi": 7.5}),
        ("go:komi=7.5", "go", {"komi": 7.5}),
        ("go:komi=-2", "go:komi=-2.0", {"komi": -2.0}),
        (" go : suicide = TRUE , ko = simple ", "go:ko=simple,suicide=true", {"ko": "simple", "suicide": True}),
        ("go:scoring=territory,", "go:scoring=territory", {"scoring": "territory"}),
        ("atari-go:captures=100", "atari-go:captures=100", {"captures": 100}),
        ("pente:centre=false", "pente:centre=false", {"centre": False}),
        ("gomoku", "gomoku", {}),
    ],
)
@pytest.mark.parametrize("size", [5, 25])
def test_good_specs(spec, shortest, settings, size):
    chosen = variant(spec, size)
    assert str(chosen) == shortest
    assert variant(shortest, size) == chosen
    assert {key: getattr(chosen.settings, key) for key in settings} == settings
    game = chosen.new()
    assert (game.name, game.size, game.settings) == (chosen.game.name, size, chosen.settings)
    assert len(game.points()) == size * size


def test_every_file_in_the_folder_is_registered():
    """Every game module is in the registry."""
    folder = Path(games.__file__).parent
    files = {file.stem.replace("_", "-") for file in folder.glob("*.py")} - {"--init--", "base"}
    assert set(games.names()) == files
