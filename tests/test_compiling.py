"""The compiler's wrapper: templates and the cache."""

import os
import signal
import subprocess
import sys

import numba
import pytest

from nobi.compiling import UNBOUND, compiled, specialise

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
when_compiling(lambda: notes.append("compiled"))
value = UNBOUND
exec(compile("def template(x):\\n    return value(x)\\n", "FOLDER/template.py", "exec"))
print(specialise(template, "t", value=rule.value)(1), *notes)
"""


def test_the_cache_is_used_and_never_stale(tmp_path):
    """A second process compiles nothing; after an edit of a called function in another file, it compiles anew."""
    (tmp_path / "template.py").write_text("def template(x):\n    return value(x)\n")
    rule = tmp_path / "rule.py"
    environment = os.environ | {"NOBI_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}

    def run():
        return subprocess.run(
            [sys.executable, "-c", PROGRAM.replace("FOLDER", str(tmp_path))],
            env=environment, capture_output=True, text=True, check=True,
        ).stdout.split()  # fmt: skip

    source = "from nobi.compiling import compiled\n@compiled\ndef value(x):\n    return x + {}\n"
    rule.write_text(source.format(10))
    assert run() == ["11", "compiled"]
    assert run() == ["11"]
    rule.write_text(source.format(20))
    os.utime(rule, ns=(10**18, 10**18))
    assert run() == ["21", "compiled"]


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
