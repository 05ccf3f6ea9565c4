"""Convolutions whose weights are computed, and those over volumes that are transposed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ..lowering import Lowering, lowers
from .primitives import is_real, primitive
from .registry import made_of
from .windows import several



@primitive("correlate(Tensor x, Tensor weight, int[] stride, int[] dilation, int groups) -> Tensor")
def correlate(x: Tensor, weight: Tensor, stride: Sequence[int], dilation: Sequence[int], groups: int) -> Tensor:
    """Cross-correlation over the last dimensions, without padding."""
    dims = weight.dim() - 2
    if is_real(x):
        return (torch.conv1d, torch.conv2d, torch.conv3d)[dims - 1](x, weight, None, stride, 0, dilation, groups)
    outs = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(x.shape[-dims:], weight.shape[2:], stride, dilation)]
    return x.new_empty((x.shape[0], weight.shape[0], *outs))


@lowers("strc.correlate.default")
def lower_correlate(ctx: Lowering, x: Any, weight: Any, stride: Sequence[int], dilation: Sequence[int], groups: int) -> Any:
    return ctx.emit(f"correlate{len(stride)}d", (x, weight), *stride, *dilation, groups)


def sides(amounts: Sequence[int]) -> list[int]:
    """The same before and behind, of the last dimension first."""
    return [amount for amount in reversed(amounts) for _ in range(2)]


def with_batch(x: Tensor, dims: int) -> tuple[Tensor, bool]:
    return (x.unsqueeze(0), True) if x.dim() == dims + 1 else (x, False)


def shifted(made: Tensor, bias: Tensor | None, dims: int, alone: bool) -> Tensor:
    made = made if bias is None else made + bias.reshape(-1, *[1] * dims)
    return made.squeeze(0) if alone else made


def convolved(x: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: int) -> Tensor:
    dims = weight.dim() - 2
    stride, padding, dilation = (several(value, dims) for value in (stride, padding, dilation))
    rows, alone = with_batch(x, dims)
    if any(padding):
        rows = torch.constant_pad_nd(rows, sides(padding))
    return shifted(correlate(rows, weight, stride, dilation, groups), bias, dims, alone)


@made_of("conv1d.default", "conv2d.default", "conv3d.default")
def conv(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Tensor:
    return convolved(x, weight, bias, stride, padding, dilation, groups)


@made_of("conv1d.padding", "conv2d.padding", "conv3d.padding")
def conv_padded(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: str = "valid", dilation: Any = 1, groups: int = 1
) -> Tensor:
    dims = weight.dim() - 2
    if padding == "same":
        totals = [d * (k - 1) for k, d in zip(weight.shape[2:], several(dilation, dims))]
        x = torch.constant_pad_nd(x, [part for total in reversed(totals) for part in (total // 2, total - total // 2)])
    return convolved(x, weight, bias, stride, 0, dilation, groups)


@made_of("conv_transpose1d.default", "conv_transpose2d.input", "conv_transpose3d.input")
def conv_transpose(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """A convolution with the weights turned round, over elements that stand apart."""
    dims = weight.dim() - 2
    stride, padding, dilation, extra = (several(value, dims) for value in (stride, padding, dilation, output_padding))
    rows, alone = with_batch(x, dims)
    for dim, step in enumerate(stride):
        rows = apart(rows, dim + 2, step)
    inputs, outputs, *kernel = weight.shape
    turned = weight.reshape(groups, inputs // groups, outputs, *kernel).transpose(1, 2).reshape(groups * outputs, inputs // groups, *kernel)
    turned = turned.flip(list(range(2, 2 + dims)))
    edges = [d * (k - 1) - p for d, k, p in zip(dilation, kernel, padding)]
    amounts = [part for edge, more in zip(reversed(edges), reversed(extra)) for part in (edge, edge + more)]
    return shifted(correlate(torch.constant_pad_nd(rows, amounts), turned, [1] * dims, dilation, groups), bias, dims, alone)


def apart(x: Tensor, dim: int, step: int) -> Tensor:
    """With step - 1 zeros between the elements of a dimension."""
    if step == 1:
        return x
    size = x.shape[dim]
    wide = torch.cat([x.unsqueeze(dim + 1), torch.zeros([*x.shape[: dim + 1], step - 1, *x.shape[dim + 1 :]], dtype=x.dtype)], dim + 1)
    return wide.flatten(dim, dim + 1).narrow(dim, 0, (size - 1) * step + 1)


@made_of("convolution.default", "_convolution.default")
def convolution(
    x: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, transposed: bool, output_padding: Any,
    groups: int, *_: Any,
) -> Tensor:
    if transposed:
        return conv_transpose(x, weight, bias, stride, padding, output_padding, groups, dilation)
    return convolved(x, weight, bias, stride, padding, dilation, groups)
