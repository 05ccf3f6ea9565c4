"""Pooling, padding, changes of size."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from ..lowering import Forbidden, Like, Lower, Lowering, NoResult, NotLowered, Var, lowers, static, uses_others
from ..weights import Known

PLACES = NoResult("where the greatest elements are (return_indices)")


def pair(value: Any, dims: int) -> tuple[int, ...]:
    values = (value,) if isinstance(value, int) else tuple(value)
    return values * dims if len(values) == 1 else values


def several(values: tuple[int, ...]) -> int | tuple[int, ...]:
    """One number where all are equal."""
    return values[0] if len(set(values)) == 1 else values


def pad_by(ctx: Lowering, x: Any, amounts: tuple[int, ...], mode: str = "constant", value: float = 0.0, like: Any = None) -> Any:
    """Adds items at the edges: before and after the last dimension, then the last but one; a negative number takes some away."""
    if not any(amounts):
        return x
    if any(static(amount) is None for amount in amounts):
        raise NotLowered("by an amount that is open")
    extra = () if (mode, str(value)) == ("constant", "0.0") else (mode,) if mode != "constant" else (mode, float(value))
    return ctx.emit("pad", (x,), tuple(amounts), *extra, like=like)


def padded_shape(x: Var, amounts: tuple[int, ...]) -> torch.Tensor:
    shape = list(x.shape)
    for i in range(len(amounts) // 2):
        shape[-1 - i] += amounts[2 * i] + amounts[2 * i + 1]
    return torch.empty(shape, dtype=x.dtype, device="meta")


@lowers("constant_pad_nd.default")
def constant_pad(ctx: Lowering, x: Any, amounts: Any, value: Any = 0) -> Any:
    return pad_by(ctx, x, tuple(amounts), "constant", float(value))


@lowers("pad.default")
def pad(ctx: Lowering, x: Any, amounts: Any, mode: str = "constant", value: Any = None) -> Any:
    if mode not in ("constant", "reflect", "replicate"):
        raise NotLowered(f"pads with mode {mode!r}")
    return pad_by(ctx, x, tuple(amounts), mode, 0.0 if value is None else float(value))


def rounds_up(x: Var, outs: tuple[Any, ...], kernel: Any, stride: Any, padding: Any, dilation: Any) -> bool:
    """True if there are more windows than fit wholly (ceil_mode matters)."""
    for i, out in enumerate(outs):
        size = static(x.shape[x.rank - len(outs) + i])
        reach = dilation[i] * (kernel[i] - 1) + 1
        if size is None or static(out) is None or (size + 2 * padding[i] - reach) // stride[i] + 1 != static(out):
            return True
    return False


def pool(
    ctx: Lowering, op: str, x: Var, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, like: Any = None, **named: Any
) -> Any:
    dims = int(op[-2])
    kernel, padding, dilation = pair(kernel, dims), pair(padding, dims), pair(dilation, dims)
    stride = pair(stride, dims) if stride else kernel
    meta = like if like is not None else ctx.meta[0] if isinstance(ctx.meta, (tuple, list)) else ctx.meta
    if set(dilation) != {1}:
        named["dilation"] = several(dilation)
    if ceil_mode and rounds_up(x, tuple(meta.shape[-dims:]), kernel, stride, padding, dilation):
        named["ceil"] = True
    return ctx.emit(op, (x,), several(kernel), several(stride), several(padding), like=meta, **named)


def max_pool(op: str) -> Lower:
    def lower(ctx: Lowering, x: Any, kernel: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> Any:
        if uses_others(ctx.node):
            raise NotLowered("where the greatest elements are")
        result = pool(ctx, op, x, kernel, stride, padding, dilation, ceil_mode)
        return (result, PLACES) if isinstance(ctx.meta, (tuple, list)) else result

    return lower


def avg_pool(op: str) -> Lower:
    def lower(
        ctx: Lowering, x: Any, kernel: Any, stride: Any = (), padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: Any = None,
    ) -> Any:
        if divisor_override is not None or not x.dtype.is_floating_point:
            raise NotLowered("a divisor of its own, or whole numbers")
        named = {} if count_include_pad or not any(pair(padding, int(op[-2]))) else {"count_include_pad": False}
        return pool(ctx, op, x, kernel, stride, padding, 1, ceil_mode, **named)

    return lower


for n in (1, 2):
    lowers(f"max_pool{n}d.default", f"max_pool{n}d_with_indices.default")(max_pool(f"maxpool{n}d"))
    lowers(f"avg_pool{n}d.default")(avg_pool(f"avgpool{n}d"))


def pool_volumes(op: str, parts: Callable[[tuple[Any, ...], slice], tuple[Any, ...]]) -> Lower:
    """Over three dimensions: over the last two, then over the first. `parts` has the arguments of either."""

    def lower(ctx: Lowering, x: Any, *args: Any) -> Any:
        if uses_others(ctx.node):
            raise NotLowered("where the greatest elements are")
        if op.startswith("avg") and not x.dtype.is_floating_point:
            raise NotLowered("whole numbers")
        *before, depth, height, width = x.shape
        like = ctx.meta[0] if isinstance(ctx.meta, (tuple, list)) else ctx.meta
        out_depth, out_height, out_width = like.shape[-3:]
        if None in [static(size) for size in (*before[1:], depth, height, width)]:
            raise NotLowered("a dimension that is open")
        lead = tuple(before[:1]) if len(before) > 1 else ()
        pictures = math.prod([*before[len(lead) :], depth])

        def shaped(value: Var, *sizes: Any) -> Any:
            shape = (*lead, *sizes)
            return ctx.emit("reshape", (value,), (*(() if not lead else (-1,)), *sizes), like=Like(shape, x.dtype))

        flat = shaped(x, pictures, height, width)
        rows = plane(ctx, op, flat, parts(args, slice(1, 3)), (*lead, pictures, out_height, out_width))
        turned = shaped(rows, pictures // depth, depth, out_height * out_width)
        made = plane(ctx, op, turned, parts(args, slice(0, 1)), (*lead, pictures // depth, out_depth, out_height * out_width))
        whole = ctx.emit("reshape", (made,), tuple(-1 if lead and i == 0 else size for i, size in enumerate(like.shape)), like=like)
        return (whole, PLACES) if isinstance(ctx.meta, (tuple, list)) else whole

    return lower


def plane(ctx: Lowering, op: str, x: Var, args: tuple[Any, ...], shape: tuple[Any, ...]) -> Any:
    """One of the two poolings: kernel, stride, padding and dilation, each for the height and the width, then ceil_mode and what goes by name."""
    kernel, stride, padding, dilation, ceil_mode, named = args
    return pool(ctx, op, x, kernel, stride, padding, dilation, ceil_mode, like=Like(shape, x.dtype), **named)


def of_plane(values: tuple[int, ...], which: slice, usual: int) -> tuple[int, ...]:
    """Of three dimensions the last two, or the first one over rows."""
    part = values[which]
    return part if len(part) == 2 else (*part, usual)


def volume(kernel: Any, stride: Any, padding: Any, dilation: Any, which: slice) -> tuple[tuple[int, ...], ...]:
    kernel = pair(kernel, 3)
    values = (kernel, pair(stride, 3) if stride else kernel, pair(padding, 3), pair(dilation, 3))
    return tuple(of_plane(one, which, usual) for one, usual in zip(values, (1, 1, 0, 1)))


def max_parts(args: tuple[Any, ...], which: slice) -> tuple[Any, ...]:
    usual: tuple[Any, ...] = (None, (), 0, 1, False)
    kernel, stride, padding, dilation, ceil_mode = (*args, *usual[len(args) :])
    return (*volume(kernel, stride, padding, dilation, which), ceil_mode, {})


def avg_parts(args: tuple[Any, ...], which: slice) -> tuple[Any, ...]:
    usual: tuple[Any, ...] = (None, (), 0, False, True, None)
    kernel, stride, padding, ceil_mode, count_pad, divisor = (*args, *usual[len(args) :])
    if divisor is not None:
        raise NotLowered("a divisor of its own")
    named = {} if count_pad or not any(pair(padding, 3)) else {"count_include_pad": False}
    return (*volume(kernel, stride, padding, 1, which), ceil_mode, named)


lowers("max_pool3d.default", "max_pool3d_with_indices.default")(pool_volumes("maxpool2d", max_parts))
lowers("avg_pool3d.default")(pool_volumes("avgpool2d", avg_parts))


@lowers("adaptive_avg_pool2d.default", "_adaptive_avg_pool2d.default")
def adaptive_avg_pool2d(ctx: Lowering, x: Any, size: Any) -> Any:
    return ctx.emit("adaptiveavgpool2d", (x,), *pair(size, 2))


@lowers("adaptive_avg_pool1d.default")
def adaptive_avg_pool1d(ctx: Lowering, x: Any, size: Any) -> Any:
    (out,) = pair(size, 1)
    width = static(x.shape[-1])
    if out == 1:
        return ctx.emit("mean", (x,), (x.rank - 1,), True)
    if width is None or width % out:
        raise NotLowered("windows of different sizes")
    return ctx.emit("avgpool1d", (x,), width // out, width // out, 0)


@lowers("adaptive_max_pool2d.default")
def adaptive_max_pool2d(ctx: Lowering, x: Any, size: Any) -> Any:
    if uses_others(ctx.node):
        raise NotLowered("where the greatest elements are")
    outs = pair(size, 2)
    widths = [static(width) for width in x.shape[-2:]]
    if any(width is None or width % out for width, out in zip(widths, outs)):
        raise NotLowered("windows of different sizes")
    kernel = [int(width or 1) // out for width, out in zip(widths, outs)]
    return (pool(ctx, "maxpool2d", x, kernel, kernel, 0, 1, False), PLACES)


@lowers(
    "upsample_nearest2d.vec", "upsample_nearest2d.default", "upsample_bilinear2d.vec", "upsample_bilinear2d.default",
    "_upsample_bilinear2d_aa.vec", "_upsample_bilinear2d_aa.default",
)  # fmt: skip
def upsample(ctx: Lowering, x: Any, *args: Any, **_: Any) -> Any:
    assert ctx.node is not None
    bilinear = "bilinear" in str(ctx.node.target)
    if bilinear and not ctx.meta.dtype.is_floating_point:
        raise Forbidden("between whole numbers, whose rounding PyTorch leaves to its kernels; x.float() makes them reals")
    corners = bool(args[1]) if bilinear and len(args) > 1 else False
    sizes = [static(size) for size in ctx.meta.shape[-2:]]
    if None in sizes:
        raise NotLowered("to a size that is open")
    if not corners and any(scale is not None and scale * static(x.shape[dim]) != sizes[dim] for dim, scale in zip((-2, -1), scales(args))):
        if bilinear:
            raise NotLowered("a scale that gives no whole number of elements: give the size, or recompute_scale_factor=True")
        return nearest(ctx, x, args)
    antialias = "_aa" in str(ctx.node.target)
    if antialias and (corners or ctx.meta.dtype != torch.float32):
        raise NotLowered("smoothed, with corners on corners" if corners else f"smoothed, of {str(ctx.meta.dtype).removeprefix('torch.')}")
    named = {"align_corners": True} if corners else {"antialias": True} if antialias else {}
    return ctx.emit("interpolate", (x,), *sizes, "bilinear" if bilinear else "nearest", **named)


def scales(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The factors by which height and width grow, if they were given."""
    last = args[-1] if args else None
    pair_of = last if isinstance(last, (tuple, list)) else args[-2:]
    return tuple(pair_of) if len(pair_of) == 2 and any(isinstance(scale, float) for scale in pair_of) else (None, None)


def nearest(ctx: Lowering, x: Var, args: tuple[Any, ...]) -> Any:
    """By scales that are not those of the sizes: PyTorch itself says which rows and columns are taken."""
    assert ctx.node is not None
    height, width = (static(size) for size in x.shape[-2:])
    if height is None or width is None:
        raise NotLowered("a dimension that is open")
    for dim, size in ((-2, height), (-1, width)):
        numbers = torch.arange(float(size)).reshape([-1, 1] if dim == -2 else [1, -1]).expand(1, 1, height, width)
        taken = ctx.node.target(numbers, *args)
        places = (taken[0, 0, :, 0] if dim == -2 else taken[0, 0, 0]).long()
        shape = [len(places) if i == x.rank + dim else extent for i, extent in enumerate(x.shape)]
        after = torch.empty(shape, dtype=x.dtype, device="meta")
        x = ctx.emit("take", (x, Known(ctx.local_name("rows" if dim == -2 else "columns"), places)), x.dim(dim), like=after)
    return x
