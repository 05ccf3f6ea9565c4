"""The examples of docs/import.md: files begin with their name as a comment, what commands print follows them."""

import io
import re
import shlex
from contextlib import redirect_stderr, redirect_stdout

from support import ROOT, STRC

from strc.importer.command import run

FENCE = re.compile(r"^```(python|sh|text)\n(.*?)^```$", re.M | re.S)


def test_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STRC", STRC)
    parts = FENCE.findall((ROOT / "docs/import.md").read_text(encoding="utf-8"))
    assert len(parts) >= 10
    for (kind, text), (_, printed) in zip(parts, [*parts[1:], ("", "")]):
        if kind == "python":
            name, _, rest = text.partition("\n")
            (tmp_path / name.removeprefix("# ")).write_text(rest)
        elif kind == "sh":
            words = shlex.split(text)
            assert words[:2] == ["strc", "import"]
            out = io.StringIO()
            with redirect_stdout(out), redirect_stderr(out):
                run(words[2:])
            assert out.getvalue() == printed
