"""Filters of the tensor library with random arguments, shapes, steps in memory and types of elements."""

from __future__ import annotations

import random
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn

from cases import Case, flat_outputs, with_weights

Tensor = torch.Tensor
REALS = [torch.float32, torch.float32, torch.float64, torch.float16, torch.bfloat16]
NUMBERS = [*REALS, torch.int32, torch.int64]


class Maker:
    """One random case after the other; equal for equal seeds."""

    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed)
        self.torch = torch.Generator().manual_seed(seed)

    # ---- numbers

    def up(self, least: int, most: int) -> int:
        return self.pick.randint(least, most)

    def maybe(self) -> bool:
        return self.pick.random() < 0.5

    def shape(self, least: int, most: int, extent: int = 7) -> list[int]:
        return [self.up(1, extent) for _ in range(self.up(least, most))]

    def tensor(self, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
        if dtype.is_floating_point:
            return (torch.randn(shape, generator=self.torch) * 2).to(dtype)
        return torch.randint(-50, 50, shape, generator=self.torch).to(dtype)

    def dim(self, shape: list[int]) -> int:
        return self.up(-len(shape), len(shape) - 1)

    # ---- families

    def activation(self) -> Case:
        x = self.tensor(*self.shape(1, 4), dtype=self.pick.choice(REALS))
        slope, low = self.up(1, 9) / 8, -self.up(1, 9) / 4
        dim = self.dim(list(x.shape))
        table: dict[str, Callable[[Tensor], Tensor]] = {
            "relu()": F.relu, "relu6()": F.relu6, f"leakyrelu({slope})": lambda v: F.leaky_relu(v, slope),
            "sigmoid()": torch.sigmoid, "tanh()": torch.tanh, "gelu()": F.gelu,
            "gelu(true)": lambda v: F.gelu(v, approximate="tanh"), "silu()": F.silu, "mish()": F.mish, "hardswish()": F.hardswish,
            "hardsigmoid()": F.hardsigmoid, f"hardtanh({low}, {slope})": lambda v: F.hardtanh(v, low, slope),
            f"elu({slope})": lambda v: F.elu(v, slope), f"softplus({slope})": lambda v: F.softplus(v, slope),
            f"softmax({dim})": lambda v: F.softmax(v, dim), f"logsoftmax({dim})": lambda v: F.log_softmax(v, dim),
            f"dropout(p = {slope / 2})": lambda v: v,
        }
        text = self.pick.choice(list(table))
        return Case(text, [x], table[text])

    def binary(self) -> Case:
        dtype = self.pick.choice(NUMBERS)
        shape = self.shape(0, 4, 5)
        left = [extent if self.maybe() else 1 for extent in shape]
        right = [extent if self.maybe() else 1 for extent in shape[self.up(0, len(shape)):]]
        a, b = self.tensor(*left, dtype=dtype), self.tensor(*right, dtype=dtype)
        table = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "maximum": torch.maximum, "minimum": torch.minimum}
        if dtype.is_floating_point:
            table["div"] = torch.div
        name = self.pick.choice(list(table))
        return Case(f"{name}()", [a, b], table[name])

    def matmul(self) -> Case:
        dtype = self.pick.choice([torch.float32, torch.float64])
        rows, inner, columns = self.up(1, 20), self.up(1, 20), self.up(1, 40)
        batch = self.shape(0, 2, 3)
        left = [extent if self.maybe() else 1 for extent in batch] + [rows, inner]
        right = [extent if self.maybe() else 1 for extent in batch[self.up(0, len(batch)):]] + [inner, columns]
        if self.up(0, 4) == 0:
            left = [inner]
        elif self.up(0, 4) == 0:
            right = [inner]
        return Case("matmul()", [self.tensor(*left, dtype=dtype), self.tensor(*right, dtype=dtype)], torch.matmul)

    def reduction(self) -> Case:
        shape = self.shape(1, 4)
        keeps = self.maybe()
        if self.up(0, 4) == 0:
            dim = self.dim(shape)
            x = self.tensor(*shape, dtype=self.pick.choice([torch.float32, torch.float64, torch.int32]))
            name = self.pick.choice(["argmax", "prod"])
            one = {"argmax": torch.argmax, "prod": torch.prod}[name]
            return Case(f"{name}({dim}, {str(keeps).lower()})", [x], lambda v: one(v, dim, keepdim=keeps))
        name = self.pick.choice(["sum", "mean", "amax"])
        dtype = self.pick.choice([torch.float32, torch.float64] if name == "mean" else [torch.float32, torch.float64, torch.int32])
        x = self.tensor(*shape, dtype=dtype)
        dims = self.pick.sample(range(len(shape)), self.up(1, len(shape)))
        dims = [d - len(shape) if self.maybe() else d for d in dims]
        made = {"sum": torch.sum, "mean": torch.mean, "amax": torch.amax}[name]
        text = ", ".join(map(str, dims))
        return Case(f"{name}({{{text}}}, keepdim = {str(keeps).lower()})", [x], lambda v: made(v, dims, keepdim=keeps))

    def sizes(self, kernel: list[int], stride: list[int], padding: list[int], dilation: list[int]) -> list[int]:
        """Extents that a window fits into."""
        return [self.up(max(1, d * (k - 1) + 1 - 2 * p), d * (k - 1) + 9)
                for k, _, p, d in zip(kernel, stride, padding, dilation)]

    def convolution(self) -> Case:
        n = self.pick.choice([1, 1, 2, 2, 2, 3])
        groups = self.pick.choice([1, 1, 1, 2, 3])
        ins, outs = groups * self.up(1, 5), groups * self.up(1, 20)
        kernel, stride = self.several(n, 1, 4), self.several(n, 1, 3)
        padding, dilation = self.several(n, 0, 2), self.several(n, 1, 2)
        bias = self.maybe()
        made = (nn.Conv1d, nn.Conv2d, nn.Conv3d)[n - 1](ins, outs, tuple(kernel), tuple(stride), tuple(padding), tuple(dilation), groups, bias)
        numbers = ", ".join(map(str, [ins, outs, *kernel, *stride, *padding, *dilation]))
        text = f"conv{n}d({numbers}, groups = {groups}, bias = {str(bias).lower()})"
        return with_weights(text, made, self.tensor(*self.batch(), ins, *self.sizes(kernel, stride, padding, dilation)))

    def transposed(self) -> Case:
        n = self.up(1, 2)
        ins, outs = self.up(1, 5), self.up(1, 6)
        kernel, stride, padding = self.several(n, 2, 4), self.several(n, 1, 3), self.several(n, 0, 1)
        made = (nn.ConvTranspose1d, nn.ConvTranspose2d)[n - 1](ins, outs, tuple(kernel), tuple(stride), tuple(padding))
        numbers = ", ".join(map(str, [ins, outs, *kernel, *stride, *padding]))
        return with_weights(f"convtranspose{n}d({numbers})", made, self.tensor(*self.batch(), ins, *self.several(n, 2, 7)))

    def several(self, count: int, least: int, most: int) -> list[int]:
        return [self.up(least, most) for _ in range(count)]

    def batch(self) -> list[int]:
        return [self.up(1, 3)] if self.maybe() else []

    def pooling(self) -> Case:
        n, dtype = self.up(1, 2), self.pick.choice([torch.float32, torch.float64])
        kernel = self.several(n, 2, 4)
        stride, padding = self.several(n, 1, 3), [self.up(0, k // 2) for k in kernel]
        x = self.tensor(self.up(1, 2), self.up(1, 3), *[k + self.up(0, 8) for k in kernel], dtype=dtype)
        ceil = self.maybe()
        arrays = [kernel[0], stride[0], padding[0]] if n == 1 else ["{%s}" % ", ".join(map(str, each)) for each in (kernel, stride, padding)]
        first = ", ".join(map(str, arrays))
        if self.maybe():
            made = (F.max_pool1d, F.max_pool2d)[n - 1]
            return Case(f"maxpool{n}d({first}, ceil = {str(ceil).lower()})", [x], lambda v: made(v, kernel, stride, padding, ceil_mode=ceil))
        counts = self.maybe()
        average = (F.avg_pool1d, F.avg_pool2d)[n - 1]
        return Case(f"avgpool{n}d({first}, {str(ceil).lower()}, {str(counts).lower()})", [x],
                    lambda v: average(v, kernel, stride, padding, ceil, counts))

    def adaptive(self) -> Case:
        x = self.tensor(*self.batch(), self.up(1, 3), self.up(1, 12), self.up(1, 12))
        size = (self.up(1, 6), self.up(1, 6))
        return Case(f"adaptiveavgpool2d({size[0]}, {size[1]})", [x], lambda v: F.adaptive_avg_pool2d(v, size))

    def norm(self) -> Case:
        channels, n = self.up(1, 6), self.up(1, 3)
        affine = self.maybe()
        word = f"affine = {str(affine).lower()}"
        kind = self.pick.choice(["batch", "layer", "group", "instance", "rms"])
        if kind == "batch":
            made = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)[n - 1](channels, affine=affine)
            return with_weights(f"batchnorm{n}d({channels}, {word})", made, self.tensor(self.up(1, 3), channels, *self.several(n, 1, 5)))
        if kind == "group":
            groups = self.up(1, 3)
            made = nn.GroupNorm(groups, groups * channels, affine=affine)
            return with_weights(f"groupnorm({groups}, {groups * channels}, {word})", made,
                                self.tensor(self.up(1, 3), groups * channels, *self.several(n, 1, 5)))
        if kind == "instance":
            return with_weights(f"instancenorm2d({channels}, {word})", nn.InstanceNorm2d(channels, affine=affine),
                                self.tensor(self.up(1, 3), channels, self.up(2, 5), self.up(2, 5)))
        shape = self.shape(1, 2)
        text = "{%s}" % ", ".join(map(str, shape))
        x = self.tensor(*self.shape(0, 2, 4), *shape)
        if kind == "layer":
            return with_weights(f"layernorm({text}, {word})", nn.LayerNorm(shape, elementwise_affine=affine), x)
        return with_weights(f"rmsnorm({text}, {word})", nn.RMSNorm(shape, eps=1e-5, elementwise_affine=affine), x)

    def layer(self) -> Case:
        ins, outs, bias = self.up(1, 40), self.up(1, 70), self.maybe()
        if self.up(0, 3) == 0:
            made = nn.Embedding(outs, ins)
            return with_weights(f"embedding({outs}, {ins})", made, torch.randint(0, outs, self.shape(0, 2, 4), generator=self.torch))
        x = self.tensor(*self.shape(0, 3, 4), ins)
        return with_weights(f"linear({ins}, {outs}, {str(bias).lower()})", nn.Linear(ins, outs, bias), x)

    def recurrent(self) -> Case:
        name = self.pick.choice(["rnn", "gru", "lstm"])
        ins, hidden, layers = self.up(1, 6), self.up(1, 8), self.up(1, 2)
        first, both, bias = self.maybe(), self.maybe(), self.maybe()
        made = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}[name](ins, hidden, layers, bias=bias, batch_first=first, bidirectional=both)
        steps, batch = self.up(1, 5), self.batch()
        shape = [*batch, steps, ins] if first and batch else [steps, *batch, ins]
        text = (f"{name}({ins}, {hidden}, {layers}, bias = {str(bias).lower()}, batch_first = {str(first).lower()}, "
                f"bidirectional = {str(both).lower()})")
        return flat_outputs(text, made, self.tensor(*shape))

    def attention(self) -> Case:
        lead, steps, width, causal = self.shape(1, 2, 3), self.up(1, 40), self.up(1, 20), self.maybe()
        keys = steps if causal else self.up(1, 40)
        q, k, v = self.tensor(*lead, steps, width), self.tensor(*lead, keys, width), self.tensor(*lead, keys, self.up(1, 20))
        return Case(f"attention({str(causal).lower()})", [q, k, v],
                    lambda a, b, c: F.scaled_dot_product_attention(a, b, c, is_causal=causal))

    def reshaped(self) -> Case:
        shape = self.shape(2, 4)
        x = self.tensor(*shape, dtype=self.pick.choice([*NUMBERS, torch.bool]))
        a, b = self.dim(shape), self.dim(shape)
        low, high = sorted((a % len(shape), b % len(shape)))
        order = self.pick.sample(range(len(shape)), len(shape))
        start, step = self.up(0, shape[a] - 1), self.up(1, 3)
        stop = self.up(start + 1, shape[a])
        index = self.up(-shape[a], shape[a] - 1)
        chunks = self.up(1, shape[a])
        table: list[tuple[str, Callable[[Tensor], Tensor | tuple[Tensor, ...]]]] = [
            (f"flatten({low}, {high})", lambda v: v.flatten(low, high)),
            (f"reshape({{-1, {shape[-1]}}})", lambda v: v.reshape(-1, shape[-1])),
            ("permute({%s})" % ", ".join(map(str, order)), lambda v: v.permute(order)),
            (f"transpose({a}, {b})", lambda v: v.transpose(a, b)), (f"unsqueeze({a})", lambda v: v.unsqueeze(a)),
            (f"squeeze({a})", lambda v: v.squeeze(a)), (f"getitem({index}, {a})", lambda v: v.select(a, index)),
            (f"slice({a}, {start}, {stop}, {step})",
             lambda v: v[tuple(slice(start, stop, step) if d == a % len(shape) else slice(None) for d in range(len(shape)))]),
            (f"chunk({chunks}, {a})", lambda v: v.chunk(chunks, a)),
            (f"split({chunks}, {a})", lambda v: v.chunk(chunks, a)),
            (f"split({{{start + 1}, {shape[a] - start}}}, {a})", lambda v: v.split((start + 1, shape[a] - start), a)),
        ]
        text, function = self.pick.choice(table)
        if text.startswith("squeeze"):  # of another extent PyTorch leaves it, without a word
            x = x.narrow(a, 0, 1).contiguous()
        if text.startswith(("chunk", "split")):
            x = x.repeat_interleave(chunks, a) if f"({chunks}," in text else torch.cat((x, x.narrow(a, 0, 1)), a)
        return Case(text, [x], function)

    def joined(self) -> Case:
        shape, count = self.shape(1, 3, 5), self.up(1, 4)
        dim, dtype = self.dim(shape), self.pick.choice(NUMBERS)
        if self.maybe():
            parts = [self.tensor(*shape, dtype=dtype) for _ in range(count)]
            return Case(f"stack({count}, {dim})", parts, lambda *v: torch.stack(v, dim))
        shapes = [[self.up(1, 4) if d == dim % len(shape) else extent for d, extent in enumerate(shape)] for _ in range(count)]
        return Case(f"cat({count}, {dim})", [self.tensor(*each, dtype=dtype) for each in shapes], lambda *v: torch.cat(v, dim))

    def padded(self) -> Case:
        x = self.tensor(self.up(1, 2), self.up(1, 3), self.up(3, 7), self.up(3, 7), dtype=self.pick.choice([torch.float32, torch.float64]))
        amounts = self.several(4, 0, 2)
        mode = self.pick.choice(["constant", "reflect", "replicate", "circular"])
        text = ", ".join(map(str, amounts))
        return Case(f'pad({{{text}}}, "{mode}")', [x], lambda v: F.pad(v, amounts, mode))

    def resized(self) -> Case:
        x = self.tensor(self.up(1, 2), self.up(1, 3), self.up(1, 7), self.up(1, 7))
        size = (self.up(1, 12), self.up(1, 12))
        if self.maybe():
            return Case(f"interpolate({size[0]}, {size[1]})", [x], lambda v: F.interpolate(v, size))
        corners = self.maybe()
        return Case(f'interpolate({size[0]}, {size[1]}, "bilinear", {str(corners).lower()})', [x],
                    lambda v: F.interpolate(v, size, mode="bilinear", align_corners=corners))

    # ---- all

    def case(self) -> Case:
        made = self.pick.choice([self.activation, self.binary, self.matmul, self.reduction, self.convolution, self.convolution,
                                 self.transposed, self.pooling, self.adaptive, self.norm, self.layer, self.recurrent,
                                 self.attention, self.reshaped, self.reshaped, self.joined, self.padded, self.resized])()
        if self.up(0, 2) == 0:
            made.views = [self.view(each) for each in made.inputs]
        return made

    def view(self, x: Tensor) -> list[int]:
        """The order in which the dimensions lie in memory: what arrives is a permuted view."""
        return self.pick.sample(range(x.dim()), x.dim())


