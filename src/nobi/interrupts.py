"""Ctrl-C and the signal to end, which are not to cut short what must be whole."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def interrupts_go_to(handler: Callable[[int], None]) -> Iterator[None]:
    """Lets the handler hear of Ctrl-C and of the signal to end, by number; where another thread runs this, nothing
    changes, since only the first one is interrupted.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, lambda heard, _: handler(heard)) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, usual in before.items():
            signal.signal(number, signal.SIG_DFL if usual is None else usual)


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Lets Ctrl-C and the signal to end wait for the end of a few lines. Other than a mask of signals, this holds where
    several threads run, and a program that is started within does not inherit it.
    """
    heard: list[int] = []
    try:
        with interrupts_go_to(heard.append):
            yield
    finally:
        for number in heard:
            signal.raise_signal(number)
