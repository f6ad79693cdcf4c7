"""The examples and notebooks."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.arena import assert_same_games, match_in_lockstep
from nobi.arena.play import play_games
from nobi.board.text import row_column
from nobi.games import names, variant
from nobi.players import make_player

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("file", sorted((ROOT / "examples").glob("*.py")), ids=lambda file: file.name)
def test_example_runs(file):
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=True)
    assert done.stdout


@pytest.fixture
def squava(monkeypatch):
    from nobi import games

    monkeypatch.setattr(games._games, "_loaded", games._games._loaded.copy())
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    sys.modules.pop("squava", None)
    import squava  # noqa: F401

    return variant("squava", 5)


def rows_through(stones, point):
    """The longest row through the point, counted from the point outwards."""
    best = 1
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        run = 1
        for sign in (1, -1):
            i = 1
            while (point[0] + sign * i * down, point[1] + sign * i * right) in stones:
                run, i = run + 1, i + 1
        best = max(best, run)
    return best


def test_the_example_game_is_registered_and_correct(squava):
    assert "squava" in names()
    rng = random.Random(0)
    for _ in range(200):
        game, own = squava.new(), {1: set(), 2: set()}
        while not game.is_over:
            move, me = rng.choice(game.legal_moves()), game.to_move
            game.play(move)
            own[me].add(row_column(move, 5))
            row = rows_through(own[me], row_column(move, 5))
            expected = me if row >= 4 else 3 - me if row == 3 else 3 if len(game.moves) == 25 else 0
            assert game.outcome == expected


def test_the_example_game_plays_in_the_arena(squava):
    players = make_player("naive", squava), make_player("random", squava)
    assert squava.most_moves == 25
    played = play_games(squava, *players, 500, keep_moves=True)
    assert played.points_of_a.mean() > 0.3
    assert_same_games(played, match_in_lockstep(squava, *players, 500, batch=32))


def texts_of(cell):
    return [output.get("text") or output.data["text/plain"] for output in cell.outputs]


@pytest.mark.parametrize("file", sorted((ROOT / "examples" / "notebooks").glob("*.ipynb")), ids=lambda file: file.stem)
def test_notebook_runs_and_is_stored_with_its_outputs(file):
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(file, 4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs for cell in code)
    assert not any(output.output_type == "error" for cell in code for output in cell.outputs)
    stored = [texts_of(cell) for cell in code]
    NotebookClient(notebook, timeout=900, kernel_name="python3").execute()
    if file.stem == "evolve_and_transfer":  # evolution gives the same bits on every machine
        assert [texts_of(cell) for cell in code] == stored
