"""GTP commands: administration, set-up and play, clocks, and the scoring of Go."""

from typing import cast

import nobi
from nobi.board.stones import BLACK, EMPTY, PASS, WHITE
from nobi.board.text import point_at, star_lines, vertex_name
from nobi.clock import System, TimeSettings
from nobi.errors import NobiError
from nobi.games.base import COLOUR_NAMES
from nobi.games.go import handicap_points
from nobi.gtp.protocol import GtpError, colour_from, float_from, int_from
from nobi.gtp.session import Colour, Session, Vertex, command, commands_for
from nobi.players.base import RESIGN
from nobi.players.scoring import chains_of, dead_stones, final_score

# --- administration -------------------------------------------------------------------------------------------------


@command("protocol_version", "", "2")
def _protocol_version(session: Session) -> str:  # noqa: ARG001
    return "2"


@command("name", "", "`nobi` and the player's spec, or the value of --name")
def _name(session: Session) -> str:
    return session.name or f"nobi {session.bot.name}"


@command("version", "", "the version of nobi, or the value of --version-text")
def _version(session: Session) -> str:
    return session.version or nobi.__version__


@command("known_command", "NAME", "`true` or `false`")
def _known_command(session: Session, name: str) -> str:
    return "true" if name in {entry.name for entry in commands_for(session.variant.game.name)} else "false"


@command("list_commands", "", "all commands, one per line, `protocol_version` first")
def _list_commands(session: Session) -> str:
    return "\n".join(entry.name for entry in commands_for(session.variant.game.name))


@command("quit", "", "ends the engine")
def _quit(session: Session) -> None:
    session.is_over = True


@command(
    "gogui-interrupt",
    "",
    "no effect; its presence tells GoGui that the comment line `# interrupt` ends the choice of a move",
)
@command("kgs-game_over", "", "no effect: the position is kept, since the game may be resumed")
@command("stop", "", "ends an analysis, as any input does")
def _do_nothing(session: Session) -> None:
    pass


# --- set-up and play ------------------------------------------------------------------------------------------------


@command("boardsize", "SIZE [HEIGHT]", "a new game on a square board of 5 to 25 lines, if the player can play on it")
def _boardsize(session: Session, size: int, *height: str) -> None:
    if height and int_from(height[0]) != size:
        raise GtpError("unacceptable size")
    session.resize(size)


@command("rectangular_boardsize", "WIDTH HEIGHT", "the same")
def _rectangular_boardsize(session: Session, width: int, height: str) -> None:
    _boardsize(session, width, height)


@command("clear_board", "", "a new game")
def _clear_board(session: Session) -> None:
    session.clear()
    session.time.restart()


@command("komi", "KOMI", "any number; other games accept it and ignore it")
def _komi(session: Session, komi: float) -> None:
    if session.variant.game.name == "go":
        session.change(komi=komi)


@command("get_komi", "", "the komi", games="go")
def _get_komi(session: Session) -> str:
    return f"{session.variant.settings.komi:.12g}"


@command("play", "COLOR VERTEX", "a move; if a colour moves twice in a row, the other is assumed to have passed")
def _play(session: Session, colour: str, vertex: Vertex) -> None:
    try:
        session.gtp_game.play(colour_from(colour), vertex)
    except GtpError as error:
        raise GtpError("invalid color or coordinate" if str(error) == "invalid color" else str(error)) from None


@command("gogui-play_sequence", "COLOR VERTEX …", "many moves, all or none")
def _play_sequence(session: Session, *words: str) -> None:
    if len(words) % 2:
        raise GtpError("syntax error")
    before = len(session.gtp_game.played)
    try:
        for colour, vertex in zip(words[::2], words[1::2], strict=True):
            _play(session, colour, session.point(vertex))
    except GtpError:
        session.undo(len(session.gtp_game.played) - before)
        raise


@command("gomill-genmove_ex", "COLOR [KEYWORD …]", "as `genmove`; the keywords, such as `claim`, change nothing")
@command("genmove", "COLOR", "chooses a move and plays it, or `resign`")
def _genmove(session: Session, colour: Colour) -> str:
    return play_chosen(session, colour, session.choose(colour))


@command("kata-search", "COLOR", "chooses a move and does not play it")
@command("reg_genmove", "COLOR", "chooses a move and does not play it")
def _reg_genmove(session: Session, colour: Colour) -> str:
    return move_name(session, session.choose(colour))


@command("kgs-genmove_cleanup", "COLOR", "as `genmove`, but dead stones must be captured", games="go")
def _genmove_cleanup(session: Session, colour: Colour) -> str:
    return play_chosen(session, colour, session.choose(colour, cleanup=True))


