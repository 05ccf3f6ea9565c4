"""Models with the operators that PyTorch's quantisation by export leaves behind, beside PyTorch."""

import subprocess

import numpy
import pytest
import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401  registers the operators
from support import STRC
from torch import nn

import strc.torch

Q = torch.ops.quantized_decomposed


class Converted(nn.Module):
    """As `convert_pt2e` writes a linear layer and a convolution: values as int8 or uint8 between pairs of operators, weights as int8."""

    def __init__(self, dtype, zero):
        super().__init__()
        torch.manual_seed(3)
        self.dtype, self.zero = dtype, zero
        self.limits = (torch.iinfo(dtype).min, torch.iinfo(dtype).max)
        self.register_buffer("filter", torch.randint(-127, 128, (6, 4, 3, 3), dtype=torch.int8))
        self.register_buffer("filter_scales", torch.rand(6) * 0.01 + 0.001)
        self.register_buffer("weight", torch.randint(-127, 128, (5, 24), dtype=torch.int8))
        self.register_buffer("scales", torch.rand(5) * 0.01 + 0.001)
        self.register_buffer("none", torch.zeros(6, dtype=torch.int64))
        self.bias = nn.Parameter(torch.randn(5))

    def around(self, x, scale):
        whole = Q.quantize_per_tensor(x, scale, self.zero, *self.limits, self.dtype)
        return Q.dequantize_per_tensor(whole, scale, self.zero, *self.limits, self.dtype)

    def forward(self, x):
        kernel = Q.dequantize_per_channel(self.filter, self.filter_scales, self.none, 0, -127, 127, torch.int8)
        x = torch.relu(nn.functional.conv2d(self.around(x, 0.03), kernel))
        weight = Q.dequantize_per_channel(self.weight, self.scales, None, 0, -127, 127, torch.int8)
        return self.around(nn.functional.linear(self.around(x.flatten(1), 0.05), weight, self.bias), 0.04)


class ByChannel(nn.Module):
    def forward(self, x):
        scales, zeros = torch.tensor([0.1, 0.25, 0.5]), torch.tensor([0, 3, -7])
        whole = Q.quantize_per_channel(x, scales, zeros, 1, -128, 127, torch.int8)
        return Q.dequantize_per_channel(whole, scales, zeros, 1, -128, 127, torch.int8)


def given(model, x, folder):
    strc.torch.export(model, [x], folder / "model.str")
    numpy.save(folder / "in.npy", x.numpy())
    top = type(model).__name__
    subprocess.run([STRC, "run", "--top", top, "--in", "in.npy", "--out", "out.npy", "model.str"], cwd=folder, check=True, timeout=600)
    return torch.from_numpy(numpy.load(folder / "out.npy"))


@pytest.mark.parametrize("dtype, zero", [(torch.int8, 0), (torch.int8, -5), (torch.uint8, 128)])
def test_layers_between_whole_numbers(dtype, zero, tmp_path):
    model, x = Converted(dtype, zero), torch.randn(1, 4, 4, 4)
    with torch.no_grad():
        expected = model(x)
    found = given(model, x, tmp_path)
    # Sums of floats have no order: what lies between two steps may become either.
    steps = ((found - expected) / 0.04).round()
    assert steps.abs().max() <= 1 and (steps != 0).float().mean() < 0.3
    assert len(expected.unique()) > 2


def test_each_channel_has_its_scale(tmp_path):
    x = torch.randn(2, 3, 40) * 20
    assert torch.equal(given(ByChannel(), x, tmp_path), ByChannel()(x))
