"""Queries: JSON objects, checked field by field in KataGo's order; the first error is reported."""

import re
from dataclasses import dataclass, replace
from typing import Any

from nobi.analysis.position import Stone, new_position, play_tolerantly, stones_after
from nobi.analysis.settings import NUMBERS, Defaults, SettingError, number_within
from nobi.board.stones import BLACK, LARGEST, PASS, SMALLEST, WHITE
from nobi.board.text import point_at, point_named, vertex_name
from nobi.errors import NobiError
from nobi.games.base import Variant
from nobi.games.go import Go, GoSettings
from nobi.gtp.protocol import GtpError, colour_from
from nobi.gtp.rules import RuleSet, read_rules
from nobi.search.report import Restriction

_FLAGS = (
    "includeOwnership",
    "includeOwnershipStdev",
    "includeMovesOwnership",
    "includeMovesOwnershipStdev",
    "includePolicy",
    "includePVVisits",
    "includeNoResultValue",
)
_FIELDS = {
    "id", "action", "boardXSize", "boardYSize", "moves", "initialStones", "initialPlayer", "rules", "komi",
    "whiteHandicapBonus", "analyzeTurns", "priority", "priorities", "maxVisits", "analysisPVLen",
    "rootPolicyTemperature", "rootFpuReductionMax", "reportDuringSearchEvery", "firstReportDuringSearchAfter",
    "avoidMoves", "allowMoves", "overrideSettings", *_FLAGS,
}  # fmt: skip
_MOST_KOMI = 400
_MOST_PRIORITY = 2**62
_HUMAN = ("humanSLProfile", "humanSLChosenMoveProp", "humanSLChosenMoveIgnorePass")


class QueryError(Exception):
    """An error in a query: the field, and the text."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


@dataclass(frozen=True)
class Query:
    """A valid query."""

    id: str
    variant: Variant
    stones: tuple[Stone, ...]
    to_move: int
    """The player of the first move."""
    moves: tuple[tuple[int, int], ...]
    """(colour, move)"""
    turns: dict[int, int]
    """The turns to analyse and the priority of each."""
    defaults: Defaults
    flags: frozenset[str]
    every: float | None
    """Seconds between reports; None: no reports."""
    first: float | None
    """Seconds before the first report."""
    restrictions: tuple[Restriction, ...]

    def position(self, turn: int) -> Go:
        """Return the position after this number of moves."""
        game = new_position(self.variant, self.stones, self.to_move)
        for colour, move in self.moves[:turn]:
            play_tolerantly(game, colour, move)
        return game


class _Reader:
    """The fields of an object; `warnings` collects (field, text)."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given
        self.warnings: list[tuple[str, str]] = []

    def __contains__(self, field: str) -> bool:
        return field in self.given

    def whole(self, field: str, least: int, most: int) -> int:
        value = self.given.get(field)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise QueryError(field, f"Must be a whole number from {least} to {most}")
        return value

    def number(self, field: str, least: float, most: float) -> float:
        value = self.given[field]
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise QueryError(field, f"Must be a number from {least:g} to {most:g}")
        return float(value)

    def items(self, field: str) -> list[Any]:
        value = self.given[field]
        if not isinstance(value, list):
            raise QueryError(field, "Must be a list")
        return value


def read_query(given: dict[str, Any], defaults: Defaults) -> tuple[Query, list[tuple[str, str]]]:
    """Return a query and its warnings, as (field, text), from an object with a valid id."""
    reader = _Reader(given)
    size = _size(reader)
    given_stones = reader.items("initialStones") if "initialStones" in reader else []
    stones = [_stone(one, "initialStones", size) for one in given_stones]
    if any(point == PASS for point, _ in stones):
        raise QueryError("initialStones", "A stone cannot be a pass")
    if "moves" not in reader:
        raise QueryError("moves", "Must be a list of [player, move]")
    moves = [(colour, move) for move, colour in (_stone(one, "moves", size) for one in reader.items("moves"))]
    to_move = _initial_player(reader, stones, moves)
    turns = _turns(reader, len(moves))
    priorities = _priorities(reader, len(turns))
    rules, settings = _rules(reader)
    komi = _komi(reader, rules)
    komi += _handicap_bonus(_bonus(reader, rules), stones)
    changed = _numbers(reader, _overridden(reader, defaults))
    flags = frozenset(flag for flag in _FLAGS if _flag(reader, flag))
    every, first = _report_times(reader)
    priority = reader.whole("priority", -_MOST_PRIORITY, _MOST_PRIORITY) if "priority" in reader else 0
    if "priority" in reader and priorities is not None:
        raise QueryError("priority", "Cannot be given together with priorities")
    restrictions = _restrictions(reader, size)
    variant = Variant(Go, size, replace(settings, komi=komi))
    by_turn: dict[int, int] = {}
    for turn, own in zip(turns, priorities or [priority] * len(turns), strict=True):
        by_turn.setdefault(turn, own)
    start = tuple(stones_after(stones, variant))
    query = Query(
        given["id"], variant, start, to_move, tuple(moves), by_turn, changed, flags, every, first, restrictions
    )
    _check_moves(query)
    for field in given:
        if field not in _FIELDS:
            reader.warnings.append((field, "Unexpected or unused field"))
    return query, reader.warnings


