"""A game review by KaTrain's engine code, without a display: `python katrain_review.py NOBI`.

Kivy, KaTrain's graphical library, is replaced by empty modules; the engine, the queries and the reading of the answers
are KaTrain's own.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import MagicMock

RECORD = "(;GM[1]FF[4]SZ[9]KM[6.5]RU[japanese];B[ee];W[ec];B[cd];W[gd];B[cf];W[gf];B[eg];W[df];B[de];W[dg])"
SECONDS = 600.0


def replace_kivy() -> None:
    """Make `import kivy` and its parts work."""
    for name in ("kivy", "kivy.utils", "kivy._event", "kivy.clock", "kivy.properties", "kivy.core", "kivy.app"):
        sys.modules[name] = MagicMock()
    sys.modules["kivy.utils"].platform = "linux"  # type: ignore[attr-defined]
    sys.modules["kivy._event"].Observable = object  # type: ignore[attr-defined]


class Program:
    """What the engine needs of KaTrain's main program; it records errors."""

    def __init__(self, config: dict) -> None:
        self._config = config
        self.errors: list[str] = []
        self.controls = MagicMock()
        self.players_info = MagicMock()

    def log(self, message: object, level: int = 0) -> None:
        """Record errors: the level of one is -1."""
        if level == -1:
            self.errors.append(str(message))

    def config(self, setting: str, default: object = None) -> object:
        """A setting such as game/size."""
        part, _, key = setting.partition("/")
        found = self._config.get(part, {})
        return found.get(key, default) if key else found

    def __call__(self, *words: object) -> None:
        """Record an error popup."""
        self.errors.append(f"popup {words}")


def wait_for(condition: Callable[[], bool], what: str) -> None:
    """Wait for a condition, or fail."""
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def main() -> None:
    """Review the game."""
    replace_kivy()
    import katrain
    from katrain.core.engine import KataGoEngine
    from katrain.core.game import Game, KaTrainSGF

    config = json.loads((Path(katrain.__file__).parent / "config.json").read_text())
    config["engine"] |= {"backend": "custom", "altcommand": f"exec {sys.argv[1]} analysis", "max_visits": 100}
    program = Program(config)
    engine = KataGoEngine(program, config["engine"])
    tree = KaTrainSGF.parse_sgf(RECORD)
    game = Game(program, engine, move_tree=tree, analyze_fast=True)
    nodes = list(tree.nodes_in_tree)
    assert len(nodes) == 11
    wait_for(lambda: all(node.analysis_complete for node in nodes), f"the review: {program.errors}")
    for node in nodes:
        assert isinstance(node.score, float)
        assert 0 <= node.winrate <= 1
        assert len(node.policy) == 82
        assert len(node.ownership) == 81
        assert node.candidate_moves
        if node.parent:
            assert isinstance(node.points_lost, float)
    last = nodes[-1]
    game.set_current_node(last)
    last.analyze(engine, ponder=True, priority=100)  # ten million visits
    wait_for(lambda: last.root_visits > 200, "the search that ponders")
    before = nodes[3].root_visits
    nodes[3].analyze(engine, visits=before + 100, time_limit=False, priority=-1000)  # is not kept waiting by it
    wait_for(lambda: nodes[3].root_visits >= before + 100, "a query beside the search that ponders")
    engine.stop_pondering()
    wait_for(engine.is_idle, f"the end of all queries: {engine.queries}")
    start = time.monotonic()
    process = engine.katago_process
    engine.shutdown(finish=False)
    process.wait(10)
    assert not program.errors, program.errors
    print(
        f"KaTrain reviewed {len(nodes)} positions; scores "
        f"{', '.join(f'{node.score:+.1f}' for node in nodes)}; ended in {time.monotonic() - start:.1f} s."
    )


if __name__ == "__main__":
    main()
