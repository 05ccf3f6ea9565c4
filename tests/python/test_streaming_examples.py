"""The networks of examples/streaming: each becomes a stream by one command, is proved, and can be a library for many sessions."""

import importlib.util
import re
import shlex
import subprocess

import pytest
from support import ROOT, STRC

FOLDER = ROOT / "examples" / "streaming"


def command_of(path):
    """The command in the docstring of an example."""
    words = shlex.split(re.search(r"^    (strc import .*)$", path.read_text(encoding="utf-8"), re.M)[1])
    return [STRC, *words[1:]]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_one_command_makes_a_stream(path, tmp_path, monkeypatch):
    monkeypatch.setenv("STRC", STRC)
    words = command_of(path)
    output = words[words.index("-o") + 1]
    words[words.index("-o") + 1] = str(tmp_path / output)
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    name = words[2].rpartition(":")[2]
    built = subprocess.run(
        [STRC, "build", "--shared", "--lanes", "--top", name, "-o", "stream.so", output], cwd=tmp_path, capture_output=True, text=True, timeout=1800
    )
    assert built.returncode == 0, built.stderr
    assert "'--lanes' has no effect" not in built.stderr
