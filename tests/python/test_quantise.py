"""Models with weights of int8: what is written, what it gives, and what is refused."""

import re
import subprocess

import numpy
import pytest
import safetensors.numpy
import torch
from support import STRC

from strc.importer.command import run
from strc.quantise.layers import by_output

MODULE = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 8, 3, padding=1)
        self.wide = nn.Conv1d(8, 8, 3, bias=False)
        self.out = nn.Linear(8, 6)

    def forward(self, x):
        x = torch.relu(self.conv(x)).flatten(2)
        return self.out(torch.relu(self.wide(x)).mean(2))

class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 5)

    def forward(self, x, y):
        return self.first(x) + y, self.first(y.new_ones(1, 8))

class Relu(nn.Module):
    def forward(self, x):
        return torch.relu(x)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STRC", STRC)
    (tmp_path / "net.py").write_text(MODULE)
    return tmp_path


def model(name):
    torch.manual_seed(0)
    scope = {}
    exec(MODULE, scope)
    return scope[name]()


def samples(*shape):
    made = numpy.random.default_rng(1).standard_normal(shape, numpy.float32)
    numpy.save("samples.npy", made)
    return made


def results(name, made, *engine):
    numpy.save("in.npy", made)
    subprocess.run([STRC, "run", "--top", name, *engine, "--input", "x".join(map(str, made.shape[1:])), "--in", "in.npy", "--out", "out.npy", "net.str"], check=True, timeout=600)
    return numpy.load("out.npy")


def test_weights_are_the_nearest_bytes_of_each_output():
    weight = torch.tensor([[1.0, -2.0, 0.5], [0.0, 0.0, 0.0], [0.1, 0.2, 12.7]])
    whole, scale = by_output(weight)
    assert whole.dtype == torch.int8
    assert whole.tolist() == [[64, -127, 32], [0, 0, 0], [1, 2, 127]]
    assert torch.allclose(scale, torch.tensor([2 / 127, 1, 0.1]))


@pytest.mark.parametrize("calibrated", [True, False])
def test_the_program_gives_what_the_model_gives_but_for_rounding(calibrated, capsys):
    made = samples(20, 4, 6, 6)
    words = ["net.py:Net", "--input", "1x4x6x6", "--quantize", "int8", "-o", "net.str"]
    assert run([*words, *(["--calibrate", "samples.npy"] if calibrated else [])]) == 0
    told = capsys.readouterr().err
    assert "3 layers with weights of int8" in told
    assert ("units set by these; for 20 samples of samples.npy" if calibrated else "units found as it runs; for 8 random inputs") in told
    text = open("net.str").read()
    assert re.findall(r"add (quantized\w+)\(", text) == ["quantizedconv2d", "quantizedconv1d", "quantizedlinear"]
    assert ("step = " in text) == calibrated
    weights = safetensors.numpy.load_file("net.safetensors")
    assert weights["conv_int8.weight"].dtype == numpy.int8 and "conv.weight" not in weights
    with torch.no_grad():
        expected = torch.cat([model("Net")(torch.from_numpy(one[None])) for one in made]).numpy()
    found = results("Net", made[:, None])
    assert numpy.abs(found.reshape(expected.shape) - expected).max() < 0.05 * numpy.abs(expected).max()
    # The largest difference is told as it is.
    if calibrated:
        largest = float(re.search(r"differs by (\S+) at most", told)[1])
        assert numpy.isclose(largest, numpy.abs(found.reshape(expected.shape) - expected).max(), rtol=0.01)


def test_every_engine_gives_the_same():
    made = samples(5, 4, 6, 6)
    assert run(["net.py:Net", "--input", "1x4x6x6", "--quantize=int8", "--calibrate", "samples.npy", "-o", "net.str"]) == 0
    expected = results("Net", made[:, None], "--interpret")
    for engine in (["-O0"], ["-O2"], ["--march", "x86-64"], ["--march", "x86-64-v3"]):
        if engine[0] == "--march" and "x86" not in subprocess.run(["uname", "-m"], capture_output=True, text=True, check=True).stdout:
            continue
        found = results("Net", made[:, None], *engine)
        assert numpy.allclose(found, expected, rtol=1e-5, atol=1e-6), engine


