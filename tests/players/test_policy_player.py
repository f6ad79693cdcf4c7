"""A deep network as a Go player: the best legal move, C14's passes, no own eyes filled, independent of the batch."""

import numpy as np
import pytest
from scipy import stats

from helpers.arena import assert_same_games
from networks.deep_shared import lively
from nobi.arena.play import play_games
from nobi.board.stones import BLACK, PASS, WHITE
from nobi.board.text import draw_board, point_at, point_named, row_column
from nobi.encoding import latest_of
from nobi.errors import NobiError
from nobi.games import variant
from nobi.games.go import Go
from nobi.models.model import Model, save_model
from nobi.players import make_player
from nobi.players.base import Clock
from nobi.players.network import NetworkPlayer, PolicyPlayer, PolicySettings
from nobi.streams import stream_of

NETS = ["nobi-net:width=16,blocks=2", "m15:layers=2,filters=4,size=7", "mdlstm:hidden=2", "c14-small:size=7"]


def player(spec="nobi-net:width=16,blocks=2", size=7, **settings):
    return PolicyPlayer(variant("go", size), lively(spec).float(), PolicySettings(**settings))


def choose(who, game, seed=0):
    return chosen_by(who, game, np.array([stream_of(0, seed)], np.uint64))


def chosen_by(who, game, streams):
    moves = np.zeros(1, np.uint16)
    who.choose_after(game.boards, np.zeros(1, np.int64), latest_of(game.moves)[None], streams, moves)
    return int(moves[0])


def random_game(moves, size=7, seed=0):
    where = variant("go", size)
    one = make_player("playout", where)
    played = play_games(where, one, one, 1, seed=seed, threads=1, keep_moves=True)
    game = where.new()
    for move in played.replay(0).moves[:moves]:
        game.play(move)
    return game


def test_a_nobi_net_averages_over_the_images_of_the_board_by_default():
    """On a rotated board an average is rotated; a single value is not."""
    game, turned = random_game(8), variant("go", 7).new()
    for move in game.moves:
        row, column = row_column(move, 7)
        turned.play(point_at(6 - column, row, 7))
    for settings, equal in (({}, True), ({"symmetries": 8}, True), ({"symmetries": 1}, False)):
        values = [player(**settings).values(one) for one in (game, turned)]
        assert np.allclose(np.rot90(values[0]), values[1], atol=1e-4) == equal
    paper = "m15:layers=2,filters=4,size=7"
    np.testing.assert_array_equal(player(paper).values(game), player(paper, symmetries=1).values(game))
    assert not np.allclose(player(paper).values(game), player(paper, symmetries=8).values(game))
    with pytest.raises(ValueError, match="symmetries"):
        PolicySettings(symmetries=4)


@pytest.mark.parametrize("spec", NETS)
def test_greedy_is_the_best_legal_move(spec):
    who = player(spec, eyes=True)
    for moves in (0, 1, 8, 25):
        game = random_game(moves)
        values = who.values(game)
        move = choose(who, game)
        legal = [p for p in game.legal_moves() if p != PASS]
        assert move in legal
        assert values[row_column(move, 7)] == max(values[row_column(p, 7)] for p in legal)


def test_as_a_bot_it_follows_the_game_after_an_undo():
    who = player(temperature=1.0)
    game, fresh = random_game(12), random_game(10)
    bot = who.bot(seed=3, game=5)
    bot.choose(game, Clock())
    game.undo()
    game.undo()
    streams = np.array([stream_of(3, 5)], np.uint64)
    chosen_by(who, random_game(12), streams)  # the bot has drawn one random number before
    assert bot.choose(game, Clock()) == chosen_by(who, fresh, streams)
    assert np.array_equal(bot.policy(game), who.values(fresh))


def test_it_passes_after_its_opponents_pass():
    who = player()
    game = random_game(6)
    assert choose(who, game) != PASS
    game.play("pass")
    assert choose(who, game) == PASS


EYES = """
    . X . X X X X
    X X X X X X X
    O O O O O O O
    . O O . O O O
    O O O O O O .
    O O O O O O O
    O O O O O O O
"""


def test_it_does_not_fill_its_own_eyes_by_default():
    game = Go.from_text(EYES, BLACK)
    assert choose(player(), game) == PASS  # nothing but two eyes is left to black
    assert choose(player(eyes=True), game) in (point_named("A7", 7), point_named("C7", 7))


def test_gibbs_draws_by_the_values():
    who = player(temperature=0.7)
    game = random_game(30)
    values = who.values(game)
    from nobi.games.go import is_own_eye

    moves = [p for p in game.legal_moves() if p != PASS and not is_own_eye(game.boards, 0, np.uint16(p))]
    expected = np.exp(np.array([values[row_column(p, 7)] for p in moves], float) / 0.7)
    expected *= 2000 / expected.sum()
    found = [choose(who, game, seed) for seed in range(2000)]
    assert set(found) <= set(moves)
    likely = expected >= 5
    counts = np.array([found.count(p) for p in moves])
    assert stats.chisquare(
        [*counts[likely], counts[~likely].sum() + 1e-9], [*expected[likely], expected[~likely].sum() + 1e-9]
    ).pvalue > 1e-4  # fmt: skip


