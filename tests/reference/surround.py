"""Plain reference implementations of Go and Atari-Go: a dict of stones, and flood fill for everything."""

BLACK, WHITE = "X", "O"
PASS = "pass"
OTHER = {BLACK: WHITE, WHITE: BLACK}


def neighbours(point, size):
    row, column = point
    beside = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [(r, c) for r, c in beside if 0 <= r < size and 0 <= c < size]


def chain_and_liberties(board, point, size):
    """The stones connected with the one at this point, and their liberties."""
    chain, liberties, open_ends = {point}, set(), [point]
    while open_ends:
        for beside in neighbours(open_ends.pop(), size):
            if beside not in board:
                liberties.add(beside)
            elif board[beside] == board[point] and beside not in chain:
                chain.add(beside)
                open_ends.append(beside)
    return chain, liberties


def place(board, point, colour, size):
    """The board after a stone is placed and enemy chains without liberties are removed; and the number removed."""
    board = {**board, point: colour}
    removed = 0
    for beside in neighbours(point, size):
        if board.get(beside) == OTHER[colour]:
            chain, liberties = chain_and_liberties(board, beside, size)
            if not liberties:
                removed += len(chain)
                board = {p: c for p, c in board.items() if p not in chain}
    return board, removed


class AtariGo:
    def __init__(self, size, captures=1):
        self.size, self.captures = size, captures
        self.board, self.to_move, self.winner = {}, BLACK, None
        self.captured = {BLACK: 0, WHITE: 0}

    def legal(self):
        if self.winner:
            return set()
        return {(r, c) for r in range(self.size) for c in range(self.size)} - self.board.keys()

    def play(self, point):
        me = self.to_move
        self.board, captured = place(self.board, point, me, self.size)
        self.captured[me] += captured
        self.to_move = OTHER[me]
        if self.captured[me] >= self.captures:
            self.winner = me
        elif not chain_and_liberties(self.board, point, self.size)[1]:
            self.winner = OTHER[me]


class Go:
    def __init__(self, size, ko="positional", suicide=False, scoring="area", komi=7.5):
        self.size, self.ko, self.suicide, self.scoring, self.komi = size, ko, suicide, scoring, komi
        self.board, self.to_move, self.winner = {}, BLACK, None
        self.passes = 0
        self.lost = {BLACK: 0, WHITE: 0}
        self.history = [({}, BLACK)]
        self.ko_point = None

    def after(self, point):
        """The board after a move, the enemy stones it captures, and the own stones it kills."""
        board, captured = place(self.board, point, self.to_move, self.size)
        chain, liberties = chain_and_liberties(board, point, self.size)
        if liberties:
            return board, captured, 0
        return {p: c for p, c in board.items() if p not in chain}, captured, len(chain)

    def is_legal(self, point):
        if point in self.board or point == self.ko_point:
            return False
        board, _, killed = self.after(point)
        if killed and not self.suicide:
            return False
        if self.ko == "positional":
            return all(board != earlier for earlier, _ in self.history)
        if self.ko == "situational":
            return (board, OTHER[self.to_move]) not in self.history
        return True

    def legal(self):
        if self.winner:
            return set()
        points = {(r, c) for r in range(self.size) for c in range(self.size)}
        return {p for p in points if self.is_legal(p)} | {PASS}

    def play(self, move):
        me = self.to_move
        self.ko_point = None
        if move == PASS:
            self.passes += 1
        else:
            self.passes = 0
            before = self.board
            self.board, captured, killed = self.after(move)
            self.lost[OTHER[me]] += captured
            self.lost[me] += killed
            chain, liberties = chain_and_liberties(self.board, move, self.size) if move in self.board else ((), ())
            if captured == 1 and len(chain) == 1 and len(liberties) == 1:
                [self.ko_point] = before.keys() - self.board.keys()
        self.to_move = OTHER[me]
        self.history.append((self.board, self.to_move))
        if self.passes == 2:
            margin = self.margin()
            self.winner = "draw" if margin == 0 else BLACK if margin > 0 else WHITE

    def territory(self):
        """The number of empty points that each colour surrounds."""
        points = {(r, c) for r in range(self.size) for c in range(self.size)}
        owned = {BLACK: 0, WHITE: 0}
        left = points - self.board.keys()
        while left:
            region, touched = {left.pop()}, set()
            open_ends = list(region)
            while open_ends:
                for beside in neighbours(open_ends.pop(), self.size):
                    if beside in self.board:
                        touched.add(self.board[beside])
                    elif beside not in region:
                        region.add(beside)
                        open_ends.append(beside)
            left -= region
            if len(touched) == 1:
                owned[touched.pop()] += len(region)
        return owned

    def margin(self):
        owned = self.territory()
        if self.scoring == "area":
            for colour in self.board.values():
                owned[colour] += 1
        else:
            for colour in owned:
                owned[colour] += self.lost[OTHER[colour]]
        return owned[BLACK] - owned[WHITE] - self.komi
