"""Reader of game records in SGF (FF[1] to FF[4]): the main line of a game, with handicap and set-up stones.

Most records have one of two shapes: a root, then one move per node, with or without comments. These shapes are
recognised by regular expressions and their moves decoded by NumPy, about ten times faster than by the general parser,
which reads all other records property by property. Both share the remaining functions.

Files that violate the grammar are read as by GNU Go, and more tolerantly; but no move of the main line is skipped
without a `RecordError`.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, EMPTY, LARGEST, SMALLEST, WHITE
from nobi.board.text import row_column
from nobi.errors import NobiError
from nobi.games.go import handicap_points
from nobi.records.collection import PASS_CODE, WHITE_BIT, SetupChange, SgfRecord
from nobi.records.encodings import Structure, to_utf8
from nobi.records.properties import (
    BAD_POINT,
    BOARD_SIZE,
    MALFORMED,
    NOT_SGF,
    SETUP,
    TRUNCATED,
    WRONG_GAME,
    RecordError,
    date_of,
    komi_of,
    rank_of,
    result_of,
    whole_number_of,
)
from nobi.storage import read_content

GO = 1
"""The value of GM for Go."""

Properties = Mapping[str, Sequence[bytes]]
Node = list[tuple[str, list[bytes]]]
"""The properties of a node in order; a property may occur several times."""

# possessive quantifiers (++, *+) do not backtrack: the time is linear in the length of any text
_VALUE = rb"\[[^\]\\]*+(?:\\.[^\]\\]*+)*+\]\s*+"
_PROPERTY = rb"[A-Z]{1,2}+(?:" + _VALUE + rb")++"
_MOVE = rb";[BW]\[(?:[a-y]{2})?+\]\s*+"
_REMARKS = rb"(?:(?!(?:[BW]|A[BWE])\[)" + _PROPERTY + rb")*+"
_RECORD = rb"\s*+\(;((?:" + _PROPERTY + rb")*+)((?:%s)++)\)\s*+"
_BARE = re.compile(_RECORD % _MOVE, re.DOTALL)
_REMARKED = re.compile(_RECORD % (_MOVE + _REMARKS), re.DOTALL)
_EACH_MOVE = re.compile(rb"(" + _MOVE + rb")" + _REMARKS, re.DOTALL)
_EACH_PROPERTY = re.compile(rb"([A-Z]{1,2}+)((?:" + _VALUE + rb")++)", re.DOTALL)
_EACH_VALUE = re.compile(rb"\[([^\]\\]*+(?:\\.[^\]\\]*+)*+)\]", re.DOTALL)

# the general parser: names may contain lower-case letters, and white space may follow them
_START = re.compile(rb"\((?=\s*+(?:;|[A-Z]{1,2}+\s*+\[))")
_TOKEN = re.compile(rb"\s*+(?:([A-Za-z]++)\s*+((?:" + _VALUE + rb")*+)|([;()]))", re.DOTALL)
_GRAMMAR = re.compile(rb"(?:[A-Za-z]++\s*+(?:" + _VALUE + rb")++|[;()]\s*+)*+", re.DOTALL)
_READABLE = re.compile(rb"(?:[^\[]++|" + _VALUE + rb")*+", re.DOTALL)
_ANY_PROPERTY = re.compile(rb"[A-Za-z]++\s*+(?:" + _VALUE + rb")++", re.DOTALL)
_NEXT_BRACE = re.compile(rb"(?:[^\[()]++|" + _VALUE + rb")*+([()])", re.DOTALL)
_LOWER_CASE = bytes(range(ord("a"), ord("z") + 1))
_SPACE_IN_POINT = re.compile(rb"\\?\s")
_SETUP_NAMES = {"AB": BLACK, "AW": WHITE, "AE": EMPTY}

_SIZE = re.compile(r"(\d{1,9})(?::(\d{1,9}))?", re.ASCII)
_PLAYERS = {"b": BLACK, "1": BLACK, "w": WHITE, "2": WHITE}
"""The first characters of PL's values; the numbers come from an error in the definition of FF[3]."""

_A = ord("a")
_NO_POINT = b"[zz]"  # a point outside every board, which represents a pass in rows of equal width
_WIDTH = len(b";B[aa]")
_WHITESPACE = b" \t\r\n\v\f"


def read_sgf(path: Path) -> SgfRecord:
    """Return the first record of a file, of any game on a square board; raise a NobiError if its start is unreadable.

    A file that ends in the middle of a move is read up to the previous move.
    """
    found = next(parse_sgf(read_content(path), game=None))
    if isinstance(found, RecordError):
        raise NobiError(f"{str(path)!r} is not a game record that can be read: {found.reason}")
    return found._replace(error=None) if found.error and found.error.kind == TRUNCATED else found


