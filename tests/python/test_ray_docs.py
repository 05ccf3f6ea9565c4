"""The example of docs/more-than-one-machine.md. Run with the wheel (STRC_WHEEL)."""

import os
import re
import subprocess
import sys

import pytest
from support import ROOT, WHEEL

if not WHEEL:
    pytest.skip("the extension is only there in the wheel that make_wheel makes", allow_module_level=True)
pytest.importorskip("ray.data", reason="Ray Data is not installed")

EXAMPLE = re.compile(r"^```python\n# (\S+)\n(.*?)^```\n```text\n(.*?)^```$", re.M | re.S)


def test_page(tmp_path):
    ((name, text, wanted),) = EXAMPLE.findall((ROOT / "docs/more-than-one-machine.md").read_text(encoding="utf-8"))
    (tmp_path / name).write_text(text)
    environment = {**os.environ, "PYTHONPATH": WHEEL, "RAY_ADDRESS": "local"}
    done = subprocess.run([sys.executable, name], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    # Ray tells of dead workers among the output; NumPy prints numbers in as many columns as it likes.
    printed = [line for line in done.stdout.splitlines() if "(raylet)" not in line]
    assert " ".join(printed).split() == wanted.split(), done.stdout + done.stderr