@command("undo", "", "undoes one move")
def _undo(session: Session) -> None:
    session.undo()


@command("gg-undo", "[MOVES]", "undoes several moves")
def _undo_several(session: Session, moves: int = 1) -> None:
    session.undo(moves)


@command("fixed_handicap", "STONES", "handicap stones on the usual points; lists them", games="go")
def _fixed_handicap(session: Session, stones: int) -> str:
    _check_empty(session)
    try:
        points = handicap_points(stones, session.game.size)
    except NobiError:
        raise GtpError("invalid number of stones") from None
    return _place_handicap(session, points)


@command("place_free_handicap", "STONES", "this many handicap stones, chosen by the engine", games="go")
def _place_free_handicap(session: Session, stones: int) -> str:
    _check_empty(session)
    size = session.game.size
    if not 2 <= stones < size**2 // 2:
        raise GtpError("invalid number of stones")
    try:
        return _place_handicap(session, handicap_points(stones, size))
    except NobiError:
        return _place_handicap(session, _free_handicap(stones, size))


@command("set_free_handicap", "VERTEX …", "handicap stones on these points", games="go")
def _set_free_handicap(session: Session, *words: str) -> None:
    _check_empty(session)
    try:
        points = [session.point(word) for word in words]
    except GtpError:
        raise GtpError("bad vertex list") from None
    if not 1 <= len(points) < session.game.size**2 or len(set(points)) < len(points) or PASS in points:
        raise GtpError("bad vertex list")
    _place_handicap(session, points)


@command("gogui-setup", "COLOR VERTEX …", "adds stones to the start position; only before the first move")
def _setup(session: Session, *words: str) -> None:
    added = _stones(session, words)
    _check_unplayed(session)
    game = session.game
    stones = [(point, game.colour(point)) for point in game.points() if game.colour(point) != EMPTY]
    session.set_up(stones + added, game.to_move)


@command("set_position", "COLOR VERTEX …", "a new game that starts with these stones alone, Black to move")
def _set_position(session: Session, *words: str) -> None:
    session.set_up(_stones(session, words), BLACK)
    session.time.restart()


@command("gogui-setup_player", "COLOR", "the player to move in the start position; only before the first move")
def _setup_player(session: Session, colour: Colour) -> None:
    _check_unplayed(session)
    session.set_up(session.game.start, colour)


@command("showboard", "", "the position as a diagram")
def _showboard(session: Session) -> str:
    game = session.game
    lines = [str(game), f"{COLOUR_NAMES[game.to_move]} to move; {session.variant}"]
    if game.name == "go":
        prisoners = session.go.boards.prisoners[0]  # type: ignore[attr-defined]
        lines.append(f"captured: {prisoners[WHITE]} white, {prisoners[BLACK]} black stones")
    return "\n" + "\n".join(lines)


@command("list_stones", "COLOR", "the points with stones of this colour")
def _list_stones(session: Session, colour: Colour) -> str:
    return _names(session, [point for point in session.game.points() if session.game.colour(point) == colour])


def play_chosen(session: Session, colour: int, move: int) -> str:
    """Play a move that the bot has chosen; return its name."""
    if move != RESIGN and (session.game.has_pass or not session.game.is_over):
        session.gtp_game.play(colour, move)
    return move_name(session, move)


def move_name(session: Session, move: int) -> str:
    """Return the name of a move that a bot has chosen."""
    return "resign" if move == RESIGN else vertex_name(move, session.game.size)


def _names(session: Session, points: list[int]) -> str:
    return " ".join(vertex_name(point, session.game.size) for point in points)


