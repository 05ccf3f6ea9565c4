"""What depends on all that came, and on how many time steps that was."""

import math
import subprocess

import numpy
import pytest
import torch
from streaming_support import Of, exported, refusal, the_compiler  # noqa: F401
from support import STRC
from torch import nn
from torch.nn import functional

import strc.torch
from strc.errors import ImportFailure


class CumulativeNorm(nn.Module):
    """As it is usually written for separating speakers: mean and variance of all channels and of all time steps up to each."""

    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv1d(1, channels, 3)
        self.gain = nn.Parameter(0.5 + torch.rand(1, channels, 1))
        self.bias = nn.Parameter(torch.randn(1, channels, 1))

    def forward(self, x):
        x = self.conv(functional.pad(x, (2, 0)))
        channels, steps = x.shape[1:]
        sums, powers = torch.cumsum(x.sum(1), 1), torch.cumsum(x.pow(2).sum(1), 1)
        count = torch.arange(channels, channels * (steps + 1), channels).view(1, -1).type_as(x)
        mean = sums / count
        variance = (powers - 2 * mean * sums) / count + mean.pow(2)
        return (x - mean.unsqueeze(1)) / (variance + 1e-8).sqrt().unsqueeze(1) * self.gain + self.bias


def sinusoids(x):
    """Positions as in the first transformers, beside each frame."""
    steps, size = x.shape[-1], x.shape[1]
    place = torch.arange(steps).unsqueeze(1)
    scale = torch.exp(torch.arange(0, size, 2).float() * (-math.log(10000.0) / size))
    table = torch.zeros(steps, size)
    table[:, 0::2], table[:, 1::2] = torch.sin(place * scale), torch.cos(place * scale)
    return x + table.t().unsqueeze(0)


def steps_of(x):
    return torch.arange(x.shape[-1])


def in_pairs(x):
    return x.transpose(1, 2).reshape(-1, 4, 2)


STREAMED = {
    "mean": lambda x: x.cumsum(-1) / (steps_of(x) + 1),
    "mean_by_shares": lambda x: x.cumsum(-1) * (1 / (steps_of(x) + 1.0)),
    "counted_by_ones": lambda x: x.cumsum(-1) / torch.ones_like(x).cumsum(-1),
    "counted_up_to": lambda x: x / (steps_of(x) + 1).clamp(max=10),
    "largest": lambda x: x.cummax(-1).values - x.cummin(1)[0],
    "smallest": lambda x: x.cummin(-1)[0] + x.cummax(1)[0],
    "product": lambda x: (1 + 0.01 * x.tanh()).cumprod(-1) + x.tanh().cumprod(1),
    "logarithm_of_sums": lambda x: torch.logcumsumexp(x, -1) + torch.logcumsumexp(x, 1),
    "line": lambda x: 0.25 * steps_of(x) - 3 - x,
    "power": lambda x: x * 0.97 ** steps_of(x),
    "again_and_again": lambda x: x * (steps_of(x) % 3),
    "wave": lambda x: x * torch.sin(0.37 * steps_of(x) + 0.2),
    "sinusoids": sinusoids,
    "waves_of_retention": lambda x: x * torch.cos(steps_of(x)[:, None] * (1.0 / 10000 ** torch.linspace(0, 1, 4)).repeat_interleave(2)).t(),
    "beside_the_frame": lambda x: torch.cat([x, steps_of(x).expand(1, 1, -1) * 0.01, torch.ones(1, 2, x.shape[-1])], 1),
    "in_an_operator_over_tensors": lambda x: torch.fmod(x, 1.0 + steps_of(x)) + torch.fmod(torch.ones(x.shape[-1]), x.abs() + 1),
    "matrices_for_time_steps": lambda x: (x.permute(2, 0, 1) @ (steps_of(x)[:, None, None] % 3 + torch.eye(8))).permute(1, 2, 0),
    "attention_within_frames": lambda x: functional.scaled_dot_product_attention(in_pairs(x), (steps_of(x)[:, None, None] + torch.arange(8).view(4, 2)).sin(), in_pairs(x)).view(1, -1, 8),
    "groups_of_a_frame": lambda x: functional.group_norm(x.transpose(1, 2).reshape(-1, 2, 4), 2).reshape(1, -1, 8),
    "channels_of_a_frame": lambda x: functional.instance_norm(x.transpose(1, 2).reshape(-1, 2, 4)).reshape(1, -1, 8),
}


@pytest.mark.parametrize("name", STREAMED)
def test_streams_equal_the_model(name, tmp_path):
    torch.manual_seed(1)
    exported(Of(STREAMED[name], 8), (1, 1, 60), tmp_path)


def test_cumulative_norm(tmp_path):
    torch.manual_seed(1)
    exported(CumulativeNorm(6), (1, 1, 100), tmp_path)


def test_the_past_is_along_time_where_no_layer_says_so(tmp_path):
    made = exported(Of(lambda x: x.cummax(1).values), (1, 40, 6), tmp_path)
    assert made.streamed.inputs[0].axis == 1


def test_infinities_are_summed_up_as_logarithms(tmp_path):
    """And nothing is warned of."""
    export = exported(Of(lambda x: torch.logcumsumexp(x, -1)), (1, 2, 40), tmp_path)
    assert export.streamed
    checked = subprocess.run([STRC, "check", "--top", "Of", tmp_path / "model.str"], capture_output=True, text=True, check=True)
    assert checked.stderr == ""
    x = numpy.array([[1, -numpy.inf, 2, numpy.inf, 3], [-numpy.inf, -numpy.inf, 0, 1, 2]], numpy.float32)
    x.T.tofile(tmp_path / "in.raw")
    words = [STRC, "run", "--top", "Of", "--in", tmp_path / "in.raw", "--out", tmp_path / "out.raw", tmp_path / "model.str"]
    subprocess.run(words, check=True)
    found = numpy.fromfile(tmp_path / "out.raw", numpy.float32).reshape(-1, 2).T
    assert numpy.allclose(found, torch.logcumsumexp(torch.from_numpy(x), -1).numpy(), rtol=1e-6, atol=1e-6)


def test_places_of_extremes_are_refused(tmp_path):
    with pytest.raises(ImportFailure, match="how far back the extremes are"):
        strc.torch.export(Of(lambda x: x + x.cummax(-1).indices), [torch.randn(1, 2, 30)], tmp_path / "model.str", streaming=True)


TABLE = torch.randn(30, generator=torch.Generator().manual_seed(1))
REFUSED = {
    "learned_positions": (lambda x: x + TABLE.to(x), "where it is learned, the stream ends with it"),
    "groups": (lambda x: functional.group_norm(x, 2), "it normalises over all 30 time steps"),
    "instances": (lambda x: functional.instance_norm(x), "over the past by sums of it (cumsum) divided by their count"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, tmp_path):
    function, words = REFUSED[name]
    told = refusal(Of(function, 8), (1, 1, 30), tmp_path)
    assert words in told and ".py:" in told
