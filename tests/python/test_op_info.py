"""One sample of each operator of PyTorch's own suite that is known to be right. Run with the wheel (STRC_WHEEL)."""

import subprocess
import sys
from pathlib import Path

import pytest
from support import GOLDEN, WHEEL

if not WHEEL:
    pytest.skip("the extension is only there in the wheel that make_wheel makes", allow_module_level=True)


def test_operators_that_are_known():
    words = [sys.executable, str(Path(__file__).with_name("op_info.py")), "--samples", "1", "--known", str(GOLDEN / "op_info.txt")]
    done = subprocess.run([*words, "--show", "wrong,crashed,refused"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
