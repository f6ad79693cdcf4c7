"""A complete new player in one file: it plays next to the opponent's latest move if possible.

`nobi match neighbour random --load examples/neighbour_player.py` plays a match with it. Inside the package,
one line in the registry of `src/nobi/players/__init__.py` replaces the call of `register_player`.
"""

import numpy as np

import nobi
from nobi.plugins import below, register_player


@register_player
class NeighbourPlayer(nobi.Player):
    """A move next to the latest move, else a random one."""

    name = "neighbour"

    def choose(self, boards, indices, streams, moves):
        """Write the moves for the boards `indices` into `moves`; every random draw uses the board's own stream."""
        stones, legal = boards.stones, self.variant.game.rules.legal
        for i, g in enumerate(indices):
            last = stones.last[g]
            beside = stones.neighbours[last, :4] if last != nobi.PASS else []
            anywhere = stones.empty[g, : stones.empties[g]]
            for candidates in (beside, anywhere):
                allowed = [move for move in candidates if legal(boards, g, np.uint16(move))]
                if allowed:
                    moves[i] = allowed[below(streams, g, len(allowed))]
                    break
            else:
                moves[i] = nobi.PASS


if __name__ == "__main__":
    played = nobi.play_games(nobi.variant("atari-go", 7), "neighbour", "random", games=500, progress=False)
    print("beside the latest move, against random moves:", played.win_rate())
