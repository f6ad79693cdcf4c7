"""Other processes of this machine."""

import time
from pathlib import Path


def is_running(number):
    """Whether the process is running; an ended process may remain as a zombie."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def processes_with(spec):
    """The ids of the running processes whose command contains the word."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes()
        except OSError:  # it has ended
            continue
        if str(spec).encode() in command and is_running(folder.name):
            found.add(int(folder.name))
    return found


def wait_until(condition, seconds=10.0):
    """Wait for the condition; return whether it became true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
