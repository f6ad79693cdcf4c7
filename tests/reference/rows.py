"""Plain reference implementations of Gomoku and Pente."""

from .surround import BLACK, OTHER, WHITE

DIRECTIONS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]


def has_five(board, colour, size):
    """Whether five consecutive points anywhere on the board have this colour."""
    for row in range(size):
        for column in range(size):
            for down, right in DIRECTIONS:
                if all(board.get((row + i * down, column + i * right)) == colour for i in range(5)):
                    return True
    return False


class Gomoku:
    def __init__(self, size):
        self.size, self.board, self.to_move, self.winner = size, {}, BLACK, None

    def legal(self):
        if self.winner:
            return set()
        return {(r, c) for r in range(self.size) for c in range(self.size)} - self.board.keys()

    def capture(self, point, me):
        """Returns whether a capture ends the game; Gomoku has no captures."""

    def play(self, point):
        me = self.to_move
        self.board[point] = me
        if has_five(self.board, me, self.size) or self.capture(point, me):
            self.winner = me
        elif len(self.board) == self.size**2:
            self.winner = "draw"
        self.to_move = OTHER[me]


class Pente(Gomoku):
    def __init__(self, size, centre=True):
        super().__init__(size)
        self.pairs = {BLACK: 0, WHITE: 0}
        if centre:
            self.board[size // 2, size // 2] = WHITE

    def capture(self, point, me):
        for down, right in DIRECTIONS:
            row = [self.board.get((point[0] + i * down, point[1] + i * right)) for i in range(4)]
            if row == [me, OTHER[me], OTHER[me], me]:
                for i in (1, 2):
                    del self.board[point[0] + i * down, point[1] + i * right]
                self.pairs[me] += 1
        return self.pairs[me] >= 5
