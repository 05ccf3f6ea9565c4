"""Some of the package's tests that are known to be right. Run with the wheel (STRC_WHEEL)."""

import subprocess
import sys
from pathlib import Path

import pytest
from support import GOLDEN, WHEEL

pytest.importorskip("onnx")
if not WHEEL:
    pytest.skip("the extension is only there in the wheel that make_wheel makes", allow_module_level=True)


def test_tests_that_are_known():
    words = [sys.executable, str(Path(__file__).with_name("onnx_suite.py")), "--known", str(GOLDEN / "onnx_suite.txt"), "--every", "12"]
    done = subprocess.run([*words, "--show", "wrong,crashed,refused", "--seconds", "300"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
