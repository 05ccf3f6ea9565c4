"""The package's type hints hold."""

import pytest
from support import ROOT

mypy = pytest.importorskip("mypy.api")


def test_types(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT / "python")
    out, err, status = mypy.run([f"--cache-dir={tmp_path}"])
    assert status == 0, out + err