class WithHistory(PolicyPlayer):
    """Records ply, position and latest moves of the boards that it evaluates."""

    def evaluate(self, boards, indices, recent):
        stones = boards.stones
        shown = [
            (int(stones.ply[g]), draw_board(stones, g), tuple(latest))
            for g, latest in zip(indices, recent.tolist(), strict=True)
        ]
        self.shown = [*getattr(self, "shown", []), *shown]
        return super().evaluate(boards, indices, recent)


def test_in_the_arena_it_has_the_history_of_every_game():
    who = WithHistory(variant("go", 5), lively("nobi-net:width=16,blocks=1").float(), PolicySettings(temperature=1.0))
    played = play_games(who.variant, who, make_player("playout", who.variant), 6, threads=1, batch=4, keep_moves=True)
    expected = set()
    for i in range(6):
        record, game = played.replay(i).moves, who.variant.new()
        for ply, move in enumerate(record):
            if ply % 2 == i % 2 and (not ply or record[ply - 1] != PASS):
                expected.add((ply, str(game), tuple(latest_of(game.moves).tolist())))
            game.play(move)
    assert len(who.shown) > 50
    assert set(who.shown) == expected


def test_a_board_without_history_is_evaluated_as_it_stands():
    who, game = WithHistory(variant("go", 7), lively("nobi-net:width=16,blocks=1").float()), random_game(9)
    moves = np.zeros(1, np.uint16)
    who.choose(game.boards, np.zeros(1, np.int64), np.zeros(1, np.uint64), moves)
    [(ply, _, latest)] = who.shown
    assert (ply, set(latest)) == (9, {PASS})
    assert game.to_move == (WHITE if len(game.moves) % 2 else BLACK)
    assert game.is_legal(int(moves[0]))


@pytest.mark.parametrize("spec", ["nobi-net:width=16,blocks=2", "c14-small:size=5"])
def test_games_do_not_depend_on_threads_or_batch(spec):
    who = PolicyPlayer(variant("go", 5), lively(spec).float(), PolicySettings(temperature=0.5))
    naive = make_player("playout", who.variant)
    games = [
        play_games(who.variant, who, naive, 10, threads=threads, batch=batch, keep_moves=True)
        for threads, batch in ((1, 1), (1, 10), (2, 3))
    ]
    for other in games[1:]:
        assert_same_games(games[0], other)


def test_it_may_play_itself():
    who = player(size=5, temperature=1.0)
    played = play_games(who.variant, who, who, 4, threads=1, keep_moves=True)
    assert (played.length > 10).all()


def saved(path, spec, size):
    save_model(path, Model.from_module(lively(spec).float(), size))
    return str(path)


def test_the_spec_of_a_model_file_is_the_same_for_all_networks(tmp_path):
    path = saved(tmp_path / "m.safetensors", "nobi-net:width=16,blocks=1", 9)
    for size in (5, 19):
        who = make_player(f"{path}:temperature=0.5,eyes=true,rank=3", variant("go", size))
        assert isinstance(who, PolicyPlayer)
        assert str(who) == f"{path}:temperature=0.5,eyes=true,rank=3"
        assert choose(who, who.variant.new()) != PASS
    assert str(make_player(path, variant("go", 9))) == path


@pytest.mark.parametrize(
    ("settings", "says"),
    [("temperature=-1", "temperature"), ("rank=10", "rank"), ("eyes=no", "eyes"), ("e=0.1", "temperature")],
)
def test_bad_settings(tmp_path, settings, says):
    path = saved(tmp_path / "m.safetensors", "nobi-net:width=16,blocks=1", 9)
    with pytest.raises(NobiError, match=says):
        make_player(f"{path}:{settings}", variant("go", 9))


def test_an_unsupported_size(tmp_path):
    path = saved(tmp_path / "m.safetensors", "c14-small:size=7", 7)
    make_player(path, variant("go", 7))
    with pytest.raises(NobiError, match="plays on 7x7 only, not on 9x9"):
        make_player(path, variant("go", 9))


def test_other_games_need_compiled_networks(tmp_path):
    path = saved(tmp_path / "m.safetensors", "nobi-net:width=16,blocks=1", 7)
    with pytest.raises(NobiError, match="plays go, not atari-go"):
        make_player(path, variant("atari-go", 7))
    path = saved(tmp_path / "t.safetensors", "mdrnn:hidden=3", 7)
    assert isinstance(make_player(path, variant("go", 7)), PolicyPlayer)
    assert isinstance(make_player(path, variant("atari-go", 9)), NetworkPlayer)