def parse_sgf(content: bytes, game: int | None = GO) -> Iterator[SgfRecord | RecordError]:
    """Yield the record or the error of each game in an SGF text, at least one.

    `game` is the number (GM) of the only accepted game; None accepts all.
    """
    try:
        text = to_utf8(content, _structure)
    except RecordError as error:
        yield error
        return
    match = _BARE.fullmatch(text)
    if match:
        played = match[2]
    else:
        match = _REMARKED.fullmatch(text)
        played = b"".join(_EACH_MOVE.findall(match[2])) if match else b""
    root = _root_properties(match[1]) if match else None
    if root is None:
        yield from _parse_games(text, game)
        return
    try:
        size = _size(root, game)
        stones: dict[int, int] = {}
        _set_up(stones, root, size)
        yield _record(root, size, stones, played)
    except RecordError as error:
        yield error


def _structure(text: bytes) -> Structure:
    """Return whether a text is correct SGF, and its numbers of properties before the first error and in total."""
    start = _START.search(text)
    if not start:
        return False, 0, 0
    begin = start.start()
    correct, readable = _GRAMMAR.match(text, begin), _READABLE.match(text, begin)
    end, last = correct.end() if correct else begin, readable.end() if readable else begin
    return end == len(text), len(_ANY_PROPERTY.findall(text, begin, end)), len(_ANY_PROPERTY.findall(text, begin, last))


def _root_properties(root: bytes) -> dict[str, list[bytes]] | None:
    """Return the properties of a root, or None if it contains a move."""
    properties: dict[str, list[bytes]] = {}
    for name, values in _EACH_PROPERTY.findall(root):
        properties.setdefault(name.decode(), []).extend(_EACH_VALUE.findall(values))
    return None if "B" in properties or "W" in properties else properties


def _parse_games(text: bytes, game: int | None) -> Iterator[SgfRecord | RecordError]:
    """Yield the games of a text of any shape, read property by property."""
    start = _START.search(text)
    if not start:
        yield RecordError(NOT_SGF, "There is no SGF in it.")
    while start:
        nodes, end, error = _main_line(text, start.start())
        try:
            yield _from_nodes(nodes, error, game)
        except RecordError as found:
            yield found
        start = _START.search(text, end)


def _main_line(text: bytes, position: int) -> tuple[list[Node], int, RecordError | None]:
    """Return the nodes of the main line, the first variation at every branch; the end of the game; the error, if any.

    The following is accepted: a missing first semicolon, variations without nodes, nodes after variations (which are
    ignored), and a text that ends without closing its variations, or within a property that places no stone.
    """
    nodes: list[Node] = []
    node: Node | None = None
    depth = 0
    is_empty = True  # whether the current variation has no node yet
    error = None
    while True:
        token = _TOKEN.match(text, position)
        if token is None:
            rest = text[position:].lstrip()
            if not rest:
                return nodes, len(text), None
            if rest.startswith(b"[") and node:
                return nodes, len(text), _truncated(node[-1][0], nodes)
            error = _malformed(f"{_quoted(rest)} is unexpected")
            break
        position = token.end()
        if token[1]:
            name = token[1].translate(None, _LOWER_CASE).decode()
            values = _EACH_VALUE.findall(token[2])
            if not values:
                rest = text[position:]
                if not rest or rest.startswith(b"["):
                    return nodes, len(text), _truncated(name, nodes)
                error = _malformed(f"{token[1][:20].decode()} has no value")
                break
            if not name:  # FF[3] allows lower-case letters only together with capital letters
                error = _malformed(f"{_quoted(token[1])} has no capital letter")
                break
            if node is None:
                if not is_empty:
                    error = _malformed(f"{name} is outside of a node")
                    break
                node, is_empty = [], False
                nodes.append(node)
            node.append((name, values))
        elif token[3] == b";":
            node, is_empty = [], False
            nodes.append(node)
        elif token[3] == b"(":
            depth += 1
            node, is_empty = None, True
        else:
            depth -= 1
            if not is_empty or depth == 0:
                break
            is_empty = False
    while depth:  # skip to the end of the game
        brace = _NEXT_BRACE.match(text, position)
        if brace is None:
            return nodes, len(text), error
        position = brace.end()
        depth += 1 if brace[1] == b"(" else -1
    return nodes, position, error


def _malformed(reason: str) -> RecordError:
    return RecordError(MALFORMED, f"It is not correct SGF: {reason}.")