def _size(reader: _Reader) -> int:
    width = reader.whole("boardXSize", SMALLEST, LARGEST)
    height = reader.whole("boardYSize", SMALLEST, LARGEST)
    if width != height:
        raise QueryError("boardYSize", "Must be equal to boardXSize: only square boards are supported")
    return width


def _player(value: Any, field: str) -> int:
    try:
        return colour_from(value if isinstance(value, str) else "")
    except GtpError:
        raise QueryError(field, "Could not parse player, which must be B or W") from None


def read_vertex(name: Any, size: int) -> int:
    """Return the point of a name in any case or of `(x,y)` from the top left, or PASS; else raise a ValueError."""
    if not isinstance(name, str):
        raise ValueError("not a string")
    pair = re.fullmatch(r"\(([0-9]{1,3}),([0-9]{1,3})\)", name.strip(), re.ASCII)
    if pair:
        column, row = int(pair[1]), int(pair[2])
        if column >= size or row >= size:
            raise ValueError(f"{name} is not on the board")
        return point_at(row, column, size)
    try:
        return point_named(name, size)
    except NobiError as error:
        raise ValueError(str(error)) from None


def _stone(one: Any, field: str, size: int) -> Stone:
    if not isinstance(one, list) or len(one) != 2:
        raise QueryError(field, "Must be a list of [player, move]")
    colour = _player(one[0], field)
    try:
        return read_vertex(one[1], size), colour
    except ValueError:
        raise QueryError(field, f"Could not parse board location: {str(one[1])[:20]}") from None


def _initial_player(reader: _Reader, stones: list[Stone], moves: list[tuple[int, int]]) -> int:
    if "initialPlayer" in reader:
        return _player(reader.given["initialPlayer"], "initialPlayer")
    if moves:
        return moves[0][0]
    return WHITE if _handicap(stones) else BLACK


def _handicap(stones: list[Stone]) -> int:
    """Return the number of handicap stones of a position: black stones without any white one."""
    black = {point for point, colour in stones if colour == BLACK}
    return len(black) if len(black) > 1 and all(colour == BLACK for _, colour in stones) else 0


def _turns(reader: _Reader, moves: int) -> list[int]:
    if "analyzeTurns" not in reader:
        return [moves]
    turns = reader.items("analyzeTurns")
    for turn in turns:
        if isinstance(turn, bool) or not isinstance(turn, int) or not 0 <= turn <= moves:
            raise QueryError("analyzeTurns", f"Must be a list of whole numbers from 0 to {moves}")
    return turns


def _priorities(reader: _Reader, turns: int) -> list[int] | None:
    if "priorities" not in reader:
        return None
    found = reader.items("priorities")
    if "analyzeTurns" not in reader or len(found) != turns:
        raise QueryError("priorities", "Must be as long as analyzeTurns")
    for one in found:
        if isinstance(one, bool) or not isinstance(one, int) or abs(one) > _MOST_PRIORITY:
            raise QueryError("priorities", "Must be a list of whole numbers from -2^62 to 2^62")
    return found


def _rules(reader: _Reader) -> tuple[RuleSet, GoSettings]:
    given = reader.given.get("rules")
    if not isinstance(given, str | dict):
        raise QueryError("rules", "Must be a string or an object")
    try:
        rules = read_rules(given, with_komi=True)
    except GtpError as error:
        raise QueryError("rules", f"Could not parse rules: {error}") from None
    reader.warnings += [("rules", f"Using the nearest supported rules: {warning}") for warning in rules.warnings]
    tromp_taylor = GoSettings(ko="positional", suicide=True, scoring="area")
    return rules, replace(tromp_taylor, **rules.settings)


def _komi(reader: _Reader, rules: RuleSet) -> float:
    if "komi" not in reader:
        komi = rules.usual_komi if rules.komi is None else rules.komi
    else:
        komi = reader.number("komi", -_MOST_KOMI, _MOST_KOMI)
    if not abs(komi) <= _MOST_KOMI or not (2 * komi).is_integer():
        raise QueryError("komi", f"Must be a multiple of 0.5 from -{_MOST_KOMI} to {_MOST_KOMI}")
    return komi


