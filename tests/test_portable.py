"""`make test-portable` uses other instructions than the default of this processor."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PORTABLE = dict(line.split("=", 1) for line in (ROOT / "tests" / "portable.env").read_text().split())

PROGRAM = """
import json
import numba
import numpy as np
import scipy.linalg
import torch
from numpy._core._multiarray_umath import __cpu_features__ as features
from threadpoolctl import threadpool_info
import nobi.compiling

@numba.njit
def double(values):
    for i in range(values.size):
        values[i] *= 2

double(np.ones(9))
[code] = double.inspect_asm().values()
torch.nn.functional.conv2d(torch.ones(2, 8, 9, 9), torch.ones(8, 8, 3, 3))
print(json.dumps({
    "torch": torch.backends.cpu.get_cpu_capability(),
    "blas": sorted({entry["architecture"] for entry in threadpool_info() if entry["internal_api"] == "openblas"}),
    "numpy": [name for name in ("X86_V4", "AVX512_ICL", "AVX512_SPR") if features.get(name)],
    "numba": [numba.config.CPU_NAME, numba.config.CPU_FEATURES],
    "wide": "zmm" in code,
}))
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the settings name processors of the x86-64 family")
def test_the_settings_of_the_portable_tests_take_effect():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | PORTABLE | {"ONEDNN_VERBOSE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    *onednn, found = done.stdout.splitlines()
    assert json.loads(found) == {
        "torch": "DEFAULT",
        "blas": ["Haswell"],
        "numpy": [],
        "numba": ["haswell", "-avx512f"],
        "wide": False,
    }
    assert any("cpu,isa:Intel AVX2" in line for line in onednn)


def test_a_target_chosen_by_the_user_is_kept():
    """One of the two variables is enough: neither is overwritten by the features of this processor."""
    program = "import nobi.compiling, numba; print(numba.config.CPU_NAME, numba.config.CPU_FEATURES)"
    for given, expected in (
        ({"NUMBA_CPU_NAME": "haswell"}, "haswell None"),
        ({"NUMBA_CPU_FEATURES": "+sse2"}, "None +sse2"),
    ):
        environment = {name: text for name, text in os.environ.items() if not name.startswith("NUMBA_CPU_")} | given
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == expected
