"""Filters of the tensor library beside the functions of PyTorch that they are named after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import nn

Tensor = torch.Tensor


@dataclass
class Case:
    """`filter` gets `inputs` in turn; what it pushes has to be what `expected` gives."""

    filter: str
    inputs: list[Tensor]
    expected: Callable[..., Tensor | tuple[Tensor, ...]]
    weights: dict[str, Tensor] = field(default_factory=dict)
    is_network: bool = False
    views: list[list[int]] = field(default_factory=list)  # of inputs: their dimensions as they lie in memory; or none


CASES: list[Case] = []


def noise(*shape: int) -> Tensor:
    return torch.randn(*shape)


def case(text: str, function: Callable[..., Tensor | tuple[Tensor, ...]], *inputs: Tensor) -> None:
    CASES.append(Case(text, list(inputs), function))


def with_weights(text: str, made: nn.Module, *inputs: Tensor) -> Case:
    """A filter with the weights of a module under the prefix "m"; its values are no trivial ones."""
    for name, value in made.named_buffers():
        if value.is_floating_point():
            value.copy_(torch.rand_like(value) + 0.5)
    for name, value in made.named_parameters():
        value.data.copy_(torch.randn_like(value) * 0.3)
    made.eval()
    weights = {"m." + name: value.contiguous() for name, value in made.state_dict().items()}
    text = text[:-1] + (", " if not text.endswith("()") else "") + 'weights = "m")'
    return Case(text, list(inputs), made, weights)


def module(text: str, made: nn.Module, *inputs: Tensor) -> None:
    CASES.append(with_weights(text, made, *inputs))


class Flat(nn.Module):
    """A recurrent layer whose results are a plain tuple."""

    def __init__(self, made: nn.Module) -> None:
        super().__init__()
        self.inner = made

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        y, state = self.inner(x)
        return (y, *state) if isinstance(state, tuple) else (y, state)


def flat_outputs(text: str, made: nn.Module, x: Tensor) -> Case:
    case = with_weights(text, Flat(made), x)
    case.weights = {name.replace(".inner", ""): value for name, value in case.weights.items()}
    return case


def activations() -> None:
    x = noise(3, 4, 5) * 3
    plain = {
        "relu()": F.relu, "relu6()": F.relu6, "leakyrelu(0.2)": lambda x: F.leaky_relu(x, 0.2),
        "sigmoid()": torch.sigmoid, "tanh()": torch.tanh, "gelu()": F.gelu,
        "gelu(true)": lambda x: F.gelu(x, approximate="tanh"), "silu()": F.silu, "mish()": F.mish,
        "hardswish()": F.hardswish, "hardsigmoid()": F.hardsigmoid, "hardtanh(-1.5, 2)": lambda x: F.hardtanh(x, -1.5, 2),
        "elu(0.7)": lambda x: F.elu(x, 0.7), "softplus(1.5, 4)": lambda x: F.softplus(x, 1.5, 4),
        "softmax()": lambda x: F.softmax(x, -1), "softmax(1)": lambda x: F.softmax(x, 1),
        "logsoftmax(0)": lambda x: F.log_softmax(x, 0), "dropout(0.3)": lambda x: x,
    }
    for text, function in plain.items():
        case(text, function, x)


def arithmetic() -> None:
    a, b = noise(2, 3, 4), noise(3, 1)
    for name, function in {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div,
                           "maximum": torch.maximum, "minimum": torch.minimum}.items():
        case(f"{name}()", function, a, b)
        case(f"{name}()", function, b, a)
    case("pow()", torch.pow, a.abs(), b)
    case("matmul()", torch.matmul, noise(5, 7), noise(7, 3))
    case("matmul()", torch.matmul, noise(2, 1, 5, 7), noise(4, 7, 3))
    case("matmul()", torch.matmul, noise(7), noise(7, 33))
    case("matmul()", torch.matmul, noise(40, 70), noise(70))
    x = noise(3, 4, 5)
    for name, function in {"sum": torch.sum, "mean": torch.mean, "amax": torch.amax}.items():
        case(f"{name}()", lambda x, f=function: f(x), x)
        case(f"{name}(1)", lambda x, f=function: f(x, 1), x)
        case(f"{name}({{0, -1}})", lambda x, f=function: f(x, (0, -1)), x)
        case(f"{name}({{1, 2}}, true)", lambda x, f=function: f(x, (1, 2), keepdim=True), x)
    case("prod()", lambda x: torch.prod(x, -1), x)
    case("prod(0, true)", lambda x: torch.prod(x, 0, keepdim=True), x)
    case("prod(1)", lambda x: torch.prod(x, 1), (x * 9).to(torch.int32))
    tenths = torch.full((3, 100000), 0.1)  # one after the other in floats they would lose digits
    case("sum()", torch.sum, tenths)
    case("mean(1)", lambda x: torch.mean(x, 1), tenths)
    case("argmax()", lambda x: torch.argmax(x, -1), x)
    case("argmax(0, true)", lambda x: torch.argmax(x, 0, keepdim=True), x)


def convolutions() -> None:
    module("conv1d(3, 8, 5)", nn.Conv1d(3, 8, 5), noise(2, 3, 20))
    module("conv1d(3, 8, 3, 2, 1)", nn.Conv1d(3, 8, 3, 2, 1), noise(3, 17))
    module("conv1d(4, 8, 3, dilation = 3, groups = 2, bias = false)",
           nn.Conv1d(4, 8, 3, dilation=3, groups=2, bias=False), noise(2, 4, 33))
    module("conv1d(6, 6, 4, groups = 6)", nn.Conv1d(6, 6, 4, groups=6), noise(1, 6, 40))
    module("conv2d(3, 16, 3, 3, 1, 1, 0, 0)", nn.Conv2d(3, 16, 3), noise(1, 3, 12, 20))
    module("conv2d(3, 5, 3, 2, 2, 1, 1, 2)", nn.Conv2d(3, 5, (3, 2), (2, 1), (1, 2)), noise(2, 3, 9, 8))
    module("conv2d(4, 6, 3, 3, 1, 1, 2, 2, 2, 2, groups = 2)",
           nn.Conv2d(4, 6, 3, 1, 2, 2, 2), noise(4, 11, 10))
    module("conv2d(8, 8, 3, 3, 2, 2, 1, 1, groups = 8, bias = false)",
           nn.Conv2d(8, 8, 3, 2, 1, groups=8, bias=False), noise(1, 8, 16, 16))
    module("conv2d(8, 33, 1, 1)", nn.Conv2d(8, 33, 1), noise(1, 8, 7, 7))
    module("conv3d(2, 4, 2, 3, 3, 1, 2, 2, 1, 0, 1)",
           nn.Conv3d(2, 4, (2, 3, 3), (1, 2, 2), (1, 0, 1)), noise(1, 2, 5, 7, 8))
    module("convtranspose1d(4, 6, 3)", nn.ConvTranspose1d(4, 6, 3), noise(2, 4, 9))
    module("convtranspose1d(4, 6, 4, 3, 1, 2, 2, 2)",
           nn.ConvTranspose1d(4, 6, 4, 3, 1, 2, 2, dilation=2), noise(4, 9))
    module("convtranspose1d(2, 3, 2, 2, 2)", nn.ConvTranspose1d(2, 3, 2, 2, 2), noise(1, 2, 9))
    module("convtranspose2d(4, 3, 3, 2, 2, 3, 1, 0, 1, 2)",
           nn.ConvTranspose2d(4, 3, (3, 2), (2, 3), (1, 0), (1, 2)), noise(1, 4, 5, 6))


def pooling() -> None:
    x, y = noise(2, 3, 11, 14), noise(2, 3, 15)
    case("maxpool1d(3)", lambda y: F.max_pool1d(y, 3), y)
    case("maxpool1d(4, 3, 2, 1, true)", lambda y: F.max_pool1d(y, 4, 3, 2, 1, True), y)
    case("maxpool1d(2, 2, dilation = 3)", lambda y: F.max_pool1d(y, 2, 2, dilation=3), y)
    case("maxpool2d(2)", lambda x: F.max_pool2d(x, 2), x)
    case("maxpool2d(3, 2, 1)", lambda x: torch.full_like(F.max_pool2d(x.float(), 3, 2, 1), -20, dtype=torch.int8),
         torch.full((1, 5, 5), -20, dtype=torch.int8))
    case("maxpool2d(3, 2, 1)", lambda x: F.max_pool2d(x, 3, 2, 1), x)
    case("maxpool2d({3, 2}, {2, 3}, {1, 0}, ceil = true)",
         lambda x: F.max_pool2d(x, (3, 2), (2, 3), (1, 0), ceil_mode=True), x)
    case("avgpool1d(4, 3, 2)", lambda y: F.avg_pool1d(y, 4, 3, 2), y)
    case("avgpool1d(4, 3, 2, true, false)", lambda y: F.avg_pool1d(y, 4, 3, 2, True, False), y)
    case("avgpool2d(2)", lambda x: F.avg_pool2d(x, 2), x)
    case("avgpool2d(3, 2, 1)", lambda x: F.avg_pool2d(x, 3, 2, 1), x)
    case("avgpool2d(3, 2, 1, true)", lambda x: F.avg_pool2d(x, 3, 2, 1, True), x)
    case("avgpool2d({3, 2}, 2, {1, 1}, true, false)",
         lambda x: F.avg_pool2d(x, (3, 2), 2, 1, True, False), x)
    for size in ((1, 1), (3, 5), (11, 7), (4, 4)):
        case(f"adaptiveavgpool2d({size[0]}, {size[1]})",
             lambda x, s=size: F.adaptive_avg_pool2d(x, s), x)


def norms() -> None:
    module("batchnorm1d(5)", nn.BatchNorm1d(5), noise(3, 5, 7))
    module("batchnorm1d(5)", nn.BatchNorm1d(5), noise(3, 5))
    module("batchnorm2d(5, eps = 0.01)", nn.BatchNorm2d(5, eps=0.01), noise(2, 5, 4, 3))
    module("batchnorm2d(5, affine = false)", nn.BatchNorm2d(5, affine=False), noise(2, 5, 4, 3))
    module("batchnorm3d(2)", nn.BatchNorm3d(2), noise(1, 2, 3, 4, 3))
    module("layernorm(7)", nn.LayerNorm(7), noise(2, 5, 7))
    module("layernorm({5, 7})", nn.LayerNorm((5, 7)), noise(2, 5, 7))
    module("groupnorm(2, 6)", nn.GroupNorm(2, 6), noise(2, 6, 5, 3))
    module("instancenorm2d(3)", nn.InstanceNorm2d(3), noise(2, 3, 5, 4))
    module("instancenorm2d(3, affine = true)", nn.InstanceNorm2d(3, affine=True), noise(2, 3, 5, 4))
    module("rmsnorm(7)", nn.RMSNorm(7), noise(2, 5, 7))


def quantised(x: Tensor, unit: Tensor) -> Tensor:
    """The whole numbers that stand for x, in doubles, whose sums of products are exact."""
    return torch.clamp(torch.round(x / unit), -127, 127).double()


def unit_of(x: Tensor, step: float, by_row: bool) -> Tensor:
    if step:
        return torch.tensor(step)
    return (x.abs().amax(-1, keepdim=True) if by_row else x.abs().amax()) / 127


def bytes_layer(text: str, shape: tuple[int, ...], step: float, function: Callable[..., Tensor], *inputs: Tensor) -> None:
    """A layer with weights of int8: `function(x, weight)` on whole numbers, scaled as the filter does it."""
    weight = torch.randint(-128, 128, shape, dtype=torch.int8)
    scale, bias = torch.rand(shape[0]) * 0.01, noise(shape[0])
    places = (-1, *(1,) * (len(shape) - 2))

    def expected(x: Tensor) -> Tensor:
        unit = unit_of(x, step, len(shape) == 2)
        return function(quantised(x, unit), weight.double()).float() * scale.reshape(places) * unit + bias.reshape(places)

    given = f", step = {step}" if step else ""
    CASES.append(Case(f'{text[:-1]}{given}, weights = "m")', list(inputs), expected, {"m.weight": weight, "m.scale": scale, "m.bias": bias}))


def layers_of_bytes() -> None:
    for step in (0, 0.02):
        bytes_layer("quantizedlinear(20, 30)", (30, 20), step, F.linear, noise(4, 20))
        bytes_layer("quantizedlinear(64, 70)", (70, 64), step, F.linear, noise(17, 64))
        bytes_layer("quantizedlinear(7, 5)", (5, 7), step, F.linear, noise(2, 3, 7))
        bytes_layer("quantizedlinear(32, 16)", (16, 32), step, F.linear, noise(32))
        bytes_layer("quantizedconv1d(8, 6, 3, 2, 1)", (6, 8, 3), step, lambda x, w: F.conv1d(x, w, None, 2, 1), noise(2, 8, 11))
        bytes_layer("quantizedconv2d(4, 20, 3, 3, padding_h = 1)", (20, 4, 3, 3), step, lambda x, w: F.conv2d(x, w, None, 1, 1), noise(1, 4, 9, 7))
        bytes_layer("quantizedconv2d(6, 6, 3, 2, 2, groups = 3)", (6, 2, 3, 2), step, lambda x, w: F.conv2d(x, w, None, 2, 0, 1, 3), noise(6, 9, 8))


def layers() -> None:
    module("linear(20, 30)", nn.Linear(20, 30), noise(4, 20))
    module("linear(20, 70, false)", nn.Linear(20, 70, False), noise(20))
    module("linear(5, 3)", nn.Linear(5, 3), noise(2, 3, 5))
    module("embedding(10, 4)", nn.Embedding(10, 4), torch.tensor([[1, 9, 0], [3, 3, 7]]))
    q, k, v = noise(2, 3, 9, 8), noise(2, 3, 11, 8), noise(2, 3, 11, 6)
    attend = F.scaled_dot_product_attention
    case("attention()", attend, q, k, v)
    case("attention()", attend, q, k[:1], v[:1])
    case("attention()", attend, noise(1, 9, 8), noise(3, 1, 11, 8), noise(11, 6))
    case("attention(scale = 0.3)", lambda q, k, v: attend(q, k, v, scale=0.3), q, k, v)
    case("attention(causal = true)", lambda q, k, v: attend(q, k, v, is_causal=True), q, q, noise(2, 3, 9, 5))

    def heads(made: nn.MultiheadAttention) -> nn.Module:
        class Outputs(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.inner = made

            def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
                return self.inner(q, k, v, need_weights=False)[0]

        return Outputs()

    def attention(text: str, made: nn.MultiheadAttention, *inputs: Tensor) -> None:
        module(text, heads(made), *inputs)
        CASES[-1].weights = {name.replace(".inner", ""): value for name, value in CASES[-1].weights.items()}

    attention("multiheadattention(12, 3)", nn.MultiheadAttention(12, 3), noise(7, 2, 12), noise(5, 2, 12), noise(5, 2, 12))
    attention("multiheadattention(12, 4, batch_first = true)", nn.MultiheadAttention(12, 4, batch_first=True),
              noise(2, 7, 12), noise(2, 5, 12), noise(2, 5, 12))
    attention("multiheadattention(12, 2, bias = false)", nn.MultiheadAttention(12, 2, bias=False),
              noise(7, 12), noise(5, 12), noise(5, 12))


def recurrent() -> None:
    def layer(text: str, made: nn.Module, x: Tensor) -> None:
        CASES.append(flat_outputs(text, made, x))

    for name, kind in {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}.items():
        layer(f"{name}(5, 7)", kind(5, 7), noise(6, 5))
        layer(f"{name}(5, 7, 2)", kind(5, 7, 2), noise(6, 3, 5))
        layer(f"{name}(5, 7, 2, batch_first = true)", kind(5, 7, 2, batch_first=True), noise(3, 6, 5))
        layer(f"{name}(5, 4, 2, bidirectional = true)", kind(5, 4, 2, bidirectional=True), noise(6, 2, 5))
        layer(f"{name}(5, 4, bias = false, batch_first = true)", kind(5, 4, bias=False, batch_first=True), noise(1, 4, 5))
    layer("rnn(5, 7, relu = true)", nn.RNN(5, 7, nonlinearity="relu"), noise(6, 2, 5))


def shapes() -> None:
    x = noise(2, 3, 4, 5)
    case("flatten()", lambda x: x.flatten(1), x)
    case("flatten(0, -2)", lambda x: x.flatten(0, -2), x)
    case("unflatten(2, {2, 2})", lambda x: x.unflatten(2, (2, 2)), x)
    case("unflatten(2, {-1, 2})", lambda x: x.unflatten(2, (-1, 2)), x)
    case("unflatten(-1, {1, 5, 1})", lambda x: x.unflatten(-1, (1, 5, 1)), x)
    case("reshape({6, -1})", lambda x: x.reshape(6, -1), x)
    case("permute({3, 1, 0, 2})", lambda x: x.permute(3, 1, 0, 2), x)
    case("transpose(1, -1)", lambda x: x.transpose(1, -1), x)
    case("unsqueeze(1)", lambda x: x.unsqueeze(1), x)
    case("squeeze(0)", lambda x: x.squeeze(0), noise(1, 3))
    case("squeeze(1)", lambda x: x.squeeze(1), noise(1, 3))
    case("slice(2, 1)", lambda x: x[:, :, 1:], x)
    case("slice(-1, -4, -1, 2)", lambda x: x[..., -4:-1:2], x)
    case("getitem(-1, 2)", lambda x: x[:, :, -1], x)
    case("cat(3, 1)", lambda a, b, c: torch.cat((a, b, c), 1), noise(2, 1, 3), noise(2, 4, 3), noise(2, 2, 3))
    case("stack(2, 1)", lambda a, b: torch.stack((a, b), 1), noise(2, 3), noise(2, 3))
    case("chunk(2, 3)", lambda x: x.chunk(2, 3), x)
    case("split(2, 2)", lambda x: x.split(2, 2), x)
    case("split({1, 3, 1}, 3)", lambda x: x.split((1, 3, 1), 3), x)
    case("separator({2, 0, 1})", lambda a, b, c: (a, a, c), noise(2), noise(3), noise(4, 1))
    case("pick(3, {2, 0, 2})", lambda a, b, c: (c, a, c), noise(2), noise(3), noise(4, 1))
    case("pad({1, 2, 0, 3}, value = -1)", lambda x: F.pad(x, (1, 2, 0, 3), value=-1), x)
    case("pad({-1, 2})", lambda x: F.pad(x, (-1, 2)), x)
    case('pad({1, 2, 3, 0}, "reflect")', lambda x: F.pad(x, (1, 2, 3, 0), mode="reflect"), x)
    case('pad({1, 2, 3, 0}, "circular")', lambda x: F.pad(x, (1, 2, 3, 0), mode="circular"), x)
    case('pad({1, 2, 3, 0}, "replicate")', lambda x: F.pad(x, (1, 2, 3, 0), mode="replicate"), x)
    case("upsample(2)", lambda x: F.interpolate(x, scale_factor=2), x)
    case('upsample(1.5, 2, "bilinear")', lambda x: F.interpolate(x, scale_factor=(1.5, 2), mode="bilinear"), x)
    case("interpolate(7, 3)", lambda x: F.interpolate(x, (7, 3)), x)
    case('interpolate(7, 9, "bilinear")', lambda x: F.interpolate(x, (7, 9), mode="bilinear"), x)
    case('interpolate(7, 9, "bilinear", true)',
         lambda x: F.interpolate(x, (7, 9), mode="bilinear", align_corners=True), x)
    for out in ((3, 2), (9, 4), (4, 12)):
        case(f'interpolate({out[0]}, {out[1]}, "bilinear", antialias = true)', lambda x, out=out: F.interpolate(x, out, mode="bilinear", antialias=True), x)


def pictures() -> None:
    for rows, columns, side in ((23, 17, 8), (9, 14, 5), (6, 7, 11), (8, 8, 8)):
        size = (side * rows // min(rows, columns), side * columns // min(rows, columns))
        case(f"resize({side})", lambda x, size=size: F.interpolate(x[None], size, mode="bilinear", antialias=True)[0], torch.rand(3, rows, columns))
        case(f"resize({side}, true)", lambda x, size=size: F.interpolate(x[None], size, mode="bicubic", antialias=True)[0], torch.rand(3, rows, columns))
    case("resize_to(4, 11)", lambda x: F.interpolate(x[None], (4, 11), mode="bilinear", antialias=True)[0], torch.rand(3, 9, 8))
    case("center_crop(4, 5)", lambda x: x[:, 2:6, 1:6], torch.rand(3, 7, 7))  # halves go to the even side
    case("center_crop(4)", lambda x: x[:, 1:5, 0:4], torch.rand(3, 6, 5))
    mean, deviation = torch.tensor([0.5, 0.25, 0.125]), torch.tensor([0.5, 2.0, 0.25])
    case("normalize_channels({0.5, 0.25, 0.125}, {0.5, 2, 0.25})", lambda x: (x - mean[:, None, None]) / deviation[:, None, None], torch.rand(3, 4, 5))


def images_of_bytes() -> None:
    """With channels last in memory, and where that is of no use."""
    for step in (0, 0.02):
        bytes_layer("quantizedconv1d(6, 5, 3, padding = 2, dilation = 2)", (5, 6, 3), step, lambda x, w: F.conv1d(x, w, None, 1, 2, 2), noise(2, 6, 11))
        bytes_layer("quantizedconv2d(8, 33, 3, 2, 2, 1, 0, 1)", (33, 8, 3, 2), step, lambda x, w: F.conv2d(x, w, None, (2, 1), (0, 1)), noise(2, 8, 9, 6))
        bytes_layer("quantizedconv2d(5, 6, 3, 3)", (6, 5, 3, 3), step, lambda x, w: F.conv2d(x, w), noise(2, 5, 7, 6))
        bytes_layer("quantizedconv2d(4, 3, 2, 2)", (3, 4, 2, 2), step, lambda x, w: F.conv2d(x, w), noise(4, 5, 6))


def all_cases() -> list[Case]:
    torch.manual_seed(20)
    for part in (activations, arithmetic, convolutions, pooling, norms, layers, layers_of_bytes, recurrent, shapes, pictures, images_of_bytes):
        part()
    return CASES