def _bonus(reader: _Reader, rules: RuleSet) -> str:
    if "whiteHandicapBonus" not in reader:
        return rules.bonus
    bonus = str(reader.given["whiteHandicapBonus"])
    if bonus not in ("0", "N", "N-1"):
        raise QueryError("whiteHandicapBonus", "Must be 0, N or N-1")
    return bonus


def _handicap_bonus(bonus: str, stones: list[Stone]) -> int:
    """Return White's points for handicap stones, which have the same effect as komi."""
    count = _handicap(stones)
    return {"0": 0, "N": count, "N-1": max(0, count - 1)}[bonus]


def _overridden(reader: _Reader, defaults: Defaults) -> Defaults:
    given = reader.given.get("overrideSettings", {})
    if not isinstance(given, dict):
        raise QueryError("overrideSettings", "Must be an object")
    for name, value in given.items():
        if name in _HUMAN:
            raise QueryError("overrideSettings", f"{name} needs a human model, which is not supported")
        try:
            changed = defaults.with_setting(name, value)
        except SettingError as error:
            raise QueryError("overrideSettings", f"Could not set settings: {error}") from None
        if changed is None:
            reader.warnings.append(("overrideSettings", f"Unknown or unsupported setting: {name}"))
        defaults = changed or defaults
    return defaults


def _numbers(reader: _Reader, defaults: Defaults) -> Defaults:
    for name in ("maxVisits", "analysisPVLen", "rootPolicyTemperature"):
        if name in reader:
            field, least, most, whole = NUMBERS[name]
            value = reader.given[name]
            try:
                if not isinstance(value, int | float) or (whole and not isinstance(value, int)):
                    raise SettingError(f"{name} must be a {'whole ' * whole}number from {least:g} to {most:g}")
                changed: dict[str, Any] = {field: number_within(name, value, least, most, whole)}
                defaults = replace(defaults, **changed)
            except SettingError as error:
                raise QueryError(name, str(error)) from None
    if "rootFpuReductionMax" in reader:
        reader.number("rootFpuReductionMax", 0.0, 2.0)
        reader.warnings.append(("rootFpuReductionMax", "Has no effect: the search does not reduce the first value"))
    return defaults


def _flag(reader: _Reader, field: str) -> bool:
    value = reader.given.get(field, False)
    if not isinstance(value, bool):
        raise QueryError(field, "Must be a boolean")
    return value


def _report_times(reader: _Reader) -> tuple[float | None, float | None]:
    every = first = None
    if "reportDuringSearchEvery" in reader:
        every = first = reader.number("reportDuringSearchEvery", 0.001, 1e6)
    if "firstReportDuringSearchAfter" in reader:
        first = reader.number("firstReportDuringSearchAfter", 0.001, 1e6)
    return every, first


def _restrictions(reader: _Reader, size: int) -> tuple[Restriction, ...]:
    if "avoidMoves" in reader and "allowMoves" in reader:
        raise QueryError("allowMoves", "Cannot be given together with avoidMoves")
    found: list[Restriction] = []
    for field in ("avoidMoves", "allowMoves"):
        found += [_restriction(one, field, size) for one in (reader.items(field) if field in reader else [])]
        if field == "allowMoves" and len({one.colour for one in found if one.allow}) < sum(one.allow for one in found):
            raise QueryError(field, "May have at most one entry per player")
    return tuple(found)


def _restriction(one: Any, field: str, size: int) -> Restriction:
    if not isinstance(one, dict):
        raise QueryError(field, "Must be a list of objects with player, moves and untilDepth")
    colour = _player(one.get("player"), "player")
    names = one.get("moves")
    if not isinstance(names, list):
        raise QueryError("moves", "Must be a list of moves")
    try:
        moves = tuple(read_vertex(name, size) for name in names)
    except ValueError:
        raise QueryError("moves", "Could not parse board location") from None
    until = one.get("untilDepth")
    if isinstance(until, bool) or not isinstance(until, int) or not 1 <= until <= 10**9:
        raise QueryError("untilDepth", "Must be a whole number of 1 or more")
    return Restriction(colour, moves, until, field == "allowMoves")


def _check_moves(query: Query) -> None:
    """Play all moves once; raise a QueryError at an illegal one."""
    game = new_position(query.variant, query.stones, query.to_move)
    for number, (colour, move) in enumerate(query.moves):
        if not play_tolerantly(game, colour, move):
            raise QueryError("moves", f"Illegal move {number}: {vertex_name(move, query.variant.size)}")
