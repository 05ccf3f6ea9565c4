"""Sums, means, extremes, softmax."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from ...ir import Param
from ..lowering import Like, Lowering, NoResult, NotLowered, Var, lowers, static
from .arithmetic import cast


def dims_of(x: Var, dims: Any) -> tuple[int, ...]:
    if isinstance(dims, int):
        dims = [dims]
    return tuple(sorted(x.dim(dim) for dim in dims))


def params_of(x: Any, dims: Any, keepdim: bool) -> tuple[Param, ...]:
    """The parameters of a reduction: none where it goes over all dimensions."""
    if dims or dims == 0:
        return (dims_of(x, dims), *kept(keepdim))
    return (tuple(range(x.rank)), True) if keepdim and x.rank else ()


def kept(keepdim: bool) -> tuple[bool, ...]:
    """The argument that says whether dimensions stay, which may be left out if they do not."""
    return (True,) if keepdim else ()


@lowers("mean.dim", "sum.dim_IntList", "amax.default")
def reduce(ctx: Lowering, x: Any, dims: Any = None, keepdim: bool = False, **_: Any) -> Any:
    assert ctx.node is not None
    op = str(ctx.node.target).split(".")[1]
    if ctx.meta.dtype.is_floating_point:
        x = cast(ctx, x, ctx.meta.dtype)
    elif op == "sum":
        return summed(ctx, x, dims, keepdim)
    return ctx.emit(op, (x,), *params_of(x, dims, keepdim))


def summed(ctx: Lowering, x: Any, dims: Any, keepdim: bool) -> Any:
    """Sums of whole numbers, which are longs first."""
    like = torch.empty(ctx.meta.shape, dtype=torch.int64, device="meta")
    values = cast(ctx, x, ctx.meta.dtype) if x.dtype.is_floating_point else x
    return cast(ctx, ctx.emit("sum", (values,), *params_of(x, dims, keepdim), like=like), ctx.meta.dtype)


@lowers("mean.default", "sum.default", "max.default", "min.default")
def reduce_all(ctx: Lowering, x: Any, **_: Any) -> Any:
    assert ctx.node is not None
    op = str(ctx.node.target).split(".")[1]
    if op in ("mean", "sum"):
        return reduce(ctx, x)
    return ctx.emit({"max": "amax", "min": "all_amin"}[op], (x,))


@lowers("max.dim")
def max_dim(ctx: Lowering, x: Any, dim: int, keepdim: bool = False) -> Any:
    values, places = ctx.meta
    return (
        ctx.emit("amax", (x,), (x.dim(dim),), *kept(keepdim), like=values),
        ctx.emit("argmax", (x,), x.dim(dim), *kept(keepdim), like=places),
    )


@lowers("softmax.int", "_softmax.default")
def softmax(ctx: Lowering, x: Any, dim: int, *_: Any) -> Any:
    return ctx.emit("softmax", (cast(ctx, x, ctx.meta.dtype),), x.dim(dim))


@lowers("log_softmax.int", "_log_softmax.default")
def log_softmax(ctx: Lowering, x: Any, dim: int, *_: Any) -> Any:
    return ctx.emit("logsoftmax", (cast(ctx, x, ctx.meta.dtype),), x.dim(dim))


@lowers("cumsum.default")
def cumsum(ctx: Lowering, x: Any, dim: int, **_: Any) -> Any:
    kind = ctx.meta.dtype
    wide = kind if kind.is_floating_point else torch.int64  # of integers the language makes longs
    made = ctx.emit("cumsum", (cast(ctx, x, kind),), x.dim(dim), like=Like(tuple(ctx.meta.shape), wide))
    return cast(ctx, made, kind)


@lowers("cumprod.default", "cummax.default", "cummin.default", "logcumsumexp.default")
def cumulative(ctx: Lowering, x: Any, dim: int, **_: Any) -> Any:
    """In streams, which may have no last element; elsewhere they are made of others."""
    assert ctx.node is not None
    if not ctx.streams or not x.rank:
        raise NotLowered("outside of a stream")
    op = str(ctx.node.target).split(".")[1]
    if not isinstance(ctx.meta, (tuple, list)):
        return ctx.emit(op, (cast(ctx, x, ctx.meta.dtype),), x.dim(dim))
    return ctx.emit(op, (x,), x.dim(dim), like=ctx.meta[0]), NoResult("how far back the extremes are, which grows for ever")


@lowers("var.correction", "var.dim", "std.correction")
def variance(ctx: Lowering, x: Any, dims: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: Any = None) -> Any:
    assert ctx.node is not None
    if isinstance(dims, bool):
        dims, unbiased = None, dims
    over = dims_of(x, dims) if dims or dims == 0 else tuple(range(x.rank))
    count = prod_of(static(x.shape[dim]) for dim in over)
    lost = correction if correction is not None else int(unbiased)
    is_root = "std" in str(ctx.node.target)
    kind = torch.float64 if is_root else x.dtype  # a square may be too large where its root is not

    def like(keep: bool) -> Any:
        shape = [1 if i in over else size for i, size in enumerate(x.shape) if keep or i not in over]
        return torch.empty(shape, dtype=kind, device="meta")

    values = cast(ctx, x, kind)
    middle = ctx.emit("mean", (values,), over, True, like=like(True))
    squares = ctx.emit("square", (ctx.emit("sub", (values, middle), like=values),), like=values)
    total = ctx.emit("sum", (squares,), over, *kept(keepdim), like=like(keepdim))
    result = ctx.emit("div_scalar", (total,), float(max(0, count - lost)), like=like(keepdim))
    return cast(ctx, ctx.emit("sqrt", (result,), like=like(keepdim)), x.dtype) if is_root else result


def prod_of(sizes: Iterable[int | None]) -> int:
    count = 1
    for size in sizes:
        if size is None:
            raise NotLowered("over a dimension that is open")
        count *= size
    return count
