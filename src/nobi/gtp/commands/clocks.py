"""Time settings."""

from typing import cast

from nobi.gtp.commands import command
from nobi.gtp.protocol import GtpError, colour_from, float_from, int_from, take
from nobi.gtp.session import Session
from nobi.players.time import System, TimeSettings

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
    main, period = (float_from(word) for word in [*numbers[:2], "0", "0"][:2])
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
