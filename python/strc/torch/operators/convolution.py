"""Linear layers, products of matrices, convolutions, tables of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ..lowering import Lowering, NotLowered, Var, lowers
from ..weights import Known
from .windows import pad_by, padded_shape


def layer(ctx: Lowering, op: str, x: Any, *params: Any, weight: Known, bias: Any, **named: Any) -> Any:
    """An operator with a weight and perhaps a bias."""
    if bias is None:
        named["bias"] = False
    else:
        bias = ctx.known(bias, "bias")
    return ctx.emit(op, (x,), *params, **named, weights=ctx.prefix(weight=weight, bias=bias))


@lowers("linear.default")
def linear(ctx: Lowering, x: Any, weight: Any, bias: Any = None) -> Any:
    known = ctx.known(weight, "weight")
    outputs, inputs = known.tensor.shape
    if known.tensor.dtype == torch.float64:
        turned = Known(f"{known.name}.turned", known.tensor.t().contiguous())
        product = ctx.emit("matmul", (x, turned))
        return product if bias is None else ctx.emit("add", (product, bias))
    return layer(ctx, "linear", x, inputs, outputs, weight=known, bias=bias)


@lowers("addmm.default")
def addmm(ctx: Lowering, bias: Any, x: Any, weight: Any, beta: float = 1, alpha: float = 1) -> Any:
    if (beta, alpha) != (1, 1) or not isinstance(weight, Known) or not isinstance(bias, Known):
        raise NotLowered("only with a stored weight and bias, unscaled")
    turned = Known(weight.name, weight.tensor.t().contiguous())
    return linear(ctx, x, turned, bias)


@lowers("matmul.default", "mm.default", "bmm.default", "mv.default", "dot.default")
def matmul(ctx: Lowering, x: Any, y: Any) -> Any:
    return ctx.emit("matmul", (x, y))


@lowers("baddbmm.default")
def baddbmm(ctx: Lowering, bias: Any, x: Any, y: Any, beta: float = 1, alpha: float = 1) -> Any:
    number = float if ctx.meta.dtype.is_floating_point else int  # whole numbers are multiplied by whole ones
    beta, alpha = number(beta), number(alpha)
    if alpha != 1:
        x = ctx.emit("mul_scalar", (x,), alpha)
    product = ctx.emit("matmul", (x, y))
    if beta == 0:
        return product
    return ctx.emit("add", (ctx.emit("mul_scalar", (bias,), beta, like=ctx.meta) if beta != 1 else bias, product))


def spread(value: int | Sequence[int], dims: int) -> tuple[int, ...]:
    """One number for each dimension."""
    values = (value,) if isinstance(value, int) else tuple(value)
    return values * dims if len(values) == 1 else values


def by_dimension(name: str, values: tuple[int, ...], usual: int) -> dict[str, int]:
    """Arguments by name for each dimension; those that are as the one before them, or as usual, may be left out."""
    if set(values) == {usual}:
        return {}
    ends = {1: ("",), 2: ("_h", "_w"), 3: ("_d", "_h", "_w")}[len(values)]
    shown = 1 if len(set(values)) == 1 else len(values)
    return {name + end: value for end, value in list(zip(ends, values))[:shown]}


def convolve(ctx: Lowering, x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    known = ctx.known(weight, "weight")
    dims = known.tensor.dim() - 2
    named: dict[str, Any] = by_dimension("dilation", spread(dilation, dims), 1)
    if groups != 1:
        named["groups"] = groups
    outputs, inputs, *kernel = known.tensor.shape
    sizes = (*kernel, *spread(stride, dims), *spread(padding, dims))
    return layer(ctx, f"conv{dims}d", x, inputs * groups, outputs, *sizes, weight=known, bias=bias, **named)


@lowers("conv1d.default", "conv2d.default", "conv3d.default")
def conv(
    ctx: Lowering, x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:
    return convolve(ctx, x, weight, bias, stride, padding, dilation, groups)


@lowers("conv1d.padding", "conv2d.padding", "conv3d.padding")
def conv_padded(
    ctx: Lowering, x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: str = "valid", dilation: Any = 1, groups: int = 1
) -> Any:
    known = ctx.known(weight, "weight")
    dims = known.tensor.dim() - 2
    total = [d * (k - 1) if padding == "same" else 0 for k, d in zip(known.tensor.shape[2:], spread(dilation, dims))]
    if all(amount % 2 == 0 for amount in total):
        return convolve(ctx, x, weight, bias, stride, tuple(amount // 2 for amount in total), dilation, groups)
    amounts = tuple(part for amount in reversed(total) for part in (amount // 2, amount - amount // 2))
    padded = pad_by(ctx, x, amounts, like=padded_shape(x, amounts))
    return convolve(ctx, padded, weight, bias, stride, 0, dilation, groups)


@lowers("conv_transpose1d.default", "conv_transpose2d.input", "conv_transpose3d.input")
def conv_transpose(
    ctx: Lowering, x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    groups: int = 1, dilation: Any = 1,
) -> Any:
    known = ctx.known(weight, "weight")
    dims = known.tensor.dim() - 2
    named: dict[str, Any] = by_dimension("output_padding", spread(output_padding, dims), 0)
    named.update(by_dimension("dilation", spread(dilation, dims), 1))
    if groups != 1:
        named["groups"] = groups
    if dims > 2:
        raise NotLowered("in three dimensions")
    inputs, outputs, *kernel = known.tensor.shape
    sizes = (*kernel, *spread(stride, dims), *spread(padding, dims))
    return layer(ctx, f"convtranspose{dims}d", x, inputs, outputs * groups, *sizes, weight=known, bias=bias, **named)


@lowers("convolution.default")
def convolution(
    ctx: Lowering, x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, output_padding: Any,
    groups: int,
) -> Any:
    if transposed:
        return conv_transpose(ctx, x, weight, bias, stride, padding, output_padding, groups, dilation)
    return convolve(ctx, x, weight, bias, stride, padding, dilation, groups)


@lowers("embedding.default")
def embedding(ctx: Lowering, weight: Any, x: Any, *_: Any, **__: Any) -> Any:
    table = ctx.known(weight, "table")
    return ctx.emit("embedding", (x,), *table.tensor.shape, weights=ctx.prefix(weight=table))
