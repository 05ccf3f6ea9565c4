"""The examples of docs/sklearn.md: files begin with their name as a comment, what commands print follows them."""

import os
import re
import subprocess
import sys

import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from support import ROOT, STRC  # noqa: E402

from strc.sklearn.convert import PREDICTORS, TRANSFORMERS  # noqa: E402

FENCE = re.compile(r"^```(python|sh|text)\n(.*?)^```$", re.M | re.S)
PAGE = (ROOT / "docs/sklearn.md").read_text(encoding="utf-8")


def test_page(tmp_path):
    (tmp_path / "strc").symlink_to(STRC)
    (tmp_path / "python").symlink_to(sys.executable)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT / "python"), "VIRTUAL_ENV": sys.prefix}
    parts = FENCE.findall(PAGE)
    assert [kind for kind, _ in parts].count("sh") >= 2
    for (kind, text), (_, printed) in zip(parts, [*parts[1:], ("", "")]):
        if kind == "python":
            name, _, rest = text.partition("\n")
            (tmp_path / name.removeprefix("# ")).write_text(rest)
        elif kind == "sh":
            done = subprocess.run(["sh", "-e", "-c", text.replace("python ", f"{sys.executable} ")], cwd=tmp_path, env=environment,
                                  capture_output=True, text=True, check=False, timeout=1800)
            assert done.stdout + done.stderr == printed
            assert done.returncode == 0


def test_what_is_there():
    """The table names everything that has a translation."""
    table = PAGE.partition("## What is there")[2].partition("All else is refused")[0]
    for name in [*PREDICTORS, *TRANSFORMERS]:
        family = re.sub("(Classifier|Regressor)$", "…", name)
        selector = hasattr(TRANSFORMERS.get(name), "__name__") and TRANSFORMERS[name].__name__ == "selector"
        assert selector or re.search(rf"\b{name}\b|\b{family}", table), name