def test_several_inputs_have_a_file_each(capsys):
    numpy.save("x.npy", numpy.ones((3, 8), numpy.float32))
    numpy.save("y.npy", numpy.ones((3, 5), numpy.float32))
    assert run(["net.py:Two", "--input", "1x8", "--input", "1x5", "--quantize=int8", "--calibrate", "x.npy", "-o", "net.str"]) == 1
    assert "--calibrate names 1 file, and the model takes 2 inputs: one for each" in capsys.readouterr().err
    numpy.save("y.npy", numpy.ones((2, 5), numpy.float32))
    words = ["net.py:Two", "--input", "1x8", "--input", "1x5", "--quantize=int8", "--calibrate", "x.npy", "--calibrate", "y.npy", "-o", "net.str"]
    assert run(words) == 1
    assert "different numbers of samples: 'x.npy' has 3, 'y.npy' has 2" in capsys.readouterr().err
    numpy.save("y.npy", numpy.ones((3, 5), numpy.float32))
    assert run(words) == 0


def test_samples_of_the_other_byte_order_are_the_same_samples():
    made = samples(3, 4, 6, 6)
    words = ["net.py:Net", "--input", "1x4x6x6", "--quantize=int8", "--calibrate", "samples.npy", "-o"]
    assert run([*words, "net.str"]) == 0
    numpy.save("samples.npy", made.astype(made.dtype.newbyteorder()))
    assert run([*words, "other.str"]) == 0
    assert steps_in("net.str") == steps_in("other.str") != []


def test_layers_at_which_nothing_arrives_find_their_unit_as_they_run():
    numpy.save("samples.npy", numpy.zeros((3, 4, 6, 6), numpy.float32))
    assert run(["net.py:Net", "--input", "1x4x6x6", "--quantize=int8", "--calibrate", "samples.npy", "-o", "net.str"]) == 0
    steps = steps_in("net.str")
    assert len(steps) == 2 and all(float(step) > 0 for step in steps)  # the first of the three layers has none


def steps_in(name):
    with open(name, encoding="utf-8") as file:
        return re.findall(r"step = ([^,)]+)", file.read())


REFUSED = [
    (["net.py:Net", "--input", "1x4x6x6", "--calibrate", "samples.npy"], "--calibrate says something about --quantize, which is not given"),
    (["net.py:Net", "--input", "1x4x6x6", "--quantize=int8", "--dynamic", "0"], "it goes not with --dynamic"),
    (["net.py:Net", "--input", "1x4x6x6", "--quantize=int8", "--calibrate", "nowhere.npy"], "nowhere.npy"),
    (["net.py:Net", "--input", "1x4x6x7", "--quantize=int8", "--calibrate", "samples.npy"],
     "'samples.npy' has shape 2x4x6x6, where one sample or several are wanted, each 1x4x6x7 of float32"),
    (["net.py:Net", "--input", "1x4x6x6", "--quantize=int8", "--calibrate", "whole.npy"], "elements of type int64"),
    (["net.py:Net", "--input", "1x4x6x6", "--quantize=int8", "--calibrate", "none.npy"], "no finite numbers"),
    (["net.py:Net", "--input", "1x4x6x6", "--quantize=int8", "--calibrate", "net.py"], "'net.py' is no file of NumPy"),
    (["net.py:Net", "--input", "1x4x6x6", "--quantize=int8", "--calibrate", "damaged.npz"], "'damaged.npz' is no file of NumPy"),
    (["net.py:Net", "--input", "1x4x6x6", "--quantize=int8", "--calibrate", "long.npy"], "elements of type float128"),
    (["net.py:Relu", "--input", "1x8", "--quantize=int8"], "nothing would become int8"),
]


@pytest.mark.parametrize("words, said", REFUSED)
def test_what_cannot_be_is_refused(words, said, capsys):
    samples(2, 4, 6, 6)
    numpy.save("whole.npy", numpy.zeros((2, 4, 6, 6), numpy.int64))
    numpy.save("long.npy", numpy.zeros((2, 4, 6, 6), numpy.longdouble))
    numpy.savez("damaged.npz", numpy.zeros(9))
    with open("damaged.npz", "r+b") as file:
        file.truncate(100)
    numpy.save("none.npy", numpy.full((2, 4, 6, 6), numpy.inf, numpy.float32))
    assert run(words) == 1
    assert said in capsys.readouterr().err


def test_the_model_ir_has_the_layers(capsys):
    assert run(["net.py:Net", "--input", "1x4x6x6", "--quantize=int8", "--emit=ir"]) == 0
    assert "quantizedlinear<8, 6" in capsys.readouterr().out
