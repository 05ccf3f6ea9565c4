"""Operators of every kind: each group is one model with a result for each of its operators."""

import pytest
import torch
import torch.nn.functional as F
from test_run import assert_close, run_program
from torch import nn

import strc.torch


def activations(x):
    return [
        F.relu6(4 * x), F.leaky_relu(x, 0.2), torch.sigmoid(x), F.gelu(x), F.gelu(x, approximate="tanh"), F.silu(x),
        F.hardswish(4 * x), F.hardsigmoid(4 * x), F.hardtanh(x, -0.5, 0.7), F.elu(x), F.elu(x, 0.5), F.softplus(x),
        F.softplus(x, 2.0, 1.0), F.mish(x), F.logsigmoid(x), F.softsign(x), F.log_softmax(x, 1), F.softmax(x, 0), F.threshold(x, 0.1, 3.0),
        F.selu(x), F.celu(x, 0.7), F.softshrink(x, 0.3), F.hardshrink(x), F.tanhshrink(x), F.glu(torch.cat([x, x], 1)), F.glu(torch.cat([x, -x]), 0),
    ]


def arithmetic(x):
    y = x.abs() + 0.5
    return [
        2 - x, x / 2, 2 / y, x**2, y**0.5, y**1.5, y**x, torch.maximum(x, y), x.clamp(-0.2, 0.3), x.clamp(min=0.1), x.clamp_max(0.1),
        torch.where(x > 0, x, y), torch.where(x > 0, x, -1.0), x.masked_fill(x < y, 7.0), torch.rsqrt(y), torch.reciprocal(y),
        torch.log1p(y), torch.exp2(x), torch.round(5 * x), torch.floor(5 * x), torch.atan2(x, y), torch.add(x, y, alpha=0.25), x.neg(),
        torch.lerp(x, y, 0.3), torch.addcmul(x, x, y, value=0.5), (x > 0).float() * y, torch.logical_not(x > 0).float(),
        ((x > 0) & (y > 1)).float(), ((x > 0) | (y > 1)).float(), torch.floor_divide(5 * x, y), (5 * x).long(), (5 * x).int(), x.double().long() + 1,
    ]


def reductions(x):
    return [
        x.mean(), x.sum(1), x.mean((0, 2)), x.mean((0, 2), keepdim=True), x.amax(1), x.amin(2), x.max(1).values, x.min(), x.max(),
        x.var(1), x.std((1, 2), keepdim=True), x.norm(dim=2), x.cumsum(1), F.cosine_similarity(x[:1], x[:, :1], 1), F.normalize(x, dim=1), x.sum(), x.var(2, correction=0),
    ]


def shapes(x):
    return [
        x.reshape(2, 12), x.flatten(), x.view(4, 6), x.permute(2, 0, 1), x.transpose(0, 2), x.unsqueeze(1).squeeze(1), x[:, 1:], x[:, ::2],
        x[1], x[:, -1], x[..., 0:2], torch.cat([x, x], 2), torch.stack([x, 2 * x], 1), x.roll(1, 2), x.roll((1, 2), (0, 1)), x.flip(1),
        x.expand(3, 2, 3, 4), x.repeat(1, 2, 1), x.movedim(0, 2), x.split([1, 2], 1)[1], x.chunk(2, 2)[0], x.unbind(0)[1],
        x.narrow(1, 1, 2), F.pad(x, (1, 2)), F.pad(x, (0, 1, 2, 0), value=3.0), F.pad(x, (-1, 1)), x.unflatten(2, (2, 2)),
        x[:, torch.tensor([2, 0, 1])], x.index_select(2, torch.tensor([3, 3])), torch.einsum("bij,bkj->bik", x, x), x @ x.mT,
        x.tile(2, 1, 1), torch.zeros_like(x) + x, x.swapaxes(0, 1),
    ]


