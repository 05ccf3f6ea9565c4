"""The command `strc import`."""

import os
import subprocess
import sys
from dataclasses import dataclass

import pytest
from safetensors.torch import load_file
from support import ROOT

from strc.importer import command

MODEL = """import torch
from torch import nn

class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(10, 4)
        self.out = nn.Linear(4, 2)

    def forward(self, words, scale):
        return self.out(self.table(words)) * scale

def make():
    return Tagger()

class Wide(nn.Module):
    def __init__(self, width):
        super().__init__()

nothing = 3
"""
STEP = """import torch

class Step(torch.nn.Module):
    def forward(self, x, h):
        h = x + h
        return h.sin(), h
"""
TAGGER = ["model.py:make", "--input", "2x7:long", "--input", "1"]


@dataclass
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Runs the command in a folder with the models."""
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "broken.py").write_text("import torch\n\nx = 1 / 0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def run(*words):
        try:
            status = command.run(list(words))
        except SystemExit as end:
            status = end.code
        return Done(status, *capsys.readouterr())

    return run


def test_as_a_process(tmp_path):
    (tmp_path / "model.py").write_text(MODEL)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    words = [sys.executable, "-m", "strc.importer", *TAGGER]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "tensor->tensor pipeline Tagger {" in done.stdout


def test_files(call, tmp_path):
    done = call(*TAGGER, "-o", "tagger.str")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "tensor->tensor pipeline Tagger {" in (tmp_path / "tagger.str").read_text()
    stored = load_file(tmp_path / "tagger.safetensors")
    assert {name: tuple(tensor.shape) for name, tensor in stored.items()} == {
        "table.weight": (10, 4), "out.weight": (2, 4), "out.bias": (2,),
    }


def test_drawings(call, tmp_path):
    for emit in ["ir", "fx", "graph", "streams"]:
        done = call(*TAGGER, f"--emit={emit}", "-o", "tagger.dot")
        assert done.returncode == 0, done.stderr
        text = (tmp_path / "tagger.dot").read_text()
        assert text.startswith("digraph {") and "linear" in text and "embedding" in text
    table = call(*TAGGER, "--emit=fx").stdout.splitlines()
    assert table[0].split() == ["opcode", "name", "target", "args"]
    assert any("aten.embedding.default" in row for row in table)


def test_a_drawing_of_a_loop(call, tmp_path):
    (tmp_path / "step.py").write_text(STEP)
    done = call("step.py:Step", "--input", "1x2", "--state", "1x2", "--emit=streams")
    # The joiner is the first box, and the splitter, which is the last one, leads back to it.
    assert '"n8" -> "n1" [label="1"];' in done.stdout, done.stdout
    assert "feedbackloop Step {" in call("step.py:Step", "--input", "1x2", "--state", "1x2").stdout


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["model.py:Nobody", "--input", "1"], 1, "'model.py' has no 'Nobody'"),
        (["model.py"], 1, "'model.py' is no FILE.py:NAME"),
        (["other.py:A"], 1, "there is no file 'other.py'"),
        (["broken.py:A"], 1, "ZeroDivisionError: division by zero\n  "),
        (["model.py:Wide"], 1, "'Wide' cannot be called without arguments: "),
        (["model.py:nothing"], 1, "'nothing' gives a int, where a torch.nn.Module is expected"),
        (["model.py:make", "--input", "2xx7"], 2, "'2xx7' is no shape"),
        (["model.py:make", "--input", "2:word"], 2, "'word' is no type of elements"),
        ([*TAGGER, "-o", "no/folder.str"], 1, "No such file or directory"),
        (["model.py:make", "--input", "2x7:long"], 1, "does not run with the example inputs (2x7:int64)"),
    ],
)
def test_faults(words, status, message, call, tmp_path):
    before = sorted(path.name for path in tmp_path.iterdir())
    done = call(*words)
    assert (done.returncode, done.stdout) == (status, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "__pycache__") == before
