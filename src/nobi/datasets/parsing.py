"""SGF texts as games: the main line, with handicap and set-up stones.

The SGF library reads the grammar. Its tokens are made one by one, at about 2,000 games/s; so the most common shapes of
a record — a root, then one move a node, alone or with remarks after it — are recognised by regular expressions, and the
moves read by arrays. Whatever does not fit exactly goes to the library, and all ways end in the same functions.
"""

import codecs
import math
import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from sgfmill import sgf_grammar

from nobi.board.stones import LARGEST, SMALLEST
from nobi.datasets.fault import (
    BAD_POINT,
    BOARD_SIZE,
    MALFORMED,
    NO_MOVES,
    NOT_SGF,
    SETUP,
    TRUNCATED,
    WRONG_ENCODING,
    WRONG_GAME,
    Fault,
)
from nobi.datasets.record import Record
from nobi.datasets.values import date_of, rank_of, result_of, whole_number_of
from nobi.records.collection import PASS_CODE, WHITE_BIT
from nobi.records.komi import komi_of

Properties = Mapping[str, Sequence[bytes]]

# possessive quantifiers (++, *+) never go back: the time is linear in the text, whatever it holds
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
_CHARSET = re.compile(rb"CA\s*\[([^\]]{1,40})\]")
_HIDDEN_BACKSLASH = re.compile(rb"[\x81-\xfe]\\")
"""A letter of two bytes, as it seems: after a letter of Latin-1, hardly anybody writes a backslash."""
_EAST_ASIAN = ("cp932", "gb18030", "cp950")
_MEANT = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "big5": "cp950", "euc_kr": "cp949"}
"""Encodings that are named where a larger one is used, as browsers take them too."""
_SIZE = re.compile(r"(\d{1,9})(?::(\d{1,9}))?", re.ASCII)

_A = ord("a")
_NO_POINT = b"[zz]"  # beyond every board: the mark of a pass in rows of equal width
_WIDTH = len(b";B[aa]")
_WHITESPACE = b" \t\r\n\v\f"


def parse(content: bytes) -> Iterator[Record | Fault]:
    """The games of an SGF text, or what is wrong with each."""
    try:
        text = _as_ascii_compatible(content)
    except Fault as fault:
        yield fault
        return
    match = _BARE.fullmatch(text)
    if match:
        played = match[2]
    else:
        match = _REMARKED.fullmatch(text)
        played = b"".join(_EACH_MOVE.findall(match[2])) if match else b""
    root = _properties(match[1]) if match else None
    if root is None:
        yield from _parse_with_library(text)
    else:
        yield _or_fault(root, played)


def _or_fault(root: Properties, played: bytes) -> Record | Fault:
    try:
        size = _size(root)
        stones: dict[int, int] = {}
        _set_up(stones, root, size)
        return _record(root, size, stones, played)
    except Fault as fault:
        return fault


def _as_ascii_compatible(content: bytes) -> bytes:
    """The text in an encoding whose bytes below 128 are ASCII, as SGF's grammar asks; UTF-8 if it is not ASCII."""
    if content.isascii() and b"\0" not in content:
        return content
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if content.startswith(mark):
            return _decoded(content.removeprefix(mark if encoding == "utf-8" else b""), encoding)
    if b"\0" in content:
        raise Fault(NOT_SGF, "It is binary, not a text.")
    named = _CHARSET.search(content, 0, 4096)
    if named:
        return _decoded(content, named[1].decode("latin-1").strip())
    # Latin-1 is what FF[4] says of a record that names no encoding
    unnamed = ("utf-8", *(_EAST_ASIAN if _HIDDEN_BACKSLASH.search(content) else ()))
    for encoding in unnamed:
        try:
            return _decoded(content, encoding)
        except Fault:
            continue
    return _decoded(content, "latin-1")


