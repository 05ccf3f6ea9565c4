"""Scaled dot-product attention."""

from __future__ import annotations

import math
from typing import Any

import torch

from ..lowering import Lowering, NotLowered, Var, lowers


@lowers("scaled_dot_product_attention.default")
def attention(
    ctx: Lowering, query: Any, key: Any, value: Any, mask: Any = None, dropout: float = 0.0, is_causal: bool = False,
    scale: float | None = None, enable_gqa: bool = False,
) -> Var:
    if enable_gqa:
        raise NotLowered("heads that share keys (enable_gqa)")
    if mask is not None:
        return masked(ctx, query, key, value, mask, scale)
    named: dict[str, Any] = {"causal": True} if is_causal else {}
    if scale is not None and not math.isclose(scale, query.shape[-1] ** -0.5):
        named["scale"] = float(scale)
    return ctx.emit("attention", (query, key, value), **named)


def masked(ctx: Lowering, query: Var, key: Var, value: Var, mask: Any, scale: float | None) -> Var:
    """With a mask: softmax(q k^T * scale + mask) v."""
    factor = query.shape[-1] ** -0.5 if scale is None else scale

    def like(*shape: Any, dtype: torch.dtype = query.dtype) -> torch.Tensor:
        return torch.empty([size for size in shape], dtype=dtype, device="meta")

    turned = ctx.emit("transpose", (key,), key.rank - 2, key.rank - 1, like=like(*key.shape[:-2], key.shape[-1], key.shape[-2]))
    scores = like(*query.shape[:-1], key.shape[-2])
    product = ctx.emit("matmul", (ctx.emit("mul_scalar", (query,), float(factor), like=like(*query.shape)), turned), like=scores)
    if (mask.dtype if isinstance(mask, Var) else mask.tensor.dtype) == torch.bool:
        seen = ctx.emit("logical_not", (mask,), like=mask if isinstance(mask, Var) else mask.tensor)
        hidden = ctx.emit("masked_fill", (product, seen), float("-inf"), like=scores)
    else:
        hidden = ctx.emit("add", (product, mask), like=scores)
    return ctx.emit("matmul", (ctx.emit("softmax", (hidden,), query.rank - 1, like=scores), value))
