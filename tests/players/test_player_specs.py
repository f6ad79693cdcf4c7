"""The specs of players."""

import pytest

from helpers.engines import fake
from nobi.arena.play import play_games
from nobi.errors import NobiError
from nobi.games import variant
from nobi.players import chooses_for_many, make_player, names


def test_player_specs():
    go, atari_go = variant("go", 9), variant("atari-go", 9)
    assert names() == ["gtp", "heuristic", "mcts", "naive", "playout", "random"]
    assert str(make_player("heuristic:e=0.2", atari_go)) == "heuristic:e=0.2"
    assert str(make_player("heuristic", atari_go)) == "heuristic"
    for spec, where, sentence in [
        ("clever", go, "There is no player 'clever'; choose one of gtp, heuristic, mcts, naive, playout or random."),
        ("heuristic", go, "The player 'heuristic' plays atari-go, not go."),
        ("playout", atari_go, "The player 'playout' plays go, not atari-go."),
        ("heuristic:e=2", atari_go, "'heuristic:e=2': e must be 0 to 1, not 2.0."),
        ("heuristic:e=much", atari_go, "'heuristic:e=much': e is a number, not 'much'."),
        ("heuristic:0.2", atari_go, "'heuristic:0.2': '0.2' is not of the form key=value."),
        (
            "nave",
            go,
            "There is no player 'nave'; did you mean 'naive'? Choose one of gtp, heuristic, mcts, ",
        ),
        ("mcts:rolouts=9", go, "'mcts:rolouts=9': there is no setting 'rolouts'; did you mean 'rollouts'? There are "),
        ("heuristic:f=1", atari_go, "'heuristic:f=1': there is no setting 'f'; the only choice is e."),
        ("random:e=1", go, "'random:e=1': there is no setting 'e'; it takes none."),
    ]:
        with pytest.raises(NobiError) as error:
            make_player(spec, where)
        assert str(error.value).startswith(sentence)


def test_an_engine_is_a_player_of_one_game_at_a_time():
    go = variant("go", 9)
    spec = "gtp:" + fake("good")
    player = make_player(spec, go)
    assert str(player) == spec
    assert not chooses_for_many("gtp")
    bot = player.bot(seed=3)
    assert bot.choose(go.new()) in go.new().legal_moves()
    bot.close()
    with pytest.raises(NobiError, match="one game at a time"):
        play_games(go, player, make_player("random", go), 2, threads=1)
