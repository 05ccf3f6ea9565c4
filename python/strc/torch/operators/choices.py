"""Over dimensions: whether any or all, places of extremes, products, norms, and pairs of results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from ..lowering import Like, Lowering, NotLowered, Var, lowers, static
from .arithmetic import cast
from .reductions import dims_of, kept, params_of, summed, variance


def without(shape: Sequence[Any], dims: Sequence[int], keepdim: bool) -> tuple[Any, ...]:
    """A shape behind a reduction."""
    return tuple(1 if i in dims else size for i, size in enumerate(shape) if keepdim or i not in dims)


def flat(ctx: Lowering, x: Var) -> Any:
    """All elements in a row."""
    sizes = [static(size) for size in x.shape]
    if None in sizes:
        raise NotLowered("over all elements, of which an open dimension has any number")
    return x if x.rank == 1 else ctx.emit("reshape", (x,), (-1,), like=Like((math.prod(size or 0 for size in sizes),), x.dtype))


def least(ctx: Lowering, x: Var, dims: Sequence[int], keepdim: bool) -> Any:
    """The least elements over several dimensions, one after the other."""
    for dim in sorted(dims, reverse=True):
        x = ctx.emit("amin", (x,), dim, int(keepdim), like=Like(without(x.shape, [dim], keepdim), x.dtype))
    return x


@lowers("amin.default")
def amin(ctx: Lowering, x: Any, dims: Any = None, keepdim: bool = False) -> Any:
    over = dims_of(x, dims) if dims or dims == 0 else tuple(range(x.rank))
    return ctx.emit("all_amin", (x,)) if len(over) == x.rank and not keepdim else least(ctx, x, over, keepdim)


@lowers("any.default", "any.dim", "any.dims", "all.default", "all.dim", "all.dims")
def any_or_all(ctx: Lowering, x: Any, dims: Any = None, keepdim: bool = False) -> Any:
    assert ctx.node is not None
    if ctx.meta.dtype != torch.bool:
        raise NotLowered("bytes as truth values: x.bool() makes them that")
    x = cast(ctx, x, torch.bool)
    if isinstance(dims, (tuple, list)) and not dims:
        return x  # over no dimensions, where sums go over all of them
    if str(ctx.node.target).startswith("aten.all"):
        return amin(ctx, x, dims, keepdim)
    return ctx.emit("amax", (x,), *params_of(x, dims, keepdim))


def place_of_extreme(ctx: Lowering, x: Var, dim: int, keepdim: bool, greatest: bool, like: Any) -> Any:
    if not greatest:
        # Turned round: whole numbers as -1 - x, which all of them have.
        op, params = ("neg", ()) if x.dtype.is_floating_point else ("rsub_scalar", (-1,))
        values = cast(ctx, x, torch.int64) if x.dtype == torch.bool else x
        x = ctx.emit(op, (values,), *params, like=Like(values.shape, values.dtype))
    return ctx.emit("argmax", (x,), dim, *kept(keepdim), like=like)


@lowers("argmin.default", "argmax.default")
def place(ctx: Lowering, x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    assert ctx.node is not None
    greatest = "argmax" in str(ctx.node.target)
    if dim is not None:
        return place_of_extreme(ctx, x, x.dim(dim), keepdim, greatest, ctx.meta)
    found = place_of_extreme(ctx, flat(ctx, x), 0, False, greatest, Like((), torch.int64))
    return ctx.emit("reshape", (found,), (1,) * x.rank) if keepdim else found


@lowers("min.dim")
def min_dim(ctx: Lowering, x: Any, dim: int, keepdim: bool = False) -> Any:
    return (least(ctx, x, [x.dim(dim)], keepdim), place_of_extreme(ctx, x, x.dim(dim), keepdim, False, ctx.meta[1]))


# ---- sums


@lowers("nansum.default")
def nansum(ctx: Lowering, x: Any, dims: Any = None, keepdim: bool = False, **_: Any) -> Any:
    if not x.dtype.is_floating_point:
        return summed(ctx, x, dims, keepdim)
    missing = ctx.emit("ne", (x, x), like=Like(x.shape, torch.bool))
    values = cast(ctx, ctx.emit("masked_fill", (x, missing), 0.0, like=Like(x.shape, x.dtype)), ctx.meta.dtype)
    return ctx.emit("sum", (values,), *params_of(x, dims, keepdim))


@lowers("var_mean.correction", "var_mean.dim", "var_mean.default", "std_mean.correction", "std_mean.dim", "std_mean.default")
def with_mean(ctx: Lowering, x: Any, dims: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: Any = None) -> Any:
    if isinstance(dims, bool):
        dims, unbiased = None, dims
    over = dims_of(x, dims) if dims or dims == 0 else tuple(range(x.rank))
    mean = ctx.emit("mean", (x,), over, *kept(keepdim), like=ctx.meta[1])
    return (variance(ctx, x, over, unbiased, correction=correction, keepdim=keepdim), mean)


lowers("std.dim", "std.default", "var.default")(variance)


@lowers("linalg_vector_norm.default")
def vector_norm(ctx: Lowering, x: Any, order: float = 2, dims: Any = None, keepdim: bool = False, **_: Any) -> Any:
    kind = ctx.meta.dtype
    x = cast(ctx, x, kind)
    over = dims_of(x, dims) if dims or dims == 0 else tuple(range(x.rank))
    sizes = ctx.emit("square" if order == 2 else "abs", (x,), like=Like(x.shape, kind))
    if order == math.inf:
        return ctx.emit("amax", (sizes,), over, *kept(keepdim))
    if order == -math.inf:
        return least(ctx, sizes, over, keepdim)
    if order not in (1, 2):
        return ctx.made(lambda values: norm_of_order(values, order, over, keepdim), x)
    total = ctx.emit("sum", (sizes,), over, *kept(keepdim))
    return ctx.emit("sqrt", (total,)) if order == 2 else total


def norm_of_order(x: torch.Tensor, order: float, dims: Sequence[int], keepdim: bool) -> torch.Tensor:
    """Of any other one; of order 0 it is how many elements are not zero. PyTorch's decomposition is wrong for a dimension of one element."""
    if order == 0:
        return (x != 0).sum(dims, keepdim).to(x.dtype)
    return x.abs().pow(order).sum(dims, keepdim).pow(1 / order)


@lowers("cosine_similarity.default")
def cosine_similarity(ctx: Lowering, x: Any, y: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    kind = ctx.meta.dtype
    shape = torch.broadcast_shapes(x.shape, y.shape)
    whole, part = Like(shape, kind), ctx.meta
    along = (dim % len(shape),)

    def length(one: Any) -> Any:
        squares = ctx.emit("sum", (ctx.emit("square", (one,), like=Like(one.shape, kind)),), along, True, like=Like(without(one.shape, along, True), kind))
        root = ctx.emit("sqrt", (squares,), like=Like(without(one.shape, along, True), kind))
        return ctx.emit("clamp_min", (root,), float(eps), like=Like(without(one.shape, along, True), kind))

    if len(x.shape) != len(y.shape) or x.shape[dim] != y.shape[dim]:
        raise NotLowered("of vectors of which one is as long as the other by repetition alone")
    one, other = (ctx.emit("div", (value, length(value)), like=Like(value.shape, kind)) for value in (x, y))
    return ctx.emit("sum", (ctx.emit("mul", (one, other), like=whole),), along, like=part)