def _truncated(name: str, nodes: Sequence[Node]) -> RecordError | None:
    """Return the error of a text that ends in the middle of a property; None if it is a comment on a move."""
    if name in ("B", "W"):
        return RecordError(TRUNCATED, "It ends in the middle of a move.")
    if len(nodes) == 1 or name in _SETUP_NAMES:
        return RecordError(MALFORMED, f"It ends in the middle of the property {name}.")
    return None


def _from_nodes(nodes: Iterable[Node], error: RecordError | None, game: int | None) -> SgfRecord:
    """Return the record of a main line; raise a RecordError if it has no start position."""
    root: dict[str, list[bytes]] = {}
    stones: dict[int, int] = {}
    changes: list[SetupChange] = []
    played: list[bytes] = []
    size = 0
    for node in nodes:
        properties: dict[str, list[bytes]] = {}
        for name, values in node:
            properties.setdefault(name, []).extend(values)
        if not size:
            root = properties
            size = _size(root, game)
        elif not played and "PL" in properties:
            root["PL"] = properties["PL"]
        sets_up = not properties.keys().isdisjoint(_SETUP_NAMES)
        if sets_up and not played:
            _set_up(stones, properties, size)
        try:
            if sets_up and played:
                changes.append(SetupChange(len(played), _setup_cells(properties, size), _player(properties)))
            for name, values in node:
                if name in ("B", "W"):
                    for value in values:
                        played.append(_move(name, value, len(played) + 1))
        except RecordError as found:
            error = found
            break
    if error and not played and error.kind != TRUNCATED:
        raise error  # the start position may be incomplete
    return _record(root, size, stones, b"".join(played), tuple(changes), error)


def _move(name: str, value: bytes, number: int) -> bytes:
    """Return a move as in records of the common shapes: ;B[aa] or ;B[]."""
    point = _SPACE_IN_POINT.sub(b"", value)
    if not re.fullmatch(rb"(?:[a-y]{2})?", point):
        raise RecordError(BAD_POINT, f"Move {number} is {_quoted(value)}, which is not a point.")
    return b";%s[%s]" % (name.encode(), point)


def _size(root: Properties, game: int | None) -> int:
    """Return the board size; raise a RecordError for another game or an unsupported size."""
    number = _text(root, "GM", "1").strip()
    if game is not None and number != str(game):
        raise RecordError(WRONG_GAME, f"It is not Go: GM[{number[:20]}].")
    text = "".join(_text(root, "SZ", "19").split())
    match = _SIZE.fullmatch(text)
    if not match:
        raise RecordError(BOARD_SIZE, f"Its board size is SZ[{text[:20]}], which is not a number.")
    if match[2] and match[2] != match[1]:
        raise RecordError(BOARD_SIZE, f"Its board is not square: SZ[{text}].")
    size = int(match[1])
    if not SMALLEST <= size <= LARGEST:
        raise RecordError(BOARD_SIZE, f"Its board has {size} lines; {SMALLEST} to {LARGEST} are supported.")
    return size


def _player(properties: Properties) -> int | None:
    """Return the player named by PL, if any."""
    text = _text(properties, "PL", "").strip().lower()
    if not text:
        return None
    if text[0] not in _PLAYERS:
        raise RecordError(MALFORMED, f"PL[{text[:20]}] names no player.")
    return _PLAYERS[text[0]]


def _set_up(stones: dict[int, int], node: Properties, size: int) -> None:
    """Apply AB, AW and AE of a node to the stones, a dictionary from cells to codes."""
    for cell, colour in _setup_cells(node, size).items():
        if colour == EMPTY:
            stones.pop(cell, None)
        else:
            stones[cell] = cell | WHITE_BIT if colour == WHITE else cell


def _setup_cells(node: Properties, size: int) -> dict[int, int]:
    """Return BLACK, WHITE or EMPTY by cell, from AB, AW and AE of a node."""
    found: dict[int, int] = {}
    for name, colour in _SETUP_NAMES.items():
        for cell in _cells(node.get(name, ()), size):
            if found.setdefault(cell, colour) != colour:
                raise RecordError(SETUP, "One point is set up in two colours.")
    return found