class ChainMaker(Maker):
    """Networks: filters after each other and beside each other, for what passes make of neighbours."""

    def chain_case(self) -> Case:
        x = self.tensor(self.up(1, 2), self.up(1, 9), self.up(4, 14), self.up(4, 14))
        self.weights: dict[str, Tensor] = {}
        text, made = self.chain(x, self.up(2, 6), 2)
        return Case(text, [x], made, self.weights, is_network=True)

    def chain(self, x: Tensor, length: int, depth: int) -> tuple[str, Callable[[Tensor], Tensor]]:
        """Text and function of a pipeline for tensors of this shape."""
        texts, functions, value = [], [], x
        for _ in range(length):
            text, function = self.link(value, depth)
            texts.append(f"add {text};")
            functions.append(function)
            value = function(value)

        def together(v: Tensor) -> Tensor:
            for each in functions:
                v = each(v)
            return v

        return f"pipeline {{ {' '.join(texts)} }}", together

    def link(self, x: Tensor, depth: int) -> tuple[str, Callable[[Tensor], Tensor]]:
        kind = self.up(0, 15)
        if x.dim() != 4:
            return self.row_link(x, kind)
        channels, (rows, columns) = x.shape[1], x.shape[2:]
        if kind < 4:
            outs, groups = self.up(1, 24), 1
            if self.up(0, 3) == 0:
                outs, groups = channels, channels
            kernel, stride, padding = self.up(1, 3), self.up(1, 2), self.up(0, 1)
            if min(rows, columns) + 2 * padding < kernel:
                kernel = 1
            return self.learned(f"conv2d({channels}, {outs}, {kernel}, {kernel}, {stride}, {stride}, {padding}, {padding}, groups = {groups})",
                                nn.Conv2d(channels, outs, kernel, stride, padding, groups=groups))
        if kind < 6:
            return self.learned(f"batchnorm2d({channels})", nn.BatchNorm2d(channels))
        if kind < 9:
            return self.pick.choice([("relu()", F.relu), ("relu6()", F.relu6), ("sigmoid()", torch.sigmoid), ("silu()", F.silu),
                                     ("hardswish()", F.hardswish), ("leakyrelu(0.25)", lambda v: F.leaky_relu(v, 0.25))])
        if kind == 9 and min(rows, columns) >= 2:
            return "maxpool2d(2)", lambda v: F.max_pool2d(v, 2)
        if kind == 10 and min(rows, columns) >= 2:
            return "avgpool2d(2, 1)", lambda v: F.avg_pool2d(v, 2, 1)
        if kind == 11 and depth > 0:
            text, function = self.branch(x, depth)
            return (f"pipeline {{ add splitjoin {{ split duplicate; add {text}; add Identity<tensor>; join roundrobin; }}; add add(); }}",
                    lambda v: function(v) + v)
        if kind == 12 and depth > 0:
            first, one = self.branch(x, depth)
            second, other = self.branch(x, depth)
            return (f"pipeline {{ add splitjoin {{ split duplicate; add {first}; add {second}; join roundrobin; }}; add cat(2, 1); }}",
                    lambda v: torch.cat((one(v), other(v)), 1))
        if kind == 13:
            return f"groupnorm(1, {channels}, affine = false)", lambda v: F.group_norm(v, 1)
        if kind == 14:
            return "flatten(1)", lambda v: v.flatten(1)
        return "permute({0, 1, 3, 2})", lambda v: v.permute(0, 1, 3, 2)

    def branch(self, x: Tensor, depth: int) -> tuple[str, Callable[[Tensor], Tensor]]:
        """Keeps the shape."""
        channels = x.shape[1]
        text, function = self.learned(f"conv2d({channels}, {channels}, 3, 3, 1, 1, 1, 1)", nn.Conv2d(channels, channels, 3, 1, 1))
        if self.maybe():
            return text, function
        return f"pipeline {{ add {text}; add relu(); }}", lambda v: F.relu(function(v))

    def row_link(self, x: Tensor, kind: int) -> tuple[str, Callable[[Tensor], Tensor]]:
        width = x.shape[-1]
        if kind < 6:
            outs = self.up(1, 40)
            return self.learned(f"linear({width}, {outs})", nn.Linear(width, outs))
        if kind < 9:
            return "relu()", F.relu
        if kind < 11:
            return self.learned(f"layernorm({width})", nn.LayerNorm(width))
        if kind < 13:
            return "softmax()", lambda v: F.softmax(v, -1)
        return self.learned(f"batchnorm1d({width})", nn.BatchNorm1d(width)) if x.dim() == 2 else ("tanh()", torch.tanh)

    def learned(self, text: str, made: nn.Module) -> tuple[str, Callable[[Tensor], Tensor]]:
        prefix = f"m{len(self.weights)}"
        case = with_weights(text, made)
        self.weights |= {name.replace("m.", prefix + ".", 1): value for name, value in case.weights.items()}
        return case.filter.replace('"m"', f'"{prefix}"'), made


def random_cases(seed: int, count: int, chains: bool = False) -> list[Case]:
    torch.manual_seed(seed)
    if chains:
        networks = ChainMaker(seed)
        with torch.no_grad():
            return [networks.chain_case() for _ in range(count)]
    maker = Maker(seed)
    return [maker.case() for _ in range(count)]
