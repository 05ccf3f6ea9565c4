"""Mixtures of experts: rows that are multiplied by one of several matrices."""

from __future__ import annotations

from typing import Any

import torch

from ..lowering import Lowering, NoStream, lowers, static
from ..weights import Known


@lowers("transformers.grouped_mm_fallback.default")
def grouped(ctx: Lowering, x: Any, weight: Any, ends: Any) -> Any:
    """Where the matrices are stored: each is read where it lies. Else `decompositions.experts`."""
    rows = static(x.shape[0])
    if rows is None or not isinstance(weight, Known) or weight.dtype != torch.float32:
        raise NoStream("for matrices that are stored, and a number of rows that is known")
    return ctx.emit("grouped_product", (x, ends), rows, *weight.tensor.shape, weights=ctx.prefix(weight=weight))
