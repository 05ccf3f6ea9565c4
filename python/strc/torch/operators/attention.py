"""Scaled dot-product attention."""

from __future__ import annotations

import math
from typing import Any

import torch

from ..lowering import Forbidden, Lowering, NotLowered, Var, lowers, static
from ..weights import Known


@lowers("scaled_dot_product_attention.default")
def attention(
    ctx: Lowering, query: Any, key: Any, value: Any, mask: Any = None, dropout: float = 0.0, is_causal: bool = False,
    scale: float | None = None, enable_gqa: bool = False,
) -> Any:
    if dropout > 0:
        raise Forbidden("drops at random (dropout_p), which no stream does; pass it in training alone")
    if enable_gqa:
        key, value = (ctx.made(for_heads, one, query.shape[-3]) for one in (key, value))
    kind = kind_of_mask(query, key, mask)
    if kind == "other":
        return masked(ctx, query, key, value, mask, scale)
    named: dict[str, Any] = {"causal": True} if is_causal or kind == "causal" else {}
    if scale is not None and not math.isclose(scale, query.shape[-1] ** -0.5):
        named["scale"] = float(scale)
    return ctx.emit("attention", (query, key, value), **named)


def for_heads(x: torch.Tensor, heads: int) -> torch.Tensor:
    """Each head of keys or values as often as it serves heads of queries."""
    times = heads // x.shape[-3]
    return x.unsqueeze(-3).expand(*x.shape[:-2], times, *x.shape[-2:]).flatten(-4, -3) if times > 1 else x


def kind_of_mask(query: Var, key: Var, mask: Any) -> str:
    """"none" for a mask that hides nothing, "causal" for one that hides all later keys, else "other"."""
    if mask is None:
        return "none"
    sizes = [static(query.shape[-2]), static(key.shape[-2])]
    if not isinstance(mask, Known) or None in sizes:
        return "other"
    seen = mask.tensor if mask.tensor.dtype == torch.bool else mask.tensor == 0
    hidden = torch.zeros(()) if mask.tensor.dtype == torch.bool else mask.tensor[~seen]
    if bool(seen.all()):
        return "none"
    triangle = torch.ones([size or 0 for size in sizes], dtype=torch.bool).tril()
    whole = bool((hidden <= -1e9).all()) or mask.tensor.dtype == torch.bool
    return "causal" if whole and sizes[0] == sizes[1] and torch.equal(seen, triangle.expand_as(seen)) else "other"


def hiding(ctx: Lowering, mask: Any) -> Any:
    """True where a mask of booleans hides."""
    if isinstance(mask, Known):
        return Known(f"{mask.name}_hidden", ~mask.tensor)
    return ctx.emit("logical_not", (mask,), like=mask)


def masked(ctx: Lowering, query: Var, key: Var, value: Var, mask: Any, scale: float | None) -> Any:
    """With a mask: softmax(q k^T * scale + mask) v."""
    factor = query.shape[-1] ** -0.5 if scale is None else scale

    def like(*shape: Any, dtype: torch.dtype = query.dtype) -> torch.Tensor:
        return torch.empty([size for size in shape], dtype=dtype, device="meta")

    turned = ctx.emit("transpose", (key,), key.rank - 2, key.rank - 1, like=like(*key.shape[:-2], key.shape[-1], key.shape[-2]))
    scores = like(*query.shape[:-1], key.shape[-2])
    product = ctx.emit("matmul", (ctx.emit("mul_scalar", (query,), float(factor), like=like(*query.shape)), turned), like=scores)
    if (mask.dtype if isinstance(mask, Var) else mask.tensor.dtype) == torch.bool:
        hidden = ctx.emit("masked_fill", (product, hiding(ctx, mask)), float("-inf"), like=scores)
    else:
        hidden = ctx.emit("add", (product, mask), like=scores)
    shares = ctx.emit("softmax", (hidden,), query.rank - 1, like=scores)
    if may_hide_all(mask):
        # What sees nothing gives zeros, where a softmax would be NaN.
        greatest = ctx.emit("amax", (hidden,), (query.rank - 1,), True, like=like(*query.shape[:-1], 1))
        blind = ctx.emit("eq_scalar", (greatest,), float("-inf"), like=like(*query.shape[:-1], 1, dtype=torch.bool))
        shares = ctx.emit("masked_fill", (shares, blind), 0.0, like=scores)
    return ctx.emit("matmul", (shares, value))


def may_hide_all(mask: Any) -> bool:
    """True unless every row of a mask that is known sees something."""
    if not isinstance(mask, Known):
        return True
    seen = mask.tensor if mask.tensor.dtype == torch.bool else mask.tensor != float("-inf")
    return not bool(seen.any(-1).all())