def _decoded(content: bytes, encoding: str) -> bytes:
    """The text as UTF-8. East Asian encodings hide brackets and backslashes in the second bytes of their letters."""
    try:
        return content.decode(_MEANT.get(codecs.lookup(encoding).name, encoding)).encode()
    except (LookupError, ValueError):  # ValueError covers names that hold a zero byte, and texts that do not fit
        try:
            known = codecs.lookup(encoding)._is_text_encoding
        except (LookupError, ValueError):
            known = False
        if not known:
            raise Fault(WRONG_ENCODING, f"Its encoding, CA[{encoding[:40]}], is unknown.") from None
        raise Fault(WRONG_ENCODING, f"Its bytes are no {encoding} text, as which it is declared.") from None


def _properties(root: bytes) -> dict[str, list[bytes]] | None:
    """The properties of a root, or None if it holds a move."""
    properties: dict[str, list[bytes]] = {}
    for name, values in _EACH_PROPERTY.findall(root):
        properties.setdefault(name.decode(), []).extend(_EACH_VALUE.findall(values))
    return None if "B" in properties or "W" in properties else properties


def _parse_with_library(text: bytes) -> Iterator[Record | Fault]:
    try:
        trees = sgf_grammar.parse_sgf_collection(text)
    except ValueError:
        yield from _parse_up_to_a_fault(text)
    else:
        yield from map(_from_tree, trees)


def _parse_up_to_a_fault(text: bytes) -> Iterator[Record | Fault]:
    """The games before the one that is broken, and what is wrong with that."""
    position = 0
    while True:
        tokens, end = sgf_grammar.tokenise(text, position)
        if not tokens:
            yield Fault(NOT_SGF, "There is no SGF in it.")
            return
        try:
            tree = sgf_grammar.parse_sgf_game(text[position:end])
        except ValueError as fault:
            rest = text[end:].lstrip()
            cut_off = "unexpected end" in str(fault) and (not rest or rest.startswith(b"["))  # a value without its end
            yield (
                Fault(TRUNCATED, "It ends in the middle.")
                if cut_off
                else Fault(MALFORMED, f"It is no correct SGF: {fault}.")
            )
            return
        yield _from_tree(tree)
        position = end


def _from_tree(tree: sgf_grammar.Coarse_game_tree) -> Record | Fault:
    """The main line: the first variation at every branching."""
    try:
        root = tree.sequence[0]
        size = _size(root)
        stones: dict[int, int] = {}
        played: list[bytes] = []
        while tree is not None:
            for node in tree.sequence:
                if "AB" in node or "AW" in node or "AE" in node:
                    if played:
                        raise Fault(SETUP, f"Stones are set up after move {len(played)}.")
                    _set_up(stones, node, size)
                if "B" in node or "W" in node:
                    played.append(_move(node, len(played) + 1))
            tree = tree.children[0] if tree.children else None
        return _record(root, size, stones, b"".join(played))
    except Fault as fault:
        return fault


def _move(node: Properties, number: int) -> bytes:
    """The move of a node as the fast path meets it, ;B[aa] or ;B[]."""
    if ("B" in node and "W" in node) or len(node.get("B", node.get("W", ()))) != 1:
        raise Fault(MALFORMED, f"One node holds two moves at move {number}.")
    colour = b"B" if "B" in node else b"W"
    point = node["B" if "B" in node else "W"][0].strip()
    if not re.fullmatch(rb"(?:[a-y]{2})?", point):
        raise Fault(BAD_POINT, f"Move {number} is {_shown(point)}, which is no point.")
    return b";%s[%s]" % (colour, point)


def _size(root: Properties) -> int:
    """The board's size, once it is clear that the game is Go."""
    game = _text(root, "GM", "1").strip()
    if game != "1":
        raise Fault(WRONG_GAME, f"It is not Go: GM[{game[:20]}].")
    text = _text(root, "SZ", "19").strip()
    match = _SIZE.fullmatch(text)
    if not match:
        raise Fault(BOARD_SIZE, f"Its board size is SZ[{text[:20]}], which is no number.")
    if match[2] and match[2] != match[1]:
        raise Fault(BOARD_SIZE, f"Its board is not square: SZ[{text}].")
    size = int(match[1])
    if not SMALLEST <= size <= LARGEST:
        raise Fault(BOARD_SIZE, f"Its board has {size} lines; {SMALLEST} to {LARGEST} are served.")
    return size