def _cells(values: Sequence[bytes], size: int) -> Iterator[int]:
    """Yield the cells of a list of points and rectangles such as `aa:cc`."""
    for value in values:
        corners = [value] if len(value) == 2 else _SPACE_IN_POINT.sub(b"", value).split(b":")
        if len(corners) > 2 or any(len(corner) != 2 for corner in corners):
            raise RecordError(BAD_POINT, f"A stone is set up at {_quoted(value)}, which is not a point.")
        left, top = (letter - _A for letter in corners[0])
        right, bottom = (letter - _A for letter in corners[-1])
        if not (0 <= left <= right < size and 0 <= top <= bottom < size):
            raise RecordError(
                BAD_POINT, f"A stone is set up at {_quoted(value)}, which is not on the {size}x{size} board."
            )
        for row in range(top, bottom + 1):
            yield from range(row * size + left, row * size + right + 1)


def _record(
    root: Properties,
    size: int,
    stones: dict[int, int],
    played: bytes,
    changes: tuple[SetupChange, ...] = (),
    error: RecordError | None = None,
) -> SgfRecord:
    """Return the record with these set-up stones and moves (`;B[aa];W[]…`)."""
    moves, off_board = _codes(played, size)
    handicap = whole_number_of(_text(root, "HA", "")) or 0
    player = (WHITE if moves[0] & WHITE_BIT else BLACK) if len(moves) else _player(root)
    if handicap >= 2 and not stones and player != BLACK:
        _set_up_handicap(stones, handicap, size)
    blacks = sum(not code & WHITE_BIT for code in stones.values())
    only_black = 0 < blacks == len(stones)
    if player is None:
        player = WHITE if only_black or handicap >= 2 else BLACK
    if handicap < 2:
        handicap = blacks if player == WHITE and only_black and blacks >= 2 else 0
    elif player == WHITE and not blacks:
        raise RecordError(SETUP, f"Its {handicap} handicap stones are missing.")
    return SgfRecord(
        size=size,
        moves=moves,
        setup=np.array(sorted(stones.values()), np.uint16),
        first=player,
        black_rank=rank_of(_text(root, "BR", "")),
        white_rank=rank_of(_text(root, "WR", "")),
        komi=_komi(root),
        handicap=min(handicap, 255),
        result=result_of(_text(root, "RE", "")),
        date=date_of(_text(root, "DT", "")),
        rules=_text(root, "RU", ""),
        changes=tuple(change for change in changes if change.after <= len(moves)) if changes else (),
        error=off_board or error,
    )


def _komi(root: Properties) -> float:
    """Return the komi in points, NaN if it is unknown."""
    text = _text(root, "KM", "")
    if _text(root, "AP", "").startswith("nobi:"):  # records written by nobi never count in stones or hundredths
        try:
            return float(text)
        except ValueError:
            return math.nan
    komi = komi_of(text)
    return math.nan if komi is None else komi


def _set_up_handicap(stones: dict[int, int], handicap: int, size: int) -> None:
    """Set up the standard handicap stones, which some programs omit, as GNU Go does."""
    try:
        points = handicap_points(handicap, size)
    except NobiError:
        raise RecordError(
            SETUP, f"Its {handicap} handicap stones are missing, and there are no standard points for them."
        ) from None
    for point in points:
        row, column = row_column(point, size)
        stones[row * size + column] = row * size + column


def _codes(played: bytes, size: int) -> tuple[NDArray[np.uint16], RecordError | None]:
    """Return the codes of the moves `;B[aa];W[]…`: uint16[move], up to the first one that is not on the board."""
    rows = played.translate(None, _WHITESPACE).replace(b"[]", _NO_POINT)
    letters = np.frombuffer(rows, np.uint8).reshape(-1, _WIDTH)
    column, row = (letters[:, 3] - _A).astype(np.uint16), (letters[:, 4] - _A).astype(np.uint16)
    codes = row * size + column
    error = None
    off_board = (column >= size) | (row >= size)
    if off_board.any():
        passes = (column == 25) & (row == 25)
        if size <= 19:
            passes |= (column == 19) & (row == 19)  # `tt`, the pass of FF[3]
        codes[passes] = PASS_CODE
        wrong = np.flatnonzero(off_board & ~passes)
        if len(wrong):
            point = letters[wrong[0], 3:5].tobytes()
            error = RecordError(
                BAD_POINT, f"Move {wrong[0] + 1} is {_quoted(point)}, which is not on the {size}x{size} board."
            )
            codes, letters = codes[: wrong[0]], letters[: wrong[0]]
    codes[letters[:, 1] == ord("W")] |= WHITE_BIT
    return codes, error


def _text(properties: Properties, name: str, missing: str) -> str:
    values = properties.get(name)
    return values[0].decode("utf-8", "replace") if values else missing


def _quoted(raw: bytes) -> str:
    return repr(raw[:20].decode("ascii", "backslashreplace"))