def pictures(x):
    return [
        F.max_pool2d(x, 3, 2, 1), F.max_pool2d(x, 2, ceil_mode=True), F.max_pool2d(x, (3, 2), (2, 1), (1, 0)), F.avg_pool2d(x, 2),
        F.max_pool2d(x, 2, 1, dilation=2), F.avg_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
        F.avg_pool2d(x, 2, ceil_mode=True), F.adaptive_avg_pool2d(x, 1), F.adaptive_avg_pool2d(x, (3, 2)), F.adaptive_max_pool2d(x, 1),
        F.interpolate(x, (10, 6), mode="nearest"), F.interpolate(x, (10, 6), mode="bilinear"), F.pad(x, (1, 1, 2, 2), mode="reflect"),
        F.interpolate(x, (9, 9), mode="bilinear", align_corners=True), F.pad(x, (1, 0, 0, 2), mode="replicate"),
        F.interpolate(x, (3, 10), mode="bilinear", antialias=True), F.interpolate(x[..., :6, :6], scale_factor=0.5, mode="bilinear", antialias=True),
        F.pixel_shuffle(x, 2), F.instance_norm(x), F.layer_norm(x, (7, 7)), F.group_norm(x, 2), F.channel_shuffle(x, 2),
    ]


def attention(x):
    q, k, v = x, x.flip(2), 2 * x
    hidden = torch.tensor([[True, False, True], [True, True, False], [True, True, True]])
    return [
        F.scaled_dot_product_attention(q, k, v), F.scaled_dot_product_attention(q, k, v, is_causal=True),
        F.scaled_dot_product_attention(q, k, v, scale=0.3), F.scaled_dot_product_attention(q, k, v, attn_mask=hidden),
        F.scaled_dot_product_attention(q, k, v, attn_mask=hidden.float()),
        F.scaled_dot_product_attention(q, k, v, attn_mask=torch.ones(3, 3, dtype=torch.bool).tril()),
    ]


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return tuple(self.function(x))


class Layers(nn.Module):
    """Several layers of one input."""

    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        results = []
        for layer in self.layers:
            made = layer(x)
            while isinstance(made, tuple):
                made = made[0]
            results.append(made)
        return tuple(results)


def over_time():
    return Layers(
        nn.Conv1d(4, 6, 3), nn.Conv1d(4, 6, 3, 2, 1, 2, 2), nn.Conv1d(4, 6, 4, padding="same"), nn.ConvTranspose1d(4, 2, 3, 2, 1, 1),
        nn.MaxPool1d(3, 2), nn.AvgPool1d(2), nn.AdaptiveAvgPool1d(1), nn.BatchNorm1d(4), nn.PReLU(4), nn.LayerNorm(8, elementwise_affine=False),
    )


def over_pictures():
    return Layers(
        nn.Conv2d(4, 6, 3), nn.Conv2d(4, 8, (3, 2), (1, 2), (0, 1), (2, 1), 4), nn.Conv2d(4, 2, 1, bias=False), nn.ConvTranspose2d(4, 2, 2, 2),
        nn.Conv2d(4, 2, 2, padding="same"), nn.BatchNorm2d(4, affine=False), nn.GroupNorm(2, 4), nn.InstanceNorm2d(4, affine=True),
        nn.Linear(8, 3), nn.Upsample(scale_factor=2), nn.LayerNorm((8, 8), bias=False), nn.RMSNorm(8), nn.Dropout2d(),
    )


def over_sequences():
    return Layers(
        nn.LSTM(5, 6, batch_first=True), nn.LSTM(5, 6, 2, bidirectional=True), nn.GRU(5, 6, 2), nn.RNN(5, 6, bias=False),
        nn.RNN(5, 6, nonlinearity="relu"), nn.TransformerEncoderLayer(5, 1, 8, batch_first=True),
    )


GROUPS = [
    (Function(activations), (3, 5)), (Function(arithmetic), (3, 5)), (Function(reductions), (2, 3, 4)), (Function(shapes), (2, 3, 4)),
    (Function(pictures), (1, 4, 7, 7)), (Function(attention), (1, 2, 3, 4)), (over_time, (2, 4, 8)), (over_pictures, (1, 4, 8, 8)),
    (over_sequences, (3, 2, 5)),
]


@pytest.mark.parametrize(("made", "shape"), GROUPS, ids=lambda value: getattr(getattr(value, "function", value), "__name__", ""))
def test_group(made, shape, tmp_path):
    torch.manual_seed(3)
    model = (made if isinstance(made, nn.Module) else made()).eval()
    x = torch.randn(*shape)
    with torch.no_grad():
        expected = model(x)
    strc.torch.export(model, (x,), tmp_path / "model.str")
    for found, value in zip(run_program(tmp_path, type(model).__name__, [x], len(expected)), expected):
        assert_close(found, value)
