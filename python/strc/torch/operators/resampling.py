"""Changes of size along one dimension; windows of a dimension, and sums of windows that overlap."""

from __future__ import annotations

from typing import Any

import torch

from ..lowering import Like, Lowering, NoStream, NotLowered, Var, lowers, static
from ..weights import Known
from .convolution import layer, spread


@lowers("upsample_nearest1d.vec", "upsample_nearest1d.default", "upsample_linear1d.vec", "upsample_linear1d.default")
def upsample1d(ctx: Lowering, x: Any, *args: Any, **_: Any) -> Any:
    """In a streamed model as rows of a picture, by whole factors; else as PyTorch decomposes it."""
    assert ctx.node is not None
    steps, before = static(ctx.meta.shape[-1]), static(x.shape[-1])
    is_linear = "linear" in str(ctx.node.target)
    corners = is_linear and any(arg is True for arg in args)
    if not ctx.streams or steps is None or before is None or steps % before:
        raise NoStream("there is no stream for this operator")
    high = ctx.emit("unsqueeze", (x,), 2, like=Like((*x.shape[:2], 1, before), x.dtype))
    named = {"align_corners": True} if corners else {}
    made = ctx.emit(
        "interpolate", (high,), 1, steps, "bilinear" if is_linear else "nearest", like=Like((*x.shape[:2], 1, steps), x.dtype), **named
    )
    return ctx.emit("squeeze", (made,), 2)


@lowers("unfold.default")
def unfold(ctx: Lowering, x: Any, dim: int, size: int, step: int) -> Any:
    """The windows of a dimension, whose places become the last dimension."""
    if not x.rank:
        raise NoStream("of a tensor without dimensions")
    dim = x.dim(dim)
    extent = static(x.shape[dim])
    if extent is None:
        raise NotLowered("of a dimension that is open")
    count = (extent - size) // step + 1
    places = torch.arange(count).reshape(-1, 1) * step + torch.arange(size)
    after = (*x.shape[:dim], count, size, *x.shape[dim + 1 :])
    made = ctx.emit("take", (x, Known(ctx.local_name("windows"), places)), dim, like=Like(after, x.dtype))
    order = (*range(dim + 1), *range(dim + 2, len(after)), dim + 1)
    return made if order == tuple(range(len(after))) else ctx.emit("permute", (made,), order)


@lowers("col2im.default")
def fold(ctx: Lowering, x: Any, size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    """The sums of windows that overlap: a transposed convolution that only moves things."""
    if x.rank != 3:
        raise NotLowered("of a value without a batch")
    rows, columns = spread(kernel, 2)
    ways = list(zip(spread(size, 2), (rows, columns), spread(dilation, 2), spread(padding, 2), spread(stride, 2)))
    high, wide = ((static(extent) or 0) for extent in ((length + 2 * pad - d * (k - 1) - 1) // s + 1 for length, k, d, pad, s in ways))
    channels = x.shape[1] // (rows * columns)
    places = torch.eye(rows * columns).reshape(rows * columns, 1, rows, columns).repeat(channels, 1, 1, 1)
    rest = [(length + 2 * pad - d * (k - 1) - 1) % s for length, k, d, pad, s in ways]
    windows = ctx.emit("reshape", (x,), (x.shape[0], x.shape[1], high, wide), like=Like((x.shape[0], x.shape[1], high, wide), x.dtype))
    sizes = (rows, columns, *spread(stride, 2), *spread(padding, 2))
    named: dict[str, Any] = {"groups": channels} if channels != 1 else {}
    for name, values, usual in (("output_padding", rest, 0), ("dilation", spread(dilation, 2), 1)):
        if set(values) != {usual}:
            named.update(zip((f"{name}_h", f"{name}_w"), values))
    weight = Known(f"{ctx.local_name('fold')}.weight", places)
    return layer(ctx, "convtranspose2d", windows, x.shape[1], channels, *sizes, weight=weight, bias=None, **named)
