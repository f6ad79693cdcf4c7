"""A network as a player: the best legal move with random ties, or Gibbs; independent of the batch."""

import numpy as np
import pytest
from scipy import stats

from helpers.arena import assert_same_games, match_in_lockstep
from helpers.players import assert_uniform
from nobi.arena.play import play_games
from nobi.board.stones import PASS
from nobi.board.text import row_column
from nobi.errors import NobiError
from nobi.games import variant
from nobi.models.model import Model, load_model, save_model
from nobi.networks import make_network
from nobi.players import make_player
from nobi.players.base import Player
from nobi.players.network import NetworkPlayer, NetworkSettings
from nobi.streams import stream_of


def network_player(spec, game, size, seed=0, temperature=0.0):
    where, network = variant(game, size), make_network(spec)
    weights = network.random_weights(size, np.random.default_rng(seed))
    return NetworkPlayer(where, network, weights, NetworkSettings(temperature))


def choices(player, game, count):
    moves, found = np.zeros(1, np.uint16), []
    for i in range(count):
        player.choose(game.boards, np.zeros(1, np.int64), np.array([stream_of(0, i)], np.uint64), moves)
        found.append(int(moves[0]))
    return found


def values_of(player, game):
    """The network's value of every legal point, by `evaluate`."""
    colours = np.array([game.colour(p) for p in game.points()]).reshape(1, game.size, game.size)
    own, enemy = colours == game.to_move, colours == 3 - game.to_move
    values = player.network.evaluate(player.weights, own, enemy)[0]
    return {p: values[row_column(p, game.size)] for p in game.legal_moves() if p != PASS}


WORDS = ["mdrnn:hidden=3", "mdlstm:hidden=3", "conv:features=2,width=3", "mlp:hidden=5"]


@pytest.mark.parametrize("spec", WORDS)
@pytest.mark.parametrize("game", ["atari-go", "go"])
def test_greedy_is_the_best_legal_move(spec, game):
    player = network_player(spec, game, 6)
    position = player.variant.new()
    for _ in range(15):
        values = values_of(player, position)
        [move] = choices(player, position, 1)
        assert values[move] == max(values.values())
        position.play(move)


def test_exact_ties_are_broken_at_random():
    """On the empty board a symmetric network gives bit-identical values to symmetric points."""
    player = network_player("mdrnn:hidden=3", "gomoku", 6, seed=3)
    game = player.variant.new()
    values = values_of(player, game)
    best = [p for p in values if values[p] == max(values.values())]
    assert len(best) >= 4
    assert_uniform(choices(player, game, 400 * len(best)), best)


def test_gibbs_draws_by_the_values():
    player = network_player("mdrnn:hidden=3", "gomoku", 5, temperature=1.5)
    game = player.variant.new()
    game.play("C3")
    game.play("B2")
    values = values_of(player, game)
    expected = np.exp(np.array(list(values.values()), float) / 1.5)
    found = choices(player, game, 20_000)
    counts = np.array([found.count(p) for p in values])
    likely = 20_000 * expected / expected.sum() >= 5
    assert stats.chisquare(
        [*counts[likely], counts[~likely].sum() + 1e-9],
        [*(20_000 * expected / expected.sum())[likely], (20_000 * expected / expected.sum())[~likely].sum() + 1e-9],
    ).pvalue > 1e-4  # fmt: skip


def test_it_passes_only_if_nothing_else_is_legal():
    player = network_player("mdrnn:hidden=3", "go:suicide=false", 5)
    full = player.variant.game.from_text(
        """
        . X X X X
        X X X X X
        X X X X X
        X X X X X
        X X X X .
        """,
        to_move=2,
    )
    assert choices(player, full, 3) == [PASS] * 3


@pytest.mark.parametrize("spec", WORDS)
@pytest.mark.parametrize("batch", [1, 5, 64, 300])
def test_a_game_does_not_depend_on_the_batch(spec, batch):
    player = network_player(spec, "atari-go", 5, temperature=0.3)
    naive = make_player("naive", player.variant)
    expected = play_games(player.variant, player, naive, 150, keep_moves=True, threads=1)
    assert_same_games(expected, match_in_lockstep(player.variant, player, naive, 150, batch))
    assert_same_games(expected, play_games(player.variant, player, naive, 150, keep_moves=True, threads=2))


