"""Reference implementation of the planes of Go positions: dicts of stones, flood fill, recursion."""

import numpy as np

from reference.surround import OTHER, WHITE, Go, chain_and_liberties, neighbours, place


def replay(size, setup, moves):
    """The game after these moves under simple ko; a move is (colour, point), the point None for a pass."""
    game = Go(size, ko="simple")
    game.board = dict(setup)
    for colour, point in moves:
        game.to_move = colour
        game.passes = 0
        game.play("pass" if point is None else point)
        game.winner = None
    return game


def planes_of(name, game, me, history, rank, legal=None, komi=6.5):
    """A set of planes as {plane's name: [n, n] of 0 and 1}.

    Args:
        name: the set, with the suffix `:edge` for the edge plane, `:latest` for that of the previous move.
        game: the reference game, in the current position.
        me: the mark of the player to move.
        history: the points played so far, the latest last, None for a pass.
        rank: 1..9 dan, 10 professional, else below or unknown.
        legal: the legal points; by default those under the rules of the reference game.
        komi: the points for white.
    """
    name, _, more = name.partition(":")
    game.to_move = me
    size, board = game.size, game.board
    points = [(r, c) for r in range(size) for c in range(size)]
    if legal is None:
        legal = {p for p in points if game.is_legal(p)}
    liberties = {p: len(chain_and_liberties(board, p, size)[1]) for p in board}
    own, enemy = ({p for p in board if board[p] == colour} for colour in (me, OTHER[me]))
    ko = {game.ko_point} - {None}
    found = {}

    def add(plane, where):
        found[plane] = np.array([[(r, c) in where for c in range(size)] for r in range(size)], float)

    def count(plane, numbers, most):
        """One plane for each number below `most`, and one for all larger numbers."""
        for number in range(1, most):
            add(f"{plane} {number}", {p for p, value in numbers.items() if value == number})
        add(f"{plane} {most}+", {p for p, value in numbers.items() if value >= most})

    if name == "c14-7":
        count("own, liberties", {p: liberties[p] for p in own}, 3)
        count("enemy, liberties", {p: liberties[p] for p in enemy}, 3)
    else:
        add("own", own)
        add("enemy", enemy)
    if name.startswith("c14"):
        add("ko", ko)
        if more == "edge":
            add("edge", set())
        if more == "latest":
            add("latest move", {p for p, turns in turns_since(board, history).items() if turns == 1})
    if name.startswith("m15") or name == "nobi":
        add("empty", set(points) - board.keys())
        count("liberties", liberties, 4)
        after = {p: place(board, p, me, size) for p in legal}
        if name != "m15-reduced":
            count("liberties after", {p: len(chain_and_liberties(after[p][0], p, size)[1]) for p in legal}, 6)
        add("legal", legal)
        if name == "m15-reduced":
            add("turns since 1", {p for p, turns in turns_since(board, history).items() if turns == 1})
            return found
        count("turns since", turns_since(board, history), 5)
        count("captures", {p: after[p][1] for p in legal}, 7)
        if name != "m15-noladder":
            add("ladder", {p for p in legal if is_ladder(board, size, p, me)})
    if name == "nobi":
        add("escape", {p for p in legal if saves_from_ladder(board, size, p, me)})
        own_komi = komi if me == WHITE else -komi
        for plane, holds in {
            "more than -4": own_komi > -4,
            "more than 0": own_komi > 0,
            "4 or more": own_komi >= 4,
        }.items():
            add(f"komi {plane}", set(points) if holds else set())
    if name in ("m15", "m15-noladder"):
        for dan in range(1, 10):
            add(f"rank {dan}d", set(points) if min(rank, 9) == dan else set())
    return found


def turns_since(board, history):
    """For every stone, how many turns ago it was played; 1 is the latest move. Stones set up are very old."""
    turns = dict.fromkeys(board, 1000)
    for ago, point in reversed(list(enumerate(reversed(history), 1))):
        if point in board:
            turns[point] = ago
    return turns


def is_ladder(board, size, move, me):
    """Whether a legal move captures an adjacent chain of two liberties in a ladder."""
    enemy = OTHER[me]
    for beside in neighbours(move, size):
        is_target = board.get(beside) == enemy and len(chain_and_liberties(board, beside, size)[1]) == 2
        if is_target and attack_succeeds(board, size, move, beside, me, None):
            return True
    return False


def saves_from_ladder(board, size, move, me):
    """Whether a legal move saves an own chain in atari by extending it or by capturing an adjacent chain."""
    for target in board:
        chain, liberties = chain_and_liberties(board, target, size)
        if board[target] != me or len(liberties) > 1:
            continue
        attackers = {p for stone in chain for p in neighbours(stone, size) if board.get(p) == OTHER[me]}
        captures = [chain_and_liberties(board, attacker, size)[1] for attacker in attackers]
        useful = liberties.union(*(found for found in captures if len(found) == 1))
        if move in useful and escapes(board, size, move, target, OTHER[me], None):
            return True
    return False


def played(board, size, point, colour, forbidden):
    """The board after a move and the point it forbids by ko; None if the move is illegal."""
    if point == forbidden:
        return None
    after, captured = place(board, point, colour, size)
    chain, liberties = chain_and_liberties(after, point, size)
    if not liberties:
        return None
    ko = None
    if captured == 1 and len(chain) == 1 and len(liberties) == 1:
        [ko] = board.keys() - after.keys()
    return after, ko


def attack_succeeds(board, size, move, target, me, forbidden):
    """The attacker plays; whether the chain of `target` is captured at once or cannot escape."""
    result = played(board, size, move, me, forbidden)
    if result is None:
        return False
    board, ko = result
    if target not in board:
        return True
    chain, [last] = chain_and_liberties(board, target, size)
    answers = {last}
    for stone in chain:
        for beside in neighbours(stone, size):
            if board.get(beside) == me:
                liberties = chain_and_liberties(board, beside, size)[1]
                if len(liberties) == 1:
                    answers |= liberties
    return not any(escapes(board, size, answer, target, me, ko) for answer in answers)


def escapes(board, size, answer, target, me, forbidden):
    """The owner of the chain plays; whether it then has three liberties, or all further ataris fail."""
    result = played(board, size, answer, OTHER[me], forbidden)
    if result is None:
        return False
    board, ko = result
    liberties = chain_and_liberties(board, target, size)[1]
    return len(liberties) > 2 or not any(attack_succeeds(board, size, p, target, me, ko) for p in liberties)
