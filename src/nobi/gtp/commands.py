"""Who the engine is and what it knows.

MERGED gtp/commands/playing.py: Setting up a game and playing it.

MERGED gtp/commands/clocks.py: Time settings.

MERGED gtp/commands/scoring.py: The end of a game of Go: which stones are dead, and who has won by how much.
"""

from typing import cast

import nobi
from nobi.board.stones import BLACK, EMPTY, PASS, WHITE, enemy_of
from nobi.board.text import point_at, vertex_name
from nobi.clock import System, TimeSettings
from nobi.errors import NobiError
from nobi.games.base import COLOUR_NAMES
from nobi.games.go import handicap_points
from nobi.gtp.protocol import GtpError, colour_from, float_from, int_from, take
from nobi.gtp.session import Session, command, served
from nobi.players.base import RESIGN
from nobi.players.scoring import chains_of, dead_stones, final_score


@command("protocol_version", "", "2")
def _protocol_version(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    return "2"


@command("name", "", "`nobi` and the player's word")
def _name(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    return f"nobi {session.bot.name}"


@command("version", "", "the version of nobi")
def _version(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    return nobi.__version__


@command("known_command", "NAME", "`true` or `false`")
def _known_command(session: Session, arguments: list[str]) -> str:
    [name] = take(arguments, 1)
    return "true" if name in {entry.name for entry in served(session.variant.game.name)} else "false"


@command("list_commands", "", "all commands, one a line")
def _list_commands(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    return "\n".join(sorted(entry.name for entry in served(session.variant.game.name)))


@command("quit", "", "ends the engine")
def _quit(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    session.is_over = True
    return ""


@command("stop", "", "ends an analysis, as any input does")
def _stop(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    return ""


@command("boardsize", "SIZE", "a new game on a board of 5 to 25 lines, if the player can play there")
def _boardsize(session: Session, arguments: list[str]) -> str:
    [size] = take(arguments, 1)
    session.resize(int_from(size))
    return ""


@command("rectangular_boardsize", "WIDTH HEIGHT", "the same; only square boards are served")
def _rectangular_boardsize(session: Session, arguments: list[str]) -> str:
    width, height = (int_from(spec) for spec in take(arguments, 2))
    if width != height:
        raise GtpError("unacceptable size")
    session.resize(width)
    return ""


@command("clear_board", "", "a new game")
def _clear_board(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    session.table.clear()
    session.time.restart()
    return ""


@command("komi", "KOMI", "any number; other games accept it and ignore it")
def _komi(session: Session, arguments: list[str]) -> str:
    komi = float_from(take(arguments, 1)[0])
    if session.variant.game.name == "go":
        session.change(komi=komi)
    return ""


@command("get_komi", "", "the komi", games="go")
def _get_komi(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    return f"{session.variant.settings.komi:.12g}"


@command("play", "COLOR VERTEX", "a move; a colour that moves twice in a row takes the other to have passed")
def _play(session: Session, arguments: list[str]) -> str:
    colour, vertex = take(arguments, 2)
    try:
        mover = colour_from(colour)
    except GtpError:
        raise GtpError("invalid color or coordinate") from None
    session.table.play(mover, session.point(vertex))
    return ""


@command("gogui-play_sequence", "COLOR VERTEX …", "many moves, all or none")
def _play_sequence(session: Session, arguments: list[str]) -> str:
    if len(arguments) % 2:
        raise GtpError("syntax error")
    done = 0
    try:
        for i in range(0, len(arguments), 2):
            _play(session, arguments[i : i + 2])
            done += 1
    except GtpError:
        session.table.undo(done)
        raise
    return ""


@command("genmove", "COLOR", "chooses a move and plays it; or `resign`")
def _genmove(session: Session, arguments: list[str]) -> str:
    colour = colour_from(take(arguments, 1)[0])
    return generate(session, colour)


@command("reg_genmove", "COLOR", "chooses a move and does not play it")
def _reg_genmove(session: Session, arguments: list[str]) -> str:
    move = session.choose(colour_from(take(arguments, 1)[0]))
    return named(session, move)


@command("kgs-genmove_cleanup", "COLOR", "as `genmove`, where dead stones must be captured", games="go")
def _genmove_cleanup(session: Session, arguments: list[str]) -> str:
    colour = colour_from(take(arguments, 1)[0])
    return played(session, colour, session.choose(colour, cleaning=True))


@command("undo", "", "takes one move back")
def _undo(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    session.table.undo()
    return ""


@command("gg-undo", "[MOVES]", "takes several moves back")
def _undo_several(session: Session, arguments: list[str]) -> str:
    session.table.undo(int_from(arguments[0]) if arguments else 1)
    return ""


@command("fixed_handicap", "STONES", "handicap stones on the usual points; their list", games="go")
def _fixed_handicap(session: Session, arguments: list[str]) -> str:
    stones = int_from(take(arguments, 1)[0])
    _check_empty(session)
    try:
        points = handicap_points(stones, session.game.size)
    except NobiError:
        raise GtpError("invalid number of stones") from None
    return _place_handicap(session, points)


@command("place_free_handicap", "STONES", "handicap stones, at most as many, where the engine likes", games="go")
def _place_free_handicap(session: Session, arguments: list[str]) -> str:
    stones = int_from(take(arguments, 1)[0])
    _check_empty(session)
    if stones < 2:
        raise GtpError("invalid number of stones")
    size = session.game.size
    for fewer in range(min(stones, 9), 1, -1):
        try:
            return _place_handicap(session, handicap_points(fewer, size))
        except NobiError:
            continue
    corners = [(size - 2, 1), (1, size - 2), (1, 1), (size - 2, size - 2)]  # 5x5 and 6x6 have no usual points
    return _place_handicap(session, [point_at(row, column, size) for row, column in corners[:stones]])


@command("set_free_handicap", "VERTEX …", "handicap stones on these points", games="go")
def _set_free_handicap(session: Session, arguments: list[str]) -> str:
    _check_empty(session)
    try:
        points = [session.point(spec) for spec in arguments]
    except GtpError:
        raise GtpError("bad vertex list") from None
    if not 2 <= len(points) < session.game.size**2 or len(set(points)) < len(points) or PASS in points:
        raise GtpError("bad vertex list")
    _place_handicap(session, points)
    return ""


@command("gogui-setup", "COLOR VERTEX …", "adds stones to the start position; only before the first move")
def _setup(session: Session, arguments: list[str]) -> str:
    added = _stones_from(session, arguments)
    if session.table.played:
        raise GtpError("only before the first move")
    stones = [(point, session.game.colour(point)) for point in session.game.points() if session.game.colour(point)]
    _set_up(session, stones + added, session.game.to_move)
    return ""


@command("set_position", "COLOR VERTEX …", "a new game that starts with these stones alone, black to move")
def _set_position(session: Session, arguments: list[str]) -> str:
    _set_up(session, _stones_from(session, arguments), BLACK)
    session.time.restart()
    return ""


@command("gogui-setup_player", "COLOR", "who is to move in the start position; only before the first move")
def _setup_player(session: Session, arguments: list[str]) -> str:
    colour = colour_from(take(arguments, 1)[0])
    if session.table.played:
        raise GtpError("only before the first move")
    session.table.set_up(session.game.start, colour)
    return ""


@command("showboard", "", "the position as a drawing")
def _showboard(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    game = session.game
    lines = [str(game), f"{COLOUR_NAMES[game.to_move]} to move; {session.variant}"]
    if game.name == "go":
        prisoners = session.go.boards.prisoners[0]  # type: ignore[attr-defined]
        lines.append(f"captured: {prisoners[WHITE]} white, {prisoners[BLACK]} black stones")
    return "\n" + "\n".join(lines)


@command("list_stones", "COLOR", "the points with stones of this colour")
def _list_stones(session: Session, arguments: list[str]) -> str:
    colour = colour_from(take(arguments, 1)[0])
    game = session.game
    return " ".join(vertex_name(point, game.size) for point in game.points() if game.colour(point) == colour)


def generate(session: Session, colour: int) -> str:
    """Chooses a move and plays it."""
    return played(session, colour, session.choose(colour))


def played(session: Session, colour: int, move: int) -> str:
    """Plays a move that was chosen; its name as an answer gives it."""
    if move != RESIGN and (session.game.has_pass or not session.game.is_over):
        session.table.play(colour, move)
    return named(session, move)


def named(session: Session, move: int) -> str:
    """A move as an answer gives it."""
    return "resign" if move == RESIGN else vertex_name(move, session.game.size)


def _stones_from(session: Session, arguments: list[str]) -> list[tuple[int, int]]:
    """Stones given as COLOR VERTEX …, as (point, colour)."""
    if len(arguments) % 2:
        raise GtpError("syntax error")
    pairs = zip(arguments[::2], arguments[1::2], strict=True)
    stones = [(session.point(vertex), colour_from(colour)) for colour, vertex in pairs]
    if any(point == PASS for point, _ in stones):
        raise GtpError("invalid color or coordinate")
    return stones


def _set_up(session: Session, stones: list[tuple[int, int]], to_move: int) -> None:
    try:
        session.table.set_up(stones, to_move)
    except NobiError as fault:
        raise GtpError(str(fault).rstrip(".")) from None


def _check_empty(session: Session) -> None:
    if not session.table.is_empty:
        raise GtpError("board not empty")


def _place_handicap(session: Session, points: list[int]) -> str:
    session.table.set_up([(point, BLACK) for point in points], int(enemy_of(BLACK)))
    return " ".join(vertex_name(point, session.game.size) for point in points)


_COUNTS = {"none": 0, "absolute": 1, "canadian": 3, "byoyomi": 3}


@command("time_settings", "MAIN PERIOD STONES", "main time, then so many stones in each period, in seconds")
def _time_settings(session: Session, arguments: list[str]) -> str:
    main, period, stones = take(arguments, 3)
    _set(session, "canadian", float_from(main), float_from(period), int_from(stones))
    return ""


@command(
    "kgs-time_settings",
    "SYSTEM …",
    "`none`, `absolute MAIN`, `canadian MAIN PERIOD STONES` or `byoyomi MAIN PERIOD PERIODS`",
)
def _kgs_time_settings(session: Session, arguments: list[str]) -> str:
    system = take(arguments, 1)[0].lower()
    if system not in _COUNTS:
        raise GtpError("syntax error")
    numbers = take(arguments[1:], _COUNTS[system])
    main, period = (float_from(spec) for spec in [*numbers[:2], "0", "0"][:2])
    count = int_from(numbers[2]) if len(numbers) > 2 else 0
    _set(session, cast(System, system), main, period, count)
    return ""


@command(
    "time_left",
    "COLOR SECONDS STONES",
    "what is left of the main time (0 stones) or of a period (stones, or periods in byoyomi)",
)
def _time_left(session: Session, arguments: list[str]) -> str:
    colour, seconds, stones = take(arguments, 3)
    session.time.note(colour_from(colour), float_from(seconds), int_from(stones))
    return ""


def _set(session: Session, system: System, main: float, period: float, count: int) -> None:
    try:
        session.time.set(TimeSettings(system, main, period, count))
    except ValueError:
        raise GtpError("syntax error") from None
    if not session.game.is_over:
        session.bot.get_ready(session.game)


_OWNERS = {"black_territory": BLACK, "white_territory": WHITE, "dame": EMPTY}


@command(
    "final_score", "", "the result by the present rules, dead stones taken off: `B+3.5`, `W+0.5` or `0`", games="go"
)
def _final_score(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    score = final_score(session.go)
    return "0" if score == "Draw" else score


@command(
    "final_status_list",
    "STATUS",
    "the stones that are `alive` or `dead`, one chain per line, `seki` counting as alive; or the empty points that are "
    "`black_territory`, `white_territory` or `dame`",
    games="go",
)
def _final_status_list(session: Session, arguments: list[str]) -> str:
    status = take(arguments, 1)[0].lower()
    if status not in ("alive", "dead", "seki", *_OWNERS):
        raise GtpError("syntax error")
    if status == "seki":
        return ""
    dead = set(dead_stones(session.go))
    size = session.game.size
    if status in _OWNERS:
        owned = [point for point, owner in session.go.owners(dead).items() if owner == _OWNERS[status]]
        return " ".join(vertex_name(point, size) for point in owned if session.game.colour(point) == EMPTY)
    chains = [chain for chain in chains_of(session.game) if (chain[0] in dead) == (status == "dead")]
    return "\n".join(" ".join(vertex_name(point, size) for point in chain) for chain in chains)
