"""Monte-Carlo tree search of Gomoku in plain Python: nodes are objects, the board a dictionary.

The reference implementation of `nobi.search` without knowledge of Go and without a network. Arithmetic is done in
32-bit floats, in the same order, so that both agree exactly.
"""

import numpy as np

MASK = 2**64 - 1
F = np.float32


class Stream:
    """SplitMix64."""

    def __init__(self, spec):
        self.spec = spec

    @staticmethod
    def mix(spec):
        spec = ((spec ^ (spec >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        spec = ((spec ^ (spec >> 27)) * 0x94D049BB133111EB) & MASK
        return spec ^ (spec >> 31)

    @classmethod
    def of(cls, seed, game):
        step = 0x9E3779B97F4A7C15
        return cls(cls.mix((cls.mix((seed + step) & MASK) + game * step) & MASK))

    def below(self, n):
        self.spec = (self.spec + 0x9E3779B97F4A7C15) & MASK
        return ((self.mix(self.spec) >> 32) * n) >> 32


class Position:
    """A board of Gomoku: stones by (row, column), and the empty points in the order used by random draws."""

    def __init__(self, size):
        self.size = size
        self.stones = {}
        self.empty = [(row, column) for row in range(size) for column in range(size)]
        self.player = "black"
        self.winner = None  # or "black", "white", "nobody"

    def copy(self):
        twin = Position(self.size)
        twin.stones, twin.empty = dict(self.stones), list(self.empty)
        twin.player, twin.winner = self.player, self.winner
        return twin

    def wins(self, point):
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            run = 1
            for sign in (1, -1):
                row, column = point
                while True:
                    row, column = row + sign * down, column + sign * right
                    if self.stones.get((row, column)) != self.player:
                        break
                    run += 1
            if run >= 5:
                return True
        return False

    def play(self, point):
        five = self.wins(point)
        self.stones[point] = self.player
        at = self.empty.index(point)  # the last of the list replaces the point
        self.empty[at] = self.empty[-1]
        self.empty.pop()
        if five:
            self.winner = self.player
        elif not self.empty:
            self.winner = "nobody"
        self.player = other(self.player)


def other(player):
    return "white" if player == "black" else "black"


class Node:
    def __init__(self, move=None, assumed=0.0, solved=0):
        self.move = move
        self.assumed = F(assumed)
        self.visits, self.wins = F(assumed), F(assumed / 2)
        self.rave_visits, self.rave_wins = F(0), F(0)
        self.solved = solved
        self.children = []


def expand(node, position):
    for move in position.empty:
        node.children.append(Node(move, 1.0, int(position.wins(move))))
    if any(child.solved == 1 for child in node.children):
        node.solved = -1


def value(child, rave):
    n, r = child.visits, child.rave_visits
    share = r / (r + n + n * r * F(1.0 / rave))
    mixed = (F(1) - share) * (child.wins / n) + share * (child.rave_wins / (r + F(1e-6)))
    return mixed + F(0) / np.sqrt(n) + F(1e6) * F(child.solved)


def search(position, playouts, stream, rave, expand_after):
    """The root after this number of playouts."""
    root = Node()
    for _ in range(playouts):
        here, node = position.copy(), root
        path = [(root, other(here.player), None)]
        root.visits += F(1)
        decided = 0
        while True:
            if not node.children:
                ripe = node is root or node.visits - node.assumed > expand_after
                if not ripe or here.winner:
                    break
                expand(node, here)
            values = [value(child, rave) for child in node.children]
            node = node.children[int(np.argmax(values))]
            node.visits += F(1)
            path.append((node, here.player, node.move))
            decided = node.solved
            if decided:
                break
            here.play(node.move)
        played = {}
        if decided:
            mover = path[-1][1]
            winner = mover if decided == 1 else other(mover)
        else:
            while not here.winner:
                move = here.empty[stream.below(len(here.empty))]
                played.setdefault(move, here.player)
                here.play(move)
            winner = here.winner
        for depth in range(len(path) - 1, -1, -1):
            node, mover, move = path[depth]
            gain = 0.5 if winner == "nobody" else float(winner == mover)
            node.wins += F(gain)
            for child in node.children:
                if played.get(child.move) == other(mover):
                    child.rave_visits += F(1)
                    child.rave_wins += F(1 - gain)
            if decided and depth:
                parent = path[depth - 1][0]
                if node.solved == 1:
                    parent.solved = -1
                elif node.solved == -1 and not parent.solved and all(c.solved == -1 for c in parent.children):
                    parent.solved = 1
            if depth:
                played[move] = mover
    return root
