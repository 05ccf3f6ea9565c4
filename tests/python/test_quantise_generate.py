"""Models with weights of int8 that keep states: decoders that generate, what runs behind an encoder, and layers whose buffers go round."""

import re
import subprocess

import numpy
import pytest
import safetensors.numpy
import torch
from support import STRC
from test_generation import answers, items_like, lively, lively_pair, run as generated, said
from transformers_models import gpt2, llama, t5, words

from strc.importer.command import run

MODULE = """
import torch
from torch import nn
from test_generation import lively, lively_pair
from transformers_models import gpt2, llama, t5

def Gpt():
    return lively(gpt2)

def Llama():
    return lively(llama)

def Translator():
    return lively_pair(t5)[0]

class Echo(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.first = nn.Linear(8, 5)
        self.back = nn.Linear(5, 5)
        self.register_buffer("h", torch.zeros(1, 5))

    def forward(self, x):
        self.h.copy_(torch.tanh(self.first(x) + self.back(self.h)))
        return self.h * 2

class Joined(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 5)

    def forward(self, x, y, h):
        return self.first(x) + y, h + self.first(x)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STRC", STRC)
    (tmp_path / "net.py").write_text(MODULE)
    return tmp_path


def agreed(told):
    return tuple(map(int, re.search(r"the greatest element is the same in (\d+) of (\d+)", told).groups()))


@pytest.mark.parametrize("calibrated", [True, False])
@pytest.mark.parametrize("name", ["Gpt", "Llama"])
def test_a_decoder_chooses_what_the_model_chooses(name, calibrated, folder, capsys):
    tokens = words(12)
    numpy.save("tokens.npy", tokens.T.numpy())
    line = [f"net.py:{name}", "--generate", "--context", "32", "--quantize=int8", "-o", "model.str"]
    assert run([*line, *(["--calibrate", "tokens.npy"] if calibrated else [])]) == 0
    told = capsys.readouterr().err
    about = "units set by these; for 12 samples of tokens.npy" if calibrated else "units found as it runs; for 32 random tokens one after the other"
    assert f"{len(re.findall('_int8.weight', str(sorted(safetensors.numpy.load_file('model.safetensors')))))} layers with weights of int8, {about}" in told
    assert ("step = " in open("model.str").read()) == calibrated
    same, count = agreed(told)
    assert count == (12 if calibrated else 32) and same > 0.8 * count
    # What a token of the prompt is followed by, as transformers has it with weights of floats.
    model = lively({"Gpt": gpt2, "Llama": llama}[name])
    with torch.no_grad():
        best = model(tokens).logits.argmax(-1)[0]
    chosen = [int(generated(folder, torch.tensor([[*tokens[0, : k + 1].tolist(), -1]]))[0, -1]) for k in range(3, 12)]
    differing = sum(a != b for a, b in zip(chosen, best[3:].tolist()))
    assert differing <= (count - same if calibrated else 1), told


def test_what_is_said_behind_an_encoder_is_counted(folder, capsys):
    line = ["net.py:Translator", "--generate", "--context", "8", "--input", "1x6:long", "-o", "model.str"]
    assert run([*line, "--quantize=int8"]) == 0
    told = capsys.readouterr().err
    same, count = map(int, re.search(r"for 2 random inputs (\d+) of (\d+) tokens are those", told).groups())
    assert count == 2 * 7 and 0 < same <= count  # the first of eight is given
    stored = safetensors.numpy.load_file("model.safetensors")
    bytes_of = [name for name, values in stored.items() if values.dtype == numpy.int8]
    assert any("encoder" in name for name in bytes_of) and any("decoder" in name for name in bytes_of)
    model, example = lively_pair(t5)
    items = items_like(example[:, :6], 1)
    expected = torch.stack([said(model, given, 8) for given in items])
    found = answers(folder, items, 8)
    assert torch.equal(found[..., :2], expected[..., :2])  # nothing has been chosen by what was chosen


def test_states_go_on_from_sample_to_sample(capsys):
    given = numpy.random.default_rng(1).standard_normal((20, 1, 8), numpy.float32)
    numpy.save("given.npy", given)
    assert run(["net.py:Echo", "--input", "1x8", "--quantize=int8", "--calibrate", "given.npy", "-o", "net.str"]) == 0
    told = capsys.readouterr().err
    assert "2 layers with weights of int8, units set by these; for 20 samples" in told
    scope = {}
    exec(MODULE, scope)
    model = scope["Echo"]()
    with torch.no_grad():
        expected = numpy.stack([model(torch.from_numpy(one)).numpy().copy() for one in given])
    subprocess.run([STRC, "run", "--top", "Echo", "--in", "given.npy", "--out", "out.npy", "net.str"], check=True, timeout=600)
    apart = numpy.abs(numpy.load("out.npy").reshape(expected.shape) - expected).max()
    assert 0 < apart < 0.1
    assert numpy.isclose(float(re.search(r"differs by (\S+) at most", told)[1]), apart, rtol=0.01)


REFUSED = [
    (["net.py:Gpt", "--generate", "--context", "8", "--batch", "2", "--calibrate", "tokens.npy"],
     "'tokens.npy' has shape 12x1, where one sample or several are wanted, each 2 of int64"),
    (["net.py:Gpt", "--generate", "--context", "8", "--calibrate", "floats.npy"], "elements of type float32"),
    (["net.py:Translator", "--generate", "--context", "8", "--input", "1x6:long", "--calibrate", "tokens.npy"],
     "the layers of a model with an encoder find their units as they run"),
    (["net.py:Joined", "--input", "1x8", "--input", "1x5", "--state", "1x5"], "one that keeps states, and takes several inputs besides, is refused"),
]


@pytest.mark.parametrize("line, text", REFUSED)
def test_what_cannot_be_is_refused(line, text, capsys):
    numpy.save("tokens.npy", numpy.zeros((12, 1), numpy.int64))
    numpy.save("floats.npy", numpy.zeros((12, 1), numpy.float32))
    assert run([*line, "--quantize=int8"]) == 1
    assert text in capsys.readouterr().err


def test_tokens_that_the_model_does_not_have(capsys):
    numpy.save("tokens.npy", numpy.full((12, 1), 60))
    assert run(["net.py:Gpt", "--generate", "--context", "16", "--quantize=int8", "--calibrate", "tokens.npy"]) == 1
    assert "'tokens.npy' has tokens from 60 to 60, and the model those from 0 to 59" in capsys.readouterr().err
