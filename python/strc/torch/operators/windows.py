"""Pooling, padding, changes of size."""

from __future__ import annotations

from typing import Any

import torch

from ..lowering import Lower, Lowering, NotLowered, Var, lowers, static


def pair(value: Any, dims: int) -> tuple[int, ...]:
    values = (value,) if isinstance(value, int) else tuple(value)
    return values * dims if len(values) == 1 else values


def pad_dims(ctx: Lowering, x: Any, around: dict[int, tuple[int, int]], value: float) -> Any:
    """Adds items before and after; a negative number takes some away."""
    for dim, (before, after) in around.items():
        size = list(x.shape)
        if min(before, after) < 0:
            low, high = max(-before, 0), size[dim] - max(-after, 0)
            size[dim] = high - low
            x = ctx.emit("slice", (x,), dim, low, high, 1, like=torch.empty(size, dtype=x.dtype, device="meta"))
        if max(before, after) > 0:
            size[dim] += max(before, 0) + max(after, 0)
            like = torch.empty(size, dtype=x.dtype, device="meta")
            x = ctx.emit("pad_dim", (x,), dim, max(before, 0), max(after, 0), value, like=like)
    return x


@lowers("constant_pad_nd.default", "pad.default")
def pad(ctx: Lowering, x: Any, amounts: Any, mode: Any = "constant", value: Any = None) -> Any:
    if not isinstance(mode, str):
        mode, value = "constant", mode
    if mode != "constant":
        raise NotLowered(f"pads with mode {mode!r}")
    around = {x.rank - 1 - i: (amounts[2 * i], amounts[2 * i + 1]) for i in range(len(amounts) // 2)}
    return pad_dims(ctx, x, around, float(value or 0))


def missing(size: int, out: int, kernel: int, stride: int, padding: int) -> int:
    """How many items lack at the end where the number of windows is rounded up."""
    return max(0, (out - 1) * stride + kernel - size - 2 * padding)


def pool(ctx: Lowering, op: str, x: Var, kernel: Any, stride: Any, padding: Any, fill: float | None) -> Var:
    """A pooling; `fill` is what may stand around the input without being noticed."""
    dims = int(op[-2])
    kernel, padding = pair(kernel, dims), pair(padding, dims)
    stride = pair(stride, dims) if stride else kernel
    meta = ctx.meta[0] if isinstance(ctx.meta, (tuple, list)) else ctx.meta
    first = x.rank - dims
    lacking = [0] * dims
    for i in range(dims):
        size, out = static(x.shape[first + i]), static(meta.shape[first + i])
        if size is not None and out is not None:
            lacking[i] = missing(size, out, kernel[i], stride[i], padding[i])
    if any(lacking):
        if fill is None:
            raise NotLowered("a mean of windows that reach over the end (ceil_mode)")
        x = pad_dims(ctx, x, {first + i: (padding[i], padding[i] + lacking[i]) for i in range(dims)}, fill)
        padding = (0,) * dims
    return ctx.emit(op, (x,), *kernel, *stride, *padding, like=meta)


def max_pool(op: str) -> Lower:
    def lower(ctx: Lowering, x: Any, kernel: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> Any:
        if set(pair(dilation, int(op[-2]))) != {1}:
            raise NotLowered("windows with gaps (dilation)")
        result = pool(ctx, op, x, kernel, stride, padding, float("-inf"))
        return (result, None) if isinstance(ctx.meta, (tuple, list)) else result

    return lower


def avg_pool(op: str) -> Lower:
    def lower(
        ctx: Lowering, x: Any, kernel: Any, stride: Any = (), padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: Any = None,
    ) -> Var:
        padded = any(pair(padding, int(op[-2])))
        if divisor_override is not None:
            raise NotLowered("a divisor of its own")
        if padded and not count_include_pad:
            raise NotLowered("a mean that leaves out the padding (count_include_pad)")
        return pool(ctx, op, x, kernel, stride, padding, None)

    return lower


for n in (1, 2):
    lowers(f"max_pool{n}d.default", f"max_pool{n}d_with_indices.default")(max_pool(f"maxpool{n}d"))
    lowers(f"avg_pool{n}d.default")(avg_pool(f"avgpool{n}d"))


@lowers("adaptive_avg_pool2d.default", "_adaptive_avg_pool2d.default")
def adaptive_avg_pool2d(ctx: Lowering, x: Any, size: Any) -> Var:
    return ctx.emit("adaptiveavgpool2d", (x,), *pair(size, 2))


@lowers("adaptive_avg_pool1d.default")
def adaptive_avg_pool1d(ctx: Lowering, x: Any, size: Any) -> Var:
    (out,) = pair(size, 1)
    width = static(x.shape[-1])
    if out == 1:
        return ctx.emit("mean", (x,), (x.rank - 1,), True)
    if width is None or width % out:
        raise NotLowered("windows of different sizes")
    return ctx.emit("avgpool1d", (x,), width // out, width // out, 0)


@lowers("adaptive_max_pool2d.default")
def adaptive_max_pool2d(ctx: Lowering, x: Any, size: Any) -> Any:
    outs = pair(size, 2)
    widths = [static(width) for width in x.shape[-2:]]
    if any(width is None or width % out for width, out in zip(widths, outs)):
        raise NotLowered("windows of different sizes")
    kernel = [int(width or 1) // out for width, out in zip(widths, outs)]
    return (ctx.emit("maxpool2d", (x,), *kernel, *kernel, 0, 0, like=ctx.meta[0]), None)


@lowers("upsample_nearest2d.vec", "upsample_nearest2d.default", "upsample_bilinear2d.vec", "upsample_bilinear2d.default")
def upsample(ctx: Lowering, x: Any, *args: Any, **_: Any) -> Var:
    assert ctx.node is not None
    bilinear = "bilinear" in str(ctx.node.target)
    corners = bool(args[1]) if bilinear and len(args) > 1 else False
    sizes = [static(size) for size in ctx.meta.shape[-2:]]
    if None in sizes:
        raise NotLowered("to a size that is open")
    named = {"align_corners": True} if corners else {}
    return ctx.emit("interpolate", (x,), *sizes, "bilinear" if bilinear else "nearest", **named)
