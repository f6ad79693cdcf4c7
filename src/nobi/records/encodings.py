"""Conversion of records in any encoding to UTF-8.

SGF's grammar uses ASCII characters, but the second byte of a character in Big5, GBK or Shift-JIS may be that of a
square bracket or a backslash. A record that is decoded in the wrong encoding can therefore lose a bracket and
everything up to the next one, including moves. Statistical detection alone does not prevent this, because the few
characters of two names are not enough text. Therefore a text that may contain such a byte is decoded in every possible
encoding, and the result with the most properties is used: a misread bracket can hide properties, but not add any. Among
results of equal structure, statistical detection chooses, if a property that is used depends on the choice.
"""

import codecs
import re
from collections.abc import Callable

from nobi.records.properties import NOT_SGF, WRONG_ENCODING, RecordError

Structure = tuple[bool, int, int]
"""A measure of how well a text follows SGF's grammar; higher is better."""

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_CHARSET = re.compile(rb"CA\s*\[([^\]]{1,40})\]")
_MEANT = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "big5": "cp950", "euc_kr": "cp949"}
"""Declared encodings that usually mean a superset; browsers use the same table."""
_EIGHT_BITS = ("latin-1", "gb18030", "cp932", "cp950", "cp949")
"""Possible encodings of a text that is not UTF-8. Latin-1, the default of FF[4], represents all single-byte ones."""
_ESCAPE, _TILDE = b"\x1b", b"~"
_SEVEN_BITS = {_ESCAPE: ("iso2022_jp_2", "iso2022_kr", "ascii"), _TILDE: ("hz", "ascii")}
"""Encodings of East Asian text in ASCII characters, keyed by their first byte."""
_DETECTED = {"cp1252": "latin-1", "gb18030": "gb18030", "cp932": "cp932", "big5hkscs": "cp950", "cp949": "cp949"}
"""chardet's names of these encodings → Python's names."""
_PLAIN_MOVES = re.compile(rb";[BW]\[[a-y]{0,2}\]\s*+")
_SECOND_BYTES = (
    re.compile(rb"[\x81-\xfe]([\x40-\x7e\x80-\xfe])"),  # Big5, GBK and Korean
    re.compile(rb"[\x81-\x9f\xe0-\xfc]([\x40-\x7e\x80-\xfc])|[\xa1-\xdf]"),  # Shift-JIS
)
_BRACKETS = {b"[", b"\\", b"]"}
_USED = re.compile(rb"(?:BR|WR|DT|RE)\s*+\[[^\]\x80-\xff]*+[\x80-\xff]")
"""A property that is used by the reader, with a non-ASCII character."""


def to_utf8(content: bytes, structure: Callable[[bytes], Structure]) -> bytes:
    """Return the text as UTF-8; `structure` measures how well a text follows SGF's grammar."""
    is_ascii = content.isascii()
    if is_ascii and b"\0" not in content and _ESCAPE not in content and _TILDE not in content:
        return content
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _decode(content, encoding)
    if b"\0" in content:
        raise RecordError(NOT_SGF, "It is binary, not text.")
    declared = _CHARSET.search(content, 0, 4096)
    name = declared[1].decode("latin-1").strip() if declared else "utf-8"
    try:
        reading = _decode(content, name)
        if codecs.lookup(name).name == "utf-8" and not is_ascii:
            return reading  # text in another encoding is hardly ever valid UTF-8
    except RecordError:
        if declared:
            raise
        reading = b""
    may_hide = is_ascii or not _BRACKETS.isdisjoint(
        byte for pattern in _SECOND_BYTES for byte in pattern.findall(content)
    )
    if declared and not may_hide:
        return reading
    is_used = not declared and _USED.search(content) is not None
    if not may_hide and not is_used:
        return content.decode("latin-1").encode()
    readings = {name: reading} if declared else {}
    possible = _SEVEN_BITS[_ESCAPE if _ESCAPE in content else _TILDE] if is_ascii else _EIGHT_BITS
    for encoding in possible:
        try:
            readings[encoding] = content.decode(encoding).encode()
        except UnicodeDecodeError:
            continue
    found = {encoding: structure(text) for encoding, text in readings.items()}
    most = max(found.values())
    best = [encoding for encoding in readings if found[encoding] == most]
    return readings[_detect(content, best) if is_used and len(best) > 1 else best[0]]


def _detect(content: bytes, possible: list[str]) -> str:
    """Return the most likely of these encodings."""
    import chardet  # slow to import, and few records need it

    names = [name for name, encoding in _DETECTED.items() if encoding in possible]
    text = _PLAIN_MOVES.sub(b"", content)
    found = chardet.detect(text, include_encodings=names, no_match_encoding=names[0], compat_names=False)
    return _DETECTED.get(found["encoding"] or "", possible[0])


def _decode(content: bytes, encoding: str) -> bytes:
    try:
        return content.decode(_MEANT.get(codecs.lookup(encoding).name, encoding)).encode()
    except UnicodeDecodeError:
        raise RecordError(WRONG_ENCODING, f"It is not valid {encoding}, its declared encoding.") from None
    except (LookupError, ValueError):  # not a text encoding, or a name with a zero byte
        raise RecordError(WRONG_ENCODING, f"Its encoding, CA[{encoding[:40]}], is unknown.") from None
