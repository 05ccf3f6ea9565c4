"""Element by element: remainders, signs, what is infinite or no number, choices between two."""

from __future__ import annotations

import math
from typing import Any

import torch

from ..lowering import Lower, Lowering, NotLowered, Var, lowers
from .arithmetic import as_result, binary, cast, kind_name, masked_fill, typed, whole


def like(ctx: Lowering, kind: torch.dtype) -> Any:
    """The current node's result with another type of elements."""
    return ctx.meta if ctx.meta.dtype == kind else ctx.meta.to(kind)


def rest_of(op: str) -> Lower:
    def lower(ctx: Lowering, x: Any, y: Any) -> Any:
        kind = ctx.meta.dtype
        if not kind.is_floating_point:
            return ctx.emit(f"{op}_whole", whole(ctx, x, y))
        if kind != torch.float32:
            raise NotLowered(f"a remainder of {kind_name(kind)}: only of float32 is it exact")
        return ctx.emit(op, (typed(ctx, x, kind), typed(ctx, y, kind)))

    return lower


lowers("fmod.Tensor", "fmod.Scalar")(rest_of("fmod"))
lowers("remainder.Tensor", "remainder.Scalar", "remainder.Scalar_Tensor")(rest_of("remainder"))


@lowers("sign.default", "sgn.default")
def sign(ctx: Lowering, x: Any) -> Any:
    kind = ctx.meta.dtype
    if kind == torch.bool:
        return x
    base = torch.float32 if kind.is_floating_point else torch.int32
    return cast(ctx, ctx.emit("sign" if kind.is_floating_point else "sign_whole", (x,), like=like(ctx, base)), kind)


@lowers("frac.default")
def frac(ctx: Lowering, x: Any) -> Any:
    return ctx.emit("sub", (x, ctx.emit("trunc", (x,))))


for name in ("asinh", "acosh", "atanh"):

    def of_floats(ctx: Lowering, x: Any, name: str = name) -> Any:
        if ctx.meta.dtype != torch.float32:
            raise NotLowered(f"of {kind_name(ctx.meta.dtype)}: only of float32 is it exact")
        return ctx.emit(name, (cast(ctx, x, torch.float32),))

    lowers(f"{name}.default", f"arc{name[1:]}.default")(of_floats)


# ---- numbers that are none


def is_nan(ctx: Lowering, x: Any) -> Any:
    return ctx.emit("ne", (x, x), like=like(ctx, torch.bool))


def is_value(ctx: Lowering, x: Any, number: float) -> Any:
    """Whether it is this infinite number, which no whole number is."""
    if not x.dtype.is_floating_point:
        return is_nan(ctx, x)
    return ctx.emit("eq_scalar", (x,), number, like=like(ctx, torch.bool))


lowers("isnan.default")(is_nan)


@lowers("isinf.default")
def is_infinite(ctx: Lowering, x: Any) -> Any:
    if not x.dtype.is_floating_point:
        return is_nan(ctx, x)
    return is_value(ctx, ctx.emit("abs", (x,), like=ctx.meta.to(x.dtype)), math.inf)


@lowers("nan_to_num.default")
def nan_to_num(ctx: Lowering, x: Any, nan: float | None = None, above: float | None = None, below: float | None = None) -> Any:
    if not x.dtype.is_floating_point:
        return x
    ends = torch.finfo(x.dtype)
    numbers = (0.0 if nan is None else nan, ends.max if above is None else above, ends.min if below is None else below)
    masks = (is_nan(ctx, x), is_value(ctx, x, math.inf), is_value(ctx, x, -math.inf))
    for mask, number in zip(masks, numbers):
        x = masked_fill(ctx, x, mask, number)
    return x


# ---- choices


@lowers("logical_xor.default", "bitwise_xor.Tensor", "bitwise_xor.Scalar", "__xor__.Tensor", "__xor__.Scalar")
def xor(ctx: Lowering, x: Any, y: Any) -> Any:
    if ctx.meta.dtype != torch.bool:
        raise NotLowered("bits of integers")
    return ctx.emit("ne", (typed(ctx, x, torch.bool), typed(ctx, y, torch.bool)))


@lowers("fmax.default", "fmin.default")
def choice_of_numbers(ctx: Lowering, x: Any, y: Any) -> Any:
    """The other one where one is no number."""
    assert ctx.node is not None
    x, y = typed(ctx, x, ctx.meta.dtype), typed(ctx, y, ctx.meta.dtype)
    x, y = ctx.var(x), ctx.var(y)
    better = "ge" if "fmax" in str(ctx.node.target) else "le"
    first = ctx.emit(better, (x, y), like=like(ctx, torch.bool))
    missing = ctx.emit("ne", (y, y), like=ctx.meta.new_empty(y.shape, dtype=torch.bool))
    return ctx.emit("where", (ctx.emit("logical_or", (first, missing), like=like(ctx, torch.bool)), x, y))


@lowers("clamp.Tensor", "clamp_min.Tensor", "clamp_max.Tensor", "clip.Tensor")
def clamp_by_tensors(ctx: Lowering, x: Any, low: Any = None, high: Any = None, *, min: Any = None, max: Any = None) -> Any:
    assert ctx.node is not None
    low, high = (low if min is None else min), (high if max is None else max)
    if str(ctx.node.target).startswith("aten.clamp_max"):
        low, high = None, low
    if ctx.meta.dtype == torch.bool:
        raise NotLowered("booleans as numbers")
    x = as_result(ctx, x)
    for op, bound in (("maximum", low), ("minimum", high)):
        if bound is not None:
            x = binary(ctx, op, x, bound)
    return x
