"""Which files of nobi run in the two call traces of docs/architecture.md: `python benchmarks/call_traces.py`.

A file counts if one of its functions is called, or compiled for a call; code that runs at import does not count. The
commands run in this process, with an empty cache of compiled code, at the smallest scale.
"""

import os
import sys
import tempfile
import threading
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

FOLDER = Path(tempfile.mkdtemp(prefix="nobi-traces-"))
os.environ["NOBI_CACHE_DIR"] = str(FOLDER / "cache")

import nobi  # noqa: E402

PACKAGE = Path(nobi.__file__).parent
_PREFIX = str(PACKAGE)
CORE = {file.stem for file in PACKAGE.glob("*.py")}


class Trace:
    """Collects the files of called and compiled functions."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self._known: set[CodeType] = set()

    def add(self, path: str, function: str) -> None:
        """Record a call."""
        if path.startswith(_PREFIX) and not function.startswith("<"):
            self.files.add(str(Path(path).relative_to(PACKAGE).with_suffix("")))

    def _called(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or code in self._known:
            return
        if not code.co_filename.startswith(_PREFIX):
            self._known.add(code)
        elif not _at_import(frame):
            self._known.add(code)
            self.add(code.co_filename, code.co_name)

    def __enter__(self) -> "Trace":
        from numba.core import event

        trace = self

        class Compiled(event.Listener):
            def on_start(self, one: Any) -> None:
                function = one.data["dispatcher"].py_func
                trace.add(function.__code__.co_filename, function.__name__)

            def on_end(self, one: Any) -> None:
                pass

        event.register("numba:compile", Compiled())  # type: ignore[no-untyped-call]
        threading.setprofile(self._called)
        sys.setprofile(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


def _at_import(frame: FrameType) -> bool:
    """Whether a module is being imported: class bodies, decorators and registries run then."""
    back = frame.f_back
    while back is not None:
        if back.f_code.co_name == "<module>" and back.f_code.co_filename.startswith(_PREFIX):
            return True
        back = back.f_back
    return False


def run(*commands: list[str]) -> set[str]:
    """The files called by these commands."""
    from nobi.cli import run as run_command

    with Trace() as trace:
        for command in commands:
            if run_command(command):
                raise SystemExit(f"nobi {' '.join(command)} failed")
    return trace.files


def report(title: str, files: set[str]) -> None:
    """Print the files, and their number without command line, core modules and registries."""
    inner = {file for file in files if file.split("/")[0] not in {*CORE, "cli"} and not file.endswith("__init__")}
    print(f"{title}: {len(files)} files, {len(inner)} without command line, core modules and registries")
    for folder in sorted({str(Path(file).parent) for file in files}):
        print(f"    {folder}: {' '.join(sorted(Path(f).name for f in files if str(Path(f).parent) == folder))}")


def main() -> None:
    """Run both traces."""
    study = ["study", "s09-fig4a", "--scale", "tiny", "--out", str(FOLDER / "study"), "--threads", "1"]
    report("A study of random networks", run(study))
    sgf, data, model = (str(FOLDER / name) for name in ("sgf", "data", "run"))
    run(["match", "playout", "playout", "--game", "go", "--size", "19", "--games", "60", "--folder", sgf])
    moves = FOLDER / "moves"
    moves.write_text("boardsize 19\ngenmove b\nquit\n")
    imported = ["data", "import", sgf, "--out", data, "--threads", "1"]
    training = ["imitate", model, "--data", data, "--net", "c14-small", "--steps", "2", "--batch", "4"]
    sys.stdin = moves.open()
    os.dup2(sys.stdin.fileno(), 0)
    played = ["gtp", f"{model}/model.safetensors"]
    report("From records to a GTP move", run(imported, [*training, "--threads", "1"], played))


if __name__ == "__main__":
    main()