def _stones(session: Session, words: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return COLOR VERTEX … as (point, colour)."""
    if len(words) % 2:
        raise GtpError("syntax error")
    pairs = zip(words[::2], words[1::2], strict=True)
    stones = [(session.point(vertex), colour_from(colour)) for colour, vertex in pairs]
    if any(point == PASS for point, _ in stones):
        raise GtpError("invalid color or coordinate")
    return stones


def _check_unplayed(session: Session) -> None:
    if session.gtp_game.played:
        raise GtpError("only before the first move")


def _check_empty(session: Session) -> None:
    if any(session.game.colour(point) != EMPTY for point in session.game.points()):
        raise GtpError("board not empty")


def _place_handicap(session: Session, points: list[int]) -> str:
    session.set_up([(point, BLACK) for point in points], WHITE)
    return _names(session, points)


def _free_handicap(stones: int, size: int) -> list[int]:
    """Return points for any number of handicap stones: the usual points, then points far from all others."""
    line = star_lines(size)[0]
    inside = [(row, column) for row in range(line, size - line) for column in range(line, size - line)]
    every = inside + [(row, column) for row in range(size) for column in range(size) if (row, column) not in inside]
    low, high = line, size - 1 - line
    chosen = [(high, low), (low, high), (low, low), (high, high)][:stones]
    if size % 2 and size >= 9:
        chosen += [(size // 2, low), (size // 2, high), (low, size // 2), (high, size // 2), (size // 2, size // 2)]
    while len(chosen) < stones:

        def distance(cell: tuple[int, int]) -> int:
            return min((cell[0] - row) ** 2 + (cell[1] - column) ** 2 for row, column in chosen)

        among = inside if len(chosen) < len(inside) else every
        chosen.append(max((cell for cell in among if cell not in chosen), key=distance))
    return [point_at(row, column, size) for row, column in chosen]


# --- clocks ---------------------------------------------------------------------------------------------------------

_ARGUMENTS = {"none": 0, "absolute": 1, "byoyomi": 3, "canadian": 3}
_FISCHER = {"fischer": 2, "fischer-capped": 4}
"""The number of arguments of each system."""


@command("time_settings", "MAIN PERIOD STONES", "seconds of main time, then of periods with a number of stones each")
def _time_settings(session: Session, main: float, period: float, stones: int) -> None:
    _set_time(session, "canadian", main, period, stones)


@command(
    "kgs-time_settings",
    "SYSTEM …",
    "`none`, `absolute MAIN`, `canadian MAIN PERIOD STONES` or `byoyomi MAIN PERIOD PERIODS`",
)
def _kgs_time_settings(session: Session, system: str, *words: str) -> None:
    count = _ARGUMENTS.get(system.lower())
    if count is None or len(words) < count:
        raise GtpError("syntax error")
    main, period, stones = [*words[:count], "0", "0", "0"][:3]
    _set_time(session, cast(System, system.lower()), float_from(main), float_from(period), int_from(stones))


@command("kata-list_time_settings", "", "the systems of `kata-time_settings`, separated by spaces")
def _list_time_settings(session: Session) -> str:  # noqa: ARG001
    return " ".join([*_ARGUMENTS, *_FISCHER])


@command(
    "kata-time_settings",
    "SYSTEM …",
    "as `kgs-time_settings`, or `fischer MAIN INCREMENT` or `fischer-capped MAIN INCREMENT CAP PER_MOVE`, −1: no limit",
)
def _kata_time_settings(session: Session, system: str, *words: str) -> None:
    count = _FISCHER.get(system.lower())
    if count is None:
        _kgs_time_settings(session, system, *words)
        return
    if len(words) < count:
        raise GtpError("syntax error")
    main, increment, cap, per_move = [*map(float_from, words[:count]), 0.0, 0.0][:4]
    _set_time(session, "fischer", main, increment, 0, max(0.0, cap), max(0.0, per_move))


@command(
    "time_left",
    "COLOR SECONDS STONES",
    "the rest of the main time (0 stones) or of a period (stones, or periods in byoyomi)",
)
def _time_left(session: Session, colour: Colour, seconds: float, stones: int) -> None:
    session.time.note(colour, seconds, stones)


def _set_time(
    session: Session, system: System, main: float, period: float, count: int, cap: float = 0.0, per_move: float = 0.0
) -> None:
    try:
        session.time.set(TimeSettings(system, main, period, count, cap, per_move))
    except ValueError:
        raise GtpError("syntax error") from None
    if not session.game.is_over:
        session.bot.warm_up(session.game)


# --- scoring of Go --------------------------------------------------------------------------------------------------

_OWNERS = {"black_territory": BLACK, "white_territory": WHITE, "dame": EMPTY}


@command("final_score", "", "the result by the current rules, without dead stones: `B+3.5`, `W+0.5` or `0`", games="go")
def _final_score(session: Session) -> str:
    score = final_score(session.go)
    return "0" if score == "Draw" else score


@command(
    "final_status_list",
    "STATUS",
    "the stones that are `alive` or `dead`, one chain per line, `seki` counting as alive; or the empty points that are "
    "`black_territory`, `white_territory` or `dame`",
    games="go",
)
def _final_status_list(session: Session, status: str) -> str:
    status = status.lower()
    if status not in ("alive", "dead", "seki", *_OWNERS):
        raise GtpError("syntax error")
    if status == "seki":
        return ""
    dead = set(dead_stones(session.go))
    if status in _OWNERS:
        owned = [point for point, owner in session.go.owners(dead).items() if owner == _OWNERS[status]]
        return _names(session, [point for point in owned if session.game.colour(point) == EMPTY])
    chains = [chain for chain in chains_of(session.game) if (chain[0] in dead) == (status == "dead")]
    return "\n".join(_names(session, chain) for chain in chains)
