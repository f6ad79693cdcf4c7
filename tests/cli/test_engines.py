"""The player that engines use by default."""

from nobi.cli.engines import Analysis, Gtp
from nobi.games import variant
from nobi.players.mcts import strongest_spec


def test_the_strongest_player_has_the_best_model_for_the_board():
    for size in (5, 9, 19, 25):
        assert "model=go-main" in strongest_spec(variant("go", size), 4)
    assert strongest_spec(variant("go", 9), 1) == "mcts:rollouts=0,threads=1,model=go-main"
    assert strongest_spec(variant("go", 9), 8) == "mcts:rollouts=0,threads=6,model=go-main"
    assert strongest_spec(variant("gomoku", 9), 8) == "mcts:rollouts=0,threads=8"


def test_an_engine_without_a_player():
    gtp = Gtp()
    assert gtp._variant() == variant("go", 19)
    assert Gtp(size=9)._variant() == variant("go", 9)
    bot = gtp._new_bot(variant("go", 9))
    assert bot.settings.model == "go-main"
    bot.close()


def test_options_of_katago_have_one_dash():
    words = ["-model", "a", "-config", "b", "-override-config", "x=1", "--override-config=y=2", "-quit-without-waiting"]
    found = Analysis.translate([*words, "mcts", "-analysis-threads", "3"])
    assert found == [
        "--model", "a", "--config", "b", "--quit-without-waiting", "mcts", "--analysis-threads", "3",
        "--override-config=x=1,y=2",
    ]  # fmt: skip
    assert Analysis(model="kata1.bin.gz")._search_settings().model == "go-main"
    assert Analysis(player="mcts:explore=0.1")._search_settings().model == ""
    assert Analysis(player="mcts", model="go-main")._search_settings().model == "go-main"