def _set_up(stones: dict[int, int], node: Properties, size: int) -> None:
    """Changes the stones, code of each cell, as AB, AW and AE of a node say."""
    touched: dict[int, str] = {}
    for name, colour in (("AB", 0), ("AW", WHITE_BIT), ("AE", None)):
        for cell in _cells(node.get(name, ()), size):
            if touched.setdefault(cell, name) != name:
                raise Fault(SETUP, "One point is set up in two colours.")
            if colour is None:
                stones.pop(cell, None)
            else:
                stones[cell] = cell | colour


def _cells(values: Sequence[bytes], size: int) -> Iterator[int]:
    """The cells of a list of points and of rectangles such as `aa:cc`."""
    for value in values:
        corners = [corner.strip() for corner in value.split(b":")]
        if len(corners) > 2 or any(len(corner) != 2 for corner in corners):
            raise Fault(BAD_POINT, f"A stone is set up at {_shown(value)}, which is no point.")
        left, top = (letter - _A for letter in corners[0])
        right, bottom = (letter - _A for letter in corners[-1])
        if not (0 <= left <= right < size and 0 <= top <= bottom < size):
            raise Fault(BAD_POINT, f"A stone is set up at {_shown(value)}, which is not on the {size}x{size} board.")
        for row in range(top, bottom + 1):
            yield from range(row * size + left, row * size + right + 1)


def _record(root: Properties, size: int, stones: Mapping[int, int], played: bytes) -> Record:
    """The game of these set-up stones and moves (`;B[aa];W[]…`)."""
    moves = _codes(played, size)
    if not len(moves) or not ((moves & PASS_CODE) != PASS_CODE).any():
        raise Fault(NO_MOVES, "No stone is played.")
    white_first = bool(moves[0] & WHITE_BIT)
    handicap = whole_number_of(_text(root, "HA", "")) or 0
    blacks = sum(not code & WHITE_BIT for code in stones.values())
    if handicap < 2:
        handicap = blacks if white_first and 2 <= blacks == len(stones) else 0
    elif white_first and not blacks:
        raise Fault(SETUP, f"Its {handicap} handicap stones are missing.")
    komi = komi_of(_text(root, "KM", ""))
    return Record(
        size=size,
        moves=moves,
        setup=np.array(sorted(stones.values()), np.uint16),
        black_rank=rank_of(_text(root, "BR", "")),
        white_rank=rank_of(_text(root, "WR", "")),
        komi=math.nan if komi is None else komi,
        handicap=min(handicap, 255),
        result=result_of(_text(root, "RE", "")),
        date=date_of(_text(root, "DT", "")),
    )


def _codes(played: bytes, size: int) -> NDArray[np.uint16]:
    """The codes of moves written as `;B[aa];W[]…`: uint16[moves]."""
    rows = played.translate(None, _WHITESPACE).replace(b"[]", _NO_POINT)
    letters = np.frombuffer(rows, np.uint8).reshape(-1, _WIDTH)
    column, row = (letters[:, 3] - _A).astype(np.uint16), (letters[:, 4] - _A).astype(np.uint16)
    codes = row * size + column
    off_board = (column >= size) | (row >= size)
    if off_board.any():
        passes = (column == 25) & (row == 25)
        if size <= 19:
            passes |= (column == 19) & (row == 19)  # `tt`, the pass of FF[3]
        wrong = np.flatnonzero(off_board & ~passes)
        if len(wrong):
            point = letters[wrong[0], 3:5].tobytes()
            raise Fault(BAD_POINT, f"Move {wrong[0] + 1} is {_shown(point)}, which is not on the {size}x{size} board.")
        codes[passes] = PASS_CODE
    codes[letters[:, 1] == ord("W")] |= WHITE_BIT
    return codes


def _text(properties: Properties, name: str, missing: str) -> str:
    values = properties.get(name)
    return values[0].decode("utf-8", "replace") if values else missing


def _shown(raw: bytes) -> str:
    return repr(raw[:20].decode("ascii", "backslashreplace"))
