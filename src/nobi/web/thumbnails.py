"""Small images of hidden units, one pixel for each point of a board."""

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

_MINUS, _ZERO, _PLUS = (np.array(tone, np.float64) for tone in ((255, 248, 230), (201, 163, 104), (15, 76, 110)))
"""Colours of sweeps on the board, and of the board."""


def thumbnail(values: str, size: int) -> str:
    """The data URL of an image of [cell] -127 to 127, one byte each, in base64."""
    cells = np.frombuffer(base64.b64decode(values), np.int8).reshape(size, size) / 127
    amount = np.sqrt(np.abs(cells))[..., None]
    pixels = np.where(cells[..., None] < 0, _MINUS, _PLUS) * amount + _ZERO * (1 - amount)
    return f"data:image/png;base64,{base64.b64encode(_png(np.rint(pixels).astype(np.uint8))).decode()}"


def _png(pixels: NDArray[np.uint8]) -> bytes:
    """[row, column, red green blue] as a PNG file."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
