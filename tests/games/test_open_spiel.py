"""The rules of Go and Gomoku against OpenSpiel's.

Go. OpenSpiel's actions are the points row by row from the bottom left, A1 = 0, and a pass is size². Suicide is
forbidden, two passes in a row end the game, and the score is Tromp-Taylor's: our scoring by area. Its legal moves are
those of our `ko=simple`. Differences:

* A stone that recreates any earlier position, with either player to move (passes repeat positions freely), is legal;
  but it ends the game at once, as a draw, regardless of board and komi. Under our `simple` such a game continues, and
  under our `positional` the move is forbidden. Its legal moves without those that end the game in this way are those
  of our `positional`.
* A game is over after 2·size² moves (`max_game_length`, set out of reach here) and is then counted as it stands.
* With a handicap of n ≥ 2 stones, white gets n points on top of komi. The stones are on our points; 19x19 only.

Gomoku. Both of OpenSpiel's games, `gomoku` and `mnk` with k = 5, let five *or more* in a row win, as ours does, and
score a full board as a draw. Their actions are the points row by row from the top left.
"""

import random
import re

import pyspiel
import pytest

from nobi.board.stones import BLACK, DRAW, PASS, RUNNING, WHITE, board_points
from nobi.board.text import point_at, point_named, row_column
from nobi.games import variant
from nobi.games.go import handicap_points

RETURNS = {BLACK: [1.0, -1.0], WHITE: [-1.0, 1.0], DRAW: [0.0, 0.0], RUNNING: [0.0, 0.0]}
PLAYERS = {BLACK: 0, WHITE: 1}


def load_go(size, komi="7.5", **options):
    """OpenSpiel's Go, without a length limit unless `max_game_length` is given."""
    options = {"board_size": size, "komi": float(komi), "max_game_length": 10**6} | options
    return pyspiel.load_game("go", options)


def as_action(point, size):
    """The action number of a point or a pass in OpenSpiel's Go."""
    if point == PASS:
        return size * size
    row, column = row_column(point, size)
    return (size - 1 - row) * size + column