class InPython(Player):
    """The same network behind the plain Python interface."""

    def __init__(self, player):
        super().__init__(player.variant, player.settings)
        self.player = player

    def choose(self, boards, indices, streams, moves):
        self.player.choose(boards, indices, streams, moves)


def test_the_loop_in_python_plays_the_same_games():
    player = network_player("mdlstm:hidden=3", "gomoku", 5)
    naive = make_player("naive", player.variant)
    expected = play_games(player.variant, player, naive, 100, keep_moves=True)
    assert_same_games(expected, play_games(player.variant, InPython(player), naive, 100, keep_moves=True))


def save_random(path, spec="mdrnn:hidden=3", size=7):
    network = make_network(spec)
    weights = network.random_weights(size, np.random.default_rng(1))
    save_model(path, Model(network, weights, size, {"training": {"game": "atari-go"}, "seed": 7}))
    return network, weights


def test_a_model_is_unchanged_after_saving_and_loading(tmp_path):
    path = tmp_path / "model.safetensors"
    network, weights = save_random(path)
    model = load_model(path)
    assert (str(model.network), model.size) == (str(network), 7)
    assert np.array_equal(model.weights, weights)
    assert model.provenance["training"] == {"game": "atari-go"}
    assert model.provenance["seed"] == 7
    assert "nobi" in model.provenance


def test_a_model_plays_in_a_match_on_any_board(tmp_path):
    path = tmp_path / "model.safetensors"
    network, weights = save_random(path)
    for size in (5, 9):
        where = variant("atari-go", size)
        by_word = make_player(f"{path}:temperature=0.5", where)
        directly = NetworkPlayer(where, network, weights, NetworkSettings(0.5))
        naive = make_player("naive", where)
        games = [play_games(where, player, naive, 50, keep_moves=True) for player in (by_word, directly)]
        assert_same_games(*games)


def test_a_perceptron_plays_on_its_own_board_only(tmp_path):
    save_random(tmp_path / "m.safetensors", "mlp:hidden=3", 7)
    make_player(str(tmp_path / "m.safetensors"), variant("atari-go", 7))
    with pytest.raises(NobiError, match="plays on 7x7 only, not on 9x9"):
        make_player(str(tmp_path / "m.safetensors"), variant("atari-go", 9))


def damage(path, kind):
    import pickle

    from safetensors.numpy import save

    content = path.read_bytes()
    header = {"format": "nobi-model-1", "network": "mdrnn:hidden=3", "size": "7", "provenance": "{}"}
    weights = np.zeros(12, np.float32)
    made = {
        "truncated": lambda: content[:-5],
        "header cut": lambda: content[:40],
        "empty": lambda: b"",
        "pickle": lambda: pickle.dumps({"weights": [1.0] * 12}),
        "wrong shape": lambda: save({"weights": np.zeros(13, np.float32)}, header),
        "two dimensions": lambda: save({"weights": np.zeros((3, 4), np.float32)}, header),
        "doubles": lambda: save({"weights": weights.astype(np.float64)}, header),
        "not finite": lambda: save({"weights": weights + np.float32("nan")}, header),
        "unknown network": lambda: save({"weights": weights}, header | {"network": "transformer"}),
        "bad setting": lambda: save({"weights": weights}, header | {"network": "mdrnn:hidden=0"}),
        "another format": lambda: save({"weights": weights}, {"format": "pt"}),
        "no header": lambda: save({"weights": weights}),
        "no weights": lambda: save({"other": weights}, header),
        "no size": lambda: save({"weights": weights}, {k: v for k, v in header.items() if k != "size"}),
        "bad provenance": lambda: save({"weights": weights}, header | {"provenance": "{"}),
    }
    path.write_bytes(made[kind]())


@pytest.mark.parametrize(
    "kind",
    ["truncated", "header cut", "empty", "pickle", "wrong shape", "two dimensions", "doubles", "not finite",
     "unknown network", "bad setting", "another format", "no header", "no weights", "no size", "bad provenance"],
)  # fmt: skip
def test_a_damaged_model_gets_one_sentence(tmp_path, kind):
    path = tmp_path / "model.safetensors"
    save_random(path)
    damage(path, kind)
    with pytest.raises(NobiError) as error:
        load_model(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_model(tmp_path):
    with pytest.raises(NobiError, match="There is no model file"):
        make_player(str(tmp_path / "none.safetensors"), variant("go", 9))
