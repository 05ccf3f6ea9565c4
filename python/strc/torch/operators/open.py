"""What has no values of the input but its sizes: made while the program runs where a dimension is open."""

from __future__ import annotations

from typing import Any

import torch

from .. import sizes
from ..lowering import Like, Lowering, NotLowered, lowers
from .arithmetic import typed


@lowers("zeros.default", "ones.default", "full.default")
def full(ctx: Lowering, _: Any, value: Any = None, **__: Any) -> Any:
    assert ctx.node is not None
    number = 0 if "zeros" in str(ctx.node.target) else 1 if "ones" in str(ctx.node.target) else value
    if not isinstance(number, (bool, int, float)):
        raise NotLowered("filled with a number that is computed")
    return sizes.filled(ctx, number, ctx.meta)


@lowers("arange.default", "arange.start", "arange.start_step")
def arange(ctx: Lowering, *bounds: Any, **_: Any) -> Any:
    """Whole numbers, of which there are as many as a dimension has items."""
    start, step = (0 if len(bounds) == 1 else bounds[0]), (bounds[2] if len(bounds) > 2 else 1)
    if not all(type(number) is int for number in (start, step)):
        raise NotLowered(sizes.OPEN)
    source, text = sizes.sized(ctx, ctx.meta.shape)
    like = Like(tuple(ctx.meta.shape), torch.int64)
    made = ctx.emit("arange_sized", (source,), text, like=like)
    if step != 1:
        made = ctx.emit("mul_scalar", (made,), step, like=like)
    if start:
        made = ctx.emit("add_scalar", (made,), start, like=like)
    return typed(ctx, made, ctx.meta.dtype)


@lowers("scalar_tensor.default")
def scalar_tensor(ctx: Lowering, value: Any, **_: Any) -> Any:
    return typed(ctx, ctx.var(value), ctx.meta.dtype)
