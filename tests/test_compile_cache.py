"""The folders of compiled code: dependencies of a function, and deletion of folders."""

import importlib
import os
import pkgutil
import subprocess
import sys
import time

import numba
import pytest
from numba.core.dispatcher import Dispatcher

import nobi
from nobi import compile_cache
from nobi.compile_cache import cache_folders, modules_below
from nobi.games import find
from nobi.search.playout import searcher_of
from nobi.spec import load_file


def compiled_modules():
    """All modules of nobi with compiled functions."""
    for info in pkgutil.walk_packages(nobi.__path__, "nobi."):
        source = compile_cache._source_of(info.name)
        if source and "compiling import" in source and info.name != "nobi.compile_cache":
            yield importlib.import_module(info.name)


def called_by(function):
    """The compiled functions among the globals of a compiled function."""
    names = function.py_func.__code__.co_names
    found = [function.py_func.__globals__.get(name) for name in names]
    return [one for one in found if isinstance(one, Dispatcher)]


def test_the_hash_of_a_function_covers_all_functions_that_it_calls():
    calls = 0
    for module in compiled_modules():
        for function in vars(module).values():
            if not isinstance(function, Dispatcher) or not function.py_func.__module__.startswith("nobi."):
                continue
            modules = compile_cache._modules_of(function.py_func)
            for called in called_by(function):
                assert called.py_func.__module__ in modules, (function, called)
                calls += called.py_func.__module__ != function.py_func.__module__
    assert calls > 100


def test_a_bound_template_depends_on_its_bindings():
    search = compile_cache._modules_of(searcher_of(find("pente")).py_func)
    assert {"nobi.search.playout", "nobi.games.pente", "nobi.board.stones"} <= search
    assert "nobi.games.gomoku" not in search
    assert "nobi.games.pente" not in compile_cache._modules_of(searcher_of(find("gomoku")).py_func)


def test_only_imported_modules_count():
    assert "nobi.board.stones" in modules_below("nobi.games.atari_go")
    assert not any("search" in name or "arena" in name for name in modules_below("nobi.games.atari_go"))
    assert compile_cache._modules_of(called_by) == compile_cache._all_modules()  # a function of another package


def test_folders_are_deleted_after_a_long_time_without_use(monkeypatch, tmp_path):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compile_cache, "_used_folders", set())
    ages = {"new": 0, "used": 29, "unused": 31}
    for name, days in ages.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "index").write_text("x")
        os.utime(tmp_path / name, (time.time() - days * 86400,) * 2)
    (tmp_path / "lock").write_text("")
    os.utime(tmp_path / "lock", (0, 0))
    compile_cache._used_folders.add(tmp_path / "used")
    assert cache_folders() == [tmp_path / "used"]
    compile_cache._tidy_cache()
    assert {path.name for path in tmp_path.iterdir()} == {"new", "used", "lock"}
    assert (tmp_path / "used").stat().st_mtime == pytest.approx(time.time(), abs=600)


PLUGIN = """
from typing import NamedTuple
import numpy as np
class Rows(NamedTuple):
    x: np.ndarray
"""
PROGRAM = """
import sys
from pathlib import Path
import numpy as np
from typing import NamedTuple
from nobi import compiling, spec
from nobi.nn.bound import _store
class Own(NamedTuple):
    x: np.ndarray
kind = Own
if len(sys.argv) > 1:
    spec.load_file(Path(sys.argv[1]))
    kind = next(module for name, module in sys.modules.items() if name.startswith("nobi_plugin_rows")).Rows
block = np.zeros(64, np.int64)
_store(block.ctypes.data, kind(np.zeros(3, np.float32)))
print(sum(_store.stats.cache_hits.values()), sum(_store.stats.cache_misses.values()))
"""


def test_types_of_a_plugin_do_not_disturb_processes_without_it(tmp_path):
    plugin = tmp_path / "rows.py"
    plugin.write_text(PLUGIN)
    environment = os.environ | {"NOBI_CACHE_DIR": str(tmp_path / "cache")}
    found = []
    for arguments in ([str(plugin)], [], [str(plugin)]):
        command = [sys.executable, "-c", PROGRAM, *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        found.append(done.stdout.split())
    assert found[0] == ["0", "1"]
    assert found[1] == ["0", "1"]
    assert found[2] == ["1", "0"]  # the entry of the plug-in was kept


def test_a_changed_plugin_is_another_module(tmp_path):
    plugin = tmp_path / "other_rows.py"
    for text in (PLUGIN, PLUGIN + "    y: np.ndarray\n"):
        plugin.write_text(text)
        load_file(plugin)
        load_file(plugin)
    names = [name for name in sys.modules if name.startswith("nobi_plugin_other_rows")]
    assert len(names) == 2
