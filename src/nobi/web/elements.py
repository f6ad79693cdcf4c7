"""The NiceGUI elements of the page: board, chart, graph of a game, and images of hidden units.

Properties are sent to the components (`board.js`, `plot.js`, `graph.js`), events are sent back. Values of events come
from the browser and must be checked.
"""

import base64
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from nicegui import events, ui
from numpy.typing import NDArray


class _Element(ui.element):
    """An element that is described by its properties."""

    def show(self, **properties: Any) -> None:
        """Set properties in one message; unchanged ones are not sent."""
        changed = {name: value for name, value in properties.items() if self.props.get(name) != value}
        if changed:
            self.props.update(changed)
            self.update()


class Board(_Element, component="board.js"):
    """A Go board."""

    def __init__(self, **properties: Any) -> None:
        super().__init__()
        self._serial = 0
        self.show(**properties)

    def refuse(self) -> None:
        """Remove the stone that the browser showed before the server refused the move."""
        self._serial += 1
        self.show(serial=self._serial)

    def on_play(self, handler: Callable[[Any], Any]) -> None:
        """Call the handler with the cell of a click."""
        self.on("play", lambda event: handler(_field(event, "cell")))

    def on_swept(self, handler: Callable[[Any], Any]) -> None:
        """Call the handler with the run number of a sweep animation that has ended."""
        self.on("swept", lambda event: handler(_field(event, "run")))


class Plot(_Element, component="plot.js"):
    """A chart of lines, bars, points or a matrix."""

    def __init__(self, **properties: Any) -> None:
        super().__init__()
        self.show(**properties)

    def on_pick(self, handler: Callable[[int], Any]) -> None:
        """Call the handler with the index of the picked item, 0 or larger; it may not exist."""

        def pick(number: Any) -> None:
            if isinstance(number, int) and not isinstance(number, bool) and number >= 0:
                handler(number)

        self.on("pick", lambda event: pick(_field(event, "i")))


class Graph(_Element, component="graph.js"):
    """The graph of Black's chance to win and of the score over the moves of a game; a click jumps to a move."""

    def show_game(
        self,
        chances: Mapping[int, float],
        total: int,
        current: int,
        scores: Mapping[int, float],
        marks: Sequence[int] = (),
    ) -> None:
        """Show the known values of a game of `total` moves, with a line at the `current` move.

        Args:
            chances: number of moves → Black's chance to win, 0 to 1.
            total: the moves of the game.
            current: the number of moves on the board.
            scores: number of moves → Black's lead in points.
            marks: numbers of moves to mark.
        """
        self.show(
            chances=[[ply, round(chance, 4)] for ply, chance in sorted(chances.items())],
            scores=[[ply, round(score, 1)] for ply, score in sorted(scores.items())],
            marks=list(marks),
            total=total,
            current=current,
        )

    def on_jump(self, handler: Callable[[int], Any]) -> None:
        """Call the handler with the number of a move."""

        def jump(ply: Any) -> None:
            if isinstance(ply, int):
                handler(ply)

        self.on("jump", lambda event: jump(_field(event, "ply")))


def _field(event: events.GenericEventArguments, name: str) -> Any:
    return event.args.get(name) if isinstance(event.args, dict) else None


# --- images of hidden units, one pixel for each point of a board ------------------------------------------------------

_MINUS, _ZERO, _PLUS = (np.array(tone, np.float64) for tone in ((255, 248, 230), (201, 163, 104), (15, 76, 110)))
"""Colours of sweeps on the board, and of the board."""


def thumbnail(values: str, size: int) -> str:
    """Return the data URL of an image of [cell] -127 to 127, one byte each, in base64."""
    cells = np.frombuffer(base64.b64decode(values), np.int8).reshape(size, size) / 127
    amount = np.sqrt(np.abs(cells))[..., None]
    pixels = np.where(cells[..., None] < 0, _MINUS, _PLUS) * amount + _ZERO * (1 - amount)
    return f"data:image/png;base64,{base64.b64encode(_png(np.rint(pixels).astype(np.uint8))).decode()}"


def _png(pixels: NDArray[np.uint8]) -> bytes:
    """Return the PNG file of an image, [row, column, red green blue]."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
