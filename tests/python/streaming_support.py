"""What the tests of streamed models share."""

import subprocess

import numpy
import pytest
import torch
from support import STRC
from torch import nn

import strc.torch
from strc.errors import ImportFailure


@pytest.fixture(autouse=True)
def the_compiler(monkeypatch):
    monkeypatch.setenv("STRC", STRC)


class Of(nn.Module):
    """A model of a function, with a causal layer before it where `channels` says one."""

    def __init__(self, function, channels=0):
        super().__init__()
        self.conv = nn.Conv1d(1, channels, 3) if channels else None
        self.function = function

    def forward(self, x):
        return self.function(self.conv(nn.functional.pad(x, (2, 0))) if self.conv else x)


def exported(model, shape, path, **options):
    """What the importer makes of a model: it proves it at every time step and in pieces of several sizes."""
    made = strc.torch.export(model.eval(), [torch.randn(*shape)], path / "model.str", streaming=True, **options)
    assert sorted(file.name for file in path.iterdir()) == ["model.safetensors", "model.str"]
    return made


def in_engines(name, given, path):
    """What compiled code and the interpreter give for an array of floats, as arrays; both agree."""
    given.tofile(path / "in.raw")
    found = []
    for engine in ([], ["--interpret"]):
        line = [STRC, "run", *engine, "--top", name, "--in", "in.raw", "--out", "out.raw", "model.str"]
        done = subprocess.run(line, cwd=path, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        found.append(numpy.fromfile(path / "out.raw", numpy.float32))
    numpy.testing.assert_allclose(*found, rtol=1e-5, atol=1e-5)
    return found[0]


def refusal(model, shape, path, **options):
    """The words with which a model is refused; nothing is written."""
    with pytest.raises(ImportFailure) as fault:
        strc.torch.export(model.eval(), [torch.randn(*shape)], path / "model.str", streaming=True, **options)
    assert list(path.iterdir()) == []
    return str(fault.value)
