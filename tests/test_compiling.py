"""Compilation: templates and the cache."""

import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import numba
import pytest

from nobi import compiling
from nobi.compiling import UNBOUND, bind, compiled, specialise, subject_of

step = UNBOUND


def _apply_twice(x):
    return step(step(x))


@compiled
def add_one(x):
    return x + 1


@compiled
def double(x):
    return 2 * x


def test_a_template_is_bound_to_functions():
    assert specialise(_apply_twice, "add", step=add_one)(5) == 7
    assert specialise(_apply_twice, "double", step=double)(5) == 20
    assert specialise(_apply_twice, "add", step=add_one)(5) == 7
    with pytest.raises(ValueError, match="never uses other"):
        specialise(_apply_twice, "add", step=add_one, other=double)


def test_all_boards_share_one_compiled_function(monkeypatch, tmp_path):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))  # a function in the cache is not compiled

    @compiled
    def value_on(g, factor):
        return 10 * g + factor

    def add_up():
        return step(0, 1) + step(1, 1)

    assert specialise(add_up, "boards", step=value_on)() == 12
    assert len(value_on.signatures) == 1


PROGRAM = """
from pathlib import Path
import sys
sys.path.insert(0, "FOLDER")
from nobi.compiling import UNBOUND, specialise, when_compiling
import rule
notes = []
when_compiling(notes.append)
value = UNBOUND
exec(compile("def template(x):\\n    return value(x)\\n", "FOLDER/template.py", "exec"))
print(specialise(template, "t", value=rule.value)(1), *notes, sep="\\n")
"""

BOTH = ["functions of __main__", "functions of rule"]


def test_the_cache_is_used_and_never_stale(tmp_path):
    """A second process compiles nothing; after an edit of a called function in another file, it compiles again."""
    (tmp_path / "template.py").write_text("def template(x):\n    return value(x)\n")
    rule = tmp_path / "rule.py"
    environment = os.environ | {"NOBI_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}

    def run():
        return subprocess.run(
            [sys.executable, "-c", PROGRAM.replace("FOLDER", str(tmp_path))],
            env=environment, capture_output=True, text=True, check=True,
        ).stdout.splitlines()  # fmt: skip

    source = "from nobi.compiling import compiled\n@compiled\ndef value(x):\n    return x + {}\n"
    rule.write_text(source.format(10))
    assert run() == ["11", *BOTH]
    assert run() == ["11"]
    rule.write_text(source.format(20))
    os.utime(rule, ns=(10**18, 10**18))
    assert run() == ["21", *BOTH]


def test_an_interrupt_during_compilation_is_raised_and_leaves_the_function_usable(monkeypatch, tmp_path):
    """Ctrl-C, sent when LLVM has compiled a function and calls back into Python."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    @compiled
    def triple(x):
        return add_one(x) + 2 * x - 1

    sent = []

    def interrupt(frame, what, _):
        if what == "call" and frame.f_code.co_name == "_object_compiled_hook" and not sent:
            sent.append(frame.f_code)
            signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    profile = sys.getprofile()
    sys.setprofile(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            triple(1.5)
    finally:
        sys.setprofile(profile)
    assert sent
    assert signal.getsignal(signal.SIGINT) is before
    assert triple(1.5) == 4.5


def test_compilation_is_described_in_words():
    from nobi.board.chains import is_open
    from nobi.games import find
    from nobi.players.random import NaivePlayer

    def template():
        return step()

    template.__module__ = "nobi.arena.play"
    assert subject_of(bind(template, "go_naive_random", step=1)) == "matches of go, naive against random"
    template.__module__ = "nobi.nn.swiping"
    assert subject_of(bind(template, "mdlstm_3", step=1)) == "the network mdlstm"
    assert subject_of(find("atari-go").rules.play.py_func) == "the rules of atari-go"
    assert subject_of(NaivePlayer.chooser(find("go")).py_func) == "the player naive"
    assert subject_of(is_open.py_func) == "the boards"
    template.__module__ = "numba.cpython.builtins"
    assert subject_of(template) == ""
    assert subject_of(test_compilation_is_described_in_words) == f"functions of {__name__}"


def test_nested_compilation_time_is_counted_once(monkeypatch):
    watch, noted = compiling._Watch(), []
    watch.say = noted.append
    outer, inner = (SimpleNamespace(data={"dispatcher": function}) for function in (add_one, double))
    clock = iter([10.0, 14.0, 20.0, 21.0])
    monkeypatch.setattr(compiling.time, "perf_counter", lambda: next(clock))
    watch.on_start(outer)
    watch.on_start(inner)
    watch.on_end(inner)
    watch.on_end(outer)
    assert watch.seconds == 4.0
    watch.on_start(outer)
    watch.on_end(outer)
    assert watch.seconds == 5.0
    assert noted == [f"functions of {__name__}"]  # both are part of the same compilation