def as_point(action, size):
    return PASS if action == size * size else point_at(size - 1 - action // size, action % size, size)


def actions_named(names, size):
    return [as_action(point_named(name, size), size) for name in names.split()]


def actions_of(game):
    return sorted(as_action(point, game.size) for point in game.legal_moves())


def picture_of_state(state):
    """OpenSpiel's board, from the top."""
    return [row.replace("+", ".") for row in re.findall(r"^ ?\d+ ([XO+]+)$", str(state), re.MULTILINE)]


def number_of_stones(state):
    return sum(len(row) - row.count(".") for row in picture_of_state(state))


def picture_of_game(game):
    """Our board, from the top; read directly because it is compared at every move."""
    colours = game.boards.stones.colour[0, board_points(game.size)].reshape(game.size, game.size)
    return ["".join(".XO"[colour] for colour in row) for row in colours]


def choose(actions, rng, pass_chance):
    """A random action; the last one (a pass) is rare."""
    *stones, passing = actions
    return passing if not stones or rng.random() < pass_chance else rng.choice(stones)


def test_go_actions_count_from_the_lower_left_and_a_pass_comes_last():
    state = load_go(9).new_initial_state()
    for name, action in [("A1", 0), ("J1", 8), ("A2", 9), ("J9", 80), ("pass", 81), ("H8", 70)]:
        assert as_action(point_named(name, 9), 9) == action
        assert as_point(action, 9) == point_named(name, 9)
        assert state.action_to_string(action).lower() == f"b {name.lower()}"
    assert state.legal_actions() == list(range(82))


@pytest.mark.parametrize("size", range(5, 20))
def test_go_random_games(size):
    """Legal moves, board and player at every move, until two passes or OpenSpiel's draw by repetition; the result."""
    rng = random.Random(size)
    for komi in ["7.5", "0", "-0.5"] * (5 if size < 10 else 1):
        game, state = variant(f"go:ko=simple,komi={komi}", size).new(), load_go(size, komi).new_initial_state()
        seen = {tuple(picture_of_game(game))}
        while not game.is_over:
            assert state.current_player() == PLAYERS[game.to_move]
            actions = state.legal_actions()
            assert actions_of(game) == actions
            action = choose(actions, rng, 0.005 if len(game.moves) < 2 * size**2 else 1)
            state.apply_action(action)
            game.play(as_point(action, size))
            board = picture_of_game(game)
            assert picture_of_state(state) == board
            repeats = action != size * size and tuple(board) in seen
            seen.add(tuple(board))
            assert state.is_terminal() == (game.is_over or repeats)
            if repeats:
                assert state.returns() == RETURNS[DRAW]
                assert game.outcome == RUNNING
                break
        else:
            assert state.returns() == RETURNS[game.outcome]


@pytest.mark.parametrize(("size", "games"), [(5, 100), (6, 30), (7, 15)])
def test_go_positional_superko(size, games):
    """A stone that ends OpenSpiel's game is one that positional superko forbids, at every move of random games.

    The players prefer captures, so that repetitions occur.
    """
    rng = random.Random(size)
    a_pass, repetitions = size * size, 0
    for _ in range(games):
        game, state = variant("go:ko=positional", size).new(), load_go(size).new_initial_state()
        while not game.is_over and len(game.moves) < 6 * size**2:
            children = {action: state.child(action) for action in state.legal_actions() if action != a_pass}
            allowed = [action for action, child in children.items() if not child.is_terminal()]
            assert actions_of(game) == [*allowed, a_pass]
            repetitions += len(children) - len(allowed)
            if allowed and rng.random() < 0.6:
                fewest = min(number_of_stones(children[action]) for action in allowed)
                action = rng.choice([a for a in allowed if number_of_stones(children[a]) == fewest])
            else:
                action = choose([*allowed, a_pass], rng, 0.05)
            state.apply_action(action)
            game.play(as_point(action, size))
        assert state.is_terminal() == game.is_over
        assert state.returns() == RETURNS[game.outcome]
    assert repetitions > 0


@pytest.mark.parametrize("size", [5, 6, 7, 8, 9, 13, 19])
def test_go_margin_is_exact(size):
    """With a komi of our margin OpenSpiel's game is a draw; half a point less or more decides it."""
    rng = random.Random(size)
    for length in [0, 1, 2, size, 2 * size, size * size // 2, size * size]:
        game = variant("go:ko=positional,komi=0", size).new()
        while len(game.moves) < length and len(game.legal_moves()) > 1:
            game.play(rng.choice(game.legal_moves()[:-1]))
        margin = game.margin()
        for komi, winner in [(margin - 0.5, BLACK), (margin, DRAW), (margin + 0.5, WHITE)]:
            state = load_go(size, komi).new_initial_state()
            for move in [*game.moves, PASS, PASS]:
                state.apply_action(as_action(move, size))
            assert state.is_terminal()
            assert state.returns() == RETURNS[winner]
            again = variant(f"go:ko=positional,komi={komi}", size).new()
            for move in [*game.moves, PASS, PASS]:
                again.play(move)
            assert again.outcome == winner


def test_go_suicide_is_forbidden():
    """Of one stone (A5) and of two (E1, E2)."""
    moves = "C3 A4 C4 B5 E2 D2 pass D1 pass E3"
    size = 5
    state, game = load_go(size).new_initial_state(), variant("go:ko=simple", size).new()
    for action in actions_named(moves, size):
        state.apply_action(action)
        game.play(as_point(action, size))
    assert not {*actions_named("A5 E1", size)} & {*state.legal_actions()}
    assert actions_of(game) == state.legal_actions()
    lenient = variant("go:ko=simple,suicide=true", size).new()
    for move in game.moves:
        lenient.play(move)
    assert {*actions_of(lenient)} - {*state.legal_actions()} == {*actions_named("A5 E1", size)}


SENDING_TWO = "A2 B1 B2 C2 A4 D1 A5 A1 C1"
"""Black surrounds A1 and B1; white sends A1 after B1, black takes both with C1; white's B1 would take C1."""

TRIPLE_KO = (
    "A9 B9 B8 D9 A1 C8 B2 B1 F1 D1 G2 C2 H1 H2 pass J1 "  # three kos: two that black can take, one that white can
    "C9 G1 C1 B9 H1"
)
"""The last five moves take a ko each; white's B1 would take the sixth and recreate the position before them."""


@pytest.mark.parametrize(
    ("size", "moves", "last", "situational"),
    [
        pytest.param(5, SENDING_TWO, "B1", True, id="sending two, returning one"),
        pytest.param(9, TRIPLE_KO, "B1", False, id="triple ko"),
    ],
)
def test_go_difference_a_repetition_is_a_draw_in_open_spiel(size, moves, last, situational):
    """In OpenSpiel legal and an immediate draw; legal without effect under `simple`; forbidden under `positional`.

    Situational superko forbids it where the same player would be to move as before.
    """
    state = load_go(size).new_initial_state()
    games = {ko: variant(f"go:ko={ko}", size).new() for ko in ("simple", "positional", "situational")}
    for action in actions_named(moves, size):
        assert not state.is_terminal()
        state.apply_action(action)
        for game in games.values():
            game.play(as_point(action, size))
    [action] = actions_named(last, size)
    assert action in state.legal_actions()
    assert state.legal_actions() == actions_of(games["simple"])
    assert actions_of(games["positional"]) == [a for a in state.legal_actions() if a != action]
    assert games["situational"].is_legal(last) == situational

    state.apply_action(action)
    assert state.is_terminal()
    assert state.returns() == [0.0, 0.0]
    games["simple"].play(last)
    assert picture_of_game(games["simple"]) == picture_of_state(state)
    assert not games["simple"].is_over
    assert games["simple"].margin() != 0


def test_go_difference_open_spiel_ends_long_games():
    assert pyspiel.load_game("go(board_size=5)").max_game_length() == 50
    assert pyspiel.load_game("go(board_size=19)").max_game_length() == 722
    state, game = load_go(5, max_game_length=4).new_initial_state(), variant("go", 5).new()
    for move in ["C3", "pass", "C2", "C4"]:
        assert not state.is_terminal()
        game.play(move)
        state.apply_action(as_action(game.moves[-1], 5))
    assert state.is_terminal()
    assert state.returns() == RETURNS[WHITE]
    assert game.score() == "W+6.5"
    assert not game.is_over


@pytest.mark.parametrize("stones", range(2, 10))
def test_go_handicap(stones):
    state = load_go(19, handicap=stones).new_initial_state()
    game = variant("go:ko=simple", 19).new()
    game.place_handicap(stones)
    assert picture_of_state(state) == picture_of_game(game)
    assert state.current_player() == PLAYERS[game.to_move] == 1
    assert state.legal_actions() == actions_of(game)
    assert len(handicap_points(stones, 19)) == stones


@pytest.mark.parametrize("stones", [2, 9])
def test_go_difference_handicap_stones_count_in_open_spiel(stones):
    """All 361 points are black's: with a komi of 361 we call that a draw, OpenSpiel gives white the stones on top."""
    game = variant("go:komi=361", 19).new()
    game.place_handicap(stones)
    for komi, winner in [(361, WHITE), (361 - stones, DRAW)]:
        state = load_go(19, komi, handicap=stones).new_initial_state()
        for _ in range(2):
            state.apply_action(361)
        assert state.returns() == RETURNS[winner]
    game.play("pass")
    game.play("pass")
    assert game.outcome == DRAW


# Gomoku


def load_rows(name, size):
    options = {"gomoku": {"size": size}, "mnk": {"m": size, "n": size, "k": 5}}
    return pyspiel.load_game(name, options[name])


def row_actions_of(game):
    return [row * game.size + column for row, column in (row_column(p, game.size) for p in game.legal_moves())]


@pytest.mark.parametrize("name", ["gomoku", "mnk"])
@pytest.mark.parametrize("size", range(5, 20))
def test_gomoku_random_games(name, size):
    """Legal moves at every move, the end and the result; on small boards many games are draws."""
    rng = random.Random(size)
    load = load_rows(name, size)
    outcomes = set()
    for _ in range(60 if size < 8 else 6):
        game, state = variant("gomoku", size).new(), load.new_initial_state()
        while not game.is_over:
            assert not state.is_terminal()
            assert state.current_player() == PLAYERS[game.to_move]
            actions = state.legal_actions()
            assert row_actions_of(game) == actions
            action = rng.choice(actions)
            state.apply_action(action)
            game.play(point_at(action // size, action % size, size))
        assert state.is_terminal()
        assert state.returns() == RETURNS[game.outcome]
        outcomes.add(game.outcome)
    if size < 8:
        assert outcomes == {BLACK, WHITE, DRAW}


@pytest.mark.parametrize("name", ["gomoku", "mnk"])
@pytest.mark.parametrize(
    ("moves", "outcome"),
    [
        pytest.param("A9 A1 B9 B1 C9 C1 D9 D1 E9", BLACK, id="five"),
        pytest.param("A9 A1 B9 B1 C9 C1 E9 D1 F9 F1 D9", BLACK, id="six"),
        pytest.param("A9 A1 B9 B1 C9 C1 E9 D1 F9 G1 G9 J1 D9", BLACK, id="seven"),
        pytest.param("A9 A1 B9 B1 C9 C1 D9 D1", RUNNING, id="four"),
        pytest.param("G9 A1 H9 C1 J9 E1 A8 G1 B8", RUNNING, id="five across the end of a row"),
        pytest.param("F7 A1 G6 C1 H5 E1 J4 G1 A3", RUNNING, id="five across the end of a diagonal"),
        pytest.param("A1 A9 B2 B8 C3 C7 E5 D6 D4", BLACK, id="five on a diagonal"),
        pytest.param("J1 A1 H2 B2 G3 C3 F4 D4 A9 E5", WHITE, id="five on the other diagonal"),
        pytest.param("A1 J9 A2 J8 A3 J7 A4 J6 B1 J5", WHITE, id="five at the edge"),
    ],
)
def test_gomoku_lines(name, moves, outcome):
    game, state = variant("gomoku", 9).new(), load_rows(name, 9).new_initial_state()
    for move in moves.split():
        assert not game.is_over
        assert not state.is_terminal()
        row, column = row_column(point_named(move, 9), 9)
        game.play(move)
        state.apply_action(row * 9 + column)
    assert game.outcome == outcome
    assert state.is_terminal() == (outcome != RUNNING)
    assert state.returns() == RETURNS[outcome]
